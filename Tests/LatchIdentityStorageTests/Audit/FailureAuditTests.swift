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

@Suite struct FailureAuditTests {
    private func failures(_ site: Site) async throws -> [AuditRecord] {
        try await site.identity.audit.records(limit: 1000).filter { $0.event.hasSuffix(".failed") }.reversed()
    }

    private func isIntact(_ site: Site) async throws -> Bool {
        if case .intact = try await site.identity.audit.verify() { true } else { false }
    }

    @Test(.tags(.auditTampering))
    func `The audit log of failures has each wrong code that was checked, and none that a lock refused`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (app, _) = try await site.enrol()
        let ada = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        let challenge = try await site.challenge()
        let wrong = app.wrongCode(at: site.clock.now)
        for _ in 0..<SecondFactor.freeFailures {
            await expectEqual(refusal { try await site.complete(challenge, wrong) }, "invalidCode")
        }
        for _ in 0..<20 { await expectEqual(refusal { try await site.complete(challenge, wrong) }, "tooManyAttempts") }
        let records = try await failures(site)
        expectEqual(records.map(\.event), Array(repeating: "factor.failed", count: SecondFactor.freeFailures))
        #expect(records.allSatisfy { $0.accountID == ada.id && $0.detail == "login from 127.0.0.1" })
        #expect(try await isIntact(site))
        await site.close()
    }

    @Test(.tags(.auditTampering), arguments: ["12345", "not a code", "AAAA-AAAA-AAAA-AAAA"])
    func `The audit log of failures has codes of every form, and never the typed text`(code: String) async throws {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        let (_, access) = try await site.enrol()
        let session = try await site.bearer(access)
        let challenge = try await site.challenge()
        _ = await refusal { try await site.complete(challenge, code) }
        _ = await refusal { try await site.identity.secondFactors.remove(code: code, session, from: .tests) }
        _ = await refusal {
            try await site.identity.secondFactors.replaceRecoveryCodes(code: code, session, from: .tests)
        }
        _ = try await site.identity.secondFactors.enroll(session)
        _ = await refusal { try await site.identity.secondFactors.confirm(code, session, from: .tests) }
        let records = try await failures(site)
        expectEqual(
            records.map(\.detail), ["login", "removal", "recoveryCodes", "confirmation"].map { "\($0) from 127.0.0.1" })
        #expect(!records.contains { ($0.detail ?? "").contains(code) })
        await site.close()
    }

    @Test(.tags(.auditTampering))
    func `The audit log of failures stops growing at the limit of guesses from one network`() async throws {
        let site = try await Site { $0.loginLimitPerMinute = 10 }
        let (_, _) = try await site.enrol()
        let challenge = try await site.challenge()
        // A wrong recovery code does not lock the factor.
        for _ in 0..<50 { _ = await refusal { try await site.complete(challenge, "AAAA-AAAA-AAAA-AAAA") } }
        try await expectEqual(failures(site).count, 10)
        await site.close()
    }

    @Test(.tags(.auditTampering)) func `The audit log of failures has wrong passwords by their purpose`() async throws {
        let site = try await Site()
        let ada = try await site.signUp(isVerified: false)
        let token = try #require(await site.mailedToken())
        let access = try await site.logIn().access
        let wrong: JSONValue = ["password": "not the password"]
        _ = try await site.logIn(password: "not the password")
        _ = try await site.call(.post, "/api/auth/reauthenticate", bearer: access, wrong)
        _ = try await site.call(
            "ChangePassword", ["currentPassword": "not the password", "newPassword": "a sentence that is long"],
            bearer: access)
        _ = try await site.post("/api/auth/verify-email", ["token": .string(token), "password": "not the password"])
        let records = try await failures(site)
        expectEqual(
            records.map(\.event),
            ["login.failed", "reauthentication.failed", "passwordChange.failed", "addressProof.failed"])
        #expect(records.allSatisfy { $0.accountID == ada.id && $0.detail?.hasPrefix("from ") == true })
        #expect(!records.contains { ($0.detail ?? "").contains("not the password") })
        await site.close()
    }

    @Test(.tags(.auditTampering))
    func `The audit log of failures is cut to its bound at once, however many entries came within an hour`()
        async throws
    {
        let site = try await Site { $0.loginLimitPerMinute = 1000 }
        try await site.signUp()
        for _ in 0..<30 { try await expectEqual(site.logIn(password: "not the password").status, 401) }
        try await site.identity.audit.prune(at: site.clock.now, keeping: 10, batch: 4)
        let records = try await site.identity.audit.records(limit: 1000)
        // The entry of the last removal comes on top.
        expectEqual(records.count, 11)
        expectEqual(records.first?.event, "audit.pruned")
        #expect(try await isIntact(site))
        await site.close()
    }
}
