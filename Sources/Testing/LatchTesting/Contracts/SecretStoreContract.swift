// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
import LatchFoundation

/// The rules of every secret store, for tests of implementations.
///
/// ```swift
/// @Test(arguments: SecretStoreContract.rules)
/// func `A secret store in a file keeps the contract`(rule: SecretStoreContract.Rule) async throws {
///     try await rule.check { MyStore(at: place) }
/// }
/// ```
public enum SecretStoreContract {
    /// Creates another instance over the same storage, which is empty at first.
    public typealias Place = @Sendable () async throws -> any SecretStore

    /// One sentence of the contract, with the test that checks it.
    public typealias Rule = ContractRule<Place>

    /// The rules, in the order in which a test checks them.
    public static let rules: [Rule] = [
        bytes, names, missing, overwriting, removing, instances, manyTasks, oneName, cancellation, records,
    ]
}

extension SecretStoreContract {
    static let bytes = Rule("gives back what it was given, byte by byte") { place in
        let store = try await place()
        let secrets: [String: [UInt8]] = [
            "empty": [], "zero": [0], "all": Array(0...255), "no text": [0xFF, 0xC0, 0x00, 0xFE],
            "large": (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) },
        ]
        for (name, secret) in secrets { try await store.write(secret, for: name) }
        for (name, secret) in secrets {
            try Rule.require(try await store.read(name) == secret, "'\(name)' is another one")
        }
    }

    static let names = Rule("takes every name, keeps them apart, and lists them sorted") { place in
        let store = try await place()
        let names = [
            "a", "A", "a.b", "a/b", "../a", "a b", " a", "%41", "a%2Fb", "é", "日本語", "🔑", "line\nbreak", "nul\u{0}",
            "-",
            "\"quoted\"", "a:b@c", String(repeating: "n", count: 300),
        ]
        for (number, name) in names.enumerated() { try await store.write([UInt8(number)], for: name) }
        for (number, name) in names.enumerated() {
            try Rule.require(try await store.read(name) == [UInt8(number)], "'\(name)' holds another's secret")
        }
        try Rule.require(try await store.names() == names.sorted(), "the names are others, or in another order")
    }

    static let missing = Rule("holds nothing at first, and says nil and not an error") { place in
        let store = try await place()
        try Rule.require(try await store.read("a") == nil, "something is there")
        try Rule.require(try await store.names().isEmpty, "there are names")
    }

    static let overwriting = Rule("overwrites, with longer and with shorter secrets") { place in
        let store = try await place()
        for count in [10, 1_000, 1, 0, 50] {
            let secret = [UInt8](repeating: UInt8(count & 0xFF), count: count)
            try await store.write(secret, for: "a")
            try Rule.require(try await store.read("a") == secret, "it is not the last one")
        }
        try Rule.require(try await store.names() == ["a"], "an overwritten secret left a name")
    }

    static let removing = Rule("forgets, more than once, and nothing else") { place in
        let store = try await place()
        try await store.remove("a")
        try await store.write([1], for: "a")
        try await store.write([2], for: "b")
        try await store.remove("a")
        try await store.remove("a")
        try Rule.require(try await store.read("a") == nil, "it is still there")
        try Rule.require(try await store.read("b") == [2], "another one was removed too")
        try await store.write([3], for: "a")
        try Rule.require(try await store.read("a") == [3], "it cannot be stored again")
    }

    static let instances = Rule("is one place for all its instances") { place in
        let (one, other) = (try await place(), try await place())
        try Rule.require(try await other.read("a") == nil, "something is there")
        try await one.write([1], for: "a")
        try Rule.require(try await other.read("a") == [1], "the other one does not see it")
        try await other.write([2], for: "a")
        try Rule.require(try await one.read("a") == [2], "the first one does not see the change")
        try await one.remove("a")
        try Rule.require(try await other.names().isEmpty, "the other one does not see the removal")
    }

    static let manyTasks = Rule("loses nothing of what many tasks store concurrently") { place in
        let stores = [try await place(), try await place()]
        try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                group.addTask {
                    try await stores[number % 2].write([UInt8(number)], for: "name-\(number)")
                    _ = try await stores[number % 2].read("name-\(number / 2)")
                }
            }
            try await group.waitForAll()
        }
        try Rule.require(try await stores[0].names().count == 40, "some are lost")
        for number in 0..<40 {
            try Rule.require(try await stores[1].read("name-\(number)") == [UInt8(number)], "one is another's")
        }
    }

    static let oneName = Rule("keeps one whole secret of several that are stored concurrently under one name") {
        place in
        let stores = [try await place(), try await place()]
        let secrets = (1...8).map { [UInt8](repeating: UInt8($0), count: 5_000 * $0) }
        try await withThrowingTaskGroup { group in
            for (number, secret) in secrets.enumerated() {
                group.addTask { try await stores[number % 2].write(secret, for: "a") }
            }
            try await group.waitForAll()
        }
        let kept = try await stores[0].read("a")
        try Rule.require(kept.map(secrets.contains) == true, "it is none of them")
        try Rule.require(try await stores[1].names() == ["a"], "there are several")
    }

    static let cancellation = Rule("is whole after a task was cancelled in the middle of it") { place in
        let store = try await place()
        try await store.write([0], for: "a")
        for round in UInt8(1)...10 {
            let task = Task { try await store.write([UInt8](repeating: round, count: 2_000), for: "a") }
            task.cancel()
            let outcome = await task.result
            let kept = try await store.read("a")
            let isNew = kept == [UInt8](repeating: round, count: 2_000)
            if case .success = outcome { try Rule.require(isNew, "a write that succeeded is not there") }
            try Rule.require(isNew || kept?.first == round - 1, "it is neither the old one nor the new")
            try await store.write([round], for: "a")
        }
    }

    static let records = Rule("keeps a session's tokens with their expiry") { place in
        let store = SecretTokenStore<Tokens>(try await place(), name: "auth")
        let tokens = Tokens(
            access: "a", refresh: "r", expiry: Date(timeIntervalSince1970: 1_800_000_000.25), scope: "x y")
        try await store.save(tokens)
        let again = SecretTokenStore<Tokens>(try await place(), name: "auth")
        try Rule.require(try await again.load() == tokens, "the tokens are others")
        try await again.clear()
        try Rule.require(try await store.load() == nil, "they are still there")
    }
}
