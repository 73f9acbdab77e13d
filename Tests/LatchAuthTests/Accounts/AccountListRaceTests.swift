// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchTesting
import Synchronization
import Testing

/// A store on which something else happens before one of its calls.
private final class InterruptedStore: SecretStore {
    private let kept: any SecretStore
    private let callsLeft: Mutex<Int>
    private let interruption: @Sendable () async -> Void

    init(over kept: any SecretStore, atCall number: Int, by interruption: @escaping @Sendable () async -> Void) {
        self.kept = kept
        callsLeft = Mutex(number)
        self.interruption = interruption
    }

    /// Whether the call was made before which something was to happen.
    var wasInterrupted: Bool { callsLeft.withLock { $0 < 0 } }

    private func pass() async {
        let isDue = callsLeft.withLock { left in
            left -= 1
            return left == -1
        }
        if isDue { await interruption() }
    }

    func read(_ name: String) async throws -> [UInt8]? {
        await pass()
        return try await kept.read(name)
    }

    func write(_ secret: [UInt8], for name: String) async throws {
        await pass()
        try await kept.write(secret, for: name)
    }

    func remove(_ name: String) async throws {
        await pass()
        try await kept.remove(name)
    }

    func names() async throws -> [String] { try await kept.names() }
}

@Suite(.timeLimit(.minutes(5))) struct AccountListRaceTests {
    private func secrets(in folder: String) -> EncryptedFileSecretStore {
        EncryptedFileSecretStore(path: "\(folder)/secrets", key: .keyFile(path: "\(folder)/key"))
    }

    /// The list as a process has it, which tells when it waits for a lock.
    private func list(
        in folder: String, over secrets: any SecretStore, whenWaiting report: @escaping @Sendable () -> Void = {}
    ) -> AccountList {
        AccountList(
            secrets,
            coordinate: { name in
                FileCoordination(
                    path: "\(folder)/\(name)", timeout: .seconds(90), clock: ManualClock().wallClock(), random: .system
                ) { pause in
                    report()
                    try await Task.sleep(for: pause)
                }
            },
            makeSession: { _, store in Session(store: store) { _ in throw AuthError.refreshFailed } })
    }

    private let old = Tokens(access: "old", refresh: "r old")
    private let new = Tokens(access: "new", refresh: "r new")

    private func signIn(_ tokens: Tokens, to list: AccountList) async throws -> AccountEntry {
        try await list.signIn(tokens, as: "ada", issuer: idIssuer, userID: "42")
    }

    /// Lets the second operation begin before each call that the first one makes of its store.
    ///
    /// It goes on until it ends, or waits for the first one.
    private func interleave<First: Sendable, Second: Sendable>(
        _ first: @escaping @Sendable (AccountList, _ id: String) async throws -> First,
        _ second: @escaping @Sendable (AccountList, _ id: String) async throws -> Second,
        check: (_ first: First, _ second: Second, _ folder: String) async throws -> Void
    ) async throws {
        var points = 0
        var isInterrupted = true
        while isInterrupted {
            try await withTemporaryFolder { folder in
                let ada = try await signIn(old, to: list(in: folder, over: secrets(in: folder)))
                let (progress, continuation) = AsyncStream.makeStream(of: Void.self)
                let other = list(in: folder, over: secrets(in: folder)) { continuation.yield() }
                let running = Mutex<Task<Second, any Error>?>(nil)
                let store = InterruptedStore(over: secrets(in: folder), atCall: points) {
                    let task = Task {
                        defer { continuation.yield() }
                        return try await second(other, ada.id)
                    }
                    running.withLock { $0 = task }
                    for await _ in progress { break }
                }
                let result = try await first(list(in: folder, over: store), ada.id)
                isInterrupted = store.wasInterrupted
                guard let task = running.withLock({ $0 }) else { return }
                try await check(result, task.value, folder)
            }
            points += 1
        }
        #expect(points > 2)
    }

    /// The records of tokens in the store.
    private func records(in folder: String) async throws -> [String] {
        try await secrets(in: folder).names().filter { $0.hasPrefix("account.") }
    }

    @Test
    func `A sign-in and a removal of one account by two processes leave the session if the removal began first`()
        async throws
    {
        try await interleave({ try await $0.remove($1) }, { list, _ in try await signIn(new, to: list) }) {
            (removed, entry, folder) async throws -> Void in
            expectEqual(removed, old)
            let after = list(in: folder, over: secrets(in: folder))
            try await expectEqual(after.content().entries, [entry])
            try await expectEqual(after.content().current, entry)
            try await expectEqual(after.session(for: entry.id).credential(), new)
            try await expectEqual(records(in: folder), ["account.\(entry.id)"])
        }
    }

    @Test
    func `A sign-in and a removal of one account by two processes leave nothing if the sign-in began first`()
        async throws
    {
        try await interleave({ list, _ in try await signIn(new, to: list) }, { try await $0.remove($1) }) {
            (entry, removed, folder) async throws -> Void in
            expectEqual(removed, new)
            #expect(try await list(in: folder, over: secrets(in: folder)).content().entries.isEmpty)
            #expect(try await records(in: folder).isEmpty)
        }
    }

    @Test
    func `A session that came before the removal of a signed-out account by another process is kept`() async throws {
        try await interleave({ try await $0.removeSignedOut($1) }, { list, _ in try await signIn(new, to: list) }) {
            (isRemoved, entry, folder) async throws -> Void in
            #expect(!isRemoved)
            let after = list(in: folder, over: secrets(in: folder))
            try await expectEqual(after.content().entries, [entry])
            try await expectEqual(after.session(for: entry.id).credential(), new)
        }
    }
}

@Suite struct SignedOutAccountRemovalTests {
    @Test
    func `The removal of a signed-out account removes it, unless another process has signed it in`() async throws {
        try await withTemporaryFolder { folder in
            let (one, other) = (accountList(in: folder), accountList(in: folder))
            let ada = try await one.signIn(Tokens(access: "a"), as: "ada", issuer: idIssuer, userID: "42")
            try await one.session(for: ada.id).signOut()
            try await other.signIn(Tokens(access: "b"), as: "ada", issuer: idIssuer, userID: "42")
            #expect(try await !one.removeSignedOut(ada.id))
            try await expectEqual(other.session(for: ada.id).credential().access, "b")
            try await other.session(for: ada.id).signOut()
            #expect(try await one.removeSignedOut(ada.id))
            #expect(try await one.content().entries.isEmpty)
        }
    }
}
