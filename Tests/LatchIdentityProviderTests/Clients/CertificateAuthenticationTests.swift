// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import TestSupport
import Testing

@testable import LatchIdentity

/// Clients that authenticate with a certificate (RFC 8705 §2).
@Suite struct CertificateAuthenticationTests {
    private static let names = "DNS:notes.example,URI:https://notes.example/id,email:ops@notes.example,IP:192.0.2.7"

    private func site(
        _ authority: ClientAuthority, _ change: (inout OAuthClient) throws -> Void,
        configuring: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        var client = OAuthClient(id: "robot", isConfidential: true, grants: [.clientCredentials], isTrusted: true)
        client.authenticationMethod = .tlsClientAuth
        try change(&client)
        let bytes = try authority.authority()
        return try await Site {
            $0.clientCertificates = .tls
            $0.clientAuthorities = bytes
            $0.clients = [client]
            configuring(&$0)
        }
    }

    private func token(_ site: Site, _ certificate: [UInt8]?, id: String? = "robot") async throws -> Response {
        try await site.form(
            "/oauth/token", ["grant_type": "client_credentials", "client_id": id], showing: certificate)
    }

    private func expectRefused(_ response: Response, _ what: Comment = "") {
        #expect(response.status == 401 && response.oauthError == "invalid_client", what)
        expectNil(response.json["access_token"])
    }

    // RFC 8705 §2.1.2.
    @Test(
        arguments: [
            (CertificateName.Kind.subject, "CN=notes,O=Example,C=DE"),
            (.subject, "cn=notes, O=Ex\\61mple , 2.5.4.6=DE"),
            (.dns, "NOTES.example"), (.uri, "https://notes.example/id"), (.email, "ops@notes.example"),
            (.ip, "192.0.2.7"),
        ])
    func `A client authenticates with a certificate of an authority that has its name`(
        kind: CertificateName.Kind, name: String
    ) async throws {
        let authority = try await ClientAuthority()
        let site = try await site(authority) { $0.certificateName = CertificateName(kind, name) }
        let own = try await authority.client(names: Self.names)
        let response = try await token(site, own.der)
        #expect(response.status == 200 && response.string("token_type") == "Bearer")
        try expectNil(JWT(unverified: response.accessToken).claims["cnf"])
        let another = try await authority.client(
            subject: "/C=DE/O=Example/CN=other",
            names: "DNS:*.example,DNS:x.notes.example,URI:https://notes.example,email:OPS@notes.example,IP:192.0.2.8")
        for (certificate, what) in [
            (another.der, "another client's"), (try await authority.client(names: Self.names, days: -1).der, "expired"),
            (try await ClientAuthority().client(names: Self.names).der, "another authority's"),
            (try await authority.stranger().der, "self-signed"), (nil, "none"), ([], "empty"),
            (Array(own.der.dropLast()), "damaged"), (own.der + own.der, "two"),
            (Array(repeating: 0x30, count: 64 << 10), "long"),
        ] as [([UInt8]?, Comment)] {
            expectRefused(try await token(site, certificate), what)
        }
        expectRefused(try await token(site, own.der, id: "nobody"))
        await site.close()
    }

    @Test func `A client with a certificate has no other way to authenticate`() async throws {
        let authority = try await ClientAuthority()
        let site = try await site(authority) {
            $0.certificateName = CertificateName(.subject, "CN=notes,O=Example,C=DE")
        }
        let own = try await authority.client().der
        for secret in [ClientSecret.text, ""] {
            let fields: HTTPFields = [.authorization: "Basic \(Data("robot:\(secret)".utf8).base64EncodedString())"]
            let response = try await site.form(
                "/oauth/token", ["grant_type": "client_credentials"], fields: fields, showing: own)
            // An empty secret only names the client (RFC 6749 §2.3.1).
            if secret.isEmpty { expectEqual(response.status, 200) } else { expectRefused(response) }
        }
        await site.close()
    }

    // RFC 8705 §2.2.
    @Test func `A client authenticates with a certificate of one of its keys, whatever the certificate says`()
        async throws
    {
        let authority = try await ClientAuthority()
        let (own, other) = (try await authority.stranger(), try await authority.stranger())
        let key = try Key(pem: try #require(PresentedCertificate(der: own.der).publicKeyPEM))
        var jwk = key.jwk
        jwk["x5c"] = .array([.string(Data(own.der).base64EncodedString())])
        for jwk in [key.jwk, jwk] {
            let site = try await site(authority) {
                $0.authenticationMethod = .selfSignedTLSClientAuth
                $0.jwks = ["keys": [.object(JSONObject(jwk))]]
            }
            try await expectEqual(token(site, own.der).status, 200)
            for certificate in [other.der, try await authority.client().der, nil, [0x30, 0]] {
                expectRefused(try await token(site, certificate))
            }
            await site.close()
        }
    }

    @Test func `A wrong certificate counts as a wrong secret, and a right one costs nothing`() async throws {
        let authority = try await ClientAuthority()
        let site = try await site(
            authority, { $0.certificateName = CertificateName(.dns, "notes.example") },
            configuring: { $0.loginLimitPerMinute = 2 })
        let (own, other) = (try await authority.client(names: Self.names), try await authority.client())
        for _ in 0..<5 { try await expectEqual(token(site, own.der).status, 200) }
        var statuses: [Int] = []
        while statuses.last != 429, statuses.count < 200 { statuses.append(try await token(site, other.der).status) }
        #expect(statuses.last == 429 && statuses.dropLast().allSatisfy { $0 == 401 })
        await site.close()
    }

    private func problem(
        _ source: IdentityConfiguration.ClientCertificateSource, _ client: OAuthClient, authority: [UInt8]
    ) -> String {
        var configuration = IdentityConfiguration()
        configuration.clientCertificates = source
        configuration.clientAuthorities = authority
        configuration.clients = [client]
        do throws(IdentityError) {
            try configuration.check()
            return ""
        } catch {
            return error.message
        }
    }

    @Test func `A client has the one name or the keys that its method needs, and the server asks for certificates`()
        async throws
    {
        let authority = try await ClientAuthority().authority()
        func problem(_ source: IdentityConfiguration.ClientCertificateSource, _ client: OAuthClient) -> String {
            self.problem(source, client, authority: authority)
        }
        var client = OAuthClient(id: "robot", isConfidential: true, grants: [.clientCredentials])
        client.authenticationMethod = .tlsClientAuth
        #expect(problem(.tls, client).contains("tls_client_auth_san_dns"))
        client.certificateName = CertificateName(.dns, "a.example")
        expectEqual(problem(.tls, client), "")
        expectEqual(problem(.proxy, client), "")
        #expect(problem(.none, client).contains("client_certificates"))
        #expect(self.problem(.tls, client, authority: []).contains("client_authorities_file"))
        client.authenticationMethod = .selfSignedTLSClientAuth
        #expect(problem(.tls, client).contains("tls_client_auth"))
        client.certificateName = nil
        #expect(problem(.tls, client).contains("jwks"))
        var bound = OAuthClient(id: "phone")
        bound.bindsTokensToCertificate = true
        expectEqual(problem(.tls, bound), "")
        #expect(problem(.none, bound).contains("client_certificates"))
        var configuration = IdentityConfiguration()
        configuration.clientAuthorities = Array("text".utf8)
        #expect(throws: IdentityError.self) { try configuration.check() }
    }

    // RFC 7591 §2, RFC 8705 §2.1.2 and §3.4.
    @Test func `A client registers the name in its certificate, and where no certificates are taken it is refused`()
        throws
    {
        let metadata: JSONObject = [
            "redirect_uris": ["https://app.example/back"], "token_endpoint_auth_method": "tls_client_auth",
            "tls_client_auth_san_dns": "app.example", "tls_client_certificate_bound_access_tokens": true,
        ]
        let policy = ScopePolicy(IdentityConfiguration())
        let client = try OAuthClient(
            id: "x", metadata: metadata, rules: .registration(policy, certificateMethods: [.tlsClientAuth]))
        #expect(client.certificateName == CertificateName(.dns, "app.example") && client.bindsTokensToCertificate)
        for (name, value) in metadata where name != "redirect_uris" { expectEqual(client.metadata[name], value) }
        for methods in [[], [.selfSignedTLSClientAuth]] as [Set<OAuthClient.AuthenticationMethod>] {
            #expect(throws: ClientMetadataError.self) {
                try OAuthClient(
                    id: "x", metadata: metadata, rules: .registration(policy, certificateMethods: methods))
            }
        }
        var two = metadata
        two["tls_client_auth_san_uri"] = "https://app.example"
        #expect(throws: ClientMetadataError.self) {
            try OAuthClient(
                id: "x", metadata: two, rules: .registration(policy, certificateMethods: [.tlsClientAuth]))
        }
        try expectEqual(OAuthClient(parsing: client.word).certificateName, client.certificateName)
    }

    // RFC 8414 §2, RFC 8705 §3.3 and §5.
    @Test func `The metadata has the methods and endpoints for certificates only where some can come`() async throws {
        let path = "/.well-known/openid-configuration"
        let methods = "token_endpoint_auth_methods_supported"
        func metadata(_ change: (inout IdentityConfiguration) -> Void) async throws -> JSONObject {
            let site = try await Site(change: change)
            defer { Task { await site.close() } }
            return try await site.get(path).json
        }
        let without = try await metadata { $0.certificateURL = "https://mtls.example.com" }
        expectEqual(without[methods]?.arrayValue?.contains("self_signed_tls_client_auth"), false)
        expectNil(without["mtls_endpoint_aliases"])
        expectNil(without["tls_client_certificate_bound_access_tokens"])
        let authority = try await ClientAuthority().authority()
        for authorities in [[], authority] {
            let with = try await metadata {
                $0.clientCertificates = .proxy
                $0.clientAuthorities = authorities
                $0.certificateURL = "https://mtls.example.com/"
            }
            let names = with[methods]?.arrayValue ?? []
            #expect(names.contains("self_signed_tls_client_auth"))
            expectEqual(names.contains("tls_client_auth"), !authorities.isEmpty)
            expectEqual(with["tls_client_certificate_bound_access_tokens"], true)
            let aliases = with["mtls_endpoint_aliases"]?.objectValue ?? [:]
            expectEqual(aliases["token_endpoint"], "https://mtls.example.com/oauth/token")
            #expect(aliases.keys.allSatisfy { with[$0] != nil })
        }
        try await expectNil(metadata { $0.clientCertificates = .tls }["mtls_endpoint_aliases"])
    }
}
