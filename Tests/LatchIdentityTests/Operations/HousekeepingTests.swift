// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchTesting
import Testing

@testable import LatchIdentity

/// Two servers over one file, which keep house as the test tells them.
@Suite struct HousekeepingTests {
    private let folder: TemporaryFolder
    private let clock: ManualClock
    private let first: Identity
    private let second: Identity

    init() async throws {
        let (folder, clock) = (try TemporaryFolder(), ManualClock(noon))
        func identity() async throws -> Identity {
            try await Identity(
                configuration: IdentityConfiguration(), store: try IdentityStore(path: folder.file()), mailer: nil,
                clock: clock.wallClock())
        }
        self.folder = folder
        self.clock = clock
        first = try await identity()
        second = try await identity()
    }

    private func close() async {
        await first.close()
        await second.close()
    }

    @Test func `Shared housekeeping is done once an hour, by one of the servers`() async throws {
        let store = first.services.store
        let account = try Account.example()
        try await store.insert(account, details: nil)
        let device = Device.example(of: account, expiresAt: noon + 1)
        #expect(try await store.insert(device, for: account))
        let (one, other) = (Housekeeping(first.services), Housekeeping(second.services))
        #expect(try await one.prune())
        try await expectEqual(other.prune(), false)
        clock.advance(by: 3599)
        for houses in [one, other] { try await expectEqual(houses.prune(), false) }
        #expect(try await store.device(id: device.id) != nil)
        clock.advance(by: 1)
        #expect(try await other.prune())
        try await expectEqual(one.prune(), false)
        try await expectNil(store.device(id: device.id))
        await close()
    }

    @Test func `Shared housekeeping removes the accounts whose deletion is due`() async throws {
        let store = first.services.store
        let account = try Account.example()
        try await store.insert(account, details: nil)
        let device = Device.example(of: account, expiresAt: noon + 10_000)
        #expect(try await store.insert(device, for: account))
        try await store.requestDeletion(
            of: account, dueAt: noon + 7200, on: device.id, causedBy: MailCause(), at: clock.now)
        #expect(try await Housekeeping(first.services).prune())
        #expect(try await store.account(id: account.id) != nil)
        clock.advance(by: 7200)
        #expect(try await Housekeeping(second.services).prune())
        try await expectNil(store.account(id: account.id))
        await close()
    }

    @Test func `Shared housekeeping removes nothing for a date of the database only`() async throws {
        let store = first.services.store
        let account = try Account.example()
        try await store.insert(account, details: nil)
        let device = Device.example(of: account, expiresAt: noon + 1)
        #expect(try await store.insert(device, for: account))
        clock.advance(by: 400 * 86400)
        #expect(try await Housekeeping(first.services, machineDate: { noon }).prune())
        #expect(try await store.device(id: device.id) != nil)
        #expect(try await first.audit.records(limit: 10).contains { $0.event == "account.created" })
        clock.advance(by: 3600)
        #expect(try await Housekeeping(first.services).prune())
        try await expectNil(store.device(id: device.id))
        await close()
    }

    @Test func `Shared housekeeping is taken over from a server that was killed during it`() async throws {
        let store = first.services.store
        #expect(try await store.take(.pruning, as: "killed", at: noon, until: noon + Housekeeping.lease))
        let house = Housekeeping(second.services)
        clock.advance(by: Housekeeping.lease - 1)
        try await expectEqual(house.prune(), false)
        clock.advance(by: 1)
        #expect(try await house.prune())
        await close()
    }

    @Test func `Shared housekeeping is given up by a server whose task another one has taken`() async throws {
        let (store, house) = (first.services.store, Housekeeping(second.services))
        let isDone = try await second.audit.prune(at: noon) { () throws(IdentityError) in
            guard try await store.take(.pruning, as: "another", at: noon, until: noon + 300) else { return true }
            return try await store.take(.pruning, as: house.holder, at: noon, until: noon + 300)
        }
        expectEqual(isDone, false)
        await close()
    }
}
