// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct SecondFactorContractTests {
    private let sealed: [UInt8] = [1, 2, 3]

    private func digest(_ number: UInt8) -> [UInt8] { Array(repeating: number, count: 32) }

    private func code(_ step: Int64?) -> SecondFactorProof { .code(step: step, sealedSecret: sealed) }

    /// Begins and confirms a factor of the fixture's account, with two recovery codes.
    private func confirm(_ fixture: StoreFixture) async throws {
        let id = fixture.account.id
        let factor = SecondFactor(accountID: id, sealedSecret: sealed, createdAt: noon)
        let isBegun = try await fixture.store.begin(
            factor, recoveryDigests: [digest(1), digest(2)], for: fixture.account)
        #expect(isBegun)
        try await expectNil(fixture.store.secondFactor(of: id, isConfirmed: true))
        let result = try await fixture.store.prove(
            code(5), of: id, for: .confirmation(on: fixture.device.id), at: noon)
        expectEqual(result, .accepted)
    }

    @Test(.tags(.factorBypass), arguments: StoreBackend.all)
    func `A second factor in a store signs out the other devices when it is confirmed`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let other = Device.example(2, of: fixture.account)
        _ = try await fixture.store.insert(other, for: fixture.account)
        try await confirm(fixture)
        try await expectEqual(fixture.store.device(id: fixture.device.id)?.factorAt, noon)
        try await expectEqual(fixture.store.device(id: other.id)?.revocationReason, .secondFactor)
    }

    @Test(.tags(.accountPreHijack), arguments: StoreBackend.all)
    func `A second factor in a store is not confirmed by a device that was signed out meanwhile`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let (store, id) = (fixture.store, fixture.account.id)
        let factor = SecondFactor(accountID: id, sealedSecret: sealed, createdAt: noon)
        #expect(try await store.begin(factor, recoveryDigests: [], for: fixture.account))
        #expect(try await store.revoke(device: fixture.device.id, because: .logout, at: noon))
        let result = try await store.prove(code(5), of: id, for: .confirmation(on: fixture.device.id), at: noon)
        expectEqual(result, .ended)
        try await expectNil(store.secondFactor(of: id, isConfirmed: true))
    }

    @Test(.tags(.factorCodeReplay), arguments: StoreBackend.all)
    func `A second factor in a store accepts a step once, and none before it`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        try await confirm(fixture)
        let (store, id) = (fixture.store, fixture.account.id)
        for (step, expected) in [(5, VerificationResult.rejected), (7, .accepted), (7, .rejected), (6, .rejected)] {
            let proof = code(Int64(step))
            try await expectEqual(store.prove(proof, of: id, for: .login(challenge: nil), at: noon), expected)
        }
        let replaced = SecondFactorProof.code(step: 9, sealedSecret: [9])
        try await expectEqual(store.prove(replaced, of: id, for: .removal(on: fixture.device.id), at: noon), .rejected)
    }

    @Test(.tags(.factorGuessing), arguments: StoreBackend.all)
    func `A second factor in a store checks five wrong codes of a thousand, and a recovery code meanwhile`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        try await confirm(fixture)
        let (store, id) = (fixture.store, fixture.account.id)
        let results = try await withThrowingTaskGroup { group in
            for _ in 0..<1000 {
                group.addTask { try await store.prove(code(nil), of: id, for: .login(challenge: nil), at: noon) }
            }
            return try await group.reduce(into: [VerificationResult]()) { $0.append($1) }
        }
        expectEqual(results.count { $0 == .rejected }, 5)
        expectEqual(results.count { $0 == .locked(until: noon + 30) }, 995)
        let recovery = SecondFactorProof.recovery(digest: digest(1))
        try await expectEqual(store.prove(recovery, of: id, for: .login(challenge: nil), at: noon), .accepted)
        try await expectEqual(store.prove(recovery, of: id, for: .login(challenge: nil), at: noon), .rejected)
    }

    private func challenge(_ number: UInt8, of account: Account) -> LoginChallenge {
        LoginChallenge(
            digest: digest(number), accountID: account.id, passwordChangedAt: noon, scope: "a:b", isRemembered: true,
            createdAt: noon + Double(number), expiresAt: noon + 300)
    }

    @Test(.tags(.accountPreHijack), arguments: StoreBackend.all)
    func `A second factor in a store is not changed by a device that was signed out meanwhile`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        try await confirm(fixture)
        let (store, id, device) = (fixture.store, fixture.account.id, fixture.device.id)
        #expect(try await store.revoke(device: device, because: .logout, at: noon))
        let purposes: [SecondFactorPurpose] = [.removal(on: device), .recoveryCodes([], on: device)]
        for purpose in purposes {
            let proof = SecondFactorProof.recovery(digest: digest(1))
            try await expectEqual(store.prove(proof, of: id, for: purpose, at: noon), .ended)
        }
        let account = try #require(try await store.account(id: id))
        await #expect(throws: IdentityError.invalidToken) {
            try await store.changePassword(of: account, to: "$new", on: device, signingOutOthers: true, at: noon)
        }
        #expect(try await store.secondFactor(of: id, isConfirmed: true) != nil)
    }

    @Test(arguments: StoreBackend.all)
    func `A second factor in a store ends a challenge with the login, and is removed completely`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        try await confirm(fixture)
        let (store, id) = (fixture.store, fixture.account.id)
        for number in 1...12 as ClosedRange<UInt8> {
            let pending = challenge(number, of: fixture.account)
            // The factor was confirmed since the account was read.
            let isLate = try await !store.insert(pending, for: fixture.account)
            #expect(isLate)
            let account = try #require(try await store.account(id: id))
            let isStored = try await store.insert(pending, for: account)
            #expect(isStored)
        }
        try await expectNil(store.challenge(digest(2), at: noon))
        try await expectEqual(store.challenge(digest(3), at: noon)?.scope, "a:b")
        try await expectNil(store.challenge(digest(3), at: noon + 300))
        let login = SecondFactorPurpose.login(challenge: digest(3))
        try await expectEqual(store.prove(code(8), of: id, for: login, at: noon), .accepted)
        try await expectEqual(store.prove(code(9), of: id, for: login, at: noon), .ended)
        let device = fixture.device.id
        let replacement = SecondFactorPurpose.recoveryCodes([digest(7)], on: device)
        try await expectEqual(store.prove(code(9), of: id, for: replacement, at: noon), .accepted)
        let old = SecondFactorProof.recovery(digest: digest(2))
        try await expectEqual(store.prove(old, of: id, for: .login(challenge: nil), at: noon), .rejected)
        let recovery = SecondFactorProof.recovery(digest: digest(7))
        try await expectEqual(store.prove(recovery, of: id, for: .removal(on: device), at: noon), .accepted)
        try await expectNil(store.secondFactor(of: id, isConfirmed: true))
        try await expectNil(store.challenge(digest(12), at: noon))
        try await expectEqual(store.perform(.removeFactor, on: id)?.hadFactor, false)
    }
}
