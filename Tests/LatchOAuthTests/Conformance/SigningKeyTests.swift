// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

/// The modules of the conformance suite about keys that the provider replaces, as in `RelyingPartyTests`.
///
/// The clock stands still during a sign-in: no pause between two requests for keys may end.
@Suite struct SigningKeyTests {
    /// Signs in, and returns the response.
    @discardableResult
    private func signIn(_ provider: ScriptedProvider, _ client: AuthorizationClient) async throws -> TokenResponse {
        try await client.finish(provider.approve(try await client.begin()))
    }

    /// Replaces the key once, right before the next ID token is signed.
    private func rotateBeforeSigning(_ provider: ScriptedProvider, keepingOld: Bool = false) {
        let isDue = Mutex(true)
        provider.deviate {
            $0.sign = { claims in
                let rotates = isDue.withLock { isDue in
                    defer { isDue = false }
                    return isDue
                }
                if rotates { try provider.rotate(keepingOld: keepingOld) }
                return try JWT.sign(claims, with: provider.key)
            }
        }
    }

    @Test func `A relying party (signing-key-rotation) fetches the keys again for an unknown key`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        try await signIn(provider, client)
        try provider.rotate()
        let tokens = try await signIn(provider, client).tokens
        try await expectEqual(client.userInfo(of: tokens).subject, "ada")
        expectEqual(provider.requests(to: "/jwks").count, 2)
        expectEqual(provider.requests(to: "/.well-known/openid-configuration").count, 1)
    }

    @Test func `A relying party (discovery-jwks-uri-keys) fetches the keys where the metadata says`() async throws {
        let provider = try ScriptedProvider()
        let keys = KeySet([provider.key]).jwks().serialized()
        provider.deviate { deviations in
            deviations.metadata = { $0["jwks_uri"] = "https://keys.example.com/kR7w" }
            deviations.response = { request in
                request.pathWithoutQuery == "/kR7w" ? HTTPResponse(status: .ok, body: HTTPBody(keys)) : nil
            }
        }
        try await expectEqual(signIn(provider, provider.client()).idTokenClaims?.subject, "ada")
        expectEqual(provider.requests(to: "/kR7w").map(\.authority), ["keys.example.com"])
        #expect(provider.requests(to: "/jwks").isEmpty)
    }

    @Test(.tags(.keyRotation))
    func `A relying party (signing-key-rotation-just-before-signing) finds a key that is newer than the request`()
        async throws
    {
        let provider = try ScriptedProvider()
        rotateBeforeSigning(provider)
        try await expectEqual(signIn(provider, provider.client()).idTokenClaims?.subject, "ada")
        expectEqual(provider.requests(to: "/jwks").count, 2)
        // RFC 9111 §5.2.1.4: a cache in between must not respond with the old keys.
        expectEqual(provider.requests(to: "/jwks").last?.fields[.cacheControl], "no-cache")
        expectNil(provider.requests(to: "/jwks").last?.fields["If-None-Match"])
    }

    @Test(.tags(.keyRotation))
    func `A relying party (signing-key-rotation-just-before-signing) shares one request for keys among many sign-ins`()
        async throws
    {
        let provider = try ScriptedProvider()
        let client = provider.client()
        try await signIn(provider, client)
        rotateBeforeSigning(provider, keepingOld: true)
        let subjects = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<16 { group.addTask { try await signIn(provider, client).idTokenClaims?.subject } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(subjects, Array(repeating: "ada", count: 16))
        expectEqual(provider.requests(to: "/jwks").count, 2)
    }

    @Test(.tags(.keyRotation), arguments: [false, true])
    func `A relying party asks once more if a request for keys began before the token was signed`(fails: Bool)
        async throws
    {
        let provider = try ScriptedProvider()
        let (asked, signed) = (Gate(), Gate())
        let number = Mutex(0)
        let transport = ClosureHandler { request in
            switch String(request.pathWithoutQuery) {
            case "/jwks":
                let response = try await provider.respond(to: request)
                let isSecond = number.withLock { number in
                    number += 1
                    return number == 2
                }
                guard isSecond else { return response }
                asked.open()
                await signed.pass()
                return fails ? HTTPResponse(status: .serviceUnavailable) : response
            case "/token" where number.withLock({ $0 }) > 0 && provider.requests(to: "/token").count == 1:
                await asked.pass()
                try provider.rotate()
                let response = try await provider.respond(to: request)
                signed.open()
                return response
            default: return try await provider.respond(to: request)
            }
        }
        var configuration = provider.configuration
        configuration.redirectURI = ScriptedProvider.redirectURI
        let client = AuthorizationClient(configuration, transport: transport, clock: provider.clock.wallClock())
        try await signIn(provider, client)
        // The keys are still fresh for ten seconds, and are fetched again in the background.
        provider.clock.advance(by: .seconds(50))
        try await expectEqual(signIn(provider, client).idTokenClaims?.subject, "ada")
        expectEqual(provider.requests(to: "/jwks").count, 3)
    }

    @Test(.tags(.keyRotation)) func `Tokens of strangers cause one request for keys in 30 seconds`() async throws {
        let provider = try ScriptedProvider()
        let client = provider.client()
        try await signIn(provider, client)
        func expectRefusals() async throws {
            for number in 0..<64 {
                let stranger = try Key.generate(.es256, id: "invented-\(number)")
                let token = try provider.logoutToken(id: "\(number)", signedBy: stranger)
                await #expect(throws: OAuthError.invalidLogoutToken) {
                    try await client.endedSession(ofLogoutToken: token)
                }
            }
        }
        try await expectRefusals()
        expectEqual(provider.requests(to: "/jwks").count, 1)
        // A sign-in between them does not have to wait.
        rotateBeforeSigning(provider)
        try await expectEqual(signIn(provider, client).idTokenClaims?.subject, "ada")
        expectEqual(provider.requests(to: "/jwks").count, 2)
        try await expectRefusals()
        expectEqual(provider.requests(to: "/jwks").count, 2)
        provider.clock.advance(by: .seconds(31))
        try await expectRefusals()
        expectEqual(provider.requests(to: "/jwks").count, 3)
    }

    @Test(.tags(.tokenForgery)) func `A token whose signature never fits causes one more request for keys`()
        async throws
    {
        let provider = try ScriptedProvider()
        let forged = try Key.generate(.es256, id: provider.key.id)
        provider.deviate { $0.sign = { try JWT.sign($0, with: forged) } }
        await #expect(throws: OAuthError.invalidIDToken) { try await signIn(provider, provider.client()) }
        expectEqual(provider.requests(to: "/jwks").count, 2)
    }

    @Test func `A relying party (userinfo-signed) finds a newer key of a signed response about the user`() async throws
    {
        let provider = try ScriptedProvider()
        let client = provider.client()
        let tokens = try await signIn(provider, client).tokens
        provider.deviate {
            $0.response = { request in
                guard request.pathWithoutQuery == "/userinfo" else { return nil }
                var claims: Claims = ["sub": "ada", "name": "Ada"]
                claims.issuer = ScriptedProvider.issuer.absoluteString
                claims.audience = ["notes"]
                do {
                    try provider.rotate()
                    return HTTPResponse(
                        status: .ok, fields: [.contentType: "application/jwt"],
                        body: HTTPBody(try JWT.sign(claims, with: provider.key)))
                } catch {
                    return HTTPResponse(status: .internalServerError)
                }
            }
        }
        try await expectEqual(client.userInfo(of: tokens).string("name"), "Ada")
        expectEqual(provider.requests(to: "/jwks").count, 2)
    }

    // Without the request in the background, the test would wait for ever.
    @Test(.timeLimit(.minutes(1)))
    func `A refresh with a newer key keeps the first ID token, and the next refresh takes its own`() async throws {
        let provider = try ScriptedProvider()
        let fetched = Gate()
        provider.deviate { $0.tokenResponse = { $0["expires_in"] = 40 } }
        let client = provider.client()
        let session = Session(client: client, store: InMemoryTokenStore())
        let first = try await signIn(provider, client).tokens
        try await session.signIn(first)
        try provider.rotate()
        provider.deviate { $0.keys = { _ in fetched.open() } }
        provider.clock.advance(by: .seconds(40))
        try await expectEqual(session.credential().idToken, first.idToken)
        await fetched.pass()
        // It waits for the running request, and begins none.
        let logout = try provider.logoutToken()
        try await expectEqual(client.endedSession(ofLogoutToken: logout).subject, "ada")
        provider.clock.advance(by: .seconds(40))
        let last = try #require(try await session.credential().idToken)
        try expectEqual(JWT(unverified: last).header.keyID, provider.key.id)
        expectEqual(provider.requests(to: "/jwks").count, 2)
    }
}
