// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchTesting
import TestTags
import Testing

@Suite struct SecretTokenStoreTests {
    let secrets = InMemorySecretStore()

    func load(_ record: String) async throws -> Tokens? {
        secrets.write(Array(record.utf8), for: "auth")
        return try await SecretTokenStore<Tokens>(secrets, name: "auth").load()
    }

    @Test func `A record of tokens can hold fields of a later version`() async throws {
        let tokens = try await load(#"{"access":"a","refresh":"r","expiry":1800000000,"boundTo":{"key":[1,2]}}"#)
        expectEqual(tokens, Tokens(access: "a", refresh: "r", expiry: Date(timeIntervalSince1970: 1_800_000_000)))
    }

    @Test func `A record of tokens needs no more than the access token`() async throws {
        try await expectEqual(load(#"{"access":"a"}"#), Tokens(access: "a"))
        try await expectEqual(load(#"{"access":"a","refresh":null}"#), Tokens(access: "a"))
    }

    @Test(arguments: [
        "", "{}", "[]", "null", #"{"refresh":"r"}"#, #"{"access":7}"#, #"{"access":null}"#,
        #"{"access":"a","expiry":"tomorrow"}"#, #"{"access":"a""#, "\u{0}",
    ])
    func `A record of tokens that is not a credential is corrupt, never "no account"`(record: String) async {
        await #expect(throws: AuthError.storeCorrupt) { try await load(record) }
        expectEqual(secrets.names(), ["auth"])
    }

    @Test func `A record of tokens is reported by its name and never by its content when it is corrupt`() async {
        let error = await #expect(throws: AuthError.storeCorrupt) { try await load(#"{"refresh":"canary-31cc"}"#) }
        expectEqual(error?.message.contains("'auth'"), true)
        expectEqual("\(error.map { "\($0)" } ?? "") \(String(reflecting: error))".contains("canary"), false)
    }

    @Test func `A record of tokens is replaced by the next sign-in when it is corrupt`() async throws {
        await #expect(throws: AuthError.storeCorrupt) { try await load("torn") }
        let store = SecretTokenStore<Tokens>(secrets, name: "auth")
        try await store.save(Tokens(access: "new"))
        try await expectEqual(store.load(), Tokens(access: "new"))
    }

    @Test(.tags(.keychainRecord))
    func `A record of tokens is kept under another name when it is corrupt and a new one comes`() async throws {
        let store = SecretTokenStore<Tokens>(secrets, name: "auth")
        for (round, aside) in ["auth.corrupt", "auth.corrupt-2"].enumerated() {
            secrets.write(Array("torn \(round)".utf8), for: "auth")
            try await store.save(Tokens(access: "new"))
            expectEqual(secrets.read(aside), Array("torn \(round)".utf8))
        }
        // The same damage is kept once.
        secrets.write(Array("torn 1".utf8), for: "auth")
        try await store.save(Tokens(access: "newer"))
        try await store.save(Tokens(access: "newest"))
        expectEqual(secrets.names(), ["auth", "auth.corrupt", "auth.corrupt-2"])
        expectEqual(secrets.names().filter { !CorruptSecretName.matches($0) }, ["auth"])
        try await expectEqual(store.load(), Tokens(access: "newest"))
    }

    @Test(.tags(.keychainRecord))
    func `A record of tokens is not replaced if the damaged one could not be kept`() async throws {
        secrets.write(Array("torn".utf8), for: "auth")
        let failing = FailingSecretStore(secrets, after: 2, with: .storeFull)
        let store = SecretTokenStore<Tokens>(failing, name: "auth")
        await #expect(throws: AuthError.storeFull) { try await store.save(Tokens(access: "new")) }
        expectEqual(secrets.read("auth"), Array("torn".utf8))
    }

    @Test(.tags(.appLaunch))
    func `A record of tokens that is corrupt leads to a login, which cleans it`() async throws {
        secrets.write(Array("torn".utf8), for: "auth")
        let session = Session(store: SecretTokenStore<Tokens>(secrets, name: "auth")) { $0.credential }
        await #expect(throws: AuthError.storeCorrupt) { try await session.credential() }
        expectEqual(session.currentState, .unavailable(.storeCorrupt))
        try await session.signIn(Tokens(access: "new"))
        try await expectEqual(session.credential().access, "new")
        expectEqual(secrets.names(), ["auth", "auth.corrupt"])
    }

    @Test(arguments: [
        ("a.corrupt", true), ("a.corrupt-2", true), ("a", false), ("a.corrupt-x", false), ("a.corruption", false),
        ("corrupt", false), ("a.corrupt.b", false), ("a.corrupt.corrupt-17", true),
    ])
    func `A record of tokens that was set aside is known by its name`(name: String, isAside: Bool) {
        expectEqual(CorruptSecretName.matches(name), isAside)
    }

    @Test func `A record of tokens keeps its accounts apart`() async throws {
        let one = SecretTokenStore<Tokens>(secrets, name: "one")
        let other = SecretTokenStore<Tokens>(secrets, name: "other")
        try await one.save(Tokens(access: "1"))
        try await other.save(Tokens(access: "2"))
        try await one.clear()
        try await one.clear()
        try await expectNil(one.load())
        try await expectEqual(other.load(), Tokens(access: "2"))
    }

    @Test func `A record of tokens keeps fractions of a second`() async throws {
        let store = SecretTokenStore<Tokens>(secrets, name: "auth")
        let tokens = Tokens(access: "a", expiry: Date(timeIntervalSince1970: 1_800_000_000.125))
        try await store.save(tokens)
        try await expectEqual(store.load(), tokens)
    }
}
