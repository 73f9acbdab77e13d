// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchIdentity
import LatchServer
import PortableFoundation

extension Settings {
    /// Returns the configuration of the HTTP server.
    ///
    /// - Throws: `CommandError.failed` for an unreadable file; the server validates the contents when it starts.
    func serverConfiguration() throws(CommandError) -> Server.Configuration {
        let address = try ListenAddress(self["listen"])
        var configuration = Server.Configuration(host: address.host, port: address.port)
        configuration.maximumConnections = number("maximum_connections")
        configuration.maximumConnectionsPerAddress = number("maximum_connections_per_address")
        configuration.maximumBodyBytes = number("maximum_body_bytes")
        configuration.contentLimits = Identity.contentLimits(callBytes: number("maximum_call_bytes"))
        configuration.grace = .seconds(number("shutdown_grace"))
        configuration.keepAliveTimeout = .seconds(number("keep_alive"))
        let loops = number("event_loops")
        configuration.loops = loops == 0 ? ProcessInfo.processInfo.activeProcessorCount : loops
        configuration.trustedProxies = try TrustedProxies(
            self["trusted_proxies"], field: TrustedProxies.Field(self["forwarded_field"]))
        configuration.tls = try tls()
        return configuration
    }

    /// Returns the configuration of the listener for operators; nil if `admin_listen` is not set.
    func administrationConfiguration() throws(CommandError) -> Server.Configuration? {
        guard !self["admin_listen"].isEmpty else { return nil }
        let address = try ListenAddress(self["admin_listen"])
        return Server.Configuration(host: address.host, port: address.port)
    }

    /// Returns the collector of traces and metrics; nil if there is none.
    ///
    /// - Throws: `IdentityError.invalidSetting` for an invalid variable of OpenTelemetry.
    func telemetryConfiguration(_ variables: [String: String]) throws(IdentityError) -> TelemetryConfiguration? {
        let ratio = all.first { $0.setting.key == "trace_ratio" }
        return try TelemetryConfiguration(
            endpoint: self["otlp_endpoint"], headers: self["otlp_headers"],
            ratio: ratio?.source == .standard ? "" : self["trace_ratio"], propagatingTo: self["trace_origins"],
            parents: self["trace_parents"], service: "latch", environment: variables)
    }

    /// Checks that the settings fit each other before a server starts with them.
    func check(_ variables: [String: String]) throws {
        try identityConfigurationWithKey().check()
        _ = try administrationConfiguration()
        _ = try telemetryConfiguration(variables)
        try checkTLS()
    }

    /// - Throws: `CommandError.failed` if only the certificate or only the key is set.
    private func checkTLS() throws(CommandError) {
        guard self["tls_certificate"].isEmpty == self["tls_key"].isEmpty else {
            throw .failed("tls_certificate and tls_key belong together.", hint: "Give both, or neither.")
        }
    }

    /// Reads certificate and key; nil, for plain HTTP, if neither is set.
    ///
    /// - Throws: `CommandError.failed` if only one of them is set, because the server would otherwise not encrypt.
    func tls() throws(CommandError) -> Server.TLS? {
        let (certificate, key) = (self["tls_certificate"], self["tls_key"])
        try checkTLS()
        guard !certificate.isEmpty else { return nil }
        let hint = "Give the path of a PEM file that this user may read."
        return Server.TLS(
            certificate: try InputFile.bytes(certificate, hint: hint), key: try InputFile.bytes(key, hint: hint))
    }
}

/// An address to listen on: `127.0.0.1:8080`, `[::1]:8080`, `localhost:0`.
struct ListenAddress: Sendable, Hashable {
    /// The host without brackets.
    let host: String
    /// The port; 0 selects a free one.
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

    /// Creates an address from its parts; the host has no brackets.
    init(host: String, port: Int) { (self.host, self.port) = (host, port) }

    /// Creates the address on which a server listens.
    init(_ address: Server.Address) { self.init(host: address.host, port: address.port) }

    /// Whether only programs on this machine can reach the address.
    ///
    /// A name that only begins like such an address, such as `127.example.com`, does not count.
    var isLoopback: Bool {
        host == "localhost" || IPAddress(host)?.isLoopback == true
    }

    /// Returns the error for a malformed address.
    private static func malformed(_ text: String) -> CommandError {
        .failed("'\(text)' is not an address to listen on.", hint: "Write HOST:PORT, such as 127.0.0.1:8080.")
    }
}

/// The location of the account store.
struct StoreLocation: Sendable, Hashable {
    /// The path of the SQLite file, or the URI of a PostgreSQL database, which may contain a password.
    let path: String
    /// Whether the store is a file on this machine.
    let isFile: Bool

    /// Parses `sqlite:PATH` or `postgres://…`.
    ///
    /// In a path, `~` and `%20` have no special meaning. libpq receives a URI unchanged.
    ///
    /// - Throws: `CommandError.failed`, without the password that a URL may contain.
    init(_ text: String) throws(CommandError) {
        isFile = !IdentityStore.isDatabase(text)
        guard isFile else {
            path = text
            return
        }
        guard text.hasPrefix("sqlite:"), text.utf8.count > 7 else {
            throw .failed(
                "'\(Self.redacted(text))' is not a store.",
                hint: "Write 'sqlite:PATH', such as sqlite:latch.sqlite, or 'postgres://USER@HOST/DATABASE'.")
        }
        path = String(text.dropFirst(7))
    }

    /// Returns the text without the parts that may contain a password.
    ///
    /// In a URL, these are the userinfo (RFC 3986 §3.2.1) and the query, because libpq also reads passwords from there.
    /// Any other text with `=` or `@` is redacted completely.
    static func redacted(_ text: String) -> String {
        guard !text.hasPrefix("sqlite:") else { return text }
        guard let scheme = text.firstRange(of: "://") else {
            return text.contains { "=@".contains($0) } ? "(redacted)" : text
        }
        let parts = text[scheme.upperBound...].split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // An '@' after a '?' may end a password that contains '?', or belong to a password in the query.
        guard parts.count == 1 || !parts[1].contains("@") else { return text[..<scheme.upperBound] + "(redacted)" }
        let query = parts.count == 1 ? "" : "?(redacted)"
        guard let at = parts[0].lastIndex(of: "@") else { return text[..<scheme.upperBound] + parts[0] + query }
        return text[..<scheme.upperBound] + "(redacted)" + parts[0][at...] + query
    }
}
