// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Testing

@Suite struct ClientCertificateTests {
    private static let certificate = Array("-----BEGIN CERTIFICATE-----".utf8)
    private static let key = Array("-----BEGIN PRIVATE KEY-----".utf8)

    @Test func `A client certificate is for named hosts, and shows nothing of itself`() throws {
        let made = try ClientCertificate(pem: Self.certificate, key: Self.key, passphrase: "canary", for: "a.example")
        expectEqual(made.hosts.map(\.description), ["a.example"])
        var dumped = ""
        dump(made, to: &dumped)
        for text in ["\(made)", String(reflecting: made), dumped] {
            #expect(!text.contains("canary") && !text.contains("BEGIN"))
        }
    }

    @Test func `A client certificate is refused without a host, without a key, or if it is invalid`() {
        #expect(throws: HTTPError.invalidTLSPolicy) { try ClientCertificate(pem: Self.certificate, key: Self.key) }
        #expect(throws: HTTPError.invalidTLSPolicy) {
            try ClientCertificate(pem: Self.certificate, key: Self.key, for: "a.example", "*.example")
        }
        #expect(throws: HTTPError.invalidTLSPolicy) { try ClientCertificate(pem: [], key: Self.key, for: "a.example") }
        #expect(throws: HTTPError.invalidTLSPolicy) {
            try ClientCertificate(pem: Self.certificate, key: Self.certificate, for: "a.example")
        }
        #expect(throws: HTTPError.invalidTLSPolicy) {
            try ClientCertificate(pkcs12: [], passphrase: "", for: "a.example")
        }
        #expect(throws: HTTPError.invalidTLSPolicy) {
            try ClientCertificate(pkcs12: [1], passphrase: "a\0b", for: "a.example")
        }
    }

    @Test func `A client certificate whose file is missing says so`() {
        #expect(throws: HTTPError.fileUnavailable) {
            try ClientCertificate(pemFile: "/nonexistent.pem", for: "a.example")
        }
        #expect(throws: HTTPError.fileUnavailable) {
            try ClientCertificate(pkcs12File: "/nonexistent.p12", passphrase: "", for: "a.example")
        }
    }
}

@Suite(.enabled(if: TestIdentity.isPossible, "needs the openssl command"), .timeLimit(.minutes(2)))
struct CertificateServerTests {
    /// A server that trusts what `authority` vouches for; `client` is such a one, `stranger` is not.
    private func withServer(
        _ arguments: [String] = [], _ body: (TestIdentity, DemandingServer) async throws -> Void
    ) async throws {
        try await withTemporaryFolder { folder in
            let identity = TestIdentity(folder: folder)
            try await identity.makeCertificate("server")
            try await identity.makeCertificate("authority", isAuthority: true)
            try await identity.makeCertificate("client", vouchedForBy: "authority")
            try await identity.makeCertificate("stranger")
            let demand = ["-Verify", "2", "-verify_return_error", "-CAfile", identity.path("authority.pem")]
            try await body(identity, try await DemandingServer(identity, "server", demand + arguments))
        }
    }

    private func transport(_ identity: TestIdentity, _ certificates: [ClientCertificate]) -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.certificateAuthorityFile = identity.path("server.pem")
        configuration.tls.clientCertificates = certificates
        return CurlTransport(configuration: configuration)
    }

    private func pem(
        _ identity: TestIdentity, _ name: String, for host: String = "127.0.0.1"
    ) throws -> ClientCertificate {
        try ClientCertificate(
            pem: try identity.bytes(name + ".pem"), key: try identity.bytes(name + ".key"), for: host)
    }

    @Test(arguments: [["-tls1_2"], ["-tls1_3"]])
    func `A server that demands a certificate answers a client whose certificate it trusts`(version: [String])
        async throws
    {
        try await withServer(version) { identity, server in
            let transport = transport(identity, [try pem(identity, "client")])
            for _ in 0..<2 { try await expectEqual(transport.respond(to: server.request()).status, .ok) }
        }
    }

    @Test func `A server that demands a certificate answers for any container of the certificate`() async throws {
        try await withServer { identity, server in
            try await identity.openssl([
                "pkcs12", "-export", "-in", identity.path("client.pem"), "-inkey", identity.path("client.key"),
                "-passout", "pass:open sesame", "-out", identity.path("client.p12"),
            ])
            try await identity.openssl([
                "ec", "-aes256", "-in", identity.path("client.key"), "-passout", "pass:open sesame", "-out",
                identity.path("locked.key"),
            ])
            for certificate in [
                try ClientCertificate(
                    pkcs12File: identity.path("client.p12"), passphrase: "open sesame", for: "127.0.0.1"),
                try ClientCertificate(
                    pemFile: identity.path("client.pem"), keyFile: identity.path("locked.key"),
                    passphrase: "open sesame", for: "127.0.0.1"),
            ] {
                try await expectEqual(transport(identity, [certificate]).respond(to: server.request()).status, .ok)
            }
            let locked = try ClientCertificate(
                pkcs12File: identity.path("client.p12"), passphrase: "canary", for: "127.0.0.1")
            let error = await #expect(throws: HTTPError.self) {
                try await transport(identity, [locked]).respond(to: server.request())
            }
            expectEqual(error?.code, HTTPError.invalidTLSPolicy.code)
            expectEqual(error?.description.contains("canary"), false)
        }
    }

    @Test(arguments: [["-tls1_2"], ["-tls1_3"]])
    func `A server that demands a certificate refuses a client whose certificate it does not trust`(version: [String])
        async throws
    {
        try await withServer(version) { identity, server in
            await #expect(throws: HTTPError.clientCertificateRefused) {
                try await transport(identity, [try pem(identity, "stranger")]).respond(to: server.request())
            }
        }
    }

    @Test
    func `A server that demands a certificate refuses a client without one, and says that one is missing`() async throws
    {
        try await withServer(["-tls1_3"]) { identity, server in
            let error = await #expect(throws: HTTPError.self) {
                try await transport(identity, []).respond(to: server.request())
            }
            expectEqual(error?.code, HTTPError.clientCertificateRefused.code)
            expectEqual(error?.isConnectivity, false)
        }
    }

    @Test
    func `A server that demands a certificate learns nothing of a certificate that is for another host`() async throws {
        try await withServer(["-tls1_3"]) { identity, server in
            let transport = transport(identity, [try pem(identity, "client", for: "localhost")])
            for _ in 0..<2 {
                await #expect(throws: HTTPError.clientCertificateRefused) {
                    try await transport.respond(to: server.request())
                }
                try await expectEqual(transport.respond(to: server.request(host: "localhost")).status, .ok)
            }
        }
    }

    @Test(arguments: [(["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], false), (["-tls1_2"], true)])
    func `A server that demands a certificate in an old version of TLS is refused`(
        arguments: [String], needsNewest: Bool
    ) async throws {
        try await withTemporaryFolder { folder in
            let identity = TestIdentity(folder: folder)
            try await identity.makeCertificate("server")
            let server = try await DemandingServer(identity, "server", arguments)
            var configuration = CurlTransport.Configuration()
            configuration.certificateAuthorityFile = identity.path("server.pem")
            if needsNewest { configuration.tls.minimumVersion = .tls13 }
            let transport = CurlTransport(configuration: configuration)
            await #expect(throws: HTTPError.tls) { try await transport.respond(to: server.request()) }
        }
    }
}
