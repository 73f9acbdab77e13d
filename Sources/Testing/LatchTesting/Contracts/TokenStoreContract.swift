// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchFoundation

/// The rules of every token store, for tests of implementations.
///
/// ```swift
/// @Test(arguments: TokenStoreContract.rules)
/// func `A token store in a file keeps the contract`(rule: TokenStoreContract.Rule) async throws {
///     try await rule.check { MyTokenStore(at: place) }
/// }
/// ```
public enum TokenStoreContract {
    /// Creates another instance over the same storage, which is empty at first; a store in memory returns the same
    /// instance.
    public typealias Place = @Sendable () async throws -> any TokenStore<Tokens>

    /// One sentence of the contract, with the test that checks it.
    public typealias Rule = ContractRule<Place>

    /// The rules, in the order in which a test checks them.
    public static let rules: [Rule] = [
        missing, everything, replacing, clearing, instances, manyTasks, cancellation, session,
    ]
}

extension TokenStoreContract {
    static let missing = Rule("holds nothing at first, and says nil and not an error") { place in
        try Rule.require(try await place().load() == nil, "something is there")
    }

    static let everything = Rule("gives back every part of the tokens") { place in
        let full = Tokens(
            access: "access-✓", refresh: "refresh", cookie: "name=value",
            expiry: Date(timeIntervalSince1970: 1_800_000_000.25),
            issued: Date(timeIntervalSince1970: 1_799_999_000.5), scope: "a b", idToken: "e.y.J", userID: "ada")
        for tokens in [full, Tokens(access: "only")] {
            try await place().save(tokens)
            try Rule.require(try await place().load() == tokens, "the tokens are others")
        }
    }

    static let replacing = Rule("keeps the last tokens alone") { place in
        let store = try await place()
        for number in 1...20 { try await store.save(Tokens(access: "a\(number)", refresh: "r\(number)")) }
        try Rule.require(try await store.load()?.refresh == "r20", "they are not the last ones")
    }

    static let clearing = Rule("forgets, more than once, and can be used again") { place in
        let store = try await place()
        try await store.clear()
        try await store.save(Tokens(access: "a"))
        try await store.clear()
        try await store.clear()
        try Rule.require(try await store.load() == nil, "they are still there")
        try await store.save(Tokens(access: "b"))
        try Rule.require(try await store.load()?.access == "b", "nothing can be stored any more")
    }

    static let instances = Rule("is one place for all its instances") { place in
        let (one, other) = (try await place(), try await place())
        try Rule.require(try await other.load() == nil, "something is there")
        try await one.save(Tokens(access: "a"))
        try Rule.require(try await other.load()?.access == "a", "the other one does not see it")
        try await other.save(Tokens(access: "b"))
        try Rule.require(try await one.load()?.access == "b", "the first one does not see the change")
        try await one.clear()
        try Rule.require(try await other.load() == nil, "the other one does not see the removal")
    }

    static let manyTasks = Rule("keeps whole tokens of several that are stored concurrently") { place in
        let stores = [try await place(), try await place()]
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    let long = String(repeating: "\(number).", count: 500)
                    try await stores[number % 2].save(
                        Tokens(access: "a\(number)", refresh: "r\(number)", idToken: long))
                }
            }
            try await group.waitForAll()
        }
        guard let kept = try await stores[0].load() else { throw ContractViolation(description: "nothing is there") }
        let number = String(kept.access.dropFirst())
        try Rule.require(kept.refresh == "r\(number)", "the tokens are of two")
        try Rule.require(kept.idToken == String(repeating: "\(number).", count: 500), "a part is another's, or cut")
    }

    static let cancellation = Rule("is whole after a task was cancelled in the middle of it") { place in
        let store = try await place()
        try await store.save(Tokens(access: "a0"))
        for round in 1...10 {
            let task = Task { try await store.save(Tokens(access: "a\(round)")) }
            task.cancel()
            let outcome = await task.result
            let kept = try await store.load()?.access
            if case .success = outcome { try Rule.require(kept == "a\(round)", "a save that succeeded is not there") }
            try Rule.require(kept == "a\(round)" || kept == "a\(round - 1)", "it is neither the old one nor the new")
            try await store.save(Tokens(access: "a\(round)"))
        }
    }

    static let session = Rule("continues a session after a restart, with the tokens of its refresh") { place in
        let clock = ManualClock()
        func start() async throws -> Session<Tokens> {
            Session(store: try await place(), clock: clock.wallClock()) { request in
                Tokens(access: "a2", refresh: "r2", expiry: clock.now.addingTimeInterval(600), issued: clock.now)
            }
        }
        let first = try await start()
        try await first.signIn(Tokens(access: "a1", refresh: "r1", expiry: clock.now.addingTimeInterval(-1)))
        _ = try await first.credential()
        let credential = try await start().credential()
        try Rule.require(credential.access == "a2" && credential.refresh == "r2", "the refreshed tokens are lost")
    }
}
