// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import Expectations
import Foundation
import LatchIdentity
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import LatchCommand
@testable import latch

@Suite struct CertificateSettingTests {
    @Test(arguments: [("tls", "tls_certificate"), ("proxy", "trusted_proxies")])
    func `Certificates of clients need a place to come from, or the start fails`(source: String, needed: String) throws
    {
        let settings = try Settings(environment: ["LATCH_CLIENT_CERTIFICATES": source])
        let error = #expect(throws: CommandError.self) { try settings.check([:]) }
        expectEqual(error?.message.contains(needed), true)
    }

    @Test(
        arguments: [
            ("none", "https://mtls.example.com", .ignored), ("tls", "", .requested),
            ("tls", "https://mtls.example.com:8443/id", .requestedFor(host: "mtls.example.com")),
            ("tls", "https://id.example.com:8443", .requested), ("tls", "https://192.0.2.1", .requested),
            ("proxy", "https://mtls.example.com", .ignored),
        ] as [(String, String, Server.ClientCertificates)])
    func `Only clients of the other host are asked for a certificate`(
        source: String, url: String, asked: Server.ClientCertificates
    ) async throws {
        let certificate = try await Certificate()
        let server = try Settings(environment: [
            "LATCH_ISSUER": "https://id.example.com", "LATCH_CLIENT_CERTIFICATES": source, "LATCH_MTLS_URL": url,
            "LATCH_TLS_CERTIFICATE": certificate.certificatePath, "LATCH_TLS_KEY": certificate.keyPath,
            "LATCH_TRUSTED_PROXIES": "127.0.0.1",
        ]).serverConfiguration()
        expectEqual(server.tls?.clientCertificates, asked)
        expectEqual(server.trustedProxies.certificateField, source == "proxy" ? "Client-Cert" : nil)
    }

    @Test func `The file of authorities is read each time, and must have certificates`() async throws {
        let authority = try await ClientAuthority()
        try await withTemporaryFolder { folder in
            let path = folder + "/clients.pem"
            let settings = try Settings(environment: ["LATCH_CLIENT_AUTHORITIES_FILE": path])
            #expect(throws: IdentityError.invalidSetting) { try settings.identityConfigurationWithKey() }
            try Data("text".utf8).write(to: URL(filePath: path))
            #expect(throws: IdentityError.self) { try settings.check([:]) }
            try Data(try authority.authority()).write(to: URL(filePath: path))
            try settings.check([:])
            try expectEqual(settings.identityConfigurationWithKey().clientAuthorities, authority.authority())
        }
    }
}

#endif
