// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct RaceTests {
    static let newPassword = "another sentence to keep"

    /// Runs requests concurrently with a reset, and gives their answers.
    private func answers(
        _ site: Site, resettingBy token: String, _ count: Int,
        _ request: @escaping @Sendable () async throws -> Response
    ) async throws -> [Response] {
        try await withThrowingTaskGroup(of: Response?.self) { group in
            for number in 0..<count {
                group.addTask { try await request() }
                guard number == count / 2 else { continue }
                group.addTask {
                    let body: JSONValue = ["token": .string(token), "password": .string(Self.newPassword)]
                    let status = try await site.post("/api/auth/reset-password", body).status
                    expectEqual(status, 200)
                    return nil
                }
            }
            return try await group.reduce(into: []) { if let answer = $1 { $0.append(answer) } }
        }
    }

    private func resetToken(_ site: Site) async throws -> String {
        _ = try await site.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        return try #require(await site.mailedToken())
    }

    @Test(.tags(.resetRevocation))
    func `A password reset leaves no device signed in by the old password, in either order`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        try await site.signUp()
        for _ in 0..<4 {
            site.clock.advance(by: 3600)
            _ = try await site.identity.administration.endSessions(
                of: try #require(try await site.identity.administration.account(email: "ada@example.com")).id, by: nil)
            let old = try await site.logIn().status == 200 ? Site.password : Self.newPassword
            let token = try await resetToken(site)
            let answers = try await answers(site, resettingBy: token, 16) { try await site.logIn(password: old) }
            guard old != Self.newPassword else { continue }
            for answer in answers where answer.status == 200 {
                try await expectEqual(site.get("/user/profile", bearer: answer.access).status, 401)
                try await expectEqual(site.renew(answer.refresh).status, 401)
            }
            #expect(answers.allSatisfy { [200, 401].contains($0.status) })
            try await expectEqual(site.logIn(password: Self.newPassword).status, 200)
            try await expectEqual(site.logIn(password: Site.password).status, 401)
        }
        await site.close()
    }

    @Test(.tags(.resetRevocation)) func `A password reset ends a renewal in progress, in either order`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.logIn()
        let token = try await resetToken(site)
        let answers = try await answers(site, resettingBy: token, 12) { try await site.renew(login.refresh) }
        for answer in answers where answer.status == 200 {
            try await expectEqual(site.get("/user/profile", bearer: answer.access).status, 401)
            try await expectEqual(site.renew(answer.refresh).status, 401)
        }
        try await expectEqual(site.renew(login.refresh).status, 401)
        await site.close()
    }

    @Test(.tags(.mailedTokenReuse))
    func `A concurrent reset and verification leave the address verified and no token behind`()
        async throws
    {
        let site = try await Site { $0.requireVerifiedEmail = true }
        try await site.signUp(isVerified: false)
        let verification = try #require(await site.mailedToken())
        let reset = try await resetToken(site)
        let answers = try await answers(site, resettingBy: reset, 4) {
            try await site.post("/api/auth/verify-email", ["token": .string(verification)])
        }
        #expect(answers.filter { $0.status == 200 }.count <= 1)
        try await expectEqual(site.logIn(password: Self.newPassword).status, 200)
        for token in [verification, reset] {
            try await expectEqual(site.post("/api/auth/verify-email", ["token": .string(token)]).status, 400)
        }
        await site.close()
    }

    @Test(.tags(.storeFailure))
    func `A password reset moves the date of the password forward, though the clock was set back`() async throws {
        let folder = try TemporaryFolder()
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        try await store.insert(.example(1, of: account, expiresAt: noon + 10))
        _ = try await store.resetPassword(byToken: Array(repeating: 1, count: 32), hash: "new", at: noon - 86_400)
        let after = try #require(try await store.account(id: account.id))
        expectEqual(after.passwordChangedAt.storedMilliseconds, account.passwordChangedAt.storedMilliseconds + 1)
        // A login that was checked against the old hash is told apart by the date, and signs nobody in.
        try await expectEqual(store.insert(Device.example(2, of: account), for: account), false)
        #expect(try await store.insert(Device.example(3, of: after), for: after))
        await store.close()
    }

    @Test func `A password reset is not undone by a rehash of an earlier login`() async throws {
        let folder = try TemporaryFolder()
        let (store, account, _) = try await IdentityStore.populated(in: folder)
        try await store.insert(.example(1, of: account))
        _ = try await store.resetPassword(byToken: Array(repeating: 1, count: 32), hash: "new", at: noon)
        try await store.upgradePasswordHash(of: account.id, from: try #require(account.passwordHash), to: "better")
        try await expectEqual(store.account(id: account.id)?.passwordHash, "new")
        await store.close()
    }
}

@Suite struct DisablingTests {
    @Test(.tags(.refreshAfterChange))
    func `Disabling an account leaves no device signed in by a login in progress`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let account = try await site.signUp()
        let answers = try await withThrowingTaskGroup(of: Response?.self) { group in
            for number in 0..<12 {
                group.addTask { try await site.logIn() }
                guard number == 6 else { continue }
                group.addTask {
                    _ = try await site.identity.administration.setStatus(of: account.id, to: .disabled)
                    return nil
                }
            }
            return try await group.reduce(into: [Response]()) { if let answer = $1 { $0.append(answer) } }
        }
        for answer in answers where answer.status == 200 {
            try await expectEqual(site.get("/user/profile", bearer: answer.access).status, 401)
            try await expectEqual(site.renew(answer.refresh).status, 401)
        }
        try await expectEqual(site.logIn().string("code"), "accountClosed")
        // Enabling brings the account back, and none of its devices.
        _ = try await site.identity.administration.setStatus(of: account.id, to: .active)
        for answer in answers where answer.status == 200 {
            try await expectEqual(site.renew(answer.refresh).status, 401)
        }
        try await expectEqual(site.logIn().status, 200)
        await site.close()
    }

    @Test func `Disabling an account and every other change report a missing account`() async throws {
        let site = try await Site()
        let administration = site.identity.administration
        try await expectEqual(administration.setStatus(of: "nobody", to: .disabled), false)
        try await expectEqual(administration.setRoles(of: "nobody", roles: ["admin"], permissions: []), false)
        try await expectNil(administration.endSessions(of: "nobody", by: nil))
        try await expectNil(administration.account(email: "nobody@example.com"))
        await #expect(throws: IdentityError.self) { try await administration.account(email: "nobody") }
        await site.close()
    }

    @Test(arguments: ["", "two words", "quo\"te", "back\\slash", "ümlaut", "line\nbreak"])
    func `A role that is not one word is refused`(role: String) async throws {
        let site = try await Site()
        let account = try await site.signUp()
        let error = await #expect(throws: IdentityError.self) {
            try await site.identity.administration.setRoles(of: account.id, roles: [role], permissions: [])
        }
        expectEqual(error?.code, IdentityError.invalidInput.code)
        try await expectEqual(site.identity.administration.account(email: "ada@example.com")?.roles, [])
        await site.close()
    }
}
