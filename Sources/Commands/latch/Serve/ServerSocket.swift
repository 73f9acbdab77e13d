// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCommand
import LatchIdentity
import LatchServer

/// What the settings say about the socket.
struct ServerSocket {
    private let settings: Settings

    init(_ settings: Settings) { self.settings = settings }

    /// The configuration of the HTTP server.
    ///
    /// - Throws: `CommandError.failed` for a file that cannot be read; what stands in it is looked at by the server as
    ///   it starts.
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

    /// Certificate and key as they are in the files now; nil where neither is set, an error where only one is.
    ///
    /// Nil serves HTTP. One of the two alone is refused: to serve in the clear what was meant to be encrypted is the
    /// worst way to read half a configuration.
    private func tls() throws(CommandError) -> Server.TLS? {
        let (certificate, key) = (settings["tls_certificate"], settings["tls_key"])
        if certificate.isEmpty, key.isEmpty { return nil }
        guard !certificate.isEmpty, !key.isEmpty else {
            throw .failed("tls_certificate and tls_key belong together.", hint: "Give both, or neither.")
        }
        return Server.TLS(certificate: try bytes(of: certificate), key: try bytes(of: key))
    }

    /// A file's content.
    ///
    /// Its path may be told, what stands in it may not.
    private func bytes(of path: String) throws(CommandError) -> [UInt8] {
        do {
            return Array(try Data(contentsOf: URL(filePath: path)))
        } catch {
            throw .failed("'\(path)' cannot be read.", hint: "Give the path of a PEM file that this user may read.")
        }
    }
}
