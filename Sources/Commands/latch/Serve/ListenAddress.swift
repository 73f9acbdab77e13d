// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchServer

/// Where to listen: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`.
struct ListenAddress: Sendable, Hashable {
    /// The host without brackets.
    let host: String
    /// 0 for any free one.
    let port: Int

    /// Reads `HOST:PORT`.
    init(_ text: String) throws(CommandError) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            throw Self.malformed(text)
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
        } else if host.contains(":") {
            throw .failed("'\(text)' is not an address to listen on.", hint: "Write IPv6 in brackets: [::1]:8080.")
        }
        guard !host.isEmpty else { throw Self.malformed(text) }
        self.host = host
        self.port = Int(port)
    }

    /// The address that a server is told to listen on.
    init(of configuration: Server.Configuration) {
        host = configuration.host
        port = configuration.port
    }

    /// Whether only programs of this machine can reach it.
    ///
    /// A name that only begins like such an address, as `127.example.com` does, is not one.
    var isLoopback: Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).compactMap { UInt8($0) }
        let isIPv4 = numbers.count == 4 && host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
        return host == "localhost" || host == "::1" || (isIPv4 && numbers[0] == 127)
    }

    /// The text as it was given, with how it is written.
    private static func malformed(_ text: String) -> CommandError {
        .failed("'\(text)' is not an address to listen on.", hint: "Write HOST:PORT, such as 127.0.0.1:8080.")
    }
}
