// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import Testing

@testable import LatchIdentity

@Suite struct UsernameTests {
    @Test(arguments: ["ada", " Ada\t", "A.D-A_9", String(repeating: "a", count: 64)])
    func `A user name is ASCII, and equals another regardless of case`(text: String) throws {
        let name = try Username(text)
        expectEqual(name.key, name.text.lowercased())
        try expectEqual(Username(name.text.uppercased()).key, name.key)
    }

    @Test(arguments: ["", " ", "a b", "a@b", "ä", "a\u{0}", String(repeating: "a", count: 65)])
    func `A user name in any other form is refused`(text: String) {
        #expect(throws: IdentityError.self) { try Username(text) }
    }

    @Test func `A user name is not the substitute of another account`() throws {
        let name = Username.substitute(for: "0198c0de-0000-7000-8000-0123456789ab")
        expectEqual(name, "user-80000123456789ab")
        for text in [name, name.uppercased()] {
            #expect(throws: IdentityError.reservedUsername) { try Username(choosing: text) }
        }
        for text in ["user-", "user-8000012345678", "user-80000123456789abc", "user-80000123456789ag"] {
            _ = try Username(choosing: text)
        }
        // An account from before the rule keeps its name.
        _ = try Username(choosing: name, insteadOf: Username(name))
    }

    @Test func `A user name comes back from the store, and leads only to its account`() async throws {
        let folder = try TemporaryFolder()
        let store = try IdentityStore(path: folder.file())
        var account = try Account.example()
        account.username = try Username("Ada.L")
        try await store.insert(account)
        try await expectEqual(store.account(usernameKey: "ada.l"), account)
        try await expectNil(store.account(usernameKey: "Ada.L"))
        try await expectNil(store.account(usernameKey: ""))
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
