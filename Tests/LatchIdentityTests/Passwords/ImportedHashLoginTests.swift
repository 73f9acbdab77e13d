// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchCrypto
import LatchHTTP
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchIdentityAccounts

@Suite(.timeLimit(.minutes(5))) struct ImportedHashLoginTests {
    private static let hashes = [
        ("$2y$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
        ("$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", "test12345"),
        ("pbkdf2_sha256$20000$seasalt$oBSd886ysm3AqYun62DOdin8YcfbU1z9cksZSuLP9r0=", "l\u{E8}tmein"),
    ]

    /// The function and cost of a stored hash, and the lengths of what is random.
    private static func shape(_ stored: String) -> [String] {
        stored.split(separator: "$", omittingEmptySubsequences: false).enumerated().map { index, field in
            index < 4 ? String(field) : "\(field.utf8.count)"
        }
    }

    @Test(.tags(.rehashRace), arguments: hashes)
    func `A user whose account was imported signs in with the old password, and gets a hash of argon2id`(
        hash: String, password: String
    ) async throws {
        let site = try await Site()
        let store = site.identity.services.store
        var ada = try Account.example(hash: ImportedPasswordHash(parsing: hash).stored)
        ada.emailVerifiedAt = noon
        try await store.insert(ada, details: nil)
        try await expectEqual(site.logIn(password: "\(password)x").status, 401)
        try await expectEqual(store.account(id: ada.id)?.passwordHash, ada.passwordHash)
        // A wrong password is no unusable hash.
        try await expectEqual(site.audited("login.failed")?.detail?.hasPrefix("from "), true)
        try await expectEqual(site.logIn(password: password).status, 200)
        let upgraded = try #require(try await store.account(id: ada.id)?.passwordHash)
        #expect(upgraded.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$"))
        try await expectEqual(site.logIn(password: password).status, 200)
        try await expectEqual(site.logIn(password: "\(password)x").status, 401)
        try await expectEqual(store.passwordCosts().counts.map(\.parameters), ["m=64,t=1,p=1"])
        await site.close()
    }

    @Test func `A password beyond the bytes that bcrypt reads keeps its hash`() async throws {
        let site = try await Site()
        let store = site.identity.services.store
        let hash = "$2b$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"
        let read = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        var ada = try Account.example(hash: ImportedPasswordHash(parsing: hash).stored)
        ada.emailVerifiedAt = noon
        try await store.insert(ada, details: nil)
        // A typing error after 72 bytes must not become the password.
        for end in [" typo", " right"] { try await expectEqual(site.logIn(password: read + end).status, 200) }
        try await expectEqual(store.account(id: ada.id)?.passwordHash, ada.passwordHash)
        try await expectEqual(site.logIn(password: read).status, 200)
        try await expectEqual(store.account(id: ada.id)?.passwordHash?.hasPrefix("$argon2id$"), true)
        await site.close()
    }

    @Test func `A user whose account was imported signs in with either spelling of a letter`() async throws {
        let site = try await Site()
        // The old system has hashed the decomposed form.
        let hash = "{SSHA}" + String(decoding: Self.salted("cafe\u{301} au lait"), as: UTF8.self)
        var ada = try Account.example(hash: ImportedPasswordHash(parsing: hash).stored)
        ada.emailVerifiedAt = noon
        try await site.identity.services.store.insert(ada, details: nil)
        try await expectEqual(site.logIn(password: "cafe au lait").status, 401)
        try await expectEqual(site.logIn(password: "cafe\u{301} au lait").status, 200)
        try await expectEqual(site.logIn(password: "caf\u{E9} au lait").status, 200)
        await site.close()
    }

    private static func salted(_ password: String) -> [UInt8] {
        let salt = Array("salt".utf8)
        return Base64Alphabet.standard.encode(Array(Insecure.SHA1.hash(data: Array(password.utf8) + salt)) + salt)
    }

    @Test(.tags(.hostileHash))
    func `A user whose hash was put into the store without an import is refused, and nothing is computed`()
        async throws
    {
        let site = try await Site()
        var ada = try Account.example(hash: Self.hashes[0].0)
        ada.emailVerifiedAt = noon
        try await site.identity.services.store.insert(ada, details: nil)
        try await expectEqual(site.logIn(password: Self.hashes[0].1).status, 401)
        try await expectEqual(site.audited("login.failed")?.detail?.hasPrefix("unusable hash, "), true)
        await site.close()
    }

    @Test(.tags(.accountEnumeration), arguments: StoreBackend.all)
    func `A stranger who tries names meets each format of the imported hashes in its proportion`(
        backend: StoreBackend
    ) async throws {
        let (store, audit) = try await backend.open()
        let bcrypt = try ImportedPasswordHash(parsing: Self.hashes[0].0).stored
        let django = try ImportedPasswordHash(parsing: Self.hashes[2].0).stored
        let own = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
        for number in 0..<6 {
            let hash = number < 3 ? bcrypt : number < 5 ? django : own
            try await store.insert(.example("user\(number)", hash: hash), details: nil)
        }
        let costs = try await store.passwordCosts()
        expectEqual(
            Dictionary(uniqueKeysWithValues: costs.counts.map { ($0.parameters, $0.count) }),
            [
                "bcrypt,cost=5,s=22,d=31,k=0": 3, "pbkdf2-sha256,i=20000,s=7,d=32,k=0": 2, "m=64,t=1,p=1": 1,
            ])
        let passwords = try PasswordHasher(
            IdentityConfiguration(), pepper: SymmetricKey(data: [UInt8](repeating: 1, count: 32)))
        var shares: [[String]: Int] = [:]
        for number in 0..<3000 {
            let decoy = passwords.decoy(for: "name \(number)", among: costs)
            #expect(passwords.isUsable(decoy))
            shares[Self.shape(decoy), default: 0] += 1
            if number < 100 {
                // The same name has the same cost at each attempt, and never the same hash.
                let again = passwords.decoy(for: "name \(number)", among: costs)
                expectEqual(Self.shape(again), Self.shape(decoy))
                expectNotEqual(again, decoy)
            }
        }
        expectEqual(Set(shares.keys), [Self.shape(bcrypt), Self.shape(django), Self.shape(own)])
        for (hash, share) in [(bcrypt, 1_500), (django, 1_000), (own, 500)] {
            let count = shares[Self.shape(hash)] ?? 0
            #expect((share - 150...share + 150).contains(count), "\(count) instead of \(share)")
        }
        // An account that gets a hash of its own, or is deleted, counts no longer.
        try await store.upgradePasswordHash(of: "id-user0", from: bcrypt, to: own)
        try await expectEqual(
            store.passwordCosts().counts.map(\.count).sorted(),
            backend.testDescription == "PostgreSQL" ? [1, 2, 3] : [2, 2, 2])
        // The function keeps the folder of the store.
        #expect(try await !audit().isEmpty)
        await store.close()
    }
}
