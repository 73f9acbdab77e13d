// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct RotationEdgeTests {
    let folder: TemporaryFolder
    let store: IdentityStore
    let device: Device

    init() async throws {
        folder = try TemporaryFolder()
        (store, _, device) = try await IdentityStore.populated(in: folder)
    }

    private func set(_ column: String, _ value: SQLValue) async throws {
        try await store.write { [device] db throws(IdentityError) -> Void in
            try db.run("UPDATE device SET \(column) = ? WHERE id = ?", [value, .blob(device.id)])
        }
    }

    @Test func `The rotation of a device at its edges ends at the last generation without a crash`() async throws {
        try await set("counter", .integer(Int64(UInt32.max) - 1))
        try await expectEqual(store.rotation(.of(device, counter: .max - 1)), .rotated(counter: .max))
        // The newest token is no copy of an old one: it is refused, and nobody is accused of theft.
        try await expectEqual(store.rotation(.of(device, counter: .max)), .rejected)
        let row = try #require(try await store.device(id: device.id))
        expectEqual(row.counter, .max)
        expectNil(row.revokedAt)
        try await expectEqual(store.rotation(.of(device, counter: .max - 1)), .repeated(counter: .max))
    }

    @Test(arguments: [-1, Int64(UInt32.max) + 1, Int64.max])
    func `The rotation of a device at its edges reports an impossible generation as damage`(counter: Int64) async throws
    {
        try await set("counter", .integer(counter))
        let error = await #expect(throws: IdentityError.self) { try await store.device(id: device.id) }
        expectEqual(error?.code, IdentityError.corruptStore.code)
    }

    @Test(.tags(.storeFailure))
    func `The rotation of a device at its edges has no wider window when the clock is set back`() async throws {
        _ = try await store.rotation(.of(device))
        try await expectEqual(store.rotation(.of(device, at: noon - 30)), .repeated(counter: 1))
        try await expectEqual(store.rotation(.of(device, at: noon - 3600)), .reused)
    }

    @Test(.tags(.storeFailure))
    func `The rotation of a device at its edges works again after a clock that was only ahead`()
        async throws
    {
        try await expectEqual(store.rotation(.of(device, at: noon + 3600)), .rejected)
        try await expectEqual(store.rotation(.of(device, at: noon + 3599.999)), .rotated(counter: 1))
    }

    @Test func `The rotation of a device at its edges has one successor for two servers on one file`() async throws {
        let other = try IdentityStore(path: folder.file())
        let rotations = try await withThrowingTaskGroup { group in
            for store in [store, other, store, other] { group.addTask { try await store.rotation(.of(device)) } }
            return try await group.reduce(into: [Rotation]()) { $0.append($1) }
        }
        expectEqual(rotations.filter { $0 == .rotated(counter: 1) }.count, 1)
        expectEqual(rotations.filter { $0 == .repeated(counter: 1) }.count, 3)
        await other.close()
        await store.close()
    }
}
