// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchTesting
import Synchronization
import TestSupport
import Testing

@Suite struct ManualClockTests {
    @Test func `A manual clock stands still until it is moved, either way`() {
        let clock = ManualClock(Date(timeIntervalSince1970: 1000))
        let taken = clock.wallClock()
        expectEqual(taken.now.timeIntervalSince1970, 1000)
        clock.advance(by: 60)
        expectEqual(taken.now.timeIntervalSince1970, 1060)
        clock.advance(by: -120)
        expectEqual(clock.now.timeIntervalSince1970, 940)
    }

    @Test func `A manual clock goes wrong by the requested amount for each owner`() {
        let clock = ManualClock(Date(timeIntervalSince1970: 1000))
        let (early, late) = (clock.wallClock(skew: -30), clock.wallClock(skew: 30))
        clock.advance(by: 5)
        expectEqual(early.now.timeIntervalSince1970, 975)
        expectEqual(late.now.timeIntervalSince1970, 1035)
        expectEqual(clock.now.timeIntervalSince1970, 1005)
    }

    @Test func `A manual clock measures the time that passes and no jump of the date`() {
        let clock = ManualClock()
        let taken = clock.wallClock()
        let (date, uptime) = (taken.now, taken.uptime)
        clock.jump(by: 3600)
        expectEqual(taken.now, date.addingTimeInterval(3600))
        expectEqual(taken.uptime, uptime)
        clock.advance(by: .milliseconds(1500))
        expectEqual(taken.uptime, uptime + .milliseconds(1500))
        clock.advance(by: -10)
        expectEqual(taken.uptime, uptime + .milliseconds(1500))
    }

    @Test func `A manual clock shows the same date to all threads at once`() async {
        let clock = ManualClock(Date(timeIntervalSince1970: 0))
        await withTaskGroup { group in
            for _ in 0..<100 { group.addTask { clock.advance(by: 1) } }
        }
        expectEqual(clock.now.timeIntervalSince1970, 100)
    }
}

@Suite struct ManualClockWaitTests {
    private let clock = ManualClock()

    /// The woken tasks, in order.
    private final class Woken: Sendable {
        private let list = Mutex<[Int]>([])
        var all: [Int] { list.withLock { $0 } }
        func add(_ seconds: Int) { list.withLock { $0.append(seconds) } }
    }

    private func sleeper(_ seconds: Int, telling woken: Woken = Woken()) -> Task<Void, any Error> {
        Task {
            try await clock.wallClock().sleep(for: .seconds(seconds))
            woken.add(seconds)
        }
    }

    @Test func `A waiter on a manual clock is woken when the time has come, and not before`() async throws {
        let finished = Woken()
        let task = sleeper(10, telling: finished)
        await expectEqual(clock.sleepers(atLeast: 1), [.seconds(10)])
        clock.advance(by: .seconds(9))
        expectEqual(clock.sleepers, [.seconds(1)])
        #expect(finished.all.isEmpty)
        clock.advance(by: .seconds(1))
        try await task.value
        #expect(clock.sleepers.isEmpty)
        expectEqual(finished.all, [10])
    }

    @Test func `A waiter on a manual clock is woken in the order of the deadlines`() async throws {
        let finished = Woken()
        let tasks = [30, 10, 20].map { sleeper($0, telling: finished) }
        await expectEqual(clock.sleepers(atLeast: 3), [.seconds(10), .seconds(20), .seconds(30)])
        var woken: [Duration] = []
        for index in 1...3 {
            woken.append(await clock.wakeNext())
            try await eventually { finished.all.count >= index }
        }
        for task in tasks { try await task.value }
        expectEqual(woken, [.seconds(10), .seconds(10), .seconds(10)])
        expectEqual(finished.all, [10, 20, 30])
    }

    @Test func `A waiter on a manual clock is woken together with all whose time has come`() async throws {
        let finished = Woken()
        let tasks = [1, 2, 3, 50].map { sleeper($0, telling: finished) }
        _ = await clock.sleepers(atLeast: 4)
        clock.advance(by: .seconds(3))
        for task in tasks.prefix(3) { try await task.value }
        expectEqual(finished.all.sorted(), [1, 2, 3])
        expectEqual(clock.sleepers, [.seconds(47)])
        tasks[3].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[3].value }
    }

    @Test func `A waiter on a manual clock is not woken by a jump of the date`() async throws {
        let finished = Woken()
        let task = sleeper(10, telling: finished)
        _ = await clock.sleepers(atLeast: 1)
        clock.jump(by: 3600)
        expectEqual(clock.sleepers, [.seconds(10)])
        clock.advance(by: .seconds(10))
        try await task.value
    }

    @Test func `A waiter on a manual clock is released at once when the task is canceled`() async {
        let task = sleeper(10)
        _ = await clock.sleepers(atLeast: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleepers.isEmpty)
    }

    @Test func `A waiter on a manual clock does not begin to wait in a task that was canceled before`() async {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in gate {}
            try await clock.wallClock().sleep(for: .seconds(1))
        }
        task.cancel()
        open.finish()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func `A waiter on a manual clock continues at once if there is nothing to wait for`(duration: Duration) async throws
    {
        try await clock.wallClock().sleep(for: duration)
        #expect(clock.sleepers.isEmpty)
    }

    @Test func `A waiter on a manual clock is awaited by its remaining time, whatever else waits`() async throws {
        let tasks = [5, 600, 3600].map { sleeper($0) }
        await clock.sleeper(for: .seconds(600) ... .seconds(601))
        #expect(clock.sleepers.contains(.seconds(600)))
        // Time that passes makes a long wait a short one.
        async let short: Void = clock.sleeper(for: .seconds(1) ... .seconds(2))
        _ = await clock.sleepers(atLeast: 3)
        clock.advance(by: .seconds(599))
        await short
        #expect(clock.sleepers.contains(.seconds(1)))
        for task in tasks { task.cancel() }
        for task in tasks { _ = await task.result }
    }

    @Test func `A waiter on a manual clock can be awaited by several tasks at once`() async throws {
        async let one = clock.sleepers(atLeast: 1)
        async let two = clock.sleepers(atLeast: 2)
        let finished = Woken()
        let tasks = [1, 2].map { sleeper($0, telling: finished) }
        #expect(await one.count >= 1)
        await expectEqual(two, [.seconds(1), .seconds(2)])
        clock.advance(by: .seconds(2))
        for task in tasks { try await task.value }
    }
}
