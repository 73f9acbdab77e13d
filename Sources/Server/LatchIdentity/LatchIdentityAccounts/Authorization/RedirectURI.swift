// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

extension OAuthClient {
    /// Whether the client may sign users in on the server's pages.
    var signsUsersIn: Bool { grants.contains(.authorizationCode) || grants.contains(.deviceCode) }

    /// Returns whether the browser may return to a URL, which must equal a registered one exactly (RFC 9700 §2.1).
    ///
    /// A registered loopback URL without a port accepts every port, since the system chooses it when the program
    /// listens (RFC 8252 §7.3). `localhost` is a name that another program may answer to, so this rule excludes it.
    package func allows(redirect: String) -> Bool {
        guard grants.contains(.authorizationCode), redirect.utf8.count <= 500 else { return false }
        let unported = Self.withoutLoopbackPort(redirect)
        return redirectURIs.contains { registered in
            registered.utf8.elementsEqual(redirect.utf8)
                || unported.map { registered.utf8.elementsEqual($0.utf8) } == true
        }
    }

    /// Returns an http URL with a loopback address and a port without that port; nil for any other URL.
    private static func withoutLoopbackPort(_ url: String) -> String? {
        for host in ["http://127.0.0.1", "http://[::1]"] where url.utf8.starts(with: host.utf8) {
            let rest = url.utf8.dropFirst(host.utf8.count)
            guard rest.first == UInt8(ascii: ":") else { return nil }
            let port = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
            guard let number = UInt16(String(Substring(port))), number > 0, port.first != UInt8(ascii: "0") else {
                return nil
            }
            return host + String(Substring(rest.dropFirst(1 + port.count)))
        }
        return nil
    }
}
