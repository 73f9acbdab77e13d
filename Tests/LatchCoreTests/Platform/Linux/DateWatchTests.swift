// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Expectations
import Foundation
import LatchCore
import TestSupport
import Testing

/// That a jump is told cannot be tried here: no test may set the date of the machine that it runs on.
@Suite struct DateWatchTests {
    private final class Canary: Sendable {}

    @Test func `A watch on the date leaves nothing behind when it goes`() async throws {
        weak var kept: Canary?
        do {
            let canary = Canary()
            kept = canary
            let watch = DateWatch(onChange: { [canary] in withExtendedLifetime(canary) {} })
            #expect(watch != nil)
            withExtendedLifetime(watch) {}
        }
        try await eventually { kept == nil }
        expectNil(kept)
    }

    @Test
    func `A watch on the date reports nothing while the date is not set, and ends with its last observer`() async {
        let task = Task {
            var count = 0
            for await _ in WallClock.system.dateChanges() { count += 1 }
            return count
        }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        await expectEqual(task.value, 0)
    }

    @Test func `A watch on the date ends at once if a clock has none`() async {
        var count = 0
        for await _ in WallClock(now: { Date() }, sleep: { _ in }).dateChanges() { count += 1 }
        expectEqual(count, 0)
    }
}
#endif
