// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct ReplacedPepperTests {
    @Test(.tags(.resetEnumeration), arguments: SharedStore.all)
    func `A replaced pepper ends devices, access tokens, and the links that were mailed before`(
        store: SharedStore
    ) async throws {
        let location = try await store.location()
        let first = try await Site(storedAt: location) { $0.tokenPepper = "the first pepper" }
        try await first.signUp(isVerified: false)
        let verification = try #require(await first.mailedToken())
        let login = try await first.logIn()
        try await expectEqual(first.get("/user/profile", bearer: login.access).status, 200)
        _ = try await first.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let reset = try #require(await first.mailedToken())
        expectNotEqual(reset, verification)
        await first.close()
        let second = try await Site(in: first.folder, storedAt: location) {
            ($0.tokenPepper, $0.acceptsAnotherPepper) = ("the second pepper", true)
        }
        let id = try #require(RefreshToken(login.refresh)?.deviceID)
        let device = try #require(try await second.identity.services.store.device(id: id))
        #expect(device.revokedAt == second.clock.now && device.revocationReason == .pepperReplaced)
        try await expectEqual(second.get("/user/profile", bearer: login.access).status, 401)
        try await expectEqual(second.renew(login.refresh).status, 401)
        try await expectNotEqual(
            second.post(
                "/api/auth/reset-password", ["token": .string(reset), "password": "another sentence to keep"]
            ).status, 200)
        try await expectNotEqual(second.post("/api/auth/verify-email", ["token": .string(verification)]).status, 200)
        // What was mailed afterwards works, and so does the password.
        _ = try await second.post("/api/auth/forgot-password", ["email": "ada@example.com"])
        let next = try #require(await second.mailedToken())
        try await expectEqual(
            second.post(
                "/api/auth/reset-password", ["token": .string(next), "password": "another sentence to keep"]
            ).status, 200)
        try await expectEqual(second.logIn(password: "another sentence to keep").status, 200)
        #expect(try await second.identity.audit.records(limit: 20).contains { $0.event == "pepper.replaced" })
        await second.close()
    }

    @Test func `A replaced pepper ends a change of address with its emails, and keeps the mail of a reset`()
        async throws
    {
        let mailer = UnreliableMailer()
        mailer.set(isDown: true)
        let folder = try TemporaryFolder()
        var configuration = IdentityConfiguration()
        (configuration.argon2MemoryKiB, configuration.argon2Passes) = (64, 1)
        configuration.issuer = "https://id.example.com"
        configuration.tokenPepper = "the first pepper"
        let first = try await Identity(
            configuration: configuration, storePath: folder.file(), mailer: mailer,
            clock: ManualClock(noon).wallClock())
        let account = try await first.accounts.signUp(
            email: "ada@example.com", password: Site.password, isVerified: true)
        let store = first.services.store
        for purpose in [OutboxMail.Purpose.newAddress, .addressCode, .resetPassword, .passwordChanged] {
            try await store.insert(
                OutboxMail(
                    purpose, to: try account.requireAddress(), accountID: account.id,
                    id: first.services.random.identifier(), at: noon.addingTimeInterval(3600)))
        }
        await first.close()
        (configuration.tokenPepper, configuration.acceptsAnotherPepper) = ("the second pepper", true)
        let second = try await Identity(administering: folder.file(), configuration: configuration)
        let kept = try SQLiteConnection(path: folder.file(), access: .readOnly).all(
            "SELECT purpose FROM mail WHERE due_at > $1 ORDER BY purpose", [.date(noon.addingTimeInterval(1800))]
        ) { row throws(IdentityError) in try row.text(0) }
        expectEqual(kept, ["passwordChanged", "resetPassword"])
        await second.close()
    }
}

@Suite struct MessageIDTests {
    @Test func `The Message-ID of a mail does not reveal its token, and is the same in every attempt`() throws {
        let tokens = MailedTokens(pepper: SymmetricKey(data: [UInt8](repeating: 7, count: 32)))
        let row = "0123456789abcdef"
        let id = tokens.messageID(of: row)
        #expect(id == tokens.messageID(of: row) && id.utf8.count == 32 && id != row)
        expectNotEqual(tokens.token(of: id), tokens.token(of: row))
        expectNotEqual(tokens.code(of: id), tokens.code(of: row))
        expectNotEqual(tokens.messageID(of: "fedcba9876543210"), id)
    }

    @Test(.tags(.resetEnumeration))
    func `The Message-ID of a mail is not the ID of the row, from which the token is derived`() async throws {
        let site = try await Site()
        try await site.signUp(isVerified: false)
        let token = try #require(await site.mailedToken())
        let tokens = MailedTokens(pepper: site.identity.services.pepper)
        for mail in site.mailer.messages { expectNotEqual(tokens.token(of: mail.id), token) }
        await site.close()
    }
}
