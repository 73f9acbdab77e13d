// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import Foundation
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

/// A server that asks its clients for certificates.
@Suite struct ClientCertificateTests {
    static let versions = ["-tls1_2", "-tls1_3"]

    /// Responds with the number of the certificate's bytes.
    private static let shown = ClosureHandler { request in
        let certificate = request.clientCertificate
        return HTTPResponse(
            status: certificate == nil ? .noContent : .ok,
            fields: ["X-Chain": "\(certificate?.chain.count ?? 0)"], body: HTTPBody(certificate?.der ?? []))
    }

    private func serving(
        _ clients: Server.ClientCertificates, proxies: TrustedProxies = TrustedProxies(), overHTTP2: Bool = true,
        _ body: (Server.Address, Certificate, Server) async throws -> Void
    ) async throws {
        let certificate = try await Certificate()
        var configuration = Server.Configuration.patient
        configuration.tls = try certificate.tls(asking: clients)
        configuration.supportsHTTP2 = overHTTP2
        configuration.trustedProxies = proxies
        let server = Server(handler: Self.shown, configuration: configuration)
        let address = try await server.start()
        do { try await body(address, certificate, server) } catch {
            await server.shutdown(grace: .zero)
            throw error
        }
        await server.shutdown(grace: .zero)
    }

    private func transport(_ certificate: Certificate, _ client: ClientAuthority.Client?) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorityFile = certificate.certificatePath
        if let client {
            configuration.tls.clientCertificates = [
                try client.credential(for: "127.0.0.1"), try client.credential(for: "localhost"),
            ]
        }
        return CurlTransport(configuration: configuration)
    }

    private func request(_ address: Server.Address, host: String = "127.0.0.1") -> HTTPRequest {
        HTTPRequest(scheme: "https", authority: "\(host):\(address.port)", path: "/")
    }

    @Test(arguments: [true, false])
    func `Each request of a connection has the certificate of its client, whoever has issued it`(overHTTP2: Bool)
        async throws
    {
        let authority = try await ClientAuthority()
        for client in [try await authority.client(), try await authority.stranger()] {
            try await serving(.requested, overHTTP2: overHTTP2) { address, certificate, _ in
                let transport = try transport(certificate, client)
                for _ in 0..<3 {
                    try await expectEqual(transport.respond(to: request(address)).body.bytes, client.der)
                }
                let without = try self.transport(certificate, nil)
                try await expectEqual(without.respond(to: request(address)).status, .noContent)
            }
        }
    }

    @Test func `A client that is not asked shows no certificate`() async throws {
        let authority = try await ClientAuthority()
        let client = try await authority.stranger()
        try await serving(.ignored) { address, certificate, _ in
            let transport = try transport(certificate, client)
            try await expectEqual(transport.respond(to: request(address)).status, .noContent)
        }
    }

    // RFC 6066 §3.
    @Test func `Only the clients of the named host are asked`() async throws {
        let authority = try await ClientAuthority()
        let client = try await authority.stranger()
        try await serving(.requestedFor(host: "LOCALHOST")) { address, certificate, server in
            for _ in 0..<2 {
                let transport = try transport(certificate, client)
                let asked = try await transport.respond(to: request(address, host: "localhost"))
                expectEqual(asked.body.bytes, client.der)
                try await expectEqual(transport.respond(to: request(address)).status, .noContent)
                try server.replaceCertificate(try certificate.tls(asking: .requestedFor(host: "localhost")))
            }
        }
        let long = String(repeating: "a", count: 300)
        await #expect(throws: ServerError.badCertificate) {
            try await serving(.requestedFor(host: long)) { _, _, _ in }
        }
    }

    // RFC 9113 §9.1.2.
    @Test(arguments: versions)
    func `A request for the named host on another one's connection is misdirected`(version: String) async throws {
        try await serving(.requestedFor(host: "LocalHost")) { address, certificate, _ in
            let peer = SecureClient(address: address, certificate: certificate)
            for (name, host, status) in [
                ("other.example", "LOCALHOST:1", 421), ("other.example", "other.example", 204),
                ("other.example", "localhost.example", 204), ("localhost", "localhost", 204),
                ("localhost", "other.example", 204),
            ] {
                let response = try await peer.request([version, "-servername", name], host: host)
                #expect(response.contains("HTTP/1.1 \(status)"), "\(name), \(host): \(response)")
            }
        }
    }

    @Test(arguments: versions)
    func `A session with a certificate is not resumed, and one without is`(version: String) async throws {
        let authority = try await ClientAuthority()
        let client = try await authority.client()
        let file = FileManager.default.temporaryDirectory.appending(path: "latch-session-\(UUID().uuidString)").path
        try await serving(.requested) { address, certificate, _ in
            let peer = SecureClient(address: address, certificate: certificate)
            let shown = try await peer.request([
                version, "-sess_out", file, "-cert", client.certificatePath, "-key", client.keyPath,
            ])
            #expect(shown.contains("HTTP/1.1 200") && shown.contains("New, TLS"))
            // In TLS 1.2 a session is saved also without a ticket, and cannot be resumed.
            if FileManager.default.fileExists(atPath: file) {
                let again = try await peer.request([version, "-sess_in", file])
                #expect(again.contains("New, TLS") && again.contains("HTTP/1.1 204"), "\(again)")
                try FileManager.default.removeItem(atPath: file)
            }
            let without = try await peer.request([version, "-sess_out", file])
            #expect(without.contains("HTTP/1.1 204"))
            let resumed = try await peer.request([
                version, "-sess_in", file, "-cert", client.certificatePath, "-key", client.keyPath,
            ])
            #expect(resumed.contains("Reused, TLS") && resumed.contains("HTTP/1.1 204"), "\(resumed)")
            try FileManager.default.removeItem(atPath: file)
        }
    }

    @Test(arguments: versions)
    func `A certificate without its key ends the handshake`(version: String) async throws {
        let authority = try await ClientAuthority()
        let (one, other) = (try await authority.client(), try await authority.client())
        try await serving(.requested) { address, certificate, _ in
            let peer = SecureClient(address: address, certificate: certificate)
            let text = try await peer.request([version, "-cert", one.certificatePath, "-key", other.keyPath])
            #expect(!text.contains("HTTP/1.1 2"), "\(text)")
        }
    }

    // RFC 9440 §4.
    @Test func `A trusted proxy speaks for its client, and its own certificate is not the client's`() async throws {
        let authority = try await ClientAuthority()
        let (proxy, client) = (try await authority.client(), try await authority.stranger())
        let forwarded = ":\(Data(client.der).base64EncodedString()):"
        let trusted = [NetworkRange("127.0.0.1")].compactMap(\.self)
        try await serving(.requested, proxies: TrustedProxies(trusted, certificateField: "Client-Cert")) {
            address, certificate, _ in
            let transport = try transport(certificate, proxy)
            var request = request(address)
            try await expectEqual(transport.respond(to: request).status, .noContent)
            request.fields["Client-Cert"] = forwarded
            try await expectEqual(transport.respond(to: request).body.bytes, client.der)
        }
        try await serving(.requested, proxies: TrustedProxies(trusted)) { address, certificate, _ in
            var request = request(address)
            request.fields["Client-Cert"] = forwarded
            let transport = try transport(certificate, proxy)
            try await expectEqual(transport.respond(to: request).status, .noContent)
        }
    }

    @Test func `Authorities vouch for valid certificates of their clients only`() async throws {
        let (authority, other) = (try await ClientAuthority(), try await ClientAuthority())
        let authorities = try CertificateAuthorities(pem: try authority.authority())
        func isTrusted(_ client: ClientAuthority.Client) -> Bool {
            authorities.verify(PresentedCertificate(der: client.der))
        }
        #expect(try await isTrusted(authority.client()))
        #expect(try await !isTrusted(authority.client(days: -1)))
        #expect(try await !isTrusted(authority.stranger()))
        #expect(try await !isTrusted(other.client()))
        let both = try CertificateAuthorities(pem: try authority.authority() + other.authority())
        #expect(try await both.verify(PresentedCertificate(der: other.client().der)))
        let valid = try await authority.client().der
        for damaged in [[], Array(valid.dropLast()), valid + [0], [0x30], Array(repeating: 0, count: 64 << 10)] {
            #expect(!authorities.verify(PresentedCertificate(der: damaged)))
        }
    }

    @Test func `A file of authorities has nothing but certificates`() async throws {
        let authority = try await ClientAuthority().authority()
        for pem in [[], Array("text".utf8), authority + authority.prefix(200)] {
            #expect(throws: ServerError.badAuthorities) { try CertificateAuthorities(pem: pem) }
        }
    }
}

#endif
