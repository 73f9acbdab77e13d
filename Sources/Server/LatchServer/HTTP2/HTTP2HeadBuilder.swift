// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// The header section of a request or its trailers, while the lines arrive (RFC 9113 §8.2, §8.3).
///
/// The session has checked that names are in lower case, and that no field is specific to a connection. It has also
/// checked that pseudo-header fields come first, once and complete. Other requests that HTTP/1.1 rejects are also
/// rejected here.
struct HTTP2HeadBuilder {
    private let limits: HeadLimits
    private var method = HTTPMethod.get
    /// Nil before the pseudo-header field, and for an unsupported scheme.
    private var scheme: String?
    private var authority: String?
    private var path = ""
    private var framing = FramingFields()
    private(set) var fields = HTTPFields()
    /// The lines of Cookie, which clients split for better compression (RFC 9113 §8.2.3).
    private var cookies: [String] = []
    /// The size so far, as RFC 9113 §6.5.2 counts it.
    private(set) var size = 0
    /// The reason why the request is rejected; later lines are only counted.
    private(set) var rejection: Rejection?

    init(limits: HeadLimits) { self.limits = limits }

    /// Adds one line; returns false if the section is so large that the connection must end.
    mutating func append(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, cache: inout FieldCache
    ) -> Bool {
        size += name.count + value.count + 32
        guard rejection == nil else { return size / HTTP2Limits.fatalHeaderFactor <= limits.bytes }
        do throws(Rejection) {
            guard size <= limits.bytes else { throw .headTooLarge }
            if name.first == 0x3A {
                try recordPseudoField(name, value, &cache)
            } else {
                try record(name, value, &cache)
            }
        } catch {
            rejection = error
            fields = HTTPFields()
        }
        return true
    }

    private mutating func recordPseudoField(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ cache: inout FieldCache
    ) throws(Rejection) {
        switch (name.count, name[1]) {
        case (7, UInt8(ascii: "m")):
            guard !value.isEmpty, value.allSatisfy(isTokenByte) else { throw Rejection("The method is malformed.") }
            method = HTTPMethod(token: value)
        case (7, UInt8(ascii: "s")):
            scheme = value.spells("https") ? "https" : value.spells("http") ? "http" : nil
        case (10, UInt8(ascii: "a")):
            authority = cache.authority(value)
            guard authority != nil else { throw Rejection("The authority is malformed.") }
        default:
            // RFC 3986 §2: a path is ASCII without spaces and without a fragment.
            guard value.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }) else {
                throw Rejection("The path is malformed.")
            }
            path = String(decoding: value, as: UTF8.self)
        }
    }

    private mutating func record(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ cache: inout FieldCache
    ) throws(Rejection) {
        guard let field = cache.field(name, value) else { throw Rejection("A header field's name is malformed.") }
        // RFC 9113 §8.2.3: a browser sends one field for each cookie. All of them count as one.
        let isCookie = field.name == .cookie
        let count = fields.count + (isCookie || !cookies.isEmpty ? 1 : 0)
        guard isCookie ? count <= limits.fieldCount : count < limits.fieldCount else { throw .headTooLarge }
        if isCookie { return cookies.append(field.value) }
        if fields.isEmpty { fields.reserveCapacity(12) }
        fields.append(field)
        try framing.record(field)
    }

    /// Combines the lines, and rejects contradictions.
    ///
    /// - Parameter hasContent: Whether DATA follows.
    func head(hasContent: Bool) throws(Rejection) -> RequestHead {
        if let rejection { throw rejection }
        guard method.rawValue != "CONNECT" else { throw Rejection("CONNECT is not supported.") }
        guard let scheme else { throw Rejection("The scheme is not supported.") }
        guard path.utf8.first == 0x2F || path == "*" && method == .options else {
            throw Rejection("The path is malformed.")
        }
        // RFC 9113 §8.3.1: a proxy that routes by one field and a server that reads the other must agree.
        if let host = framing.host, let authority, host != authority,
            HTTPOrigin(scheme: scheme, authority: host) != HTTPOrigin(scheme: scheme, authority: authority)
        {
            throw Rejection("The Host field and the authority differ.")
        }
        guard let authority = authority ?? framing.host, !authority.isEmpty else {
            throw Rejection("The authority is missing.")
        }
        var fields = fields
        if !cookies.isEmpty { fields.append(cookies.joined(separator: "; "), for: .cookie) }
        let length = hasContent ? framing.contentLength : 0
        return RequestHead(
            method: method, path: path, authority: authority, fields: fields,
            framing: length.map { .length($0) } ?? .chunked, keepsAlive: true, acceptsChunks: true,
            expectsContinue: framing.expectsContinue)
    }
}
