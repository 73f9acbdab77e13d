// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import Synchronization
import Testing

@Suite struct WallClockTests {
    @Test func `A wall clock shows the set date and waits as configured`() async throws {
        let waited = Mutex<[Duration]>([])
        let noon = Date(timeIntervalSince1970: 43_200)
        let clock = WallClock(now: { noon }, sleep: { duration in waited.withLock { $0.append(duration) } })
        expectEqual(clock.now, noon)
        try await clock.sleep(for: .seconds(3))
        try await clock.sleep(for: .milliseconds(5))
        expectEqual(waited.withLock { $0 }, [.seconds(3), .milliseconds(5)])
    }

    @Test func `A wall clock of the system shows the date of the system`() {
        let before = Date()
        let shown = WallClock.system.now
        #expect((before...Date()).contains(shown))
    }

    @Test(.timeLimit(.minutes(10)))
    func `A wall clock of the system stops waiting when the task is canceled`() async {
        let task = Task { try await WallClock.system.sleep(for: .seconds(86_400)) }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(.timeLimit(.minutes(10)))
    func `A wall clock of the system does not begin to wait in a task that is canceled already`() async {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await WallClock.system.sleep(for: .seconds(86_400))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .nanoseconds(1)])
    func `A wall clock of the system does not wait for a past time`(duration: Duration) async throws {
        try await WallClock.system.sleep(for: duration)
    }
}

@Suite struct DurationTests {
    @Test(
        arguments: [
            (.zero, 0), (.seconds(1), 1), (.milliseconds(1500), 1.5), (.milliseconds(-1500), -1.5),
            (.seconds(-7), -7), (.nanoseconds(1), 1e-9), (.seconds(86_400 * 365), 31_536_000),
        ] as [(Duration, Double)])
    func `A duration in seconds keeps whole seconds, fractions and the sign`(duration: Duration, seconds: Double) {
        expectEqual(duration.inSeconds, seconds)
    }

    @Test func `A duration in seconds is finite for the longest of them`() {
        expectEqual(Duration.seconds(Int64.max).inSeconds, 0x1p63)
        expectEqual(Duration.seconds(Int64.min).inSeconds, -0x1p63)
    }
}
