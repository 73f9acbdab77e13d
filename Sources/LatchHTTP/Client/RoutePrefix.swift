// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The base URL of a client, and how paths are joined to it.
///
/// A path never leaves the base: whoever builds one from an identifier that a stranger chose must not end up at
/// another host or at another API of the same host.
struct RoutePrefix: Sendable {
    let scheme: String
    let authority: String
    private let basePath: String
    private let baseQuery: String

    init(_ url: URL) throws(HTTPError) {
        let (origin, path) = try HTTPOrigin.split(url.absoluteString)
        scheme = origin.scheme
        authority = origin.authority
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var base = parts[0]
        while base.last == "/" { base.removeLast() }
        basePath = String(base)
        baseQuery = parts.count > 1 ? String(parts[1]) : ""
    }

    /// The request target: base path, path and all queries.
    func target(_ path: String, query: [(String, String)]) throws(HTTPError) -> String {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first ?? ""
        try Self.check(name)
        var target = basePath
        if !name.isEmpty {
            if name.first != "/" { target += "/" }
            target += try Self.encoded(name)
        }
        if target.isEmpty { target = "/" }
        var queries = baseQuery
        for piece in [
            parts.count > 1 ? try Self.encoded(parts[1]) : "", query.isEmpty ? "" : FormEncoding.encode(query),
        ]
        where !piece.isEmpty {
            if !queries.isEmpty { queries += "&" }
            queries += piece
        }
        return queries.isEmpty ? target : "\(target)?\(queries)"
    }

    /// Refuses what servers and proxies resolve to somewhere else (RFC 3986 §4.2 and §5.2.4), in plain and in encoded
    /// spelling.
    private static func check(_ path: Substring) throws(HTTPError) {
        guard path.utf8.contains(where: { $0 == 0x2E || $0 == 0x25 || $0 == 0x3A || $0 == 0x5C || $0 == 0x2F }) else {
            return
        }
        guard !path.hasPrefix("//"), !path.contains("://") else {
            throw .invalidURL("its path names another host")
        }
        let plain = path.lowercased().replacing("%2e", with: ".").replacing("%2f", with: "/")
            .replacing("%5c", with: "\\")
        guard !plain.contains("\\") else { throw .invalidURL("its path holds a backslash") }
        let segments = plain.split(separator: "/", omittingEmptySubsequences: false)
        guard !segments.contains("."), !segments.contains("..") else {
            throw .invalidURL("its path leads out of the base path")
        }
    }

    /// Encodes what RFC 3986 §3.3 does not allow in a path or a query and keeps what is encoded already.
    private static func encoded(_ text: Substring) throws(HTTPError) -> String {
        if text.utf8.allSatisfy({ FormEncoding.isUnreserved($0) || $0 == 0x2F }) { return String(text) }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case 0x25:
                guard rest.count >= 2, rest.prefix(2).allSatisfy({ FormEncoding.digit($0) != nil }) else {
                    throw .invalidURL("its path holds a percent sign without two digits")
                }
                bytes.append(byte)
            case 0x00...0x1F, 0x7F: throw .invalidURL("its path holds a control character")
            case 0x23: throw .invalidURL("its path holds a fragment")
            case _ where FormEncoding.isUnreserved(byte) || isDelimiter(byte): bytes.append(byte)
            default: FormEncoding.appendEncoded(byte, to: &bytes)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// RFC 3986 §2.2 as far as it may stand in a path or a query.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21, 0x24, 0x26...0x2C, 0x2F, 0x3A, 0x3B, 0x3D, 0x3F, 0x40: true
        default: false
        }
    }
}
