// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import Synchronization
import TestSupport
import Testing

/// Counts who is inside, from any task.
private final class Inside: Sendable {
    private let state = Mutex((order: [Int](), now: 0, most: 0))

    var order: [Int] { state.withLock { $0.order } }
    var now: Int { state.withLock { $0.now } }
    var most: Int { state.withLock { $0.most } }

    func enter(_ number: Int) {
        state.withLock { state in
            state.order.append(number)
            state.now += 1
            state.most = max(state.most, state.now)
        }
    }

    func leave() { state.withLock { $0.now -= 1 } }
}

@Suite struct AsyncMutexTests {
    private let turn = AsyncMutex()
    private let inside = Inside()

    /// Takes the turn and holds it until the gate is opened.
    private func hold(_ turn: AsyncMutex) async -> (Task<Void, any Error>, open: AsyncStream<Void>.Continuation) {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let (began, begin) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await turn.withLock {
                begin.finish()
                for await _ in gate {}
            }
        }
        for await _ in began {}
        return (task, open)
    }

    private func wait(forLine count: Int) async throws {
        try await eventually { turn.waiterCount >= count }
    }

    @Test func `A turn is acquired at once if it is free, and given back`() async throws {
        #expect(try await turn.withLock { turn.isLocked })
        #expect(!turn.isLocked)
        try await expectEqual(turn.withLock { 7 }, 7)
    }

    @Test func `A turn is given back when its operation fails`() async throws {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await turn.withLock { throw Failure() } }
        #expect(!turn.isLocked)
    }

    @Test func `A turn is held by one task at a time, in the order of the requests`() async throws {
        let (holder, open) = await hold(turn)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<20 {
            tasks.append(
                Task {
                    try await turn.withLock {
                        inside.enter(number)
                        await Task.yield()
                        inside.leave()
                    }
                })
            try await wait(forLine: number + 1)
        }
        open.finish()
        for task in tasks + [holder] { try await task.value }
        expectEqual(inside.order, Array(0..<20))
        expectEqual(inside.most, 1)
        #expect(!turn.isLocked)
    }

    @Test func `A turn is not awaited by a canceled task, and passes on to the next`() async throws {
        let (holder, open) = await hold(turn)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<4 {
            tasks.append(Task { try await turn.withLock { inside.enter(number) } })
            try await wait(forLine: number + 1)
        }
        for number in [0, 2] {
            tasks[number].cancel()
            await #expect(throws: CancellationError.self) { try await tasks[number].value }
        }
        expectEqual(turn.waiterCount, 2)
        open.finish()
        try await holder.value
        for number in [1, 3] { try await tasks[number].value }
        expectEqual(inside.order, [1, 3])
        expectEqual(turn.waiterCount, 0)
        #expect(!turn.isLocked)
    }

    @Test func `A turn is not asked for in a task that was canceled before`() async {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let task = Task {
            for await _ in gate {}
            try await turn.withLock {}
        }
        task.cancel()
        open.finish()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(!turn.isLocked)
    }

    @Test(arguments: [UInt64](0..<20))
    func `A turn is never lost, however tasks come, go and are canceled`(seed: UInt64) async {
        var random = SplitMix64(state: seed)
        let choices = (0..<200).map { _ in random.below(3) }
        let cancelled = await withTaskGroup(of: Bool.self) { group in
            for choice in choices {
                group.addTask {
                    let task = Task {
                        try await turn.withLock {
                            inside.enter(choice)
                            await Task.yield()
                            inside.leave()
                        }
                    }
                    if choice == 0 { task.cancel() }
                    if choice == 1 {
                        await Task.yield()
                        task.cancel()
                    }
                    return await task.result.isCancelled
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expectEqual(inside.most, 1)
        expectEqual(inside.now, 0)
        expectEqual(inside.order.count + cancelled, 200)
        #expect(!turn.isLocked)
        expectEqual(turn.waiterCount, 0)
    }
}

extension Result {
    fileprivate var isCancelled: Bool {
        if case .failure(let error) = self { return error is CancellationError }
        return false
    }
}
