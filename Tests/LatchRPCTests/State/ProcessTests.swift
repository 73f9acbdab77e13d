// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchRPC
import LatchTesting
import TestTags
import Testing

@Suite struct ProcessTests {
    @Test(.tags(.successfulLogin))
    func `An action shows the loading state, then its result without an error`() async throws {
        let gate = Gate()
        let service = ShelfService { _, book, _ in
            await gate.pass()
            return BookList([book])
        }
        let client = ShelfClient(service, ShelfState(error: ShelfFailure(.closed)))
        let done = Task { try await client.process(.add(Book("a"))) }
        await gate.reached()
        #expect(await client.getCurrentState().isLoading)
        await expectNil(client.getCurrentState().error)
        gate.open()
        try await done.value
        let state = await client.getCurrentState()
        expectEqual(state.ids, ["a"])
        #expect(!state.isLoading)
        expectNil(state.error)
        #expect(state.lastUpdated != nil)
    }

    @Test func `An action shows no loading state if its options say so`() async throws {
        let gate = Gate()
        let client = ShelfClient(
            ShelfService { _, book, _ in
                await gate.pass()
                return BookList([book])
            })
        let done = Task { try await client.process(.quiet(Book("a"))) }
        await gate.reached()
        #expect(await !client.getCurrentState().isLoading)
        gate.open()
        try await done.value
    }

    @Test(.tags(.failedLogin)) func `An action that fails throws the error that becomes part of the state`() async {
        let client = ShelfClient(ShelfService { _, _, _ in throw RPCError(.unauthenticated, "wrong password") })
        let thrown = await #expect(throws: ShelfFailure.self) { try await client.process(.add(Book("a"))) }
        let state = await client.getCurrentState()
        expectEqual(state.error, thrown)
        expectEqual(state.error?.message, "wrong password")
        #expect(state.books.isEmpty)
        #expect(!state.isLoading)
        expectNil(state.lastUpdated)
    }

    @Test(.tags(.invalidAction)) func `An action that is invalid makes no call and reports the violated rules`() async {
        let service = ShelfService()
        let client = ShelfClient(service)
        let thrown = await #expect(throws: ShelfFailure.self) { try await client.process(.add(Book(""))) }
        #expect(service.names.isEmpty)
        expectEqual(thrown?.message, "Action validation failed: id must not be empty")
        await expectEqual(client.getCurrentState().error, thrown)
        #expect(!ShelfAction.add(Book("")).isValid)
    }

    @Test(.tags(.lostUpdates)) func `An action loses no change of a concurrent one`() async throws {
        // Each call is sent before any is answered, and they are answered in the opposite order.
        let gates = (0..<4).map { _ in Gate() }
        let client = ShelfClient(
            ShelfService { _, book, _ in
                await gates[Int(book.pages)].pass()
                return BookList([book])
            })
        try await withThrowingTaskGroup(of: Void.self) { group in
            for index in 0..<4 {
                group.addTask { try await client.process(.add(Book("\(index)", pages: Int32(index)))) }
            }
            for gate in gates { await gate.reached() }
            var states = client.stateStream.makeAsyncIterator()
            for (count, gate) in gates.reversed().enumerated() {
                gate.open()
                while await states.next()?.books.count != count + 1 {}
            }
            try await group.waitForAll()
        }
        await expectEqual(client.getCurrentState().ids, ["3", "2", "1", "0"])
        #expect(await !client.getCurrentState().isLoading)
    }

    @Test(.tags(.actionRedaction)) func `An action shows no secret of its request`() {
        let action = ShelfAction.add(Book("a", title: "Emma", token: "hunter2"))
        for text in ["\(action)", String(describing: action), String(reflecting: action), "\([action])"] {
            #expect(text.contains("Emma"))
            #expect(!text.contains("hunter2"))
        }
        #expect("\(action)".hasPrefix("add("))
    }

    @Test func `An action calls the hooks only before and after each change`() async throws {
        let client = ShelfClient(ShelfService())
        try await client.process(.quiet(Book("a")))
        try await client.process(.quiet(Book("a")))
        await expectEqual(client.hooks, ["will 0 1", "did 0 1"])
    }

    @Test func `An action that is canceled is not a failure, and no longer loading`() async throws {
        let gate = Gate()
        let client = ShelfClient(
            ShelfService { _, _, _ in
                await gate.pass()
                try Task.checkCancellation()
                return BookList([Book("a")])
            })
        let task = Task { try await client.process(.add(Book("a"))) }
        await gate.reached()
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        await expectEqual(client.getCurrentState(), ShelfState())
    }

    @Test func `An action that was canceled ignores a late response`() async throws {
        let gate = Gate()
        let client = ShelfClient(
            ShelfService { _, book, _ in
                await gate.pass()
                return BookList([book])
            })
        let task = Task { try await client.process(.add(Book("a"))) }
        await gate.reached()
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(await client.getCurrentState().books.isEmpty)
    }

    @Test func `An action without a change keeps the date of the last change`() async throws {
        let clock = ManualClock()
        let client = ShelfClient(ShelfService(), ShelfState(), ClientSettings(clock: clock.wallClock()))
        try await client.process(.add(Book("a")))
        let date = await client.getCurrentState().lastUpdated
        expectEqual(date, clock.now)
        clock.advance(by: .seconds(60))
        try await client.process(.add(Book("a")))
        try await client.process(.look(Book("b")))
        await expectEqual(client.getCurrentState().lastUpdated, date)
        await expectEqual(client.getCurrentState().ids, ["a"])
    }

    @Test(arguments: [
        (RPCError(.unavailable) as any Error, "unreachable", true), (HTTPError.offline, "unreachable", true),
        (RPCError(.deadlineExceeded), "timeout", true), (HTTPError.timeout, "timeout", true),
        (RPCError(.permissionDenied, "no"), "callFailed", false), (HTTPError.tls, "callFailed", false),
    ])
    func `An action translates the error of a call`(error: any Error, code: String, isRetryable: Bool) async {
        let client = ShelfClient(ShelfService { _, _, _ in throw error })
        let thrown = await #expect(throws: ShelfFailure.self) { try await client.process(.add(Book("a"))) }
        expectEqual(thrown?.code, code)
        expectEqual(thrown?.isRetryable, isRetryable)
    }

    @Test func `An action does not reveal the text of an unknown error`() async {
        struct Leak: Error { let password = "hunter2" }
        let client = ShelfClient(ShelfService { _, _, _ in throw Leak() })
        let thrown = await #expect(throws: ShelfFailure.self) { try await client.process(.add(Book("a"))) }
        expectEqual(thrown?.message, "add failed: Leak.")
    }

    @Test func `An action is counted in the statistics`() async throws {
        let client = ShelfClient(
            ShelfService { _, book, _ in
                if book.id == "bad" { throw RPCError(.notFound) }
                return BookList([book])
            })
        try await client.process(.add(Book("a")))
        await #expect(throws: ShelfFailure.self) { try await client.process(.add(Book("bad"))) }
        await #expect(throws: ShelfFailure.self) { try await client.process(.rename(Book(""))) }
        let statistics = await client.getStatistics()
        expectEqual([statistics.succeeded, statistics.failed, statistics.calls], [1, 2, 2])
        expectEqual(statistics.lastAction, "rename")
        #expect(await client.getPerformanceMetrics().averageActionTime > .zero)
    }
}
