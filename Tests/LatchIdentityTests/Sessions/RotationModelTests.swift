// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import TestTags
import Testing

@testable import LatchIdentity

/// A model of a family of refresh tokens, without a store.
private struct FamilyModel {
    private(set) var current: UInt32 = 0
    private(set) var isOver = false
    private var rotatedAt: Date?
    private var key: [UInt8]?
    private let end: Date

    init(end: Date) { self.end = end }

    mutating func expect(_ attempt: RotationAttempt) -> Rotation {
        if isOver || attempt.now >= end { return .rejected }
        if attempt.counter == current {
            (current, rotatedAt, key) = (current + 1, attempt.now, attempt.key)
            return .rotated(counter: current)
        }
        let isParent = current > 0 && attempt.counter == current - 1
        let age = rotatedAt.map { attempt.now.timeIntervalSince($0) } ?? .infinity
        let window = attempt.key != nil && attempt.key == key ? attempt.keyedReplayWindow : attempt.replayWindow
        if isParent, age <= window { return .repeated(counter: current) }
        isOver = true
        return .reused
    }

    mutating func signOut() { isOver = true }
}

private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}

@Suite struct RotationModelTests {
    let folder: TemporaryFolder
    let store: IdentityStore
    let account: Account

    init() async throws {
        folder = try TemporaryFolder()
        (store, account, _) = try await IdentityStore.populated(in: folder)
    }

    private func device(_ seed: UInt64, of account: Account, end: Date) -> Device {
        let id = (0..<16).map { UInt8(truncatingIfNeeded: seed >> ($0 % 8 * 8)) ^ UInt8($0) }
        return Device(
            id: id, accountID: account.id, secret: [1], createdAt: noon, lastUsedAt: noon, expiresAt: end,
            userAgent: nil, address: nil)
    }

    /// Plays one seed: forty uses of whatever generation, with whatever key, after whatever time.
    private func play(_ seed: UInt64) async throws -> String? {
        var random = Seeded(state: seed)
        let end = noon + Double.random(in: 100...200_000, using: &random)
        // A limit holds for the devices of one account.
        let account = try Account.example("life\(seed)")
        try await store.insert(account)
        let device = device(seed, of: account, end: end)
        guard try await store.insert(device, for: account) else { return "the device was not kept" }
        var model = FamilyModel(end: end)
        var now = noon
        for step in 0..<40 {
            now += [0, 0, 1, 10, 30, 31, 4000, 90_000].randomElement(using: &random) ?? 0
            if Int.random(in: 0..<60, using: &random) == 0 {
                _ = try await store.revoke(device: device.id, because: .logout, at: now)
                model.signOut()
            }
            let back: UInt32 = [0, 0, 0, 1, 1, 2, 5].randomElement(using: &random) ?? 0
            let attempt = RotationAttempt(
                deviceID: device.id, counter: model.current >= back ? model.current - back : 0,
                key: [nil, nil, [1], [2]].randomElement(using: &random) ?? nil, now: now, replayWindow: 30,
                keyedReplayWindow: 86_400)
            let expected = model.expect(attempt)
            let found = try await store.rotation(attempt)
            guard found == expected else { return "seed \(seed), step \(step): \(found), not \(expected)" }
        }
        return nil
    }

    @Test(
        .tags(
            .refreshReuse, .parallelRefresh, .lostRefreshResponse, .lateParent, .grandparentToken, .deadFamily,
            .foreignRefreshToken, .scopeWidening, .absoluteExpiry))
    func `A family of refresh tokens follows its rules in 300 random lives`() async throws {
        // All lives go on concurrently in one store, so that each commit holds steps of many.
        let failures = try await withThrowingTaskGroup { group in
            for seed in 1...300 as ClosedRange<UInt64> { group.addTask { try await play(seed) } }
            return try await group.reduce(into: [String]()) { $0 += $1.map { [$0] } ?? [] }
        }
        #expect(failures.isEmpty)
        #expect(store.writeStatistics.jobs >= 300 * 40)
        // How many share a commit depends on the disk; that some do is what "concurrently" means.
        #expect(store.writeStatistics.commits < store.writeStatistics.jobs)
    }

    @Test func `A family of refresh tokens has one current generation after 400 concurrent uses`() async throws {
        let device = device(77, of: account, end: noon + 1e6)
        _ = try await store.insert(device, for: account)
        let rotations = try await withThrowingTaskGroup { group in
            for number in 0..<400 {
                group.addTask {
                    let counter = try await store.device(id: device.id)?.counter ?? 0
                    let attempt = RotationAttempt(
                        deviceID: device.id, counter: counter, key: nil, now: noon + Double(number % 7),
                        replayWindow: 1e5, keyedReplayWindow: 1e5)
                    return try await store.rotation(attempt)
                }
            }
            return try await group.reduce(into: [Rotation]()) { $0.append($1) }
        }
        let reached = rotations.compactMap { rotation -> UInt32? in
            guard case .rotated(let counter) = rotation else { return nil }
            return counter
        }
        // No generation was reached twice and none was left out.
        expectEqual(reached.sorted(), Array(1..<UInt32(reached.count) + 1))
        try await expectEqual(store.device(id: device.id)?.counter, UInt32(reached.count))
    }

    @Test func `A family of refresh tokens is dead after a logout, whatever runs beside it`() async throws {
        for number in 0..<10 {
            let device = device(UInt64(1000 + number), of: account, end: noon + 1e6)
            _ = try await store.insert(device, for: account)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for counter in 0..<8 as Range<UInt32> {
                    group.addTask { _ = try await store.rotation(.of(device, counter: counter)) }
                }
                group.addTask { _ = try await store.revoke(device: device.id, because: .logout, at: noon) }
                try await group.waitForAll()
            }
            let counter = try await store.device(id: device.id)?.counter ?? 0
            try await expectEqual(store.rotation(.of(device, counter: counter)), .rejected)
        }
    }
}
