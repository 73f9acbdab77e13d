// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// The base URL of a client and the rules for joining paths to it.
///
/// A path never leaves the base. An identifier from an untrusted source must not lead to another host, or to another
/// API on the same host.
struct BaseURL: Sendable {
    let scheme: String
    let authority: String
    /// The base's path without a trailing slash; empty for a base without a path.
    private let basePath: String
    /// The base's query; empty for a base without one.
    private let baseQuery: String

    /// Creates a base URL.
    ///
    /// - Throws: `HTTPError.invalidURL` for anything but an absolute http or https URL without user information.
    init(_ url: URL) throws(HTTPError) {
        let (origin, path) = try HTTPOrigin.split(url.absoluteString)
        scheme = origin.scheme
        authority = origin.authority
        let parts = path.unicodeScalars.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var base = parts[0]
        while base.last == "/" { base.removeLast() }
        basePath = String(base)
        baseQuery = parts.count > 1 ? String(parts[1]) : ""
    }

    /// Returns the template of requests for a path: the base path and the literal of the path, without a query.
    func template(of path: RoutePath) -> String? {
        guard let template = path.template.map({ Substring($0.utf8.prefix { $0 != 0x3F }) }) else { return nil }
        return template.utf8.first == 0x2F ? basePath + template : "\(basePath)/\(template)"
    }

    /// Returns the request target: the base path, the path and all queries.
    ///
    /// The queries are in the order base, path, pairs; a name that occurs in two of them occurs twice.
    ///
    /// - Throws: `HTTPError.invalidURL` if the path would leave the base or holds forbidden characters.
    func target(_ path: RoutePath, query: [(String, String)]) throws(HTTPError) -> String {
        guard !path.lacksSegment else { throw .invalidURL("a value in its path is empty") }
        let bytes = path.text.utf8
        let name = bytes.prefix { $0 != 0x3F }
        try Self.check(name)
        var target = basePath
        if let first = name.first {
            if first != 0x2F { target += "/" }
            target += try Self.encoded(name)
        }
        if target.isEmpty { target = "/" }
        var queries = baseQuery
        func add(_ piece: String) {
            guard !piece.isEmpty else { return }
            if !queries.isEmpty { queries += "&" }
            queries += piece
        }
        if name.endIndex < bytes.endIndex { add(try Self.encoded(bytes[name.endIndex...].dropFirst())) }
        if !query.isEmpty { add(FormEncoding.encode(query)) }
        return queries.isEmpty ? target : "\(target)?\(queries)"
    }

    /// Rejects a path that servers and proxies resolve to a different location (RFC 3986 §4.2 and §5.2.4).
    ///
    /// It checks both plain and percent-encoded spelling. It compares bytes, since a slash followed by a combining
    /// accent is not a slash `Character`.
    private static func check(_ path: Substring.UTF8View) throws(HTTPError) {
        guard !beginsWithTwoSlashes(path) else { throw .invalidURL("its path names another host") }
        var rest = path
        var dots = 0
        var length = 0
        while let first = rest.first {
            if first == 0x3A, beginsWithTwoSlashes(rest.dropFirst()) {
                throw .invalidURL("its path names another host")
            }
            switch decodedFirst(&rest) {
            case 0x5C: throw .invalidURL("its path holds a backslash")
            case 0x2F:
                try checkSegment(dots: dots, length: length)
                (dots, length) = (0, 0)
            case 0x2E: (dots, length) = (dots + 1, length + 1)
            case 0x3B:
                // RFC 3986 §3.3: servers that read `;…` as parameters of a segment check the text before it.
                try checkSegment(dots: dots, length: length)
                length += 1
            case 0x00: throw .invalidURL("its path holds a NUL")
            // RFC 3629 §3: UTF-8 never holds these bytes, but lenient decoders read `%C0%AE` as a dot.
            case 0xC0, 0xC1, 0xF5...0xFF: throw .invalidURL("its path is not UTF-8")
            default: length += 1
            }
        }
        try checkSegment(dots: dots, length: length)
    }

    /// Whether a path begins with `//`, which names a host (RFC 3986 §4.2).
    private static func beginsWithTwoSlashes(_ path: Substring.UTF8View) -> Bool {
        path.first == 0x2F && path.dropFirst().first == 0x2F
    }

    /// Rejects `.` and `..`; three dots are an ordinary name.
    private static func checkSegment(dots: Int, length: Int) throws(HTTPError) {
        guard length != dots || length == 0 || length > 2 else {
            throw .invalidURL("its path leads out of the base path")
        }
    }

    /// Removes and returns the first byte, or the byte that `%` and two digits encode; a single `%` is returned
    /// unchanged.
    private static func decodedFirst(_ rest: inout Substring.UTF8View) -> UInt8 {
        let first = rest.removeFirst()
        guard first == 0x25 else { return first }
        let digits = rest.prefix(2).compactMap(Hex.value)
        guard digits.count == 2 else { return first }
        rest.removeFirst(2)
        return digits[0] << 4 | digits[1]
    }

    /// Percent-encodes the bytes that RFC 3986 §2.2 and §3.3 do not allow in a path or a query.
    ///
    /// Existing percent-encoding is kept.
    private static func encoded(_ text: Substring.UTF8View) throws(HTTPError) -> String {
        if text.allSatisfy({ PercentEncoding.isUnreserved($0) || $0 == 0x2F }) { return String(Substring(text)) }
        var bytes: [UInt8] = []
        var rest = Array(text)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case 0x25:
                guard rest.count >= 2, rest.prefix(2).allSatisfy({ Hex.value(of: $0) != nil }) else {
                    throw .invalidURL("its path holds a percent sign without two digits")
                }
                bytes.append(byte)
            case 0x00...0x1F, 0x7F: throw .invalidURL("its path holds a control character")
            case 0x23: throw .invalidURL("its path holds a fragment")
            case _ where PercentEncoding.isUnreserved(byte) || "!$&'()*+,/:;=?@".utf8.contains(byte): bytes.append(byte)
            default: PercentEncoding.appendEncoded(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
