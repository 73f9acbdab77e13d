// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

extension OAuthClient {
    /// Whether the client may sign users in on the server's pages.
    package var signsUsersIn: Bool { grants.contains(.authorizationCode) || grants.contains(.deviceCode) }

    /// Returns whether the browser may return to a URL, which must equal a registered one exactly (RFC 9700 §2.1).
    ///
    /// A registered loopback URL without a port accepts every port, since the system chooses it when the program
    /// listens (RFC 8252 §7.3). `localhost` is a name that another program may answer to, so this rule excludes it.
    ///
    /// Programs that register themselves name a port and listen on another, or use `localhost`. Of their loopback URLs
    /// the port never counts. The user sees each of these requests, and PKCE protects the code.
    package func allows(redirect: String) -> Bool {
        guard grants.contains(.authorizationCode), redirect.utf8.count <= 500 else { return false }
        let hosts = registersItself ? Self.loopbackHosts : Self.loopbackAddresses
        let requested = Self.loopback(redirect, of: hosts)
        return redirectURIs.contains { registered in
            if registered.utf8.elementsEqual(redirect.utf8) { return true }
            guard let requested, let known = Self.loopback(registered, of: hosts), registersItself || !known.hasPort
            else { return false }
            return known.url.utf8.elementsEqual(requested.url.utf8)
        }
    }

    private static let loopbackAddresses = ["http://127.0.0.1", "http://[::1]"]
    private static let loopbackHosts = loopbackAddresses + ["http://localhost"]

    /// Returns an http URL of one of the hosts without its port; nil for any other URL.
    private static func loopback(_ url: String, of hosts: [String]) -> (url: String, hasPort: Bool)? {
        guard let host = hosts.first(where: { url.utf8.starts(with: $0.utf8) }) else { return nil }
        var rest = url.utf8.dropFirst(host.utf8.count)
        let hasPort = rest.first == UInt8(ascii: ":")
        if hasPort {
            let port = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard let number = UInt16(String(Substring(port))), number > 0, port.first != UInt8(ascii: "0") else {
                return nil
            }
            rest = rest.dropFirst(1 + port.count)
        }
        // An empty path is the path '/' (RFC 3986 §6.2.3). A name that only begins like the host is another one.
        guard let first = rest.first else { return (host + "/", hasPort) }
        return "/?".utf8.contains(first) ? (host + String(Substring(rest)), hasPort) : nil
    }
}
