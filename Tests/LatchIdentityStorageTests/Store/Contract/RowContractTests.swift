// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import Testing

@testable import LatchIdentity

/// Each row has another value in each column, so that two columns that are mixed up are noticed.
@Suite struct RowContractTests {
    private let identity = UpstreamIdentity(
        issuer: "https://sso.example.com", subject: "1", provider: "staff",
        email: EmailAddress(text: "Ada@Work.example", key: "ada@work.example"))

    @Test(arguments: StoreBackend.all)
    func `A row of a second factor or a challenge is read as it was inserted`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        let factor = SecondFactor(
            accountID: account.id, sealedSecret: [1], createdAt: noon + 1, lastStep: 2, failures: 3, failedAt: noon + 4)
        #expect(try await store.begin(factor, recoveryDigests: [], for: account))
        try await expectEqual(store.secondFactor(of: account.id, isConfirmed: false), factor)
        for isRemembered in [false, true] {
            let challenge = LoginChallenge(
                digest: isRemembered ? [1] : [0], accountID: account.id, passwordChangedAt: noon + 1, scope: "a:b",
                isRemembered: isRemembered, createdAt: noon + 2, expiresAt: noon + 3)
            #expect(try await store.insert(challenge, for: account))
            try await expectEqual(store.challenge(challenge.digest, at: noon), challenge)
        }
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A row of a link or its code is read as it was inserted`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        for (number, id) in [account.id, nil].enumerated() {
            let code = SignInCode(
                digest: [UInt8(number)], purpose: .link, identity: identity, accountID: id, credentialVersion: 5,
                codeChallenge: "challenge", factorAt: id.map { _ in noon + 1 }, authenticatedAt: noon + 2,
                expiresAt: noon + 3)
            try await store.insert(code)
            try await expectNil(store.signInCode(code.digest, for: .signIn, at: noon))
            try await expectNil(store.signInCode(code.digest, for: .link, at: noon + 3))
            try await expectEqual(store.signInCode(code.digest, for: .link, at: noon), code)
            // Only one of two exchanges uses it up.
            try await expectEqual(store.remove(signInCode: code.digest), true)
            try await expectEqual(store.remove(signInCode: code.digest), false)
            try await expectNil(store.signInCode(code.digest, for: .link, at: noon))
        }
        try await store.link(identity, to: account, on: fixture.device.id, at: noon)
        try await expectEqual(store.links(of: account.id), [UpstreamLink(identity: identity, linkedAt: noon)])
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A row of the outbox is read as it was inserted, and counts its attempt`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        let address = try account.requireAddress()
        func mail(_ attempts: Int) -> OutboxMail {
            OutboxMail(
                .signedUp, to: address, accountID: account.id, id: "m", at: noon, attempts: attempts,
                causedBy: MailCause(language: "de", address: "192.0.2.1", userAgent: "curl/8"))
        }
        try await store.insert(mail(0))
        let claim = MailClaim(
            now: noon, leaseEnd: noon + 1, verificationEnd: noon + 2, resetEnd: noon + 3, digest: { Array($0.utf8) })
        try await expectEqual(store.claimMail(claim)?.mail, mail(1))
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A row of a change of address replaces the earlier one in each column`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        for number in 1...2 as ClosedRange<UInt8> {
            let change = EmailChange(
                accountID: account.id, email: try EmailAddress("Ada@\(number).example"), oldEmailKey: "old \(number)",
                oldDigest: [number], newDigest: [number, number], expiresAt: noon + Double(number))
            #expect(try await store.insert(change, for: account, by: fixture.device, mails: [], at: noon))
        }
        let found = try await store.all(
            "SELECT email, email_key, old_email_key, old_digest, new_digest, expires_at FROM email_change", []
        ) { row throws(IdentityError) in
            let texts = [try row.text(0), try row.text(1), try row.text(2)]
            return (texts: texts, digests: [try row.blob(3), try row.blob(4)], end: try row.date(5))
        }
        expectEqual(found.map(\.texts), [["Ada@2.example", "ada@2.example", "old 2"]])
        expectEqual(found.map(\.digests), [[[2], [2, 2]]])
        expectEqual(found.map(\.end), [noon + 2])
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A row of a signing key is read as it was inserted`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let key = StoredKey(id: "key", privateJWK: [1], createdAt: noon, signsAt: noon + 60)
        try await expectEqual(fixture.store.signingKeys(proposing: key), [key])
        await fixture.store.close()
    }
}
