// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchTesting
import Synchronization
import Testing

/// A store that fails at the n-th write, as a full disk or a crash would make it.
private final class BreakingStore: SecretStore {
    private let kept: InMemorySecretStore
    private let writesLeft: Mutex<Int>

    init(over kept: InMemorySecretStore, afterWrites writes: Int) {
        self.kept = kept
        writesLeft = Mutex(writes)
    }

    private func write() throws {
        let isBroken = writesLeft.withLock { left in
            left -= 1
            return left < 0
        }
        if isBroken { throw AuthError.storeFull }
    }

    func read(_ name: String) async throws -> [UInt8]? { kept.read(name) }
    func names() async throws -> [String] { kept.names() }

    func write(_ secret: [UInt8], for name: String) async throws {
        try write()
        kept.write(secret, for: name)
    }

    func remove(_ name: String) async throws {
        try write()
        kept.remove(name)
    }
}

private func plainList(over secrets: any SecretStore) -> AccountList {
    AccountList(secrets) { _, store in Session(store: store) { _ in throw AuthError.refreshFailed } }
}

@Suite(.timeLimit(.minutes(5))) struct SharedAccountListTests {
    private func next(
        _ contents: inout AsyncStream<AccountList.Content>.Iterator, where isWanted: (AccountList.Content) -> Bool
    ) async -> AccountList.Content? {
        while let content = await contents.next() {
            if isWanted(content) { return content }
        }
        return nil
    }

    @Test func `Two processes with one list of accounts see each other's changes without asking`() async throws {
        try await withTemporaryFolder { folder in
            let (one, other) = (accountList(in: folder), accountList(in: folder))
            var contents = try await other.contents().makeAsyncIterator()
            await expectEqual(contents.next(), AccountList.Content())

            let ada = try await one.signIn(Tokens(access: "a"), as: "ada", issuer: idIssuer)
            await expectEqual(next(&contents) { $0.currentID == ada.id }?.entries, [ada])
            let bob = try await one.signIn(Tokens(access: "b"), as: "bob", issuer: idIssuer)
            await expectEqual(next(&contents) { $0.currentID == bob.id }?.entries, [ada, bob])
            try await one.use(ada.id)
            await expectEqual(next(&contents) { $0.currentID == ada.id }?.current, ada)
            try await one.rename(bob.id, to: "robert")
            await expectEqual(next(&contents) { $0.entry(named: "robert") != nil }?.entries.count, 2)
            try await one.remove(ada.id)
            await expectNil(next(&contents) { $0.entries.count == 1 }?.current)
        }
    }

    @Test func `Two processes with one list of accounts lose none of many concurrent changes`() async throws {
        try await withTemporaryFolder { folder in
            let lists = (0..<4).map { _ in accountList(in: folder) }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, list) in lists.enumerated() {
                    for account in 0..<5 {
                        group.addTask {
                            let name = "\(number).\(account)"
                            try await list.signIn(Tokens(access: name), as: name, issuer: idIssuer, username: name)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let content = try await accountList(in: folder).content()
            let names = Set((0..<4).flatMap { number in (0..<5).map { "\(number).\($0)" } })
            expectEqual(Set(content.entries.map(\.name)), names)
            expectEqual(content.entries.count, 20)
            #expect(content.current != nil)
            for entry in content.entries {
                try await expectEqual(lists[0].session(for: entry.id).credential().access, entry.name)
            }
        }
    }

    @Test
    func `Two processes with one list of accounts agree on one account if both sign in the same user`() async throws {
        try await withTemporaryFolder { folder in
            let lists = (0..<6).map { _ in accountList(in: folder) }
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for (number, list) in lists.enumerated() {
                    group.addTask {
                        let tokens = Tokens(access: "\(number)")
                        return try await list.signIn(tokens, as: "ada", issuer: idIssuer, userID: "42").id
                    }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            expectEqual(ids.count, 1)
            try await expectEqual(lists[0].content().entries.count, 1)
        }
    }

    @Test func `Two processes with one list of accounts see a session that the other removed as absent`() async throws {
        try await withTemporaryFolder { folder in
            let (one, other) = (accountList(in: folder), accountList(in: folder))
            let ada = try await one.signIn(Tokens(access: "a"), as: "ada", issuer: idIssuer)
            let session = try await other.session(for: ada.id)
            try await expectEqual(session.credential().access, "a")
            var states = session.states.makeAsyncIterator()
            await expectEqual(states.next()?.isSignedIn, true)
            try await one.remove(ada.id)
            await expectEqual(states.next(), .signedOut(.user))
            await #expect(throws: AuthError.unknownAccount) { try await other.session(for: ada.id) }
        }
    }

    @Test func `Two processes with one list of accounts end their streams with the list and the reader`() async throws {
        try await withTemporaryFolder { folder in
            var list: AccountList? = accountList(in: folder)
            var contents = try await list?.contents().makeAsyncIterator()
            await expectEqual(contents?.next(), AccountList.Content())
            list = nil
            await expectNil(contents?.next())
        }
    }
}

@Suite struct AccountListFailureTests {
    @Test(arguments: 0..<3)
    func `A list of accounts whose store fails has a whole sign-in or none, and no tokens without an account`(
        writes: Int
    ) async throws {
        let kept = InMemorySecretStore()
        let ada = try await plainList(over: kept).signIn(Tokens(access: "a"), as: "ada", issuer: idIssuer)
        let breaking = plainList(over: BreakingStore(over: kept, afterWrites: writes))
        await #expect(throws: AuthError.storeFull) {
            try await breaking.signIn(Tokens(access: "b"), as: "bob", issuer: idIssuer, username: "bob")
        }
        // The next process finds Ada as she was, current, and every record of tokens in the list.
        let after = plainList(over: kept)
        let content = try await after.content()
        expectEqual(content.current, ada)
        try await expectEqual(after.session(for: ada.id).credential().access, "a")
        let listed = Set(content.entries.map { "account.\($0.id)" })
        #expect(Set(kept.names()).subtracting(["accounts"]).isSubset(of: listed))
        let bob = try await after.signIn(Tokens(access: "b"), as: "bob", issuer: idIssuer, username: "bob")
        try await expectEqual(after.content().entries, [ada, bob])
    }

    @Test(arguments: 0..<2)
    func `A list of accounts whose store fails keeps or loses an account as a whole if its removal fails`(writes: Int)
        async throws
    {
        let kept = InMemorySecretStore()
        let whole = plainList(over: kept)
        let ada = try await whole.signIn(Tokens(access: "a"), as: "ada", issuer: idIssuer)
        let breaking = plainList(over: BreakingStore(over: kept, afterWrites: writes))
        await #expect(throws: AuthError.storeFull) { try await breaking.remove(ada.id) }
        let after = plainList(over: kept)
        try await expectEqual(after.content().entries, [ada])
        // It can be removed again, whether its tokens are gone already or not.
        try await after.remove(ada.id)
        expectEqual(kept.names(), ["accounts"])
    }

    @Test
    func `A list of accounts whose store fails changes nothing if a switch or a name cannot be stored`() async throws {
        let kept = InMemorySecretStore()
        let whole = plainList(over: kept)
        let ada = try await whole.signIn(Tokens(access: "a"), as: "ada", issuer: idIssuer)
        let bob = try await whole.signIn(Tokens(access: "b"), as: "bob", issuer: idIssuer)
        let breaking = plainList(over: BreakingStore(over: kept, afterWrites: 0))
        await #expect(throws: AuthError.storeFull) { try await breaking.use(ada.id) }
        await #expect(throws: AuthError.storeFull) { try await breaking.rename(ada.id, to: "x") }
        // What would change nothing needs no store.
        try await breaking.use(bob.id)
        try await expectEqual(whole.content().current, bob)
        try await expectEqual(whole.content().entry(named: "ada"), ada)
    }
}

@Suite struct DamagedAccountListTests {
    private static let damages: [String] = [
        "", "{", "[]", "null", #"{"accounts":[{"id":1}],"version":1}"#, #"{"version":1}"#, "\u{0}\u{1}",
    ]

    @Test(arguments: damages)
    func `A damaged list of accounts is not an empty list, and is set aside by the next sign-in`(
        text: String
    ) async throws {
        let secrets = InMemorySecretStore()
        let damaged = Array(text.utf8)
        secrets.write(damaged, for: "accounts")
        let list = plainList(over: secrets)
        func expectCorrupt(_ body: () async throws -> Void) async {
            let error = await #expect(throws: AuthError.self) { try await body() }
            expectEqual(error?.code, "storeCorrupt")
        }
        await expectCorrupt { _ = try await list.content() }
        await expectCorrupt { try await list.use("x") }
        await expectCorrupt { try await list.rename("x", to: "y") }
        await expectCorrupt { try await list.remove("x") }
        await expectCorrupt { _ = try await list.session(for: "x") }
        await expectCorrupt { _ = try await list.contents() }
        expectEqual(secrets.read("accounts"), damaged)

        let ada = try await list.signIn(Tokens(access: "a"), as: "ada", issuer: idIssuer)
        try await expectEqual(list.content().entries, [ada])
        expectEqual(secrets.read("accounts.corrupt"), damaged)
        let other = Array("other damage".utf8)
        secrets.write(other, for: "accounts")
        _ = try await list.signIn(Tokens(access: "a"), as: "ada", issuer: idIssuer)
        expectEqual(secrets.read("accounts.corrupt-2"), other)
    }

    @Test func `A list of accounts of a later version is left unchanged`() async throws {
        let secrets = InMemorySecretStore()
        let later = Array(#"{"version":2,"accounts":[]}"#.utf8)
        secrets.write(later, for: "accounts")
        let list = plainList(over: secrets)
        let error = await #expect(throws: AuthError.self) {
            try await list.signIn(Tokens(access: "a"), as: "ada", issuer: idIssuer)
        }
        expectEqual(error?.code, "storeUnavailable")
        expectEqual(secrets.names(), ["accounts"])
        expectEqual(secrets.read("accounts"), later)
    }

    @Test
    func `A damaged list of accounts is read without a duplicate account or a missing current account`() async throws {
        let secrets = InMemorySecretStore()
        let entry = #"{"id":"1","name":"ada","issuer":"https://id.example.com"}"#
        secrets.write(Array(#"{"version":1,"current":"2","accounts":[\#(entry),\#(entry)]}"#.utf8), for: "accounts")
        let content = try await plainList(over: secrets).content()
        expectEqual(content.entries.map(\.id), ["1"])
        expectNil(content.current)
    }

    @Test func `A list of accounts in a completely damaged file begins again with the file`() async throws {
        try await withTemporaryFolder { folder in
            let first = accountList(in: folder)
            try await first.signIn(Tokens(access: "a"), as: "ada", issuer: idIssuer)
            try Data("not a file of secrets".utf8).write(to: URL(filePath: "\(folder)/secrets"))
            let list = accountList(in: folder)
            let error = await #expect(throws: AuthError.self) { try await list.content() }
            expectEqual(error?.code, "storeCorrupt")
            let bob = try await list.signIn(Tokens(access: "b"), as: "bob", issuer: idIssuer)
            try await expectEqual(list.content().entries, [bob])
            #expect(FileManager.default.fileExists(atPath: "\(folder)/secrets.corrupt"))
        }
    }
}
