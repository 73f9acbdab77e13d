// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation

/// A scheme, host and port (RFC 6454 §4); credentials stay within an origin.
public struct HTTPOrigin: Sendable, Hashable, CustomStringConvertible {
    /// `https` or `http`.
    public let scheme: String
    /// The host in lower case, an IPv6 address in brackets.
    public let host: String
    /// The port; the scheme's default if the authority has none.
    public let port: Int

    /// Creates an origin from a scheme and a `host[:port]`.
    ///
    /// An invalid port remains part of the host, so that such an origin equals no origin that can be requested.
    public init(scheme: String, authority: String) {
        let scheme = lowercased(scheme[...])
        self.scheme = scheme
        let bytes = authority.utf8
        let afterBracket = bytes.lastIndex(of: 0x5D) ?? bytes.startIndex
        if let colon = bytes[afterBracket...].lastIndex(of: 0x3A),
            let port = portNumber(authority[bytes.index(after: colon)...])
        {
            host = lowercased(authority[..<colon])
            self.port = port
        } else {
            host = lowercased(authority[...])
            port = scheme == "https" ? 443 : 80
        }
    }

    /// Creates the origin of a URL, or returns nil if it cannot be requested.
    public init?(_ url: URL) {
        do { self = try Self.split(url.absoluteString).origin } catch { return nil }
    }

    /// The host, and the port unless it is the scheme's default: the value of the Host field (RFC 9110 §7.2).
    package var authority: String {
        port == (scheme == "https" ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// The origin as `https://host`, with the port unless it is the scheme's default.
    public var description: String { "\(scheme)://\(authority)" }

    /// Whether the host can only be this machine: a loopback address, or `localhost` (RFC 6761 §6.3).
    public var isLoopback: Bool {
        switch host.utf8.first {
        case 0x5B: return host == "[::1]"
        case 0x31: return isLoopbackAddress(host.utf8)
        default: return host == "localhost" || host.utf8.suffix(10).elementsEqual(".localhost".utf8)
        }
    }

    /// Splits an absolute URL into its origin and the path with the query; user information is rejected.
    ///
    /// - Throws: `HTTPError.invalidURL`.
    package static func split(_ url: String) throws(HTTPError) -> (origin: HTTPOrigin, path: String) {
        guard let separator = url.utf8.firstRange(of: "://".utf8) else { throw .invalidURL("it has no scheme") }
        let scheme = url[..<separator.lowerBound].lowercasedASCII()
        guard scheme == "https" || scheme == "http" else { throw .invalidURL("its scheme is neither https nor http") }
        let rest = Substring(url[separator.upperBound...].unicodeScalars.prefix { $0 != "#" })
        let authority = Substring(rest.unicodeScalars.prefix { $0 != "/" && $0 != "?" })
        // RFC 9110 §4.2.4: user information in a URL misleads users and leaks secrets.
        guard !authority.isEmpty, !authority.utf8.contains(UInt8(ascii: "@")) else {
            throw .invalidURL(authority.isEmpty ? "it has no host" : "it carries user information")
        }
        // Another parser of `a:80:443` or `a:+443` might connect to a different host or port.
        guard isClear(authority) else { throw .invalidURL("its host or port is unclear") }
        // RFC 3986 allows these only in percent-encoding; sending one would enable request smuggling.
        guard rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }) else {
            throw .invalidURL("it holds a character that must be percent-encoded")
        }
        let origin = HTTPOrigin(scheme: scheme, authority: String(authority))
        guard !origin.host.isEmpty, origin.host.utf8.last != UInt8(ascii: ":") else {
            throw .invalidURL("its host or port is unclear")
        }
        let path = rest[authority.endIndex...]
        return (origin, path.utf8.first == 0x2F ? String(path) : "/" + path)
    }
}

/// Whether a host is in 127.0.0.0/8 (RFC 1122 §3.2.1.3), in the usual notation of four decimal numbers.
private func isLoopbackAddress(_ host: String.UTF8View) -> Bool {
    var number: Int?
    var dots = 0
    for byte in host {
        switch byte {
        case 0x30...0x39: number = (number ?? 0) * 10 + Int(byte - 0x30)
        case 0x2E where number != nil && (dots > 0 || number == 127): (number, dots) = (nil, dots + 1)
        default: return false
        }
        if let number, number > 255 { return false }
    }
    return dots == 3 && number != nil
}

/// Returns the text with its ASCII letters in lower case (RFC 3986 §6.2.2.1).
///
/// Unicode maps KELVIN SIGN to `k`, which would make two origins equal.
private func lowercased(_ text: Substring) -> String {
    // Most texts are already in lower case.
    guard text.utf8.contains(where: { (0x41...0x5A).contains($0) }) else { return String(text) }
    return text.lowercasedASCII()
}

/// Returns the port of up to 65535 in digits (RFC 3986 §3.2.3); Swift's conversion would accept `+80`.
private func portNumber(_ text: Substring) -> Int? {
    text.utf8.allSatisfy(isDigit) ? UInt16(text).map(Int.init) : nil
}

/// Whether the authority is a name or an address in brackets (RFC 3986 §3.2.2), with an optional colon and port.
private func isClear(_ authority: Substring) -> Bool {
    let bytes = authority.utf8
    let isBracketed = bytes.first == UInt8(ascii: "[")
    let end =
        isBracketed
        ? bytes.firstIndex(of: UInt8(ascii: "]")).map(bytes.index(after:))
        : bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    guard let end else { return false }
    let (host, rest) = (authority[..<end], authority[end...])
    let isHost = isBracketed ? isIPv6Literal(host) : !host.isEmpty && !host.utf8.contains { "[]".utf8.contains($0) }
    return isHost
        && (rest.isEmpty
            || (rest.utf8.first == UInt8(ascii: ":") && portNumber(Substring(rest.utf8.dropFirst())) != nil))
}
