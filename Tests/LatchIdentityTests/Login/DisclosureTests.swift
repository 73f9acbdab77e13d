// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchTesting
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct DisclosureTests {
    private static let sentence = "another sentence to keep"

    /// The cost with which a login under a name without an account is computed.
    private func decoyCost(_ site: Site, _ name: String) async throws -> String {
        let services = site.identity.services
        return Self.cost(services.passwords.decoy(for: name, among: try await services.store.passwordCosts()))
    }

    private static func cost(_ hash: String) -> String { String(hash.split(separator: "$")[2]) }

    @Test(.tags(.accountEnumeration, .rehashRace))
    func `A stranger who tries names meets the cost of stored hashes, also after a change of the setting`() async throws
    {
        let site = try await Site()
        for name in ["ada", "bob", "eve"] { try await site.signUp("\(name)@example.com") }
        await site.close()
        let stronger = try await Site(in: site.folder) { $0.argon2MemoryKiB = 128 }
        for number in 0..<20 {
            try await expectEqual(decoyCost(stronger, "nobody\(number)@example.com"), "m=64,t=1,p=1")
        }
        // Each of these logins replaces a hash by one of the new cost.
        for name in ["ada", "bob", "eve"] { try await expectEqual(stronger.logIn("\(name)@example.com").status, 200) }
        for number in 0..<20 {
            try await expectEqual(decoyCost(stronger, "nobody\(number)@example.com"), "m=128,t=1,p=1")
        }
        await stronger.close()
    }

    @Test(.tags(.accountEnumeration))
    func `A stranger who tries names meets both costs of a store in their proportion, and one per name`()
        async throws
    {
        let site = try await Site()
        for number in 0..<6 { try await site.signUp("user\(number)@example.com") }
        await site.close()
        let stronger = try await Site(in: site.folder) { $0.argon2MemoryKiB = 128 }
        for number in 0..<2 { try await expectEqual(stronger.logIn("user\(number)@example.com").status, 200) }
        let services = stronger.identity.services
        let costs = try await services.store.passwordCosts()
        expectEqual(
            Dictionary(uniqueKeysWithValues: costs.counts.map { ($0.parameters, $0.count) }),
            ["m=64,t=1,p=1": 4, "m=128,t=1,p=1": 2])
        let decoys = (0..<3000).map { Self.cost(services.passwords.decoy(for: "name \($0)", among: costs)) }
        let share = Double(decoys.filter { $0 == "m=64,t=1,p=1" }.count) / 3000
        #expect((0.6...0.73).contains(share))
        for number in 0..<100 {
            expectEqual(Self.cost(services.passwords.decoy(for: "name \(number)", among: costs)), decoys[number])
        }
        await stronger.close()
        // Another node with the same store and pepper agrees; a deleted account counts no longer.
        let again = try await Site(in: site.folder) { $0.argon2MemoryKiB = 128 }
        try await expectEqual(decoyCost(again, "name 7"), decoys[7])
        let user = try #require(try await again.identity.administration.account(email: "user0@example.com"))
        _ = try await again.identity.administration.delete(user.id, isFinal: true, by: nil, because: "")
        try await expectEqual(again.identity.services.store.passwordCosts().counts.map(\.count).sorted(), [1, 4])
        await again.close()
    }

    @Test(
        .tags(.accountEnumeration, .hostileHash),
        arguments: ["", "plain", "$argon2id$v=19$m=1073741824,t=2,p=1$AAAA$AAAA", "$$$$$$"])
    func `A stranger who tries names does not meet the cost of a damaged row`(hash: String) async throws {
        let site = try await Site()
        try await site.identity.services.store.insert(.example(hash: hash), details: nil)
        try await expectEqual(decoyCost(site, "nobody@example.com"), "m=64,t=1,p=1")
        try await expectEqual(site.logIn("nobody@example.com").status, 401)
        await site.close()
    }

    @Test(.tags(.accountEnumeration))
    func `A stranger who tries names learns of a disabled account only by its right password`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let account = try await site.signUp()
        await site.close()
        let stronger = try await Site(in: site.folder) { $0.argon2MemoryKiB = 128 }
        _ = try await stronger.identity.administration.setStatus(of: account.id, to: .suspended)
        let wrong = try await stronger.logIn(password: "wrong")
        expectEqual(wrong.status, 401)
        try await expectEqual(wrong.text, stronger.logIn("nobody@example.com").text)
        let right = try await stronger.logIn()
        #expect(right.status == 403 && right.string("code") == "accountSuspended")
        try await expectEqual(stronger.audited("login.refused")?.detail?.hasPrefix("accountSuspended from "), true)
        // It is not even hashed anew, which would take longer.
        let costs = try await stronger.identity.services.store.passwordCosts()
        expectEqual(costs.counts.map(\.parameters), ["m=64,t=1,p=1"])
        await stronger.close()
    }

    @Test(.tags(.emptyPassword), arguments: ["", " ", "null", "$argon2id$example"])
    func `A stranger who tries names gets into no account without a password, by any route`(password: String)
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        var ada = try Account.example(hash: nil)
        ada.emailVerifiedAt = noon
        try await site.identity.services.store.insert(ada, details: nil)
        for (path, name) in [
            ("/api/auth/clients/login", "email"), ("/auth/login", "email"), ("/auth/login", "username"),
        ] {
            for sent in [.string(password), .null] as [JSONValue] {
                var body: JSONObject = [:]
                body[name] = "ada@example.com"
                body["password"] = sent
                #expect([400, 401].contains(try await site.post(path, .object(body)).status))
            }
        }
        try await expectEqual(site.passwordGrant(password: password).status, 400)
        try await expectNotEqual(site.login(password: password).status, 200)
        #expect(try await site.identity.services.store.devices(of: ada.id, at: noon).isEmpty)
        await site.close()
    }

    @Test(.tags(.accountEnumeration))
    func `A stranger who tries names gets one answer for a taken address and a taken user name`()
        async throws
    {
        let site = try await Site { $0.passwordQueueLimit = 1 }
        let sent = { (email: String, username: String) in
            try await site.post(
                "/auth/signup",
                ["email": .string(email), "username": .string(username), "password": .string(Self.sentence)])
        }
        try await expectEqual(sent("ada@example.com", "ada").status, 201)
        let (address, username) = (
            try await sent("ada@example.com", "free"), try await sent("free@example.com", "ada")
        )
        #expect(address.status == 409 && address.text == username.text)
        // Each waits for a hash: where there is no thread and no room, each is refused for that alone.
        let pool = site.identity.services.passwords.pool
        let network = NetworkPrefix(of: RequestOrigin.inProcess)
        let holds = (0..<ProcessInfo.processInfo.activeProcessorCount + 1).map { _ in BlockingJob() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { for hold in holds { hold.release() } }
            for hold in holds {
                group.addTask {
                    try await pool.run(for: .signUp, from: network) { () throws(IdentityError) in hold.work() }
                }
                // There is room for one that waits: each thread takes its job before the next one comes.
                if hold !== holds.last { await hold.untilBegun() }
            }
            try? await eventually { pool.load.waiting >= 1 }
            for (email, name) in [
                ("ada@example.com", "free"), ("free@example.com", "ada"), ("free@example.com", "free"),
            ] {
                try await expectEqual(sent(email, name).status, 503)
            }
            for hold in holds { hold.release() }
            try await group.waitForAll()
        }
        await site.close()
    }

    @Test(.tags(.addressChange, .mailFlood))
    func `A stranger who tries names learns nothing of an address that an account is to have`()
        async throws
    {
        let site = try await Site()
        try await site.signUp("bob@example.com")
        let (id, access) = try await site.token("ada@example.com", .user)
        let change = { (email: String) in
            try await site.call("UpdateProfile", ["userId": .string(id), "email": .string(email)], bearer: access)
        }
        let taken = try await change("bob@example.com")
        // A change that replaces this one would end its mails.
        _ = await site.mailedToken()
        let free = try await change("free@example.com")
        #expect(taken.status == 200 && free.status == 200)
        expectEqual(taken.json["email"], free.json["email"])
        _ = await site.mailedToken()
        #expect(!site.mailer.messages.contains { $0.recipient == "bob@example.com" })
        #expect(site.mailer.messages.contains { $0.recipient == "free@example.com" })
        // One limit for both.
        for _ in 0..<3 { _ = try await change("bob@example.com") }
        try await expectEqual(change("bob@example.com").stableCode, "tooManyAttempts")
        try await expectEqual(change("other@example.com").stableCode, "tooManyAttempts")
        await site.close()
    }

    @Test(.tags(.resetEnumeration, .mailFlood))
    func `A stranger who tries names uses up the emails of an address, whether it has an account or not`()
        async throws
    {
        let site = try await Site()
        try await site.signUp("bob@example.com")
        for address in ["bob@example.com", "nobody@example.com"] {
            // What its owner requests does not show, nor does it count.
            for _ in 0..<5 { _ = try await site.post("/api/auth/forgot-password", ["email": .string(address)]) }
            var codes: [String?] = []
            // Two accounts, so that the mails to their own addresses are not what is limited.
            for name in ["one", "two"] {
                let (id, access) = try await site.token("\(name)-\(address)", .user)
                let change: JSONValue = ["userId": .string(id), "email": .string(address)]
                for _ in 0..<3 {
                    codes.append(try await site.call("UpdateProfile", change, bearer: access).stableCode)
                }
            }
            expectEqual(codes, [nil, nil, nil, nil, nil, "tooManyAttempts"])
        }
        await site.close()
    }

    @Test
    func `A stranger who tries names can try a few an hour, and keep their own name without a limit`() async throws {
        let site = try await Site()
        let (id, access) = try await site.token("ada@example.com", .user)
        let change = { (name: String) in
            try await site.call("UpdateProfile", ["userId": .string(id), "username": .string(name)], bearer: access)
        }
        for number in 0..<10 { try await expectEqual(change("ada\(number)").status, 200) }
        try await expectEqual(change("ada10").stableCode, "tooManyAttempts")
        for _ in 0..<20 { try await expectEqual(change("ada9").status, 200) }
        await site.close()
    }
}
