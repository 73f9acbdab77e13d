// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import LatchServer

@Suite struct `The pace of an answer` {
    static let second: UInt64 = 1_000_000_000

    /// When a client is over its time that takes `bytes` every `interval` seconds; nil where it never is.
    static func end(_ pace: AnswerPace, taking bytes: Int, every interval: UInt64, for duration: UInt64) -> UInt64? {
        var deadline = pace.patience
        for now in stride(from: interval * second, through: duration * second, by: Int(interval * second)) {
            if deadline <= now { return deadline / second }
            deadline = pace.deadline(deadline, afterWriting: bytes, now: now)
        }
        return nil
    }

    @Test func `ends a client that takes a byte now and then when its patience is over`() {
        let pace = AnswerPace(patience: 60 * Self.second, bytesPerSecond: 256)
        #expect(Self.end(pace, taking: 1, every: 59, for: 100_000) == 60)
        #expect(Self.end(pace, taking: 1, every: 1, for: 100_000) == 60)
        #expect(Self.end(pace, taking: 128, every: 1, for: 100_000) == 119)
    }

    @Test func `bears a client for ever that takes what is asked of it`() {
        let pace = AnswerPace(patience: 60 * Self.second, bytesPerSecond: 256)
        #expect(Self.end(pace, taking: 256, every: 1, for: 100_000) == nil)
        #expect(Self.end(pace, taking: 256 * 50, every: 50, for: 100_000) == nil)
    }

    @Test func `lets nobody pause for longer than its patience, however much was taken at once`() {
        let pace = AnswerPace(patience: 60 * Self.second, bytesPerSecond: 256)
        #expect(pace.deadline(60 * Self.second, afterWriting: 1 << 30, now: 0) == 60 * Self.second)
        #expect(pace.deadline(60 * Self.second, afterWriting: .max, now: 5) == 60 * Self.second + 5)
        #expect(Self.end(pace, taking: 1 << 30, every: 61, for: 1000) == 60)
    }

    @Test(arguments: [0, -1, Int.min])
    func `asks for progress alone where no rate is set`(rate: Int) {
        let pace = AnswerPace(patience: 60 * Self.second, bytesPerSecond: rate)
        #expect(Self.end(pace, taking: 1, every: 59, for: 100_000) == nil)
        #expect(Self.end(pace, taking: 1, every: 61, for: 100_000) == 60)
    }

    @Test func `counts no further than a number goes`() {
        let pace = AnswerPace(patience: .max - 10, bytesPerSecond: 1)
        #expect(pace.deadline(.max - 5, afterWriting: .max, now: 5) == UInt64.max - 5)
    }
}
