// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import Synchronization
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

/// How many were inside at the same time, at most.
private final class Peak: Sendable {
    private let counts = Mutex((inside: 0, most: 0))

    var most: Int { counts.withLock { $0.most } }

    func passThrough() {
        counts.withLock { $0 = ($0.inside + 1, max($0.most, $0.inside + 1)) }
        counts.withLock { $0.inside -= 1 }
    }
}

/// The order in which jobs ran.
private final class Order<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }
    func append(_ element: Element) { elements.withLock { $0.append(element) } }
}

@Suite struct WorkerPoolTests {
    private func outcome(
        _ pool: WorkerPool, for purpose: WorkerPool.Purpose = .login, from address: String = "192.0.2.1",
        _ body: @escaping @Sendable () -> Void = {}
    ) async -> String {
        do throws(IdentityError) {
            try await pool.run(for: purpose, from: NetworkPrefix(of: address)) { () throws(IdentityError) in body() }
            return "done"
        } catch {
            return error.code
        }
    }

    @Test(.tags(.hashFlood))
    func `The pool of password threads refuses at once beyond its queue, and serves the others`() async {
        let pool = WorkerPool(label: "test", workers: 1, maximumWaiting: 3)
        let hold = BlockingJob()
        async let held = outcome(pool) { hold.work() }
        await hold.untilBegun()
        let outcomes = await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { await outcome(pool) } }
            var outcomes: [String] = []
            while let next = await group.next() {
                outcomes.append(next)
                if outcomes.count == 17 { hold.release() }
            }
            return outcomes
        }
        expectEqual(outcomes, Array(repeating: "overloaded", count: 17) + Array(repeating: "done", count: 3))
        await expectEqual(held, "done")
    }

    @Test(.tags(.abandonedHash))
    func `The pool of password threads gives the place of a caller that left to another`() async {
        let pool = WorkerPool(label: "test", workers: 1, maximumWaiting: 1)
        let hold = BlockingJob()
        async let held = outcome(pool) { hold.work() }
        await hold.untilBegun()
        let aborting = Task { await outcome(pool) { Issue.record("work of a caller that went away was done") } }
        try? await eventually { pool.load.waiting > 0 }
        await expectEqual(outcome(pool), "overloaded")
        aborting.cancel()
        await expectEqual(aborting.value, "cancelled")
        expectEqual(pool.load.waiting, 0)
        async let next = outcome(pool)
        hold.release()
        await expectEqual(next, "done")
        await expectEqual(held, "done")
    }

    @Test func `The pool of password threads does nothing for a caller that was canceled before`() async {
        let pool = WorkerPool(label: "test", workers: 1, maximumWaiting: 1)
        let hold = BlockingJob()
        async let held = outcome(pool) { hold.work() }
        await hold.untilBegun()
        let task = Task { () -> String in
            while !Task.isCancelled { await Task.yield() }
            return await outcome(pool)
        }
        task.cancel()
        await expectEqual(task.value, "cancelled")
        hold.release()
        await expectEqual(held, "done")
    }

    @Test(.tags(.hashFlood), arguments: [WorkerPool.Purpose.signUp, .login])
    func `The pool of password threads lets a job wait for one of another purpose, and not for a flood`(
        flood: WorkerPool.Purpose
    ) async {
        let late: WorkerPool.Purpose = flood == .login ? .signUp : .login
        let pool = WorkerPool(label: "test", workers: 1, maximumWaiting: 100)
        let hold = BlockingJob()
        let order = Order<WorkerPool.Purpose>()
        async let held = outcome(pool, for: flood) { hold.work() }
        await hold.untilBegun()
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<100 {
                group.addTask { await outcome(pool, for: flood) { order.append(flood) } }
            }
            try? await eventually { pool.load.waiting >= 100 }
            // A full queue leaves the places of the others.
            await expectEqual(outcome(pool, for: flood), "overloaded")
            group.addTask { await outcome(pool, for: late) { order.append(late) } }
            try? await eventually { pool.load.waiting >= 101 }
            hold.release()
            for await outcome in group { expectEqual(outcome, "done") }
        }
        await expectEqual(held, "done")
        #expect(order.all.prefix(2).contains(late))
    }

    @Test(.tags(.hashFlood)) func `The pool of password threads lets a login of another network pass the flood`()
        async
    {
        let pool = WorkerPool(label: "test", workers: 1, maximumWaiting: 100)
        let hold = BlockingJob()
        let order = Order<String>()
        async let held = outcome(pool) { hold.work() }
        await hold.untilBegun()
        let rejected = await withTaskGroup(of: String.self) { group in
            for number in 0..<100 {
                let address = "192.0.2.\(number % 2)"
                group.addTask { await outcome(pool, from: address) { order.append("flood") } }
            }
            try? await eventually { pool.load.waiting >= 100 }
            group.addTask {
                await outcome(pool, from: "198.51.100.7") { order.append("honest") }
            }
            // The honest login takes the place of one of the flood's.
            let rejected = await group.next()
            hold.release()
            for await outcome in group { expectEqual(outcome, "done") }
            return rejected
        }
        expectEqual(rejected, "overloaded")
        await expectEqual(held, "done")
        #expect(order.all.prefix(2).contains("honest") && order.all.count == 100)
    }

    @Test func `The pool of password threads runs no more jobs at once than it has threads`() async {
        let pool = WorkerPool(label: "test", workers: 2, maximumWaiting: 100)
        let peak = Peak()
        await withTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { await outcome(pool) { peak.passThrough() } } }
        }
        #expect(peak.most <= 2)
    }
}
