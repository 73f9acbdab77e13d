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

@Suite(.timeLimit(.minutes(5))) struct PasswordHasherTests {
    private static let pepper = SymmetricKey(data: [UInt8](repeating: 1, count: 32))

    private func passwords(_ change: (inout IdentityConfiguration) -> Void = { _ in }) throws -> PasswordHasher {
        var configuration = IdentityConfiguration()
        configuration.argon2MemoryKiB = 64
        configuration.argon2Passes = 1
        change(&configuration)
        return try PasswordHasher(configuration, pepper: Self.pepper)
    }

    private func matches(_ password: String, _ stored: String?) async throws -> Bool {
        let passwords = try passwords()
        let decoy = passwords.decoy(for: "ada", among: PasswordCosts(counts: []))
        return try await passwords.verify(password, against: stored, or: decoy, from: "192.0.2.1")
    }

    @Test func `A password matches only its own hash`() async throws {
        let passwords = try passwords()
        let hash = try await passwords.hash("correct horse", for: .signUp, from: nil)
        #expect(hash.hasPrefix("$argon2id$v=19$m=64,t=1,p=1$"))
        #expect(try await matches("correct horse", hash))
        #expect(try await !matches("correct horsf", hash))
        #expect(try await !matches("", hash))
        try await expectNotEqual(passwords.hash("correct horse", for: .signUp, from: nil), hash)
    }

    /// matrix-org/synapse#3306, mattermost/mattermost#36877.
    @Test func `A password is the same for every composition of its letters, also in an earlier hash`() async throws {
        let (composed, decomposed) = ("gr\u{FC}\u{DF}e aus K\u{F6}ln", "gru\u{308}\u{DF}e aus Ko\u{308}ln")
        for password in [composed, decomposed] {
            let hash = try await passwords().hash(password, for: .signUp, from: nil)
            let cost = try Argon2Parameters(memoryKiB: 64, passes: 1)
            let old = try PasswordHash.make(password, parameters: cost)
            #expect(try await matches(composed, hash))
            #expect(try await matches(decomposed, hash))
            #expect(try await matches(password, old))
            #expect(try await !matches("grusse aus Koln", hash))
        }
    }

    @Test func `A password matches nothing if there is no hash`() async throws {
        #expect(try await !matches("", nil))
        #expect(try await !matches("anything", nil))
    }

    @Test(.tags(.rehashRace)) func `A password gets a hash by today's cost at the next login`() async throws {
        let site = try await Site()
        let account = try await site.signUp()
        await site.close()
        let stronger = try await Site(in: site.folder) { $0.argon2MemoryKiB = 128 }
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<6 { group.addTask { try await stronger.logIn().status } }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        expectEqual(statuses, Array(repeating: 200, count: 6))
        let hash = try await stronger.identity.services.store.account(id: account.id)?.passwordHash
        expectEqual(hash?.hasPrefix("$argon2id$v=19$m=128,t=1,p=1$"), true)
        try await expectEqual(stronger.logIn().status, 200)
    }

    @Test(
        .tags(.hostileHash),
        arguments: [
            "$argon2id$v=19$m=1073741824,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id$v=19$m=64,t=4294967295,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "$argon2i$v=19$m=64,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "plaintext", "", "$2b$10$abcdefghijklmnopqrstuv", String(repeating: "$", count: 10_000),
        ])
    func `A password matches no stored hash with hostile parameters, and costs no more than another`(stored: String)
        async throws
    {
        #expect(try await !matches("password", stored))
    }

    @Test(.tags(.hostileHash))
    func `A password whose stored hash costs too much is not computed, and the audit log says so`()
        async throws
    {
        let site = try await Site()
        let account = try await site.signUp()
        let row = "$argon2id$v=19$m=1048576,t=5,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        let store = site.identity.services.store
        let stored = try #require(try await store.account(id: account.id)?.passwordHash)
        try await store.upgradePasswordHash(of: account.id, from: stored, to: row)
        try await expectEqual(site.logIn().status, 401)
        let failure = try await site.identity.audit.records(limit: 100).last { $0.event == "login.failed" }
        expectEqual(failure?.detail?.hasPrefix("unusable hash, from "), true)
    }

    @Test(.tags(.hugePassword)) func `A password over a kilobyte is refused before anything is hashed`() async throws {
        let site = try await Site { $0.passwordQueueLimit = 1 }
        try await site.signUp()
        let statuses = try await withThrowingTaskGroup { group in
            for _ in 0..<30 {
                group.addTask { try await site.logIn(password: String(repeating: "x", count: 40_000)).status }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        // None of them stood in the line for a hash: that line holds one, and would have refused the others by 503.
        expectEqual(statuses, Array(repeating: 400, count: 30))
        try await expectEqual(site.metric(#"latch_logins_total{result="failure"}"#), 0)
    }

    @Test(.tags(.hugePassword)) func `A password of a megabyte is refused by its size`() async throws {
        let site = try await Site()
        try await expectEqual(site.logIn(password: String(repeating: "x", count: 1 << 20)).status, 413)
    }

    @Test(.tags(.hashFlood), arguments: Way.allCases)
    func `A password flood ends in 503 with Retry-After, and honest logins work afterwards`(way: Way) async throws {
        let site = try await Site(way) { $0.passwordQueueLimit = 2 }
        try await site.signUp()
        let pool = site.identity.services.passwords.pool
        let network = NetworkPrefix(of: way == .socket ? "127.0.0.1" : RequestOrigin.inProcess)
        // A thread that has finished counts as running for a moment longer.
        try await eventually { pool.load.running == 0 }
        // Every thread is held and the line is full: what comes now must neither wait nor cost memory.
        let holds = (0..<ProcessInfo.processInfo.activeProcessorCount + 2).map { _ in BlockingJob() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for hold in holds {
                group.addTask {
                    try await pool.run(for: .login, from: network) { () throws(IdentityError) in hold.work() }
                }
            }
            try await eventually { pool.load.waiting >= 2 }
            for number in 0..<30 {
                let refused = try await site.logIn(number.isMultiple(of: 2) ? "ada@example.com" : "nobody@example.com")
                expectEqual(refused.status, 503)
                expectEqual(refused.field(.retryAfter), "2")
                expectEqual(refused.string("code"), "overloaded")
            }
            expectEqual(pool.load.waiting, 2)
            for hold in holds { hold.release() }
            try await group.waitForAll()
        }
        // A refusal was no attempt at guessing: nobody is locked out by it.
        try await expectEqual(site.logIn().status, 200)
        await site.close()
    }
}
