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
        var server = configuration.server
        (server.host, server.port) = (configuration.listen.host, configuration.listen.port)
        server.contentLimits = Identity.contentLimits(callBytes: configuration.maximumCallBytes)
        let loops = configuration.eventLoops
        server.loops = loops == 0 ? ProcessInfo.processInfo.activeProcessorCount : loops
        server.tls = try tls()
        return server
    }

    /// Returns the configuration of the listener for operators; nil if `admin_listen` is not set.
    func administrationConfiguration() throws(CommandError) -> Server.Configuration? {
        guard let text = configuration.identity.adminListen else { return nil }
        do throws(SettingProblem) {
            let address = try ListenAddress(text)
            return Server.Configuration(host: address.host, port: address.port)
        } catch {
            throw .failed("'admin_listen' is not an address to listen on.", hint: "Write HOST:PORT.")
        }
    }

    /// Returns the collector of traces and metrics; nil if there is none.
    ///
    /// - Throws: `IdentityError.invalidSetting` for an invalid variable of OpenTelemetry.
    func telemetryConfiguration(_ variables: [String: String]) throws(IdentityError) -> TelemetryConfiguration? {
        try configuration.telemetry.configuration(variables)
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
        guard (configuration.tlsCertificate == nil) == (configuration.tlsKey == nil) else {
            throw .failed("tls_certificate and tls_key belong together.", hint: "Give both, or neither.")
        }
    }

    /// Reads certificate and key; nil, for plain HTTP, if neither is set.
    ///
    /// - Throws: `CommandError.failed` if only one of them is set, because the server would otherwise not encrypt.
    func tls() throws(CommandError) -> Server.TLS? {
        try checkTLS()
        guard let certificate = configuration.tlsCertificate, let key = configuration.tlsKey else { return nil }
        let hint = "Give the path of a PEM file that this user may read."
        return Server.TLS(
            certificate: try InputFile.bytes(certificate, hint: hint), key: try InputFile.bytes(key, hint: hint))
    }
}

/// The location of the account store.
struct StoreLocation: Sendable, Hashable {
    /// The path of the SQLite file, or the URI of a PostgreSQL database, which may contain a password.
    let path: String
    /// Whether the store is a file on this machine.
    let isFile: Bool

    /// The store of a server whose settings name none.
    static let standard = StoreLocation(file: "latch.sqlite")

    /// Creates the location of a file.
    private init(file path: String) { (self.path, isFile) = (path, true) }

    /// The location as the setting has it.
    var text: String { isFile ? "sqlite:" + path : path }

    /// Parses `sqlite:PATH`, in whose path neither `~` nor `%20` have a meaning, or `postgres://…`, which libpq takes as it is.
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
