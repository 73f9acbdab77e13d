// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchTesting
import TestTags
import Testing

@Suite struct EndpointSignOutTests {
    let issuer = ScriptedIssuer()
    let store = InMemoryTokenStore(
        Tokens(access: "a0", refresh: "r0", expiry: Date(timeIntervalSince1970: 1_800_003_600)))

    private var session: Session<Tokens> { Session(tokenEndpoint: issuer.endpoint(), store: store) }

    @Test(.tags(.tokenRevocation))
    func `Signing out at a token endpoint clears this device first and then revokes both tokens`() async throws {
        let (session, store) = (session, store)
        issuer.on("/oauth/revoke") { _ in
            // Nobody is signed in here any more when the issuer is told.
            expectNil(store.load())
            #expect(!session.currentState.isSignedIn)
            return HTTPResponse(status: .ok)
        }
        #expect(try await session.signOut(revokingAt: issuer.endpoint()))
        expectEqual(issuer.forms.map(\.last), ["token_type_hint=refresh_token", "token_type_hint=access_token"])
        expectEqual(session.currentState, .signedOut(.user))
    }

    @Test(.tags(.tokenRevocation))
    func `Signing out at a token endpoint clears this device without a network, too, and stays unconfirmed`()
        async throws
    {
        issuer.on("/oauth/revoke") { _ in throw HTTPError.offline }
        let session = session
        try await expectEqual(session.signOut(revokingAt: issuer.endpoint()), false)
        expectEqual(session.currentState, .signedOut(.user))
        expectNil(store.load())
    }

    @Test(.tags(.tokenRevocation))
    func `Signing out at a token endpoint can be done twice, and sends no request the second time`() async throws {
        issuer.on("/oauth/revoke", .ok, "")
        let session = session
        #expect(try await session.signOut(revokingAt: issuer.endpoint()))
        try await expectEqual(session.signOut(revokingAt: issuer.endpoint()), false)
        expectEqual(issuer.requests.count, 2)
    }

    @Test(.tags(.tokenRevocation))
    func `Signing out at a token endpoint is not undone by a refresh that was in progress`() async throws {
        let session = session
        let (asked, tell) = AsyncStream.makeStream(of: Void.self)
        let (release, go) = AsyncStream.makeStream(of: Void.self)
        issuer.on("/oauth/revoke", .ok, "")
        issuer.on("/oauth/token") { _ in
            tell.finish()
            for await _ in release {}
            return HTTPResponse(
                status: .ok, body: HTTPBody(#"{"access_token":"a1","refresh_token":"r1","expires_in":3600}"#))
        }
        issuer.clock.advance(by: 3601)
        async let refresh = session.credential()
        for await _ in asked {}
        _ = try await session.signOut(revokingAt: issuer.endpoint())
        go.finish()
        do {
            _ = try await refresh
            Issue.record("the refresh outlived the sign-out")
        } catch {
            expectEqual(error as? AuthError, .superseded)
        }
        expectNil(store.load())
        expectEqual(session.currentState, .signedOut(.user))
    }

    @Test(.tags(.keychainRecord))
    func `Signing out at a token endpoint reports if this device cannot forget, and revokes the tokens`()
        async throws
    {
        issuer.on("/oauth/revoke", .ok, "")
        let secrets = InMemorySecretStore()
        try await SecretTokenStore<Tokens>(secrets, name: "s").save(Tokens(access: "a0", refresh: "r0"))
        let failing = FailingSecretStore(secrets, after: 1, with: .storeDenied)
        let session = Session(
            tokenEndpoint: issuer.endpoint(), store: SecretTokenStore<Tokens>(failing, name: "s"))
        try await session.restore()
        await #expect(throws: AuthError.storeDenied) { try await session.signOut(revokingAt: issuer.endpoint()) }
        #expect(session.currentState.isSignedIn)
        expectEqual(issuer.requests(to: "/oauth/revoke").count, 2)
    }
}
