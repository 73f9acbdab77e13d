// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchAuth

@Suite struct TokensTests {
    static let canary = "canary-5f1d"

    static let tokens = Tokens(
        access: canary, refresh: canary, expiry: Date(timeIntervalSince1970: 1_800_000_000), scope: "a b",
        idToken: canary)

    private func dumped(_ value: Any) -> String {
        var text = ""
        dump(value, to: &text)
        return text + String(describing: value) + String(reflecting: value) + "\(value)"
    }

    @Test func `Tokens of a session keep their grant if a closure has empty texts for omitted fields`() {
        let first = Tokens(access: "a0", refresh: "r0", idToken: "i0")
        var next = first.updated(by: Tokens(access: "a1", refresh: "", cookie: "", idToken: ""), for: nil)
        expectEqual(next, Tokens(access: "a1", refresh: "r0", idToken: "i0"))
        next.refresh = ""
        #expect(!next.isRefreshable)
        let inCookie = Tokens(access: "a0", cookie: "rt=1")
        expectEqual(inCookie.updated(by: Tokens(access: "a1", refresh: ""), for: nil).cookie, "rt=1")
    }

    @Test(.tags(.tokenRedaction)) func `Tokens of a session appear in no description, reflection or dump`() {
        #expect(!dumped(Self.tokens).contains(Self.canary))
        #expect(!dumped([Self.tokens as Tokens?]).contains(Self.canary))
        #expect(!dumped(SessionState.signedIn(Self.tokens)).contains(Self.canary))
        #expect(!dumped(SessionState.expired(Self.tokens)).contains(Self.canary))
        #expect(!dumped(RefreshRequest(credential: Self.tokens, idempotencyKey: "key")).contains(Self.canary))
        #expect(!dumped(InMemoryTokenStore(Self.tokens)).contains(Self.canary))
    }

    @Test(.tags(.tokenRedaction)) func `Tokens of a session do not show through a session that holds them`() throws {
        let fixture = SessionFixture(holding: Self.tokens)
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        #expect(!dumped(session).contains(Self.canary))
    }

    @Test(.tags(.tokenRedaction))
    func `Tokens of a session do not show through the error of a record that cannot be read`() async throws {
        let secrets = InMemorySecretStore()
        secrets.write(Array("{\"access\":\"\(Self.canary)".utf8), for: "auth")
        let store = SecretTokenStore<Tokens>(secrets, name: "auth")
        let error = await #expect(throws: AuthError.storeCorrupt) { try await store.load() }
        #expect(!dumped(error as Any).contains(Self.canary))
    }

    @Test func `Tokens of a session authorize as a bearer token`() throws {
        var request = HTTPRequest(authority: "api.example.com", path: "/", fields: [.authorization: "Basic old"])
        try Tokens(access: "abc").authorize(&request)
        expectEqual(request.fields.values(of: .authorization), ["Bearer abc"])
    }

    @Test(.tags(.tokenStores)) func `Tokens of a session come back from a store with every part`() async throws {
        let store = SecretTokenStore<Tokens>(InMemorySecretStore(), name: "auth")
        try await expectNil(store.load())
        try await store.save(Self.tokens)
        try await expectEqual(store.load(), Self.tokens)
        try await store.save(Tokens(access: "next"))
        try await expectEqual(store.load(), Tokens(access: "next"))
        try await store.clear()
        try await store.clear()
        try await expectNil(store.load())
    }

    @Test func `Tokens of a session refresh alike by refresh token, and authorize alike by access token`() {
        let tokens = Tokens(access: "a", refresh: "r")
        #expect(tokens.hasSameRefreshToken(as: Tokens(access: "b", refresh: "r")))
        #expect(!tokens.hasSameRefreshToken(as: Tokens(access: "a", refresh: "s")))
        #expect(Tokens(access: "a").hasSameRefreshToken(as: Tokens(access: "a")))
        #expect(tokens.hasSameAccessToken(as: Tokens(access: "a")))
        #expect(!tokens.hasSameAccessToken(as: Tokens(access: "b", refresh: "r")))
    }
}
