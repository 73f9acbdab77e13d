// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchCrypto
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import TestTags
import Testing

@Suite struct CertificateBoundTests {
    private static let certificate = Array("a certificate".utf8)
    private static let thumbprint = Base64URL.encode(Array(SHA256.hash(data: certificate)))
    private static let field: HTTPFieldName = "Test-Certificate"
    private let guarded: GuardedResource

    init() throws { guarded = try GuardedResource() }

    /// A guard whose connections show the certificate that a field names.
    private func router(_ proofs: ProtectedResource.Proofs = .unsupported, showing: Bool = true) throws -> Router {
        let certificate: @Sendable (HTTPRequest) -> [UInt8]? = { $0.fields[Self.field].map { Array($0.utf8) } }
        var guarded = guarded
        guarded.resource = try ProtectedResource(
            url: url("https://api.test/notes"), authorizationServers: [], proofs: proofs,
            clientCertificate: showing ? certificate : nil)
        return guarded.router()
    }

    private func response(
        _ confirmation: JSONValue, certificate: String? = "a certificate", scheme: String = "Bearer", at router: Router
    ) async throws -> HTTPResponse {
        let token = try guarded.token { $0["cnf"] = confirmation }
        var request = guarded.request("\(scheme) \(token)")
        request.fields[Self.field] = certificate
        return try await router.respond(to: request)
    }

    // RFC 8705 §3.
    @Test func `A token that is bound to a certificate is accepted only with it`() async throws {
        let bound: JSONValue = ["x5t#S256": .string(Self.thumbprint)]
        try await expectEqual(response(bound, at: router()).status, .ok)
        for certificate in ["another", "", nil] {
            let refused = try await response(bound, certificate: certificate, at: router())
            #expect(refused.status == .unauthorized && refused.challenges().first?["error"] == "invalid_token")
        }
    }

    // RFC 7800 §3.1.
    @Test func `A token that is bound to a certificate is refused where no certificate is verified`() async throws {
        let bound: JSONValue = ["x5t#S256": .string(Self.thumbprint)]
        try await expectEqual(response(bound, at: router(showing: false)).status, .unauthorized)
        try await expectEqual(response(bound, at: guarded.router()).status, .unauthorized)
    }

    @Test(
        arguments: [
            ["x5t#S256": ""], ["x5t#S256": 1], ["x5t#S256": .null], ["x5t#S256": .string(thumbprint + "=")],
            ["x5t": .string(thumbprint)], ["jwk": ["kty": "EC"]], ["kid": "1"], [:], "text",
            ["x5t#S256": .string(thumbprint), "kid": "1"],
        ] as [JSONValue])
    func `A token that is bound in an unknown way is refused, also with a certificate`(confirmation: JSONValue)
        async throws
    {
        try await expectEqual(response(confirmation, at: router()).status, .unauthorized)
    }

    @Test func `A token that is bound to a certificate and a key needs both`() async throws {
        let clock = guarded.clock.wallClock()
        let key = try DPoPKey.generate(clock: clock)
        // Before, proofs need a nonce.
        guarded.clock.advance(by: .seconds(61))
        let router = try router(.supported(DPoPVerifier(clock: clock)))
        let both: JSONValue = ["x5t#S256": .string(Self.thumbprint), "jkt": .string(key.thumbprint)]
        try await expectEqual(response(both, at: router).status, .unauthorized)
        try await expectEqual(response(both, scheme: "DPoP", at: router).status, .unauthorized)
        for (certificate, status) in [("a certificate", HTTPStatus.ok), ("another", .unauthorized)] {
            let tokens = Tokens(access: try guarded.token { $0["cnf"] = both }, tokenType: .dpop, key: key)
            var request = guarded.request()
            request.fields[Self.field] = certificate
            let client = router.intercepted(by: [CredentialInterceptor(tokens, for: .host("api.test"))])
            try await expectEqual(client.respond(to: request).status, status)
        }
    }

    @Test func `A token that is bound to a certificate is not enough where proofs of a key are required`() async throws
    {
        let router = try router(.required(DPoPVerifier(clock: guarded.clock.wallClock())))
        try await expectEqual(response(["x5t#S256": .string(Self.thumbprint)], at: router).status, .unauthorized)
    }

    // RFC 9728 §2.
    @Test func `A token that is bound to a certificate is announced in the metadata of the resource`() async throws {
        let request = HTTPRequest(authority: "api.test", path: "/.well-known/oauth-protected-resource/notes")
        let with = try JSONValue(parsing: await router().respond(to: request).body.bytes)
        expectEqual(with["tls_client_certificate_bound_access_tokens"], true)
        let without = try JSONValue(parsing: await router(showing: false).respond(to: request).body.bytes)
        expectNil(without["tls_client_certificate_bound_access_tokens"])
    }
}
