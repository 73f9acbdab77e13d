// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchTesting
import Testing

/// A list over a folder, as one process of a user has it: with stores, locks and watches of its own.
func accountList(
    in folder: String, secrets: (any SecretStore)? = nil,
    refresh: @escaping @Sendable (AccountEntry, RefreshRequest<Tokens>) async throws -> Tokens = { _, _ in
        throw AuthError.refreshFailed
    }
) -> AccountList {
    let file = EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
    return AccountList(
        secrets ?? file,
        // Its clock stands still: on a busy machine the wait for twenty others may be longer than the limit.
        coordinate: { FileCoordination(path: "\(folder)/\($0)", clock: ManualClock().wallClock()) },
        makeSession: { entry, store in Session(store: store) { try await refresh(entry, $0) } })
}

let idIssuer = "https://id.example.com"

@Suite struct AccountListTests {
    private let list = AccountList(InMemorySecretStore()) { entry, store in
        Session(store: store) { _ in throw AuthError.refreshFailed }
    }

    private func signIn(_ name: String, issuer: String = idIssuer, userID: String? = nil) async throws -> AccountEntry {
        let tokens = Tokens(access: "access of \(name)", refresh: "refresh of \(name)", scope: "files:read")
        return try await list.signIn(tokens, as: name, issuer: issuer, username: name, userID: userID)
    }

    @Test func `A list of accounts is empty at first, with no current account`() async throws {
        try await expectEqual(list.content(), AccountList.Content())
        try await expectNil(list.content().current)
        await #expect(throws: AuthError.unknownAccount) { try await list.session(for: "nobody") }
    }

    @Test
    func `A list of accounts names the user who signed in, where and with which scopes, and makes them current`()
        async throws
    {
        let ada = try await signIn("ada", userID: "42")
        let content = try await list.content()
        expectEqual(content.entries, [ada])
        expectEqual(content.current, ada)
        #expect(ada.name == "ada" && ada.issuer == idIssuer && ada.username == "ada" && ada.userID == "42")
        expectEqual(ada.scopes, Scopes(parsing: "files:read"))
        try await expectEqual(list.session(for: ada.id).credential().access, "access of ada")
    }

    // Equal for Swift's `==`: a letter and its accent, and the Kelvin sign.
    @Test(arguments: [("\u{E9}", "e\u{301}"), ("K", "\u{212A}")])
    func `A list of accounts distinguishes users whose identifiers differ only in their bytes`(
        one: String, other: String
    ) async throws {
        let first = try await signIn("ada", userID: one)
        let second = try await signIn("bob", userID: other)
        expectNotEqual(first.id, second.id)
        try await expectEqual(list.session(for: first.id).credential().access, "access of ada")
        let (named, alike) = (try await signIn(one), try await signIn(other))
        expectNotEqual(named.id, alike.id)
    }

    @Test
    func `A list of accounts keeps several accounts side by side, in the order in which they came`() async throws {
        let ada = try await signIn("ada")
        let bob = try await signIn("bob")
        let content = try await list.content()
        expectEqual(content.entries, [ada, bob])
        expectEqual(content.current, bob)
        try await expectEqual(list.session(for: ada.id).credential().access, "access of ada")
        try await expectEqual(list.session(for: bob.id).credential().access, "access of bob")
    }

    @Test func `A list of accounts gives one live session for each account`() async throws {
        let ada = try await signIn("ada")
        let bob = try await signIn("bob")
        let first = try await list.session(for: ada.id)
        #expect(try await list.session(for: ada.id) === first)
        #expect(try await list.session(for: bob.id) !== first)
    }

    @Test func `A list of accounts switches and renames by the identifier`() async throws {
        let ada = try await signIn("ada")
        let bob = try await signIn("bob")
        try await list.use(ada.id)
        try await expectEqual(list.content().current?.name, "ada")
        try await list.rename(ada.id, to: "work")
        try await expectEqual(list.content().entry(named: "work")?.id, ada.id)
        try await expectNil(list.content().entry(named: "ada"))
        try await list.rename(ada.id, to: "work")
        await #expect(throws: AuthError.accountNameTaken) { try await list.rename(bob.id, to: "work") }
        await #expect(throws: AuthError.unknownAccount) { try await list.rename("nobody", to: "x") }
        await #expect(throws: AuthError.unknownAccount) { try await list.use("nobody") }
        try await expectEqual(list.session(for: ada.id).credential().access, "access of ada")
    }

    @Test func `A list of accounts recognizes a returning user, under any name`() async throws {
        let ada = try await signIn("ada", userID: "42")
        try await list.rename(ada.id, to: "work")
        _ = try await signIn("bob", userID: "43")
        let session = try await list.session(for: ada.id)
        let again = try await list.signIn(
            Tokens(access: "new"), as: "ada@new.example", issuer: idIssuer, username: "ada@new.example", userID: "42")
        #expect(again.id == ada.id && again.name == "work" && again.username == "ada@new.example")
        try await expectEqual(list.content().entries.count, 2)
        try await expectEqual(list.content().currentID, ada.id)
        // Who held the session before sees the new sign-in.
        try await expectEqual(session.credential().access, "new")
    }

    @Test
    func `A list of accounts distinguishes people of one name by their issuer or their identifier`() async throws {
        let names = [
            try await signIn("ada").name, try await signIn("ada", issuer: "https://other.example").name,
            try await signIn("ada", issuer: "https://third.example", userID: "1").name,
            try await signIn("ada", issuer: "https://third.example", userID: "2").name,
        ]
        expectEqual(names, ["ada", "ada (2)", "ada (3)", "ada (4)"])
    }

    @Test
    func `A list of accounts forgets a removed account with its tokens, and makes no other one current`() async throws {
        let secrets = InMemorySecretStore()
        let list = AccountList(secrets) { _, store in Session(store: store) { _ in throw AuthError.refreshFailed } }
        let ada = try await list.signIn(Tokens(access: "a", refresh: "ra"), as: "ada", issuer: idIssuer)
        let bob = try await list.signIn(Tokens(access: "b", refresh: "rb"), as: "bob", issuer: idIssuer)
        let session = try await list.session(for: bob.id)
        try await expectEqual(list.remove(bob.id)?.refresh, "rb")
        let content = try await list.content()
        expectEqual(content.entries, [ada])
        expectNil(content.current)
        expectEqual(session.currentState, .signedOut(.user))
        expectEqual(secrets.names(), ["account.\(ada.id)", "accounts"])
        await #expect(throws: AuthError.unknownAccount) { try await list.remove(bob.id) }
        try await expectEqual(list.session(for: ada.id).credential().access, "a")
    }

    @Test func `A list of accounts keeps the current account if another one is removed or signs out`() async throws {
        let ada = try await signIn("ada")
        let bob = try await signIn("bob")
        try await list.remove(ada.id)
        try await expectEqual(list.content().current, bob)
        try await list.session(for: bob.id).signOut()
        // Signed out is not removed: the account can be signed in again by its name.
        try await expectEqual(list.content().current, bob)
        await #expect(throws: AuthError.missingToken) { try await list.session(for: bob.id).credential() }
    }

    @Test func `A list of accounts holds no secret`() async throws {
        let secrets = InMemorySecretStore()
        let list = AccountList(secrets) { _, store in Session(store: store) { _ in throw AuthError.refreshFailed } }
        let tokens = Tokens(access: "access-secret", refresh: "refresh-secret", idToken: "id-secret")
        _ = try await list.signIn(tokens, as: "ada", issuer: idIssuer)
        let record = try #require(secrets.read("accounts"))
        let text = String(decoding: record, as: UTF8.self)
        #expect(!text.contains("secret"))
        #expect(!String(describing: try await list.content()).contains("secret"))
        #expect(text.contains("\"version\":1"))
    }
}
