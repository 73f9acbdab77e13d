// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// The address of a mail server, and what may stand in an envelope.
struct MailServer {
    /// The address for libcurl, without a slash at the end, which it would take for the name to greet with.
    let url: String
    /// Host and port as they were given, for messages.
    let authority: String
    /// Whether only this machine listens in, so that TLS may be left out.
    let isLoopback: Bool

    /// - Throws: `HTTPError.invalidURL` for anything but `smtp://host[:port]` and `smtps://host[:port]`.
    init(_ url: String) throws(HTTPError) {
        guard let separator = url.firstRange(of: "://"),
            ["smtp", "smtps"].contains(url[..<separator.lowerBound].lowercased())
        else { throw .invalidURL("a mail server's begins with smtp:// or smtps://") }
        var rest = url[separator.upperBound...]
        if rest.last == "/" { rest.removeLast() }
        guard !rest.contains("/") else { throw .invalidURL("a mail server's has no path") }
        // The rules for host and port are those of http; the ports that go without saying are not used.
        let origin = try HTTPOrigin.split("http://\(rest)").origin
        self.url = String(url[..<separator.upperBound] + rest)
        authority = String(rest)
        isLoopback = origin.isLoopback
    }

    /// Whether an address may stand in a command (RFC 5321 §4.1.2, without quoted names and address literals).
    static func isAddress(_ address: String) -> Bool {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        // RFC 5321 §4.5.3.1: sizes.
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, parts[0].utf8.count <= 64,
            address.utf8.count <= 254
        else { return false }
        let isHost = parts[1].utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: true
            default: false
            }
        }
        let isName = parts[0].utf8.allSatisfy { isTokenByte($0) || [0x2F, 0x3D, 0x3F, 0x7B, 0x7D].contains($0) }
        return isHost && isName
    }
}
#endif
