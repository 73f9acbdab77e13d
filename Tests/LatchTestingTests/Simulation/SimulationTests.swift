// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import SessionSimulation
import Synchronization
import Testing

@Suite struct SimulationTests {
    /// Ten tasks that wait for random times and note when they go on.
    static func trace(seed: UInt64) -> [String] {
        let simulation = Simulation(seed: seed, isTracing: true)
        for task in 0..<10 {
            simulation.spawn {
                for step in 0..<5 {
                    try await simulation.pause(upToMilliseconds: 50)
                    await Task.yield()
                    simulation.note("\(task).\(step) \(simulation.below(1000)) \(simulation.random.identifier())")
                }
            }
        }
        #expect(simulation.run())
        return simulation.trace
    }

    @Test(arguments: [0, 1, 42, UInt64.max])
    func `A simulation is the same run with the same seed`(seed: UInt64) {
        let trace = Self.trace(seed: seed)
        expectEqual(trace.count, 50)
        expectEqual(Self.trace(seed: seed), trace)
    }

    @Test func `A simulation is another run with another seed`() {
        let traces = Set((0..<20).map { Self.trace(seed: $0).joined(separator: "\n") })
        expectEqual(traces.count, 20)
    }

    @Test func `A simulation interleaves tasks in more than one order`() {
        let orders = (UInt64(0)..<50).map { seed -> [Int] in
            let simulation = Simulation(seed: seed)
            let order = Mutex<[Int]>([])
            for task in 0..<3 { simulation.spawn { order.withLock { $0.append(task) } } }
            #expect(simulation.run())
            return order.withLock { $0 }
        }
        #expect(orders.allSatisfy { $0.sorted() == [0, 1, 2] })
        expectEqual(Set(orders).count, 6)
    }

    @Test func `A simulation wakes timers in the order of their deadlines, and then of their waiting`() {
        let simulation = Simulation(seed: 7)
        let woken = Mutex<[String]>([])
        func wait(_ name: String, _ duration: Duration) {
            simulation.spawn {
                try await simulation.clock.sleep(for: duration)
                woken.withLock { $0.append(name) }
            }
            // One after the other, so that the order of their waiting is known.
            #expect(simulation.run(horizon: .zero))
        }
        wait("late", .seconds(3))
        wait("first of two", .seconds(2))
        wait("second of two", .seconds(2))
        wait("soon", .milliseconds(1))
        #expect(simulation.run())
        expectEqual(woken.withLock { $0 }, ["soon", "first of two", "second of two", "late"])
    }

    @Test func `A simulation lets a day pass at once, and exactly a day`() {
        let simulation = Simulation(seed: 1)
        let start = simulation.now
        simulation.spawn { try await simulation.clock.sleep(for: .seconds(86_400)) }
        #expect(simulation.run())
        expectEqual(simulation.now.timeIntervalSince(start), 86_400)
        expectEqual(simulation.trueNow, simulation.now)
    }

    @Test func `A simulation does not let time pass while something can still happen`() {
        let simulation = Simulation(seed: 3)
        let start = simulation.now
        let seen = Mutex<[Date]>([])
        simulation.spawn { try await simulation.clock.sleep(for: .seconds(60)) }
        simulation.spawn {
            for _ in 0..<100 {
                await Task.yield()
                seen.withLock { $0.append(simulation.now) }
            }
        }
        #expect(simulation.run())
        expectEqual(seen.withLock { $0 }, Array(repeating: start, count: 100))
    }

    @Test func `A simulation stops before its horizon, and continues beyond it later`() {
        let simulation = Simulation(seed: 5)
        let isDone = Mutex(false)
        simulation.spawn {
            try await simulation.clock.sleep(for: .seconds(10))
            isDone.withLock { $0 = true }
        }
        #expect(simulation.run(horizon: .seconds(9)))
        #expect(!isDone.withLock { $0 })
        #expect(simulation.run(horizon: .seconds(10)))
        #expect(isDone.withLock { $0 })
    }

    @Test func `A simulation ends early if configured`() {
        let simulation = Simulation(seed: 5)
        let steps = Mutex(0)
        simulation.spawn {
            while true {
                try await simulation.clock.sleep(for: .seconds(1))
                steps.withLock { $0 += 1 }
            }
        }
        #expect(simulation.run { steps.withLock { $0 } == 3 })
        expectEqual(steps.withLock { $0 }, 3)
    }

    @Test func `A simulation reports that it never comes to rest`() {
        let simulation = Simulation(seed: 5)
        let task = simulation.spawn { while !Task.isCancelled { await Task.yield() } }
        #expect(!simulation.run())
        task.cancel()
        #expect(simulation.run())
    }

    @Test func `A simulation ends a wait that is canceled without letting its time pass`() async {
        let simulation = Simulation(seed: 9)
        let start = simulation.now
        let task = simulation.spawn { try await simulation.clock.sleep(for: .seconds(3600)) }
        #expect(simulation.run(horizon: .zero))
        task.cancel()
        #expect(simulation.run())
        expectEqual(simulation.now, start)
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `A simulation does not begin a wait of a task that was canceled before`() async {
        let simulation = Simulation(seed: 9)
        let start = simulation.now
        let task = simulation.spawn { try await simulation.clock.sleep(for: .seconds(3600)) }
        task.cancel()
        #expect(simulation.run())
        expectEqual(simulation.now, start)
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `A simulation wakes no other timer when one is canceled`() async throws {
        let simulation = Simulation(seed: 9)
        let start = simulation.trueNow
        let kept = simulation.spawn {
            try await simulation.clock.sleep(for: .seconds(2))
            return simulation.trueNow
        }
        let cancelled = simulation.spawn { try await simulation.clock.sleep(for: .seconds(1)) }
        #expect(simulation.run(horizon: .zero))
        cancelled.cancel()
        #expect(simulation.run())
        try await expectEqual(kept.value.timeIntervalSince(start), 2)
    }

    @Test func `A simulation takes a negative wait for none`() {
        let simulation = Simulation(seed: 2)
        let start = simulation.now
        simulation.spawn { try await simulation.clock.sleep(for: .seconds(-5)) }
        #expect(simulation.run())
        expectEqual(simulation.now, start)
    }

    @Test func `A simulation moves the date of the device and not the true one`() {
        let simulation = Simulation(seed: 2)
        let start = simulation.trueNow
        simulation.jumpDate(bySeconds: -3600)
        expectEqual(simulation.clock.now.timeIntervalSince(start), -3600)
        simulation.jumpDate(bySeconds: 60)
        expectEqual(simulation.now.timeIntervalSince(start), -3540)
        expectEqual(simulation.trueNow, start)
    }

    @Test func `A simulation chooses below its bound and within its chances`() {
        let simulation = Simulation(seed: 11)
        let choices = (0..<2000).map { _ in simulation.below(7) }
        expectEqual(Set(choices), Set(0..<7))
        #expect([1, 0, -3].allSatisfy { simulation.below($0) == 0 })
        #expect((0..<500).allSatisfy { _ in simulation.chance(100) && !simulation.chance(0) })
    }

    @Test func `A simulation keeps no unrequested notes`() {
        let simulation = Simulation(seed: 2)
        simulation.note("unheard")
        #expect(simulation.trace.isEmpty)
        let traced = Simulation(seed: 2, isTracing: true)
        traced.note("heard")
        expectEqual(traced.trace, ["0.0 s  heard"])
    }

    @Test func `A simulation runs its tasks one at a time on the thread that drives it`() {
        let simulation = Simulation(seed: 21)
        let inside = Mutex(0)
        let most = Mutex(0)
        for _ in 0..<20 {
            simulation.spawn {
                for _ in 0..<10 {
                    let now = inside.withLock {
                        $0 += 1
                        return $0
                    }
                    most.withLock { $0 = max($0, now) }
                    inside.withLock { $0 -= 1 }
                    await Task.yield()
                }
            }
        }
        #expect(simulation.run())
        expectEqual(most.withLock { $0 }, 1)
    }
}
