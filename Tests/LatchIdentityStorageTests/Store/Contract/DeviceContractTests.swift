// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct DeviceContractTests {
    @Test(arguments: StoreBackend.all)
    func `The rotation of a device moves to the next generation, durably`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, device) = (fixture.store, fixture.device)
        try await expectEqual(store.rotation(.of(device)), .rotated(counter: 1))
        let row = try #require(try await store.device(id: device.id))
        expectEqual(row.counter, 1)
        expectEqual(row.rotatedAt, noon)
    }

    @Test(.tags(.parallelRefresh), arguments: StoreBackend.all)
    func `One of 16 equal attempts rotates a device, and all get the same generation`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let (store, device) = (fixture.store, fixture.device)
        let rotations = try await withThrowingTaskGroup { group in
            for _ in 0..<16 { group.addTask { try await store.rotation(.of(device)) } }
            return try await group.reduce(into: [Rotation]()) { $0.append($1) }
        }
        expectEqual(rotations.filter { $0 == .rotated(counter: 1) }.count, 1)
        expectEqual(rotations.filter { $0 == .repeated(counter: 1) }.count, 15)
        try await expectEqual(store.device(id: device.id)?.counter, 1)
    }

    @Test(.tags(.lostRefreshResponse, .lateParent), arguments: StoreBackend.all)
    func `The rotation of a device repeats its answer until the window ends, and takes a later use for theft`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let (store, device) = (fixture.store, fixture.device)
        _ = try await store.rotation(.of(device))
        try await expectEqual(store.rotation(.of(device, at: noon + 30)), .repeated(counter: 1))
        try await expectEqual(store.rotation(.of(device, at: noon + 30.001)), .reused)
        let row = try #require(try await store.device(id: device.id))
        #expect(row.revokedAt != nil)
        expectEqual(row.revocationReason, .reuse)
    }

    @Test(arguments: StoreBackend.all)
    func `The rotation of a device repeats its answer for the same Idempotency-Key long after the window`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let (store, device) = (fixture.store, fixture.device)
        _ = try await store.rotation(.of(device, key: [1]))
        try await expectEqual(store.rotation(.of(device, key: [1], at: noon + 3000)), .repeated(counter: 1))
        try await expectEqual(store.rotation(.of(device, key: [2], at: noon + 3000)), .reused)
    }

    @Test(arguments: StoreBackend.all)
    func `The rotation of a device does not repeat for an Idempotency-Key once the successor was used`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let (store, device) = (fixture.store, fixture.device)
        _ = try await store.rotation(.of(device, key: [1]))
        _ = try await store.rotation(.of(device, counter: 1, key: [2]))
        try await expectEqual(store.rotation(.of(device, key: [1])), .reused)
    }

    @Test(arguments: StoreBackend.all)
    func `The rotation of a device bounds the repeats for an Idempotency-Key`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        let long = Device.example(2, of: account, expiresAt: noon + 1e7)
        _ = try await store.insert(long, for: account)
        _ = try await store.rotation(.of(long, key: [1]))
        try await expectEqual(store.rotation(.of(long, key: [1], at: noon + 86_401)), .reused)
    }

    @Test(.tags(.grandparentToken), arguments: StoreBackend.all)
    func `The rotation of a device takes a grandparent for theft even inside the window`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let (store, device) = (fixture.store, fixture.device)
        _ = try await store.rotation(.of(device))
        _ = try await store.rotation(.of(device, counter: 1))
        try await expectEqual(store.rotation(.of(device)), .reused)
        try await expectEqual(store.rotation(.of(device, counter: 2)), .rejected)
    }

    @Test(.tags(.absoluteExpiry), arguments: StoreBackend.all)
    func `The rotation of a device is refused at the absolute end, however often it was used`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let (store, device) = (fixture.store, fixture.device)
        var counter: UInt32 = 0
        for minute in 0..<60 {
            let moment = noon + Double(minute) * 60
            try await expectEqual(
                store.rotation(.of(device, counter: counter, at: moment)), .rotated(counter: counter + 1))
            counter += 1
        }
        try await expectEqual(store.rotation(.of(device, counter: counter, at: noon + 3600)), .rejected)
    }

    @Test(.tags(.refreshAfterChange), arguments: StoreBackend.all)
    func `The rotation of a device is refused after every kind of sign-out of the device`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let (store, account, device) = (fixture.store, fixture.account, fixture.device)
        #expect(try await store.revoke(device: device.id, because: .logout, at: noon))
        try await expectEqual(store.revoke(device: device.id, because: .logout, at: noon), false)
        try await expectEqual(store.rotation(.of(device)), .rejected)

        let second = Device.example(2, of: account)
        let third = Device.example(3, of: account)
        _ = try await store.insert(second, for: account)
        _ = try await store.insert(third, for: account)
        try await expectEqual(store.revokeDevices(of: account.id, because: .administrator, at: noon), 2)
        try await expectEqual(store.rotation(.of(second)), .rejected)

        let fourth = Device.example(4, of: account)
        _ = try await store.insert(fourth, for: account)
        try await store.perform(.setStatus(.disabled), on: account.id)
        try await expectEqual(store.rotation(.of(fourth)), .rejected)
    }

    @Test(arguments: StoreBackend.all)
    func `The rotation of an unknown device is refused`(backend: StoreBackend) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        try await expectEqual(store.rotation(.of(Device.example(9, of: account))), .rejected)
    }

    @Test(arguments: StoreBackend.all)
    func `The rotation of a device is not begun for a device whose password was changed meanwhile`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let (store, account) = (fixture.store, fixture.account)
        try await store.insert(.example(1, of: account))
        _ = try await store.resetPassword(byToken: Array(repeating: 1, count: 32), hash: "new", at: noon)
        try await expectEqual(store.insert(Device.example(5, of: account), for: account), false)
        try await expectNil(store.device(id: Device.example(5, of: account).id))
    }
}

@Suite struct DeviceNumberTests {
    @Test(.tags(.hashFlood), arguments: StoreBackend.all)
    func `The number of an account's devices is bounded, and the least useful ones go first`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let store = fixture.store
        let account = try #require(try await store.account(id: fixture.device.accountID))
        func insert(_ number: Int) async throws -> [UInt8] {
            let id = [UInt8(number / 256), UInt8(number % 256)] + Array(repeating: UInt8(9), count: 14)
            let device = Device(
                id: id, accountID: account.id, secret: Array(repeating: 7, count: 32), createdAt: noon,
                lastUsedAt: noon + Double(number), expiresAt: noon + 3600, userAgent: nil, address: nil)
            #expect(try await store.insert(device, for: account))
            return id
        }
        var ids: [[UInt8]] = []
        for number in 1..<Device.maximumCount { ids.append(try await insert(number)) }
        try await expectEqual(store.devices(of: account.id, at: noon).count, Device.maximumCount)
        #expect(try await store.revoke(device: ids[50], because: .logout, at: noon))
        ids.append(try await insert(200))
        try await expectNil(store.device(id: ids[50]))
        #expect(try await store.device(id: fixture.device.id) != nil)
        // The clock was set back: the newest device stays, though others were used later.
        let late = try await insert(0)
        try await expectNil(store.device(id: fixture.device.id))
        #expect(try await store.device(id: late) != nil)
        ids.append(try await insert(300))
        try await expectNil(store.device(id: late))
        try await expectEqual(store.devices(of: account.id, at: noon).count, Device.maximumCount)
        // The one that was signed out by its user, and two that made room.
        expectEqual(store.signedOutCount, 3)
        let entries = try await store.auditRecords(AuditQuery(limit: 10))
        expectEqual(entries.filter { $0.event == "device.signedOut" }.map(\.detail), ["limit", "limit", "logout"])
    }
}

@Suite struct SignInScriptTests {
    /// RocketChat/Rocket.Chat#11140.
    @Test(arguments: StoreBackend.all)
    func `A script that never refreshes signs out its own earlier logins before a used device`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        let account = try #require(try await store.account(id: fixture.device.accountID))
        func insert(_ number: Int, usedAfter seconds: Double = 0) async throws -> [UInt8] {
            let id = [UInt8(number / 256), UInt8(number % 256)] + Array(repeating: UInt8(8), count: 14)
            let created = noon + Double(number)
            let device = Device(
                id: id, accountID: account.id, secret: Array(repeating: 7, count: 32), createdAt: created,
                lastUsedAt: created + seconds, expiresAt: noon + 3600, userAgent: nil, address: nil)
            #expect(try await store.insert(device, for: account))
            return id
        }
        let phone = try await insert(0, usedAfter: 1)
        let first = try await insert(1)
        func isThere(_ id: [UInt8]) async throws -> Bool { try await store.device(id: id) != nil }
        for number in 2...(Device.maximumCount + 20) { _ = try await insert(number) }
        #expect(try await isThere(phone))
        #expect(try await !isThere(first))
        try await expectEqual(store.devices(of: account.id, at: noon).count, Device.maximumCount)
        // Devices that were refreshed once do not keep new ones out before their first refresh.
        for number in 200..<(200 + Device.maximumCount) { _ = try await insert(number, usedAfter: 1) }
        let new = try await insert(400)
        for number in 401...409 { _ = try await insert(number) }
        #expect(try await isThere(new))
        _ = try await insert(410)
        #expect(try await isThere(new))
        _ = try await insert(411)
        #expect(try await !isThere(new))
    }
}

@Suite struct SignedOutDevicesTests {
    @Test(arguments: StoreBackend.all)
    func `The number of devices that were signed out counts each once, and none of a write that fails`(
        backend: StoreBackend
    ) async throws {
        let fixture = try await backend.populated()
        let (store, account, device) = (fixture.store, fixture.account, fixture.device)
        #expect(try await store.revoke(device: device.id, because: .logout, at: noon))
        try await expectEqual(store.revoke(device: device.id, because: .logout, at: noon), false)
        expectEqual(store.signedOutCount, 1)

        for number in 2...5 { _ = try await store.insert(Device.example(UInt8(number), of: account), for: account) }
        _ = try await store.rotation(.of(.example(2, of: account)))
        try await expectEqual(store.rotation(.of(.example(2, of: account), at: noon + 60)), .reused)
        expectEqual(store.signedOutCount, 2)
        await #expect(throws: IdentityError.storeFull) {
            try await store.write { db throws(IdentityError) -> Void in
                try db.revokeDevices(of: account.id, because: .logout, at: noon)
                throw .storeFull
            }
        }
        expectEqual(store.signedOutCount, 2)
        // One that has expired is signed out as well, and was not signed in.
        let short = Device.example(6, of: account, expiresAt: noon + 1)
        _ = try await store.insert(short, for: account)
        #expect(try await store.revoke(device: short.id, because: .logout, at: noon + 1))
        expectEqual(store.signedOutCount, 2)
        try await store.perform(.delete(isFinal: true), on: account.id)
        expectEqual(store.signedOutCount, 5)
    }
}

extension IdentityStore {
    /// The value of `latch_families_revoked_total`.
    fileprivate var signedOutCount: Int {
        guard case .counter(let count) = callSamples.first(where: { $0.metric == .familiesRevoked })?.value else {
            return -1
        }
        return count
    }
}
