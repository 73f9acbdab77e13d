// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct LoginDecisionTests {
    /// A change of an account, and whether a login that was decided before it may end in a session.
    private static let changes: [(name: String, isAllowed: Bool)] = [
        ("factor confirmed", false), ("factor removed", false), ("factor replaced", false),
        ("address verified", false), ("address changed", false), ("password changed", false),
        ("password reset", false), ("disabled", false), ("disabled and enabled", false),
        ("hash upgraded", true), ("roles", true), ("factor begun", true), ("codes replaced", true),
    ]

    private func digest(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: 32) }

    private func confirmFactor(_ store: IdentityStore, _ account: Account, _ device: Device) async throws {
        let current = try #require(try await store.account(id: account.id))
        let factor = SecondFactor(accountID: account.id, sealedSecret: [1], createdAt: noon)
        #expect(try await store.begin(factor, recoveryDigests: [digest(7)], for: current))
        let result = try await store.prove(
            .code(step: 5, sealedSecret: [1]), of: account.id, for: .confirmation(on: device.id), at: noon)
        expectEqual(result, .accepted)
    }

    private func apply(_ name: String, _ store: IdentityStore, _ account: Account, _ device: Device) async throws {
        let id = account.id
        switch name {
        case "factor confirmed", "factor replaced": try await confirmFactor(store, account, device)
        case "factor removed": try await store.perform(.removeFactor, on: id)
        case "codes replaced":
            let proof = SecondFactorProof.recovery(digest: digest(7))
            try await expectEqual(
                store.prove(proof, of: id, for: .recoveryCodes([digest(8)], on: device.id), at: noon), .accepted)
        case "factor begun":
            let factor = SecondFactor(accountID: id, sealedSecret: [2], createdAt: noon)
            #expect(try await store.begin(factor, recoveryDigests: [], for: account))
        case "address verified":
            try await store.insert(.example(1, of: account, purpose: .verifyEmail))
            #expect(try await store.verifyEmail(byToken: digest(1), with: .none, at: noon) != nil)
        case "address changed":
            let change = EmailChange(
                accountID: id, email: try EmailAddress("ada@new.example"), oldEmailKey: account.ownerKey,
                oldDigest: nil, newDigest: digest(2), expiresAt: noon + 60)
            #expect(try await store.insert(change, for: account, by: nil, mails: [], at: noon))
            #expect(try await store.confirmEmail(byToken: digest(2), with: .none, at: noon) != nil)
        case "password changed":
            #expect(
                try await store.changePassword(
                    of: account, to: "$new", on: device.id, signingOutOthers: false, at: noon))
        case "password reset":
            try await store.insert(.example(3, of: account))
            #expect(try await store.resetPassword(byToken: digest(3), hash: "$new", at: noon))
        case "disabled": try await store.perform(.setStatus(.disabled), on: id)
        case "disabled and enabled":
            try await store.perform(.setStatus(.disabled), on: id)
            try await store.perform(.setStatus(.active), on: id)
        case "hash upgraded":
            try await store.upgradePasswordHash(of: id, from: try #require(account.passwordHash), to: "$better")
        default: #expect(try await store.setRoles(of: id, roles: ["editor"], permissions: [], at: noon))
        }
    }

    @Test(.tags(.accountPreHijack, .factorBypass), arguments: StoreBackend.all, 0..<changes.count)
    func `A login decided before the account changed signs no user in, if its basis has changed`(
        backend: StoreBackend, index: Int
    ) async throws {
        let fixture = try await backend.populated()
        let (store, device, change) = (fixture.store, fixture.device, Self.changes[index])
        if ["factor removed", "factor replaced", "codes replaced"].contains(change.name) {
            try await confirmFactor(store, fixture.account, device)
        }
        let decided = try #require(try await store.account(id: fixture.account.id))
        try await apply(change.name, store, decided, device)
        try await expectEqual(store.insert(Device.example(9, of: decided), for: decided), change.isAllowed)
        try await expectEqual(store.device(id: Device.example(9, of: decided).id) != nil, change.isAllowed)
    }

    @Test(
        .tags(.factorBypass),
        arguments: [
            "password_changed_at = 1", "email_key = 'x'", "email_verified_at = 1", "status = 'disabled'",
            "standing = 'banned'",
        ])
    func `A login decided before the account changed meets a new version after any statement`(change: String)
        async throws
    {
        let folder = try TemporaryFolder()
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        try await store.write { db throws(IdentityError) -> Void in
            try db.run("UPDATE account SET \(change)")
        }
        try await expectEqual(store.account(id: account.id)?.credentialVersion, account.credentialVersion + 1)
        await store.close()
    }

    @Test(.tags(.factorBypass))
    func `A login decided before the account changed leaves no session without a factor enrolled meanwhile`()
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        try await site.signUp()
        for _ in 0..<4 {
            let own = try await site.logIn()
            let session = try await site.bearer(own.access)
            let app = AuthenticatorApp(try await site.identity.secondFactors.enroll(session))
            let code = app.code(at: site.clock.now)
            let logins = try await withThrowingTaskGroup(of: Response?.self) { group in
                for number in 0..<12 {
                    group.addTask { try await site.logIn() }
                    guard number == 5 else { continue }
                    group.addTask {
                        try await site.identity.secondFactors.confirm(code, session, from: .tests)
                        return nil
                    }
                }
                return try await group.reduce(into: [Response]()) { if let login = $1 { $0.append(login) } }
            }
            for login in logins where login.status == 200 {
                try await expectEqual(site.get("/user/profile", bearer: login.access).status, 401)
                try await expectEqual(site.renew(login.refresh).status, 401)
            }
            #expect(logins.allSatisfy { [200, 401, 403].contains($0.status) })
            site.clock.advance(by: 30)
            try await site.identity.secondFactors.remove(
                code: app.code(at: site.clock.now), try await site.bearer(own.access), from: .tests)
            site.clock.advance(by: 30)
        }
        await site.close()
    }

    @Test(.tags(.sessionFixation)) func `A login decided before the account changed is another session each time`()
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        let (one, two) = (try await site.bearer(site.logIn().access), try await site.bearer(site.logIn().access))
        #expect(one.device.id != two.device.id && one.device.secret != two.device.secret)
        let (app, _) = try await site.enrol("bob@example.com")
        let challenge = try await site.challenge("bob@example.com")
        let issued = try await site.complete(challenge, app.code(at: site.clock.now))
        #expect(!issued.accessToken.contains(challenge) && !issued.refreshToken.contains(challenge))
        await expectEqual(refusal { try await site.complete(challenge, app.recoveryCodes[0]) }, "invalidToken")
        await site.close()
    }
}
