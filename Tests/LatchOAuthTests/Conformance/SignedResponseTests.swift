// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

/// The modules of the conformance suite about signed authorization responses (JARM), each against a provider that
/// misbehaves in exactly that way.
@Suite struct SignedResponseTests {
    private typealias Change = @Sendable (inout ScriptedProvider.Deviations) -> Void

    private func client(
        _ provider: ScriptedProvider, attempts: any SecretStore = InMemorySecretStore(),
        mode: ResponseMode = .signedQuery
    ) -> AuthorizationClient {
        provider.client(attempts: attempts) { $0.responseMode = mode }
    }

    /// Expects that a deviating response ends the sign-in before its code is used, and costs no attempt.
    private func expectRefusal(_ error: OAuthError = .invalidAuthorizationResponse, _ change: Change) async throws {
        let provider = try ScriptedProvider()
        let client = client(provider)
        let attempt = try await client.begin()
        provider.deviate(change)
        let wrong = try provider.approve(attempt)
        await #expect(throws: error) { try await client.finish(wrong) }
        #expect(provider.requests(to: "/token").isEmpty)
        provider.deviate {
            $0.responseClaims = { _ in }
            $0.signResponse = nil
        }
        try await expectEqual(client.finish(provider.approve(attempt)).idTokenClaims?.subject, "ada")
    }

    @Test(arguments: ResponseMode.allCases)
    func `A high-security client (jarm-happy-path) signs in with each response mode`(mode: ResponseMode) async throws {
        let provider = try ScriptedProvider()
        let client = client(provider, mode: mode)
        let attempt = try await client.begin()
        let sent = ScriptedProvider.parameters(attempt.url.query(percentEncoded: true) ?? "")
        expectEqual(sent["response_mode"], mode.rawValue)
        let callback = try provider.approve(attempt)
        let query = callback.query(percentEncoded: true) ?? ""
        expectEqual(query.hasPrefix("response="), [.signedQuery, .signedPost].contains(mode))
        #expect(attempt.isAnswered(by: callback))
        let form = try AuthorizationResponse(form: Array(query.utf8), sentTo: ScriptedProvider.redirectURI)
        let isPosted = [ResponseMode.formPost, .signedPost].contains(mode)
        let response = try await isPosted ? client.finish(form) : client.finish(callback)
        expectEqual(response.idTokenClaims?.subject, "ada")
    }

    @Test func `A request's response mode replaces that of the configuration`() async throws {
        let provider = try ScriptedProvider()
        var request = AuthorizationRequest()
        request.responseMode = .signedQuery
        let client = client(provider, mode: .formPost)
        let callback = try provider.approve(try await client.begin(request))
        expectEqual(callback.query()?.hasPrefix("response="), true)
        try await expectEqual(client.finish(callback).idTokenClaims?.subject, "ada")
        // As earlier versions did.
        request.responseMode = nil
        request.parameters = [("response_mode", "query.jwt")]
        try expectEqual(provider.approve(try await client.begin(request)).query()?.hasPrefix("response="), true)
    }

    @Test(.tags(.mixUp))
    func `A high-security client (ensure-jarm-without-iss) refuses a signed response without its issuer`() async throws
    {
        try await expectRefusal(.issuerMismatch) { $0.responseClaims = { $0.issuer = nil } }
    }

    @Test(.tags(.mixUp), arguments: ["https://evil.example", "https://id.example.com/", ""])
    func `A high-security client (ensure-jarm-with-invalid-iss) refuses the signed response of another issuer`(
        issuer: String
    ) async throws {
        try await expectRefusal(.issuerMismatch) { $0.responseClaims = { $0.issuer = issuer } }
    }

    @Test func `A high-security client (ensure-jarm-without-aud) refuses a signed response for no client`() async throws
    {
        try await expectRefusal { $0.responseClaims = { $0["aud"] = nil } }
    }

    @Test(arguments: ["other", "Notes", ""])
    func `A high-security client (ensure-jarm-with-invalid-aud) refuses a signed response for another client`(
        audience: String
    ) async throws {
        try await expectRefusal { $0.responseClaims = { $0.audience = [audience] } }
    }

    @Test
    func `A high-security client (ensure-jarm-without-exp) refuses a signed response that never expires`() async throws
    {
        try await expectRefusal { $0.responseClaims = { $0.expiry = nil } }
    }

    @Test
    func `A high-security client (ensure-jarm-with-expired-exp) refuses a signed response that has expired`()
        async throws
    {
        try await expectRefusal { $0.responseClaims = { $0.expiry = $0.expiry?.addingTimeInterval(-1_200) } }
    }

    @Test func `A high-security client (ensure-jarm-with-invalid-sig) refuses another key's signature`() async throws {
        let key = try Key.generate(.es256)
        try await expectRefusal { $0.signResponse = { try JWT.sign($0, with: key) } }
    }

    @Test
    func `A high-security client (ensure-jarm-signature-is-not-none) refuses a response without a signature`()
        async throws
    {
        try await expectRefusal {
            $0.signResponse = { claims in
                let header = Base64URL.encode(Array(#"{"alg":"none"}"#.utf8))
                return "\(header).\(Base64URL.encode(JSONValue.object(claims.members).serialized()))."
            }
        }
    }

    @Test func `The metadata names the algorithms of signed responses, which else are RS256`() async throws {
        for (algorithms, isAccepted) in [(["none", "ES256"], true), (["PS256"], false), ([], false)] {
            let provider = try ScriptedProvider()
            provider.deviate { deviations in
                deviations.metadata = {
                    $0["authorization_signing_alg_values_supported"] = .array(algorithms.map { .string($0) })
                }
            }
            let client = client(provider)
            let callback = try provider.approve(try await client.begin())
            if isAccepted {
                try await expectEqual(client.finish(callback).idTokenClaims?.subject, "ada")
            } else {
                await #expect(throws: OAuthError.invalidAuthorizationResponse) { try await client.finish(callback) }
            }
        }
    }

    @Test func `A signed response with an error reports it, and so does an unsigned one`() async throws {
        for isSigned in [true, false] {
            let provider = try ScriptedProvider()
            provider.deviate { $0.callback = { $0[0] = ("error", "access_denied") } }
            let client = client(provider)
            let attempt = try await client.begin()
            let plain = AuthorizationErrorURL.of(attempt)
            let callback = isSigned ? try provider.approve(attempt) : try #require(plain)
            await #expect(throws: OAuthError.accessDenied) { try await client.finish(callback) }
        }
    }

    @Test func `A relying party (form-post-error) reports that the user is needed if the error is posted`() async throws
    {
        let provider = try ScriptedProvider()
        provider.deviate { $0.callback = { $0[0] = ("error", "login_required") } }
        let client = client(provider, mode: .formPost)
        var request = AuthorizationRequest()
        request.isSilent = true
        request.maximumAge = .zero
        let callback = try provider.approve(try await client.begin(request))
        let form = Array((callback.query(percentEncoded: true) ?? "").utf8)
        let response = try AuthorizationResponse(form: form, sentTo: ScriptedProvider.redirectURI)
        await #expect(throws: OAuthError.interactionRequired) { try await client.finish(response) }
    }

    @Test func `The client secret verifies signed responses if it verifies ID tokens`() async throws {
        let secret = "0123456789abcdef0123456789abcdef"
        let provider = try ScriptedProvider(ClientRegistration(clientID: "notes", secret: secret))
        let key = try Key(secret: SymmetricKey(data: Array(secret.utf8)))
        let client = provider.client {
            $0.responseMode = .signedQuery
            $0.idTokenAlgorithms = [.hs256]
        }
        let attempt = try await client.begin()
        let wrong = try provider.approve(attempt)
        await #expect(throws: OAuthError.invalidAuthorizationResponse) { try await client.finish(wrong) }
        provider.deviate {
            $0.sign = { try JWT.sign($0, with: key) }
            $0.signResponse = { try JWT.sign($0, with: key) }
        }
        try await expectEqual(client.finish(provider.approve(attempt)).idTokenClaims?.subject, "ada")
    }

    // MARK: Attacks

    @Test(.tags(.responseMode)) func `A plain code is refused if a signed response was requested`() async throws {
        let provider = try ScriptedProvider()
        let client = client(provider)
        let callback = try provider.approve(try await client.begin())
        let token = ScriptedProvider.parameters(callback.query(percentEncoded: true) ?? "")["response"] ?? ""
        let claims = try JWT(unverified: token).claims
        let names = ["code", "state", "iss"]
        let query = FormEncoding.encode(names.map { ($0, claims.string($0) ?? "") })
        let plain = try #require(URL(string: "\(ScriptedProvider.redirectURI)?\(query)"))
        await #expect(throws: OAuthError.invalidAuthorizationResponse) { try await client.finish(plain) }
        #expect(provider.requests(to: "/token").isEmpty)
    }

    @Test(.tags(.responseMode), arguments: ["code=other", "state=other", "error=access_denied", "iss=other"])
    func `A signed response with a parameter beside it is refused`(parameter: String) async throws {
        let provider = try ScriptedProvider()
        let client = client(provider)
        let callback = try provider.approve(try await client.begin())
        let both = try #require(URL(string: "\(callback)&\(parameter)"))
        await #expect(throws: OAuthError.invalidAuthorizationResponse) { try await client.finish(both) }
        try await expectEqual(client.finish(callback).idTokenClaims?.subject, "ada")
    }

    @Test(.tags(.mixUp)) func `Other tokens of the issuer are not signed responses, and reverse`() async throws {
        for type in ["at+jwt", "logout+jwt", "secevent+jwt"] {
            let provider = try ScriptedProvider()
            provider.deviate { $0.signResponse = { try JWT.sign($0, with: provider.key, type: type) } }
            let client = client(provider)
            let callback = try provider.approve(try await client.begin())
            await #expect(throws: OAuthError.invalidAuthorizationResponse) { try await client.finish(callback) }
        }
        // An ID token has neither a state nor a code.
        let provider = try ScriptedProvider()
        let client = client(provider)
        let attempt = try await client.begin()
        let callback = try provider.approve(attempt)
        let idToken = try #require(try await client.finish(callback).tokens.idToken)
        let wrong = try #require(URL(string: "\(ScriptedProvider.redirectURI)?response=\(idToken)"))
        await #expect(throws: OAuthError.stateMismatch) { try await client.finish(wrong) }
        let response = ScriptedProvider.parameters(callback.query(percentEncoded: true) ?? "")["response"] ?? ""
        provider.deviate { $0.sign = { _ in response } }
        let again = try provider.approve(try await client.begin())
        await #expect(throws: OAuthError.invalidIDToken) { try await client.finish(again) }
    }

    @Test(.tags(.responseMode)) func `A signed response with tokens is refused`() async throws {
        try await expectRefusal { $0.responseClaims = { $0["access_token"] = "a" } }
    }

    @Test(.tags(.responseMode)) func `One of many copies of a signed response is accepted`() async throws {
        let provider = try ScriptedProvider()
        let client = client(provider)
        let callback = try provider.approve(try await client.begin())
        let count = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    do { return try await client.finish(callback).tokens.idToken != nil } catch { return false }
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expectEqual(count, 1)
        expectEqual(provider.requests(to: "/token").count, 1)
    }

    @Test(.tags(.keyRotation)) func `Invented signed responses cause one request for keys in 30 seconds`() async throws
    {
        let provider = try ScriptedProvider()
        let client = client(provider)
        let attempt = try await client.begin()
        _ = try await client.finish(provider.approve(try await client.begin()))
        provider.clock.advance(by: .seconds(31))
        for number in 0..<16 {
            let key = try Key.generate(.es256, id: "invented-\(number)")
            provider.deviate { $0.signResponse = { try JWT.sign($0, with: key) } }
            let callback = try provider.approve(attempt)
            await #expect(throws: OAuthError.invalidAuthorizationResponse) { try await client.finish(callback) }
        }
        expectEqual(provider.requests(to: "/jwks").count, 2)
    }

    @Test func `Another launch of the program still expects a signed response`() async throws {
        let provider = try ScriptedProvider()
        let secrets = InMemorySecretStore()
        let callback = try provider.approve(try await client(provider, attempts: secrets).begin())
        let launched = provider.client(attempts: secrets)
        try await expectEqual(launched.finish(callback).idTokenClaims?.subject, "ada")
        let attempt = try await client(provider, attempts: secrets).begin()
        let state = try #require(
            ScriptedProvider.parameters(attempt.url.query(percentEncoded: true) ?? "")["state"])
        let plain = try #require(
            URL(string: "\(ScriptedProvider.redirectURI)?code=c&state=\(state)&iss=https://id.example.com"))
        await #expect(throws: OAuthError.invalidAuthorizationResponse) { try await launched.finish(plain) }
    }
}

/// The URL of an error that the server does not sign.
private enum AuthorizationErrorURL {
    static func of(_ attempt: AuthorizationAttempt) -> URL? {
        let state = ScriptedProvider.parameters(attempt.url.query(percentEncoded: true) ?? "")["state"] ?? ""
        return URL(string: "\(ScriptedProvider.redirectURI)?error=access_denied&state=\(state)")
    }
}
