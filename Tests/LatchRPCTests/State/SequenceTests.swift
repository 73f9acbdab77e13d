// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import TestTags
import Testing

@testable import LatchHTTP
@testable import LatchProtobuf
@testable import LatchRPC

@Suite struct SequenceTests {
    private let refusing = ShelfService { _, book, _ in
        if book.id == "bad" { throw RPCError(.failedPrecondition, "no") }
        return BookList([book])
    }

    @Test func `Several actions in a sequence end with the first failure`() async {
        let client = ShelfClient(refusing)
        await #expect(throws: ShelfFailure.self) {
            try await client.process(sequence: [.add(Book("a")), .add(Book("bad")), .add(Book("b"))])
        }
        await expectEqual(client.getCurrentState().ids, ["a"])
        expectEqual(refusing.names.count, 2)
    }

    @Test func `Several actions in a batch are all done, and the first failure is thrown`() async {
        let client = ShelfClient(refusing)
        let thrown = await #expect(throws: ShelfFailure.self) {
            try await client.process(batch: [.add(Book("a")), .add(Book("bad")), .add(Book("")), .add(Book("b"))])
        }
        expectEqual(thrown?.message, "no")
        await expectEqual(Set(client.getCurrentState().ids), ["a", "b"])
    }

    @Test(.tags(.atomicActions))
    func `Several actions in an atomic sequence leave the state unchanged after a failure`() async throws {
        let client = ShelfClient(refusing)
        try await client.process(.add(Book("old")))
        let before = await client.getCurrentState()
        let thrown = await #expect(throws: ShelfFailure.self) {
            try await client.processAtomically([.add(Book("a")), .drop(Book("old")), .add(Book("bad"))])
        }
        expectEqual(thrown?.message, "Atomic action sequence failed: processed 2/3 actions")
        await expectEqual(client.getCurrentState(), before)
    }

    @Test(.tags(.atomicActions)) func `Several actions undo no change of concurrent actions`() async throws {
        let gate = Gate()
        let client = ShelfClient(
            ShelfService { _, book, _ in
                guard book.id == "bad" else { return BookList([book]) }
                await gate.pass()
                throw RPCError(.failedPrecondition)
            }, ShelfState(books: [Book("old")]))
        let failed = Task {
            try await client.processAtomically([.add(Book("a")), .drop(Book("old")), .add(Book("bad"))])
        }
        await gate.reached()
        await expectEqual(client.getCurrentState().ids, ["a"])
        try await client.process(.add(Book("other")))
        gate.open()
        await #expect(throws: ShelfFailure.self) { try await failed.value }
        let state = await client.getCurrentState()
        expectEqual(state.ids, ["old", "other"])
        expectNil(state.error)
        #expect(!state.isLoading)
    }

    @Test(.tags(.atomicActions))
    func `Several actions undo only their own changes in concurrent sequences`() async throws {
        let gates = ["bad1": Gate(), "good2": Gate()]
        let client = ShelfClient(
            ShelfService { _, book, _ in
                await gates[book.id]?.pass()
                if book.id.hasPrefix("bad") { throw RPCError(.failedPrecondition) }
                return BookList([book])
            })
        let one = Task { try await client.processAtomically([.add(Book("a1")), .add(Book("bad1"))]) }
        await gates["bad1"]?.reached()
        let other = Task { try await client.processAtomically([.add(Book("a2")), .add(Book("good2"))]) }
        await gates["good2"]?.reached()
        await expectEqual(client.getCurrentState().ids, ["a1", "a2"])
        gates["bad1"]?.open()
        await #expect(throws: ShelfFailure.self) { try await one.value }
        await expectEqual(client.getCurrentState().ids, ["a2"])
        gates["good2"]?.open()
        try await other.value
        await expectEqual(client.getCurrentState().ids, ["a2", "good2"])
    }

    @Test func `Several actions that all succeed are committed`() async throws {
        let client = ShelfClient(refusing)
        try await client.processAtomically([.add(Book("a")), .rename(Book("a", title: "Emma"))])
        await expectEqual(client.getCurrentState().books, [Book("a", title: "Emma")])
    }

    @Test func `Several actions keep a rollback in between`() async throws {
        let gate = Gate()
        let client = ShelfClient(
            ShelfService { _, book, _ in
                guard book.id == "bad" else { return BookList([book]) }
                await gate.pass()
                throw RPCError(.failedPrecondition)
            })
        let failed = Task { try await client.processAtomically([.add(Book("a")), .add(Book("bad"))]) }
        await gate.reached()
        await client.rollbackToState(ShelfState(books: [Book("z")]))
        gate.open()
        await #expect(throws: ShelfFailure.self) { try await failed.value }
        await expectEqual(client.getCurrentState().ids, ["z"])
    }
}

@Suite struct ActionRetryTests {
    private func client(_ clock: ManualClock, _ service: ShelfService) -> ShelfClient {
        var settings = ClientSettings(clock: clock.wallClock())
        // The middle of the random delays.
        settings.random = RandomSource { 1 << 63 }
        return ShelfClient(service, ShelfState(), settings)
    }

    @Test(.tags(.actionRetries))
    func `An action with retries is repeated after about 100, 200 and 400 milliseconds at most`() async throws {
        let clock = ManualClock()
        let service = ShelfService { _, _, _ in throw RPCError(.unavailable) }
        let client = client(clock, service)
        let done = Task { try await client.processWithRetry(.add(Book("a")), evenIfUncertain: true) }
        for delay in [100, 200, 400] {
            await expectEqual(clock.sleepers(atLeast: 1), [.milliseconds(delay)])
            #expect(await client.getCurrentState().isLoading)
            await expectNil(client.getCurrentState().error)
            clock.advance(by: .milliseconds(delay))
        }
        await #expect(throws: ShelfFailure.self) { try await done.value }
        expectEqual(service.names.count, 4)
        await expectEqual(client.getCurrentState().error?.code, "unreachable")
        #expect(await !client.getCurrentState().isLoading)
        await expectEqual(client.getStatistics().retried, 3)
    }

    @Test(.tags(.actionRetries)) func `An action with retries is not repeated after a permanent error`() async {
        let service = ShelfService { _, _, _ in throw RPCError(.permissionDenied) }
        let client = client(ManualClock(), service)
        await #expect(throws: ShelfFailure.self) { try await client.processWithRetry(.add(Book("a"))) }
        await #expect(throws: ShelfFailure.self) { try await client.processWithRetry(.add(Book(""))) }
        expectEqual(service.names.count, 1)
        await expectEqual(client.getCurrentState().error?.code, "invalidAction")
    }

    /// The failures after which it is unknown whether the server has acted.
    private static let uncertain: [any Error] = [
        RPCError(.unavailable), RPCError(.deadlineExceeded), HTTPError.timeout, HTTPError.offline,
        RPCError(.unavailable, "reset", cause: HTTPError.offline),
    ]

    @Test(arguments: 0..<5)
    func `An action with retries is not repeated if the server can have executed it`(index: Int) async {
        let service = ShelfService { _, _, _ in throw Self.uncertain[index] }
        let client = client(ManualClock(), service)
        await #expect(throws: ShelfFailure.self) { try await client.processWithRetry(.add(Book("a"))) }
        expectEqual(service.names.count, 1)
        #expect(await client.getCurrentState().error != nil)
        #expect(await !client.getCurrentState().isLoading)
    }

    @Test(arguments: 0..<5)
    func `An action with retries is repeated in doubt if it is idempotent`(index: Int) async throws {
        let clock = ManualClock()
        let service = ShelfService { _, book, call in
            if call < 2 { throw Self.uncertain[index] }
            return BookList([book])
        }
        let client = client(clock, service)
        let done = Task { try await client.processWithRetry(.look(Book("a"))) }
        await expectEqual(clock.wakeNext(), .milliseconds(100))
        try await done.value
        expectEqual(service.names.count, 2)
    }

    @Test func `An action with retries is repeated if the server cannot have executed it`() async throws {
        var unsent = HTTPError.offline
        unsent.isUnsent = true
        let refused: [any Error] = [
            unsent, HTTPError.tls, RPCError(.unavailable, cause: unsent),
            RPCError(.unavailable, metadata: ["Retry-After": "0"]),
            RPCError(.unavailable, metadata: ["grpc-retry-pushback-ms": "0"]),
            RPCError(.unavailable, details: [ProtoAny(typeURL: "type.googleapis.com/google.rpc.RetryInfo")]),
        ]
        for error in refused {
            expectEqual(ActionError(error, action: "add").mayHaveRun, false, "\(error)")
        }
        let (clock, again) = (ManualClock(), refused[3])
        let service = ShelfService { _, book, call in
            if call < 2 { throw again }
            return BookList([book])
        }
        let client = client(clock, service)
        let done = Task { try await client.processWithRetry(.add(Book("a"))) }
        await expectEqual(clock.wakeNext(), .milliseconds(100))
        try await done.value
        await expectEqual(client.getCurrentState().ids, ["a"])
    }

    @Test(.tags(.actionRetries)) func `An action with retries ends with the first success`() async throws {
        let clock = ManualClock()
        let service = ShelfService { _, book, call in
            if call < 3 { throw RPCError(.unavailable) }
            return BookList([book])
        }
        let client = client(clock, service)
        let done = Task {
            try await client.processWithRetry(
                .add(Book("a")), maxRetries: 5, baseDelay: .seconds(1), evenIfUncertain: true)
        }
        await expectEqual(clock.wakeNext(), .seconds(1))
        await expectEqual(clock.wakeNext(), .seconds(2))
        try await done.value
        await expectEqual(client.getCurrentState().ids, ["a"])
        expectEqual(service.names.count, 3)
    }

    @Test(.tags(.actionRetries))
    func `An action with retries ends if its task is canceled between two attempts`() async {
        let clock = ManualClock()
        let service = ShelfService { _, _, _ in throw RPCError(.unavailable) }
        let client = client(clock, service)
        let task = Task { try await client.processWithRetry(.add(Book("a")), evenIfUncertain: true) }
        _ = await clock.sleepers(atLeast: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        expectEqual(service.names.count, 1)
        #expect(await !client.getCurrentState().isLoading)
    }

    @Test(.tags(.actionTimeout)) func `An action with retries fails at its time limit and cancels its call`() async {
        let (clock, cancelled) = (ManualClock(), Gate())
        let client = client(
            clock,
            ShelfService { _, _, _ in
                do { try await untilCancelled() } catch {
                    await cancelled.pass()
                    throw error
                }
                return BookList([])
            })
        cancelled.open()
        let done = Task { try await client.process(.add(Book("a")), timeout: .milliseconds(50)) }
        await expectEqual(clock.wakeNext(), .milliseconds(50))
        let thrown = await #expect(throws: ShelfFailure.self) { try await done.value }
        expectEqual(thrown?.code, "timeout")
        expectEqual(thrown?.seconds, 0.05)
        expectEqual(thrown?.message, "add took longer than 0.05 s.")
        await cancelled.reached()
        await expectEqual(client.getCurrentState().error, thrown)
        #expect(await !client.getCurrentState().isLoading)
    }

    @Test(.tags(.actionTimeout))
    func `An action with retries fails at its time limit even if the call continues and is ignored`()
        async
    {
        let (clock, gate, answered) = (ManualClock(), Gate(), Gate())
        let client = client(
            clock,
            ShelfService { _, book, _ in
                await gate.pass()
                await answered.pass()
                return BookList([book])
            })
        answered.open()
        let done = Task { try await client.process(.add(Book("a")), timeout: .milliseconds(50)) }
        await gate.reached()
        await clock.wakeNext()
        await #expect(throws: ShelfFailure.self) { try await done.value }
        #expect(await !client.getCurrentState().isLoading)
        gate.open()
        await answered.reached()
        // The answer has to pass the actor before this call does.
        for _ in 0..<100 { await Task.yield() }
        #expect(await client.getCurrentState().books.isEmpty)
        await expectEqual(client.getCurrentState().error?.code, "timeout")
    }

    @Test func `An action with retries succeeds within its time limit`() async throws {
        let clock = ManualClock()
        let client = client(clock, ShelfService())
        try await client.process(.add(Book("a")), timeout: .seconds(1))
        await expectEqual(client.getCurrentState().ids, ["a"])
        await expectNil(client.getCurrentState().error)
    }
}
