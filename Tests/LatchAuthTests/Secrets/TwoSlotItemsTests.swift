// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import Testing

@testable import LatchAuth

@Suite struct TwoSlotItemsTests {
    /// The items of a keychain, which fails after some changes, as a process that ends there leaves it.
    private final class Keychain: KeychainItems {
        var items: [String: [UInt8]] = [:]
        var changesUntilEnd = Int.max

        func hasItem(_ name: String) -> Bool { items[name] != nil }

        func secret(of name: String) -> [UInt8]? { items[name] }

        func add(_ secret: [UInt8], as name: String) throws {
            try change()
            guard items[name] == nil else { throw KeychainStatus.error(for: KeychainStatus.duplicateItem) }
            items[name] = secret
        }

        func delete(_ name: String) throws {
            try change()
            items[name] = nil
        }

        private func change() throws {
            changesUntilEnd -= 1
            guard changesUntilEnd >= 0 else { throw AuthError.storeUnavailable }
        }
    }

    private let keychain = Keychain()
    private var store: TwoSlotItems<Keychain> { TwoSlotItems(keychain) }

    @Test func `A keychain item that needs the user is replaced any number of times, and leaves one item`() throws {
        try expectNil(store.read("a"))
        for number in 1...5 as ClosedRange<UInt8> {
            try store.write([number], for: "a")
            try expectEqual(store.read("a"), [number])
            expectEqual(keychain.items.count, 1)
            expectEqual(TwoSlotItems<Keychain>.names(of: Array(keychain.items.keys)), ["a"])
        }
        try store.remove("a")
        #expect(keychain.items.isEmpty)
    }

    @Test(arguments: 0...3, 0...3)
    func `A keychain item that needs the user holds the old secret or the new one wherever its writer ends`(
        earlier: Int, changes: Int
    ) throws {
        try store.write([1], for: "a")
        // An interrupted write precedes the one that is judged.
        keychain.changesUntilEnd = earlier
        do { try store.write([2], for: "a") } catch {}
        keychain.changesUntilEnd = .max
        let before = try #require(try store.read("a"))
        keychain.changesUntilEnd = changes
        var isDone = true
        do { try store.write([3], for: "a") } catch { isDone = false }
        keychain.changesUntilEnd = .max
        try expectEqual(store.read("a"), isDone ? [3] : before)
        try store.write([4], for: "a")
        try expectEqual(store.read("a"), [4])
    }

    @Test(arguments: 0...3)
    func `A keychain item that needs the user does not come back after its removal, wherever that ended`(changes: Int)
        throws
    {
        try store.write([1], for: "a")
        // The new secret is added, and the old one is not deleted.
        keychain.changesUntilEnd = 2
        #expect(throws: AuthError.self) { try store.write([2], for: "a") }
        keychain.changesUntilEnd = changes
        var isRemoved = true
        do { try store.remove("a") } catch { isRemoved = false }
        keychain.changesUntilEnd = .max
        try expectEqual(store.read("a"), isRemoved ? nil : [1])
    }

    @Test func `A keychain item that needs the user has one name for its two slots`() throws {
        try store.write([1], for: "b")
        try store.write([2], for: "b")
        try store.write([3], for: "a")
        expectEqual(TwoSlotItems<Keychain>.names(of: Array(keychain.items.keys)), ["a", "b"])
        expectEqual(TwoSlotItems<Keychain>.names(of: []), [])
    }
}
