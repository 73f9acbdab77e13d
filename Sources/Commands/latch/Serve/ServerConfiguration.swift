// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchIdentity
import LatchServer
import PortableFoundation

/// The configuration of the HTTP server, from the settings.
struct ServerConfiguration {
    private let settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    /// Returns the configuration of the HTTP server.
    ///
    /// - Throws: `CommandError.failed` for an unreadable file; the server validates the contents at its start.
    func configuration() throws(CommandError) -> Server.Configuration {
        let address = try ListenAddress(settings["listen"])
        var configuration = Server.Configuration(host: address.host, port: address.port)
        configuration.maximumConnections = settings.number("maximum_connections")
        configuration.maximumConnectionsPerAddress = settings.number("maximum_connections_per_address")
        configuration.maximumBodyBytes = settings.number("maximum_body_bytes")
        configuration.contentLimits = [Identity.callPath: settings.number("maximum_call_bytes")]
        configuration.grace = .seconds(settings.number("shutdown_grace"))
        configuration.trustedProxies = try TrustedProxies(
            settings["trusted_proxies"], field: TrustedProxies.Field(settings["forwarded_field"]))
        configuration.tls = try tls()
        return configuration
    }

    /// Returns the configuration of the listener for operators; nil without the setting `admin_listen`.
    func administration() throws(CommandError) -> Server.Configuration? {
        guard !settings["admin_listen"].isEmpty else { return nil }
        let address = try ListenAddress(settings["admin_listen"])
        return Server.Configuration(host: address.host, port: address.port)
    }

    /// Reads certificate and key; nil, for plain HTTP, where neither is set.
    ///
    /// - Throws: `CommandError.failed` where only one of them is set, instead of serving without encryption.
    private func tls() throws(CommandError) -> Server.TLS? {
        let (certificate, key) = (settings["tls_certificate"], settings["tls_key"])
        if certificate.isEmpty, key.isEmpty { return nil }
        guard !certificate.isEmpty, !key.isEmpty else {
            throw .failed("tls_certificate and tls_key belong together.", hint: "Give both, or neither.")
        }
        return Server.TLS(certificate: try bytes(of: certificate), key: try bytes(of: key))
    }

    /// Returns a file's content; errors name its path only.
    private func bytes(of path: String) throws(CommandError) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw .failed("'\(path)' cannot be read.", hint: "Give the path of a PEM file that this user may read.")
        }
    }
}

/// An address to listen on: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`.
struct ListenAddress: Sendable, Hashable {
    /// The host without brackets.
    let host: String
    /// The port; 0 picks any free one.
    let port: Int

    /// Parses `HOST:PORT`.
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

    /// Creates the address of a server configuration.
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

    /// Returns the error for a malformed address.
    private static func malformed(_ text: String) -> CommandError {
        .failed("'\(text)' is not an address to listen on.", hint: "Write HOST:PORT, such as 127.0.0.1:8080.")
    }
}

/// The location of the account store.
struct StoreLocation: Sendable, Hashable {
    /// The path of the SQLite file.
    let path: String

    /// Parses `sqlite:PATH`; neither `~` nor `%20` have a meaning in the path.
    ///
    /// - Throws: `CommandError.failed`, without the password that a URL may hold.
    init(_ text: String) throws(CommandError) {
        if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            throw .failed(
                "PostgreSQL as the store comes in a later round.",
                hint: "Use 'sqlite:PATH', such as sqlite:latch.sqlite.")
        }
        guard text.hasPrefix("sqlite:"), text.utf8.count > 7 else {
            throw .failed(
                "'\(Self.redacted(text))' is not a store.", hint: "Write 'sqlite:PATH', such as sqlite:latch.sqlite.")
        }
        path = String(text.dropFirst(7))
    }

    /// Returns the text without the userinfo of a URL (RFC 3986 §3.2.1), which may contain a password.
    static func redacted(_ text: String) -> String {
        guard let scheme = text.firstRange(of: "://"), let at = text.lastIndex(of: "@"), at >= scheme.upperBound else {
            return text
        }
        return text[..<scheme.upperBound] + "(redacted)" + text[at...]
    }
}
