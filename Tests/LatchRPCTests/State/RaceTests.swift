// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchRPC
import LatchTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct RaceTests {
    private struct Refused: Error {}

    /// Ends after so many turns of the scheduler, and fails where it is to.
    private static func call(failing: Set<Int>) -> @Sendable (Int) async throws -> Void {
        { number in
            for _ in 0..<(number * 7 % 5) { await Task.yield() }
            if failing.contains(number) { throw Refused() }
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `Concurrent actions keep all changes of successes and none of failures`(seed: UInt64) async throws {
        var random = SplitMix64(state: seed)
        let failing = Set((0..<300).filter { _ in random.below(4) == 0 })
        let client = TallyClient(Self.call(failing: failing))
        let orders = (0..<30).map { group in (kind: random.below(4), numbers: Array(group * 10..<group * 10 + 10)) }
        let expected = await withTaskGroup(of: [Int].self) { group in
            for (kind, numbers) in orders {
                group.addTask { await Self.order(numbers, kind, of: client, failing: failing) }
            }
            return await group.reduce(into: Set<Int>()) { $0.formUnion($1) }
        }
        let state = await client.getCurrentState()
        expectEqual(Set(state.done), expected)
        expectEqual(state.done.count, Set(state.done).count, "nothing is done twice")
        #expect(!state.isLoading)
        // What was ordered one after the other is in that order.
        for (kind, numbers) in orders where kind != 0 {
            let order = state.done.filter { numbers.contains($0) }
            expectEqual(order, order.sorted())
        }
    }

    /// Orders actions in one of four ways.
    ///
    /// - Returns: Those that are to stay.
    private static func order(
        _ numbers: [Int], _ kind: Int, of client: TallyClient, failing: Set<Int>
    ) async -> [Int] {
        let actions = numbers.map { TallyAction($0, isShown: $0.isMultiple(of: 2)) }
        let first = numbers.firstIndex(where: failing.contains) ?? numbers.count
        do {
            switch kind {
            case 0: try await client.process(batch: actions)
            case 1: try await client.process(sequence: actions)
            case 2: try await client.processAtomically(actions)
            default: for action in actions { try await client.process(action, timeout: .seconds(600)) }
            }
            return numbers
        } catch {
            switch kind {
            case 0: return numbers.filter { !failing.contains($0) }
            case 2: return []
            default: return Array(numbers[..<first])
            }
        }
    }

    @Test func `Concurrent actions continue from a state that a rollback restored`() async throws {
        let gates = (0..<3).map { _ in Gate() }
        let client = TallyClient { await gates[$0].pass() }
        let tasks = (0..<3).map { number in Task { try await client.process(TallyAction(number)) } }
        for gate in gates { await gate.reached() }
        gates[0].open()
        try await tasks[0].value
        await client.rollbackToState(TallyState(done: [99]))
        #expect(await client.getCurrentState().isLoading, "two are still under way, whatever the state said")
        gates[1].open()
        gates[2].open()
        for task in tasks { try await task.value }
        let state = await client.getCurrentState()
        expectEqual(state.done.first, 99)
        expectEqual(Set(state.done), [99, 1, 2])
        #expect(!state.isLoading)
    }

    @Test func `Concurrent actions keep a rollback within an undone sequence`() async throws {
        let gates = (0..<2).map { _ in Gate() }
        let client = TallyClient { number in
            await gates[number].pass()
            if number == 1 { throw Refused() }
        }
        let task = Task { try await client.processAtomically([TallyAction(0), TallyAction(1)]) }
        gates[0].open()
        await gates[1].reached()
        await client.rollbackToState(TallyState(done: [7]))
        gates[1].open()
        await #expect(throws: ShelfFailure.self) { try await task.value }
        await expectEqual(client.getCurrentState().done, [7])
    }

    @Test func `Concurrent actions show all readers the same states in one order, a hundred at a time`() async throws {
        let client = TallyClient(
            settings: ClientSettings(bufferedStates: 10_000), Self.call(failing: []))
        let streams = (0..<8).map { _ in client.stateStream }
        let readers = streams.map { stream in
            Task {
                var seen: [[Int]] = []
                for await state in stream { seen.append(state.done) }
                return seen
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    do { try await client.process(TallyAction(number, isShown: false)) } catch { Issue.record(error) }
                }
            }
        }
        await client.shutDown()
        let first = await readers[0].value
        expectEqual(first.count, 101)
        expectEqual(first.last?.count, 100)
        // Each state is the one before and one more.
        for (before, after) in zip(first, first.dropFirst()) { expectEqual(after.dropLast(), before[...]) }
        for reader in readers.dropFirst() { await expectEqual(reader.value, first) }
    }

    @Test func `Concurrent actions buffer a limited number of states for a slow reader, and the newest`() async throws {
        let client = TallyClient(settings: ClientSettings(bufferedStates: 3))
        let stream = client.stateStream
        for number in 0..<50 { try await client.process(TallyAction(number)) }
        await client.shutDown()
        var seen: [TallyState] = []
        for await state in stream { seen.append(state) }
        expectEqual(seen.count, 3)
        expectEqual(seen.last?.done, Array(0..<50))
        expectEqual(seen.last?.isLoading, false)
    }

    @Test func `Concurrent actions that a hook starts run after the change`() async throws {
        let client = TallyClient()
        await client.onUpdate { client, state in
            // Brought back from within the hook: the newest state is the one that stays.
            if state.done == [1] { client.rollbackToState(TallyState(done: [1, 100])) }
        }
        let stream = client.stateStream
        try await client.process(TallyAction(1, isShown: false))
        try await client.process(TallyAction(2, isShown: false))
        await expectEqual(client.getCurrentState().done, [1, 100, 2])
        await client.shutDown()
        var seen: [[Int]] = []
        for await state in stream { seen.append(state.done) }
        expectEqual(seen, [[], [1], [1, 100], [1, 100, 2]])
    }
}

@Suite(.timeLimit(.minutes(1))) struct ReleasedClientTests {
    private func expectGone(_ use: (TallyClient) async throws -> Void) async throws {
        var client: TallyClient? = TallyClient()
        weak let left = client
        if let client { try await use(client) }
        client = nil
        // What was begun for it has ended, but for the last steps of its tasks, which take as long as other threads need.
        while left != nil, !Task.isCancelled { await Task.yield() }
        expectNil(left)
    }

    @Test func `A released client is not retained by its actions`() async throws {
        try await expectGone { try await $0.process(TallyAction(1)) }
        try await expectGone { try await $0.process(TallyAction(1), timeout: .seconds(600)) }
        try await expectGone { try await $0.processWithRetry(TallyAction(1)) }
        try await expectGone { try await $0.processAtomically([TallyAction(1), TallyAction(2)]) }
        try await expectGone { try await $0.process(batch: [TallyAction(1), TallyAction(2)]) }
        try await expectGone { client in
            await #expect(throws: ShelfFailure.self) { try await client.process(TallyAction(-1)) }
        }
    }

    @Test func `A released client is not retained by its readers, whose streams end`() async throws {
        var streams: [StateStream<TallyState>] = []
        try await expectGone { client in
            streams = (0..<10).map { _ in client.stateStream }
            try await client.process(TallyAction(1, isShown: false))
        }
        for stream in streams {
            var seen: [[Int]] = []
            for await state in stream { seen.append(state.done) }
            expectEqual(seen, [[], [1]])
        }
    }

    @Test func `A released client is deallocated after its running action`() async throws {
        let gate = Gate()
        var client: TallyClient? = TallyClient { _ in await gate.pass() }
        let stream = try #require(client).stateStream
        let task = Task { [client] in try await client?.process(TallyAction(1)) }
        await gate.reached()
        client = nil
        gate.open()
        try await task.value
        var last: TallyState?
        for await state in stream { last = state }
        expectEqual(last?.done, [1])
    }
}

@Suite(.timeLimit(.minutes(1))) struct TimeLimitedActionTests {
    private let clock = ManualClock()
    private var settings: ClientSettings { ClientSettings(clock: clock.wallClock()) }

    @Test func `An action with a time limit fails exactly at the limit`() async throws {
        let gate = Gate()
        let client = TallyClient(settings: settings) { _ in await gate.pass() }
        let task = Task { try await client.process(TallyAction(1), timeout: .seconds(5)) }
        await gate.reached()
        _ = await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(5) - .nanoseconds(1))
        #expect(await client.getCurrentState().isLoading)
        clock.advance(by: .nanoseconds(1))
        let thrown = await #expect(throws: ShelfFailure.self) { try await task.value }
        expectEqual(thrown?.code, "timeout")
        expectEqual(thrown?.seconds, 5)
        gate.open()
        let state = await client.getCurrentState()
        expectEqual(state.error, thrown)
        #expect(state.done.isEmpty && !state.isLoading)
    }

    @Test func `An action with a time limit of zero fails and changes nothing`() async throws {
        for timeout in [Duration.zero, .seconds(-1)] {
            let gate = Gate()
            let client = TallyClient(settings: settings) { _ in await gate.pass() }
            let thrown = await #expect(throws: ShelfFailure.self) {
                try await client.process(TallyAction(1), timeout: timeout)
            }
            gate.open()
            expectEqual(thrown?.code, "timeout")
            #expect(await client.getCurrentState().done.isEmpty)
            #expect(await !client.getCurrentState().isLoading)
        }
    }

    @Test func `An action with a time limit that its caller cancels is not a failure`() async throws {
        let gate = Gate()
        let client = TallyClient(settings: settings) { _ in
            await gate.pass()
            try Task.checkCancellation()
        }
        let task = Task { try await client.process(TallyAction(1), timeout: .seconds(5)) }
        await gate.reached()
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        await expectEqual(client.getCurrentState(), TallyState())
        await expectEqual(client.getStatistics().failed, 0)
        #expect(clock.sleepers.isEmpty)
    }

    @Test func `An action with a time limit keeps the error of an invalid request`() async throws {
        let client = TallyClient(settings: settings)
        let thrown = await #expect(throws: ShelfFailure.self) {
            try await client.process(TallyAction(-1), timeout: .seconds(5))
        }
        expectEqual(thrown?.code, "invalidAction")
        await expectEqual(client.getCurrentState().error, thrown)
    }
}
