// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

@Suite(.tags(.deviceCodePolling)) struct DeviceAuthorizationContractTests {
    private func waiting(_ store: IdentityStore) async throws -> [UInt8] {
        let digest = "device code".digest
        let record = DeviceAuthorizationRecord(
            digest: digest, userDigest: "user code".digest, clientID: "tool", scope: nil, address: "192.0.2.1",
            userAgent: nil, createdAt: noon, expiresAt: noon + 600, interval: 5)
        #expect(try await store.insert(record))
        return digest
    }

    @Test(arguments: StoreBackend.all)
    func `The polls of a waiting device are answered once, of any number at the same time`(backend: StoreBackend)
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        let digest = try await waiting(store)
        let polls = try await withThrowingTaskGroup { group in
            for _ in 0..<100 { group.addTask { try await store.poll(digest, by: "tool", at: noon) } }
            return try await group.reduce(into: [DevicePoll: Int]()) { $0[$1, default: 0] += 1 }
        }
        expectEqual(polls, [.pending: 1, .slowDown: 99])
        expectEqual(store.writeStatistics.conflicts, 0)
    }

    @Test(arguments: StoreBackend.all)
    func `The polls of a waiting device that are early make the pause longer, and write nothing then`(
        backend: StoreBackend
    )
        async throws
    {
        let fixture = try await backend.populated()
        let store = fixture.store
        let digest = try await waiting(store)
        try await expectEqual(store.poll(digest, by: "other", at: noon), .unknown)
        try await expectEqual(store.poll(digest, by: "tool", at: noon), .pending)
        for second in 1...11 {
            try await expectEqual(store.poll(digest, by: "tool", at: noon + Double(second)), .slowDown)
        }
        let commits = store.writeStatistics.commits
        for second in 12..<70 {
            try await expectEqual(store.poll(digest, by: "tool", at: noon + Double(second)), .slowDown)
        }
        expectEqual(store.writeStatistics.commits, commits)
        try await expectEqual(store.poll(digest, by: "tool", at: noon + 71), .pending)
        try await expectEqual(store.poll(digest, by: "tool", at: noon + 131), .pending)
        try await expectEqual(store.poll(digest, by: "tool", at: noon + 600), .expired)
    }
}
