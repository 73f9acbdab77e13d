// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchRPC
import LatchTesting
import TestTags
import Testing

@Suite(.tags(.stateStream)) struct StateStreamTests {
    @Test func `A stream of states begins with the current state and continues with each different one`() async throws {
        let client = ShelfClient(ShelfService())
        var states = client.stateStream.makeAsyncIterator()
        await expectEqual(states.next(), ShelfState())
        try await client.process(.quiet(Book("a")))
        try await client.process(.quiet(Book("b")))
        await expectEqual(states.next()?.ids, ["a"])
        await expectEqual(states.next()?.ids, ["a", "b"])
    }

    @Test func `A stream of states gives all readers the same states, and outlives a reader`() async throws {
        let client = ShelfClient(ShelfService())
        let streams = (0..<3).map { _ in client.stateStream }
        let leaving = Task { for await _ in streams[0] {} }
        leaving.cancel()
        await leaving.value
        try await client.process(.quiet(Book("a")))
        for stream in streams.dropFirst() {
            var states = stream.makeAsyncIterator()
            await expectEqual(states.next()?.ids, [])
            await expectEqual(states.next()?.ids, ["a"])
        }
        await expectEqual(client.getPerformanceMetrics().stateStreamSubscribers, 2)
    }

    @Test func `A stream of states ends when the client is shut down`() async throws {
        let client = ShelfClient(ShelfService())
        let stream = client.stateStream
        await client.shutDown()
        var count = 0
        for await _ in stream { count += 1 }
        for await _ in client.stateStream { count += 1 }
        expectEqual(count, 2)
        await #expect(throws: ShelfFailure.self) { try await client.process(.add(Book("a"))) }
    }

    @Test func `A stream of states ends when the client is released`() async {
        var client: ShelfClient? = ShelfClient(ShelfService())
        let stream = client?.stateStream
        client = nil
        var count = 0
        if let stream { for await _ in stream { count += 1 } }
        expectEqual(count, 1)
    }

    @Test func `A stream of states is removed with its reader, ten thousand times`() async {
        let store = StateStore(0)
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for turn in 0..<2_500 {
                        let reader = Task { for await _ in store.stream() {} }
                        if (worker + turn).isMultiple(of: 2) { await Task.yield() }
                        reader.cancel()
                        await reader.value
                    }
                }
            }
        }
        expectEqual(store.subscriberCount, 0)
    }

    @Test func `A stream of states without a reader buffers a limited number of states, and the newest`() async {
        let store = StateStore(0, depth: 4)
        let stream = store.stream()
        for state in 1...100 { store.publish(state) }
        store.finish()
        var seen: [Int] = []
        for await state in stream { seen.append(state) }
        expectEqual(seen, [97, 98, 99, 100])
    }

    @Test(.tags(.stateRollback)) func `A stream of states shows a rollback, and no equal state`() async throws {
        let client = ShelfClient(ShelfService())
        let before = await client.getCurrentState()
        try await client.process(.quiet(Book("a")))
        var states = client.stateStream.makeAsyncIterator()
        _ = await states.next()
        await client.rollbackToState(before)
        await client.rollbackToState(before)
        await client.rollbackToState(ShelfState(books: [Book("z")]))
        await expectEqual(states.next()?.ids, [])
        await expectEqual(states.next()?.ids, ["z"])
        await expectEqual(client.getStatistics().publishedStates, 3)
    }
}
