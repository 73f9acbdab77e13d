// SPDX-License-Identifier: Apache-2.0

/// A parser of a complete head that the scanner has accepted: lines end with CRLF, and other controls are only tabs.
struct HeadParser {
    /// The head with its final empty line, which the scanner guarantees, so lines need no end check.
    private let bytes: UnsafeBufferPointer<UInt8>
    /// The start of the next line.
    private var position = 0
    private var method = HTTPMethod.get
    /// The request target, in one of the four forms of RFC 9112 §3.2.
    private var target = ""
    /// Whether the version is 1.1 or a later 1.x (RFC 9110 §2.5), with keep-alive, chunks and 100.
    private var isHTTP11 = true
    private var fields = HTTPFields()
    private var framing = FramingFields()

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Parses a head.
    ///
    /// - Parameter defaultAuthority: The authority of a request without a host.
    static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, cache: inout FieldCache, defaultAuthority: String
    ) throws(Rejection) -> RequestHead {
        var parser = HeadParser(bytes)
        try parser.parseRequestLine()
        try parser.parseFields(&cache)
        return try parser.head(defaultAuthority: defaultAuthority)
    }

    /// Parses the trailer section of a chunked content that the decoder has accepted, with its final empty line.
    static func fields(ofTrailers bytes: UnsafeBufferPointer<UInt8>, cache: inout FieldCache) -> HTTPFields {
        var (parser, fields) = (HeadParser(bytes), HTTPFields())
        while parser.position < bytes.count {
            let line = parser.nextLine()
            guard let colon = line.firstIndex(of: 0x3A) else { break }
            let name = UnsafeBufferPointer(rebasing: line[..<colon])
            if let field = cache.field(name, parser.trimmed(line[(colon + 1)...])) { fields.append(field) }
        }
        return fields
    }

    /// Returns the next line without its CRLF; the scanner accepts no bare CR.
    private mutating func nextLine() -> UnsafeBufferPointer<UInt8> {
        let start = position
        while bytes[position] != 0x0D { position += 1 }
        defer { position += 2 }
        return UnsafeBufferPointer(rebasing: bytes[start..<position])
    }

    /// Parses method, target and version, separated by one space (RFC 9112 §3).
    private mutating func parseRequestLine() throws(Rejection) {
        let line = nextLine()
        guard let first = line.firstIndex(of: 0x20), let last = line.lastIndex(of: 0x20), first < last else {
            throw Rejection("The request line is malformed.")
        }
        guard first > 0, line[..<first].allSatisfy(isTokenByte) else { throw Rejection("The method is malformed.") }
        let target = line[(first + 1)..<last]
        // RFC 3986 §2: a target is ASCII without spaces and without a fragment.
        guard !target.isEmpty, target.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }) else {
            throw Rejection("The request target is malformed.")
        }
        try parseVersion(line[(last + 1)...])
        method = HTTPMethod(token: UnsafeBufferPointer(rebasing: line[..<first]))
        self.target = String(decoding: target, as: UTF8.self)
    }

    /// Parses the version: HTTP/1.1 or 1.0; any other is 505 (RFC 9112 §2.3).
    private mutating func parseVersion(_ version: Slice<UnsafeBufferPointer<UInt8>>) throws(Rejection) {
        let isWellFormed = version.count == 8 && UnsafeBufferPointer(rebasing: version.prefix(5)).spells("HTTP/")
        guard isWellFormed, isDigit(version[version.startIndex + 5]), version[version.startIndex + 6] == 0x2E,
            isDigit(version[version.startIndex + 7])
        else { throw Rejection("The HTTP version is malformed.") }
        let digits = (version[version.startIndex + 5], version[version.startIndex + 7])
        guard digits.0 == 0x31 else { throw Rejection("The HTTP version is not supported.", status: 505) }
        isHTTP11 = digits.1 != 0x30
    }

    /// Parses the field lines in order, with their spelling (RFC 9112 §5).
    private mutating func parseFields(_ cache: inout FieldCache) throws(Rejection) {
        fields.reserveCapacity(12)
        while true {
            let line = nextLine()
            guard let first = line.first else { return }
            // RFC 9112 §5.2: obs-fold is rejected, since not every parser unfolds it.
            guard first != 0x20, first != 0x09 else { throw Rejection("A header field is folded.") }
            // RFC 9112 §5.1: no whitespace between name and colon; a space is not a token character.
            guard let colon = line.firstIndex(of: 0x3A),
                let field = cache.field(
                    UnsafeBufferPointer(rebasing: line[..<colon]), trimmed(line[(colon + 1)...]))
            else { throw Rejection("A header field's name is malformed.") }
            fields.append(field)
            try framing.record(field)
        }
    }

    /// Returns a value without the whitespace around it (RFC 9112 §5.1).
    private func trimmed(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> UnsafeBufferPointer<UInt8> {
        var (start, end) = (bytes.startIndex, bytes.endIndex)
        while start < end, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
        while end > start, bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09 { end -= 1 }
        return UnsafeBufferPointer(rebasing: bytes[start..<end])
    }

    /// Combines the request line and the fields, and rejects contradictions.
    private func head(defaultAuthority: String) throws(Rejection) -> RequestHead {
        var authority = framing.host.flatMap { $0.isEmpty ? nil : $0 } ?? defaultAuthority
        // RFC 9112 §3.2: an HTTP/1.1 request without Host, or any request with an invalid one, is 400.
        guard framing.host != nil || !isHTTP11 else { throw Rejection("The Host field is missing.") }
        var path = target
        // RFC 9110 §9.3.6: a client interprets a 2xx response to CONNECT as the start of a tunnel.
        guard method.rawValue != "CONNECT" else { throw Rejection("CONNECT is not supported.") }
        if target == "*", method == .options {
            path = "*"
        } else if target.utf8.first != 0x2F {
            (authority, path) = try resolved(target, host: framing.host)
        }
        // RFC 9112 §6.1: Transfer-Encoding in HTTP/1.0 is faulty framing.
        guard isHTTP11 || !framing.isChunked else { throw Rejection("HTTP/1.0 does not have Transfer-Encoding.") }
        return RequestHead(
            method: method, path: path, authority: authority, fields: fields,
            framing: framing.isChunked ? .chunked : .length(framing.contentLength ?? 0),
            keepsAlive: isHTTP11 && !framing.closes, acceptsChunks: isHTTP11,
            expectsContinue: isHTTP11 && framing.expectsContinue)
    }

    /// Splits a target in absolute form, whose host must be valid in a `Host` field (RFC 9112 §3.2.2).
    private func resolved(_ target: String, host: String?) throws(Rejection) -> (authority: String, path: String) {
        do {
            let (origin, path) = try HTTPOrigin.split(target)
            // A proxy that routes by one field and a server that reads the other must agree.
            guard host.map({ HTTPOrigin(scheme: origin.scheme, authority: $0) == origin }) ?? true else {
                throw Rejection("The Host field and the request target differ.")
            }
            guard isValidHost(origin.authority.utf8) else { throw Rejection("The target's host is malformed.") }
            return (origin.authority, path)
        } catch let rejection as Rejection {
            throw rejection
        } catch {
            throw Rejection("The request target is malformed.")
        }
    }
}
