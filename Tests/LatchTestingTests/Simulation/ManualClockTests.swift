// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchCore
import LatchTesting
import Testing

@Suite struct `A manual clock` {
    @Test func `stands still until it is moved, either way`() {
        let clock = ManualClock(Date(timeIntervalSince1970: 1000))
        let taken = clock.wallClock()
        #expect(taken.now.timeIntervalSince1970 == 1000)
        clock.advance(by: 60)
        #expect(taken.now.timeIntervalSince1970 == 1060)
        clock.advance(by: -120)
        #expect(clock.now.timeIntervalSince1970 == 940)
    }

    @Test func `goes wrong by as much as is asked for each who takes it`() {
        let clock = ManualClock(Date(timeIntervalSince1970: 1000))
        let (early, late) = (clock.wallClock(skew: -30), clock.wallClock(skew: 30))
        clock.advance(by: 5)
        #expect(early.now.timeIntervalSince1970 == 975)
        #expect(late.now.timeIntervalSince1970 == 1035)
        #expect(clock.now.timeIntervalSince1970 == 1005)
    }

    @Test func `lets whoever waits by it wait until the task is cancelled`() async {
        let clock = ManualClock()
        let (began, begin) = AsyncStream<Void>.makeStream()
        let waiting = Task {
            begin.yield()
            try await clock.wallClock().sleep(for: .zero)
        }
        for await _ in began { break }
        clock.advance(by: 1_000_000)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `shows the same date to all threads at once`() async {
        let clock = ManualClock(Date(timeIntervalSince1970: 0))
        await withTaskGroup { group in
            for _ in 0..<100 { group.addTask { clock.advance(by: 1) } }
        }
        #expect(clock.now.timeIntervalSince1970 == 100)
    }
}
