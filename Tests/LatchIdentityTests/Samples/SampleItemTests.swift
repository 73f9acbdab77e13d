// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import LatchIdentity

@Suite struct `Items in a store` {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func item(_ number: Int, of account: Account, kind: SampleItem.Kind = .widgets) -> SampleItem {
        SampleItem(
            id: "item-\(1000 + number)", accountID: account.id, kind: kind, name: "item \(number)", createdAt: noon)
    }

    @Test func `come back as they were put in, the newest first`() async throws {
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        for number in 0..<3 { #expect(try await store.insert(item(number, of: account), limit: 9)) }
        let found = try await store.items(of: .widgets, ownedBy: account.id, limit: 2)
        #expect(found == [item(2, of: account), item(1, of: account)])
        #expect(try await store.items(of: .files, ownedBy: account.id, limit: 9).isEmpty)
        #expect(try await store.items(of: .widgets, ownedBy: nil, limit: 9).count == 3)
        await store.close()
    }

    @Test func `are never more than their bound, however many come at once`() async throws {
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        let kept = try await withThrowingTaskGroup { group in
            for number in 0..<40 {
                let item = item(number, of: account)
                group.addTask { try await store.insert(item, limit: 10) }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(kept == 10)
        #expect(try await store.items(of: .widgets, ownedBy: account.id, limit: 99).count == 10)
        await store.close()
    }

    @Test func `are removed by their owner and under their kind alone`() async throws {
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        _ = try await store.insert(item(1, of: account), limit: 9)
        #expect(try await !store.removeItem("item-1001", of: .files, ownedBy: account.id))
        #expect(try await !store.removeItem("item-1001", of: .widgets, ownedBy: "somebody"))
        #expect(try await store.removeItem("item-1001", of: .widgets, ownedBy: account.id))
        #expect(try await !store.removeItem("item-1001", of: .widgets, ownedBy: account.id))
        await store.close()
    }

    @Test func `belong to an account that there is`() async throws {
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        let other = SampleItem(id: "x", accountID: "nobody", kind: .files, name: "x", createdAt: noon)
        await #expect(throws: IdentityError.self) { try await store.insert(other, limit: 9) }
        #expect(try await store.insert(item(1, of: account), limit: 9))
        await store.close()
    }
}

@Suite struct `A username` {
    @Test(arguments: ["ada", " Ada\t", "A.D-A_9", String(repeating: "a", count: 64)])
    func `is ASCII, and equals another whatever its case`(text: String) throws {
        let name = try Username(text)
        #expect(name.key == name.text.lowercased())
        #expect(try Username(name.text.uppercased()).key == name.key)
    }

    @Test(arguments: ["", " ", "a b", "a@b", "ä", "a\u{0}", String(repeating: "a", count: 65)])
    func `is nothing else`(text: String) {
        #expect(throws: IdentityError.self) { try Username(text) }
    }

    @Test func `comes back from the store, and leads to its account alone`() async throws {
        let folder = try TemporaryFolder()
        let store = try IdentityStore(path: folder.file())
        var account = try Account.example()
        account.username = try Username("Ada.L")
        try await store.insert(account)
        #expect(try await store.account(usernameKey: "ada.l") == account)
        #expect(try await store.account(usernameKey: "Ada.L") == nil)
        #expect(try await store.account(usernameKey: "") == nil)
        var other = try Account.example("bob")
        other.username = try Username("ADA.l")
        let taken = other
        await #expect { try await store.insert(taken) } throws: { error in
            (error as? IdentityError)?.code == IdentityError.alreadyExists.code
        }
        // Any number of accounts may have none.
        other.username = nil
        try await store.insert(other)
        try await store.insert(Account.example("eve"))
        await store.close()
    }
}
