// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct ConsentContractTests {
    private static let origin = "https://foreign.example"

    /// A code of a client, for the browser of the fixture's device.
    private func code(
        _ number: UInt8, _ scope: String, of fixture: StoreFixture, for client: String = "foreign", at date: Date = noon
    ) -> AuthorizationCode {
        AuthorizationCode(
            digest: [number], clientID: client, accountID: fixture.account.id,
            credentialVersion: fixture.account.credentialVersion, browserDevice: fixture.device.id,
            redirect: "\(Self.origin)/back", codeChallenge: nil, nonce: nil, scope: scope, authenticatedAt: noon,
            factorAt: nil, validUntil: date + AuthorizationCode.lifetime)
    }

    private func device(_ number: UInt8, of account: Account, for client: String = "foreign") -> Device {
        var device = Device.example(number, of: account)
        device.clientID = client
        return device
    }

    private let decision = CodePermission.decision(keptFor: origin, detail: "foreign")

    @Test(arguments: StoreBackend.all)
    func `A consent is read as it was given, with the scopes of all decisions`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, id) = (fixture.store, fixture.account.id)
        #expect(try await store.insert(code(1, "openid email", of: fixture), by: decision))
        #expect(try await store.insert(code(2, "files:read openid", of: fixture, at: noon + 9), by: decision))
        let expected = Consent(
            accountID: id, clientID: "foreign", redirectOrigin: Self.origin, scopes: ["openid", "email", "files:read"],
            grantedAt: noon, updatedAt: noon + 9)
        try await expectEqual(store.consents(of: id), [expected])
        try await expectEqual(store.consent(of: id, to: "foreign", at: Self.origin), expected)
        for (account, client, origin) in [
            ("id-eve", "foreign", Self.origin), (id, "other", Self.origin), (id, "foreign", "https://other.example"),
        ] {
            try await expectNil(store.consent(of: account, to: client, at: origin))
        }
        await store.close()
    }

    @Test(.tags(.keptConsent), arguments: StoreBackend.all)
    func `A consent is not kept for a browser that was signed out, or for other credentials`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        #expect(try await store.insert(code(1, "openid", of: fixture), by: decision))
        _ = try await store.revoke(device: fixture.device.id, ownedBy: nil, because: .logout, at: noon)
        for permission in [decision, .trusted, .kept(for: Self.origin)] {
            #expect(try await !store.insert(code(2, "openid email", of: fixture, at: noon + 1), by: permission))
        }
        try await expectEqual(store.consents(of: fixture.account.id).map(\.scopes), [["openid"]])
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A client has half of an account's devices at most, and signs out no other`(backend: StoreBackend) async throws
    {
        let fixture = try await backend.populated()
        for number in 101...UInt8(105 + Device.maximumCountOfClient) {
            var device = device(number, of: fixture.account)
            device.lastUsedAt = noon + TimeInterval(number)
            #expect(try await fixture.store.insert(device, for: fixture.account))
        }
        let left = try await fixture.store.devices(of: fixture.account.id, at: noon)
        expectEqual(left.filter { $0.clientID == "foreign" }.count, Device.maximumCountOfClient)
        #expect(left.contains { $0.id == fixture.device.id })
        #expect(!left.contains { $0.id == self.device(101, of: fixture.account).id })
        await fixture.store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A consent is not kept for a client of the operator`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        #expect(try await fixture.store.insert(code(1, "openid", of: fixture), by: .trusted))
        let unkept = CodePermission.decision(keptFor: nil, detail: "tool")
        #expect(try await fixture.store.insert(code(2, "openid", of: fixture), by: unkept))
        #expect(try await fixture.store.consents(of: fixture.account.id).isEmpty)
        try await expectEqual(fixture.audit().filter { $0.event == "consent.granted" }.map(\.detail), ["tool"])
        await fixture.store.close()
    }

    @Test(.tags(.keptConsent), arguments: StoreBackend.all)
    func `A consent permits a code of its origin with its scopes, until it is withdrawn`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let (store, id) = (fixture.store, fixture.account.id)
        let kept = CodePermission.kept(for: Self.origin)
        #expect(try await !store.insert(code(1, "openid", of: fixture), by: kept))
        #expect(try await store.insert(code(2, "openid files:write", of: fixture), by: decision))
        #expect(try await store.insert(code(3, "files:write", of: fixture), by: kept))
        for (number, refused) in [
            (4, (scope: "openid email", client: "foreign", kept)), (5, (scope: "openid", client: "other", kept)),
            (6, (scope: "openid", client: "foreign", .kept(for: "https://other.example"))),
            // A scope that another one implies was not on the page.
            (8, (scope: "files:read", client: "foreign", kept)),
        ] as [(UInt8, (scope: String, client: String, CodePermission))] {
            let code = code(number, refused.scope, of: fixture, for: refused.client)
            #expect(try await !store.insert(code, by: refused.2), "\(refused)")
            try await expectNil(store.authorizationCode(code.digest))
        }
        #expect(try await store.withdrawConsents(of: id, to: "foreign", detail: nil, at: noon))
        #expect(try await !store.insert(code(7, "openid", of: fixture), by: kept))
        await store.close()
    }

    @Test(.tags(.codeAfterLogout), arguments: StoreBackend.all)
    func `A consent ends with the devices, codes and approvals of its client, and with no others`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        let eve = try Account.example("eve")
        try await store.insert(eve, details: nil)
        for device in [
            device(2, of: account), device(3, of: account, for: "other"), device(4, of: eve),
        ] { #expect(try await store.insert(device, for: device.accountID == eve.id ? eve : account)) }
        for (number, client) in [(1, "foreign"), (2, "other")] as [(UInt8, String)] {
            #expect(try await store.insert(code(number, "openid", of: fixture, for: client), by: decision))
            let waiting = DeviceAuthorizationRecord(
                digest: [number], userDigest: [number], clientID: client, scope: nil, address: "192.0.2.1",
                userAgent: nil, createdAt: noon, expiresAt: noon + 600, interval: 5)
            #expect(try await store.insert(waiting))
            let approval = DeviceApproval(
                accountID: account.id, credentialVersion: account.credentialVersion, browserDevice: fixture.device.id,
                scope: "openid", authenticatedAt: noon, factorAt: nil)
            let isDecided = try await store.decide(
                userDigest: [number], approval, by: account.id, detail: nil, at: noon)
            #expect(isDecided)
        }
        #expect(try await store.withdrawConsents(of: account.id, to: "foreign", detail: "d", at: noon + 1))
        try await expectEqual(store.consents(of: account.id).map(\.clientID), ["other"])
        try await expectEqual(store.device(id: device(2, of: account).id)?.revocationReason, .consentWithdrawn)
        for device in [fixture.device, device(3, of: account), device(4, of: eve)] {
            try await expectNil(store.device(id: device.id)?.revokedAt)
        }
        try await expectNil(store.authorizationCode([1]))
        #expect(try await store.authorizationCode([2]) != nil)
        try await expectEqual(store.poll([1], by: "foreign", at: noon), .unknown)
        try await expectNotEqual(store.poll([2], by: "other", at: noon), .unknown)
        #expect(store.callSamples.contains(MetricSample(.familiesRevoked, .counter(1))))
        let entries = [AuditEntry(event: "consent.withdrawn", accountID: account.id, detail: "d")]
        try await expectEqual(fixture.audit().suffix(1), entries)
        // Nothing is left to withdraw, and another account's stays.
        for (id, client) in [(account.id, "foreign"), (eve.id, "other"), (account.id, "x\0y")] {
            #expect(try await !store.withdrawConsents(of: id, to: client, detail: nil, at: noon + 2))
        }
        try await expectEqual(fixture.audit().suffix(1), entries)
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A consent of sixteen decisions at once has the scopes of all of them`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        let inserted = try await withThrowingTaskGroup { group in
            for number in 0..<16 {
                let code = code(UInt8(number), "openid scope\(number)", of: fixture)
                group.addTask { try await store.insert(code, by: decision) }
            }
            return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        expectEqual(inserted, 16)
        let consents = try await store.consents(of: fixture.account.id)
        expectEqual(
            consents.map { Set($0.scopes.elements.map(\.rawValue)) }, [Set(["openid"] + (0..<16).map { "scope\($0)" })])
        await store.close()
    }

    @Test(.tags(.codeAfterLogout), arguments: StoreBackend.all)
    func `A consent that is withdrawn during an exchange leaves no live device`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        for round in 0..<8 as Range<UInt8> {
            let codes = (0..<4).map { code(round * 8 + $0, "openid", of: fixture) }
            for code in codes { #expect(try await store.insert(code, by: decision)) }
            let kept = code(round * 8 + 7, "openid", of: fixture)
            try await withThrowingTaskGroup { group in
                for (number, code) in codes.enumerated() {
                    let device = device(100 + round * 8 + UInt8(number), of: account)
                    group.addTask { _ = try await store.redeem(code, on: device, for: account) }
                }
                group.addTask { _ = try await store.insert(kept, by: .kept(for: Self.origin)) }
                group.addTask {
                    let isWithdrawn = try await store.withdrawConsents(
                        of: account.id, to: "foreign", detail: nil, at: noon)
                    #expect(isWithdrawn)
                }
                try await group.waitForAll()
            }
            try await expectEqual(store.devices(of: account.id, at: noon).map(\.id), [fixture.device.id])
            for code in codes + [kept] { try await expectNil(store.authorizationCode(code.digest)) }
        }
        await store.close()
    }

    @Test(arguments: StoreBackend.all)
    func `A consent is removed with its account`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        #expect(try await store.insert(code(1, "openid", of: fixture), by: decision))
        try await store.write { db throws(IdentityError) -> Void in
            try db.run("DELETE FROM account WHERE id = $1", [.text(fixture.account.id)])
        }
        #expect(try await store.consents(of: fixture.account.id).isEmpty)
        await store.close()
    }
}
