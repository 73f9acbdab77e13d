// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import Testing

@Suite struct BoundTokensTests {
    let key: DPoPKey
    let tokens: Tokens

    init() throws {
        key = try DPoPKey.generate()
        tokens = Tokens(access: "abc", refresh: "def", tokenType: TokenType(rawValue: "dpop"), key: key)
    }

    @Test func `Tokens bound to a key are sent by their scheme, with a proof for the message`() throws {
        let verifier = DPoPVerifier(memory: { _, _ in true })
        var request = HTTPRequest.example(.put, "/notes/1?a=b", fields: [.authorization: "Bearer old", "DPoP": "old"])
        try tokens.authorize(&request)
        expectEqual(request.fields.values(of: .authorization), ["DPoP abc"])
        expectEqual(request.fields.values(of: "DPoP").count, 1)
        let proof = try verifier.verify(request, accessToken: "abc", boundTo: key.thumbprint)
        expectEqual(proof.target, "https://api.example.com/notes/1")
        expectEqual(proof.method, .put)
    }

    @Test func `Tokens bound to a key are proved again each time`() throws {
        var (first, second) = (HTTPRequest.example(), HTTPRequest.example())
        try tokens.authorize(&first)
        try tokens.authorize(&second)
        expectNotEqual(first.fields["DPoP"], second.fields["DPoP"])
    }

    @Test func `Tokens bound to a key are not sent as bearer tokens if the key is missing`() {
        var request = HTTPRequest.example()
        #expect(throws: AuthError.missingProofKey) {
            try Tokens(access: "abc", tokenType: .dpop).authorize(&request)
        }
        #expect(request.fields.isEmpty)
    }

    @Test func `Tokens bound to a key are bearer tokens if the issuer says so`() throws {
        var request = HTTPRequest.example()
        try Tokens(access: "abc", tokenType: TokenType(rawValue: "BEARER"), key: key).authorize(&request)
        expectEqual(request.fields.map(\.value), ["Bearer abc"])
    }

    @Test func `Tokens bound to a key are not sent if their type is unknown`() {
        var request = HTTPRequest.example()
        #expect(throws: AuthError.unknownTokenType) {
            try Tokens(access: "abc", tokenType: TokenType(rawValue: "mac")).authorize(&request)
        }
    }

    @Test func `Tokens bound to a key are kept with their key in one record`() async throws {
        let secrets = InMemorySecretStore()
        let store = SecretTokenStore<Tokens>(secrets, name: "auth")
        try await store.save(record: TokenRecord(credential: tokens, sessionID: "1"))
        let loaded = try #require(try await store.load())
        expectEqual(loaded, tokens)
        expectEqual(loaded.key, key)
        expectEqual(loaded.tokenType, .dpop)
        let record = try JSONValue(parsing: try #require(secrets.read("auth")))
        #expect(record["credential"]?["key"]?["d"]?.stringValue != nil)
        expectEqual(record["credential"]?["tokenType"], "dpop")
    }

    @Test func `Tokens bound to a key are read from records that were written before there were types`() async throws {
        let secrets = InMemorySecretStore()
        let store = SecretTokenStore<Tokens>(secrets, name: "auth")
        secrets.write(
            Array(#"{"credential":{"access":"a","refresh":"r","expiry":1800000000},"signIn":"1"}"#.utf8), for: "auth")
        let loaded = try #require(try await store.load())
        expectEqual(loaded, Tokens(access: "a", refresh: "r", expiry: Date(timeIntervalSince1970: 1_800_000_000)))
        expectEqual(loaded.tokenType, .bearer)
        expectNil(loaded.key)
    }

    @Test func `Tokens bound to a key are written as before if they are bearer tokens`() throws {
        let json = try JSONValue(parsing: Array(JSONEncoder().encode(Tokens(access: "a", refresh: "r"))))
        expectEqual(Set(json.objectValue?.keys ?? []), ["access", "refresh"])
    }

    @Test func `Tokens bound to a key differ by type and by key`() throws {
        expectNotEqual(tokens, Tokens(access: "abc", refresh: "def", tokenType: .dpop, key: try DPoPKey.generate()))
        expectNotEqual(tokens, Tokens(access: "abc", refresh: "def", key: key))
        expectEqual(tokens, Tokens(access: "abc", refresh: "def", tokenType: .dpop, key: key))
        expectEqual(Set([TokenType.dpop, TokenType(rawValue: "DPOP"), .bearer]).count, 2)
    }

    @Test func `Tokens bound to a key keep their key through refreshes that bring none`() throws {
        let fixture = SessionFixture { _, fixture in
            var fresh = fixture.issue(1)
            fresh.tokenType = .dpop
            return fresh
        }
        let session = fixture.makeSession()
        var first = fixture.tokens(0, life: -1)
        (first.tokenType, first.key) = (.dpop, key)
        let signedIn = first
        let refreshed = try fixture.run {
            try await session.signIn(signedIn)
            return try await session.credential()
        }
        expectEqual(refreshed.access, "access-1")
        expectEqual(refreshed.key, key)
        expectEqual(fixture.stored?.key, key)
    }
}
