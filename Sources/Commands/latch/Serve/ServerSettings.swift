// SPDX-License-Identifier: Apache-2.0

import LatchCommand
import LatchFoundation
import LatchIdentity
import LatchServer

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
        if configuration.identity.clientCertificates == .proxy {
            server.trustedProxies.certificateField = configuration.certificateField
        }
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
        try checkCertificates()
    }

    /// - Throws: `CommandError.failed` if the certificates of clients cannot come from where the settings say.
    private func checkCertificates() throws(CommandError) {
        switch configuration.identity.clientCertificates {
        case .none: return
        case .tls:
            guard configuration.tlsCertificate != nil else {
                throw .failed("client_certificates = tls needs tls_certificate.", hint: "Or set it to proxy.")
            }
        case .proxy:
            guard !configuration.server.trustedProxies.ranges.isEmpty else {
                throw .failed("client_certificates = proxy needs trusted_proxies.", hint: "Name your proxy's address.")
            }
        }
    }

    /// The clients that the server's own TLS asks for a certificate.
    ///
    /// Browsers are not asked where clients with certificates have another host.
    private var askedClients: Server.ClientCertificates {
        let identity = configuration.identity
        guard identity.clientCertificates == .tls else { return .ignored }
        let hosts = [identity.certificateURL, identity.issuer].map { $0.flatMap(PublicURL.host) }
        // RFC 6066 §3: a client names no address.
        guard let host = hosts[0], host != hosts[1], host.utf8.first != UInt8(ascii: "["), IPAddress(host) == nil else {
            return .requested
        }
        return .requestedFor(host: host)
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
            certificate: try InputFile.bytes(certificate, hint: hint), key: try InputFile.bytes(key, hint: hint),
            clientCertificates: askedClients)
    }
}
