// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchServer

/// An address to listen on: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`.
package struct ListenAddress: Sendable, Hashable {
    /// The host without brackets.
    package let host: String
    /// The port; 0 picks any free one.
    package let port: Int

    /// Parses `HOST:PORT`.
    package init(_ text: String) throws(SettingProblem) {
        let bytes = text.utf8
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(text[bytes.index(after: colon)...])
        else { throw Self.malformed(text, hint: "Write HOST:PORT, such as 127.0.0.1:8080.") }
        var host = text[..<colon].utf8
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]"), host.count > 1 {
            host = host.dropFirst().dropLast()
        } else if host.contains(UInt8(ascii: ":")) {
            throw Self.malformed(text, hint: "Write IPv6 in brackets: [::1]:8080.")
        }
        guard !host.isEmpty else { throw Self.malformed(text, hint: "Write HOST:PORT, such as 127.0.0.1:8080.") }
        self.host = String(Substring(host))
        self.port = Int(port)
    }

    /// Creates an address of its parts; the host has no brackets.
    package init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Creates the address on which a server listens.
    package init(_ address: Server.Address) { self.init(host: address.host, port: address.port) }

    /// The address as `HOST:PORT`.
    package var text: String { host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// Whether only programs of this machine can reach it.
    ///
    /// A name that only begins like such an address, as `127.example.com` does, is not one.
    package var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

    private static func malformed(_ text: String, hint: String) -> SettingProblem {
        .stated(
            "'\(text)' is not an address to listen on.", hint: hint,
            expected: "an address to listen on, such as 127.0.0.1:9000 or [::1]:9000")
    }
}
