// SPDX-License-Identifier: Apache-2.0

import Expectations
import Testing

@testable import LatchServer

@Suite struct MinimumSendRateTests {
    static let second: UInt64 = 1_000_000_000

    /// Returns the second at which a client that reads `bytes` every `interval` seconds is closed; nil if it never is.
    static func end(_ rate: MinimumRate, taking bytes: Int, every interval: UInt64, for duration: UInt64) -> UInt64? {
        var deadline = rate.maximumPause
        for now in stride(from: interval * second, through: duration * second, by: Int(interval * second)) {
            if deadline <= now { return deadline / second }
            deadline = rate.deadline(deadline, after: bytes, now: now)
        }
        return nil
    }

    @Test func `The minimum send rate closes a client that reads a byte now and then after the maximum pause`() {
        let rate = MinimumRate(bytesPerSecond: 256, maximumPause: 60 * Self.second)
        expectEqual(Self.end(rate, taking: 1, every: 59, for: 100_000), 60)
        expectEqual(Self.end(rate, taking: 1, every: 1, for: 100_000), 60)
        expectEqual(Self.end(rate, taking: 128, every: 1, for: 100_000), 119)
    }

    @Test func `The minimum send rate never closes a client that reads fast enough`() {
        let rate = MinimumRate(bytesPerSecond: 256, maximumPause: 60 * Self.second)
        expectNil(Self.end(rate, taking: 256, every: 1, for: 100_000))
        expectNil(Self.end(rate, taking: 256 * 50, every: 50, for: 100_000))
    }

    @Test func `The minimum send rate allows no longer pause, however much was read at once`() {
        let rate = MinimumRate(bytesPerSecond: 256, maximumPause: 60 * Self.second)
        expectEqual(rate.deadline(60 * Self.second, after: 1 << 30, now: 0), 60 * Self.second)
        expectEqual(rate.deadline(60 * Self.second, after: .max, now: 5), 60 * Self.second + 5)
        expectEqual(Self.end(rate, taking: 1 << 30, every: 61, for: 1000), 60)
    }

    @Test(arguments: [0, -1, Int.min])
    func `The minimum send rate requires only progress if no rate is set`(bytesPerSecond: Int) {
        let rate = MinimumRate(bytesPerSecond: bytesPerSecond, maximumPause: 60 * Self.second)
        expectNil(Self.end(rate, taking: 1, every: 59, for: 100_000))
        expectEqual(Self.end(rate, taking: 1, every: 61, for: 100_000), 60)
    }

    @Test func `The minimum send rate does not overflow`() {
        let rate = MinimumRate(bytesPerSecond: 1, maximumPause: .max - 10)
        expectEqual(rate.deadline(.max - 5, after: .max, now: 5), UInt64.max - 5)
    }
}
