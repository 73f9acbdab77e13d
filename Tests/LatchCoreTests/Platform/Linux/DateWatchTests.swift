// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import LatchCore
import Testing
import TestSupport

/// That a jump is told cannot be tried here: no test may set the date of the machine that it runs on.
@Suite struct `A watch on the date` {
    private final class Canary: Sendable {}

    @Test func `leaves nothing behind when it goes`() async throws {
        weak var kept: Canary?
        do {
            let canary = Canary()
            kept = canary
            let watch = DateWatch(onChange: { [canary] in withExtendedLifetime(canary) {} })
            #expect(watch != nil)
            withExtendedLifetime(watch) {}
        }
        try await eventually { kept == nil }
        #expect(kept == nil)
    }

    @Test func `tells nothing while nobody sets the date, and ends when nobody listens any more`() async {
        let task = Task {
            var count = 0
            for await _ in WallClock.system.dateChanges() { count += 1 }
            return count
        }
        for _ in 0..<100 { await Task.yield() }
        task.cancel()
        #expect(await task.value == 0)
    }

    @Test func `ends at once where a clock does not know of any`() async {
        var count = 0
        for await _ in WallClock(now: { Date() }, sleep: { _ in }).dateChanges() { count += 1 }
        #expect(count == 0)
    }
}
#endif
