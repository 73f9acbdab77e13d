// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import Testing

@testable import LatchProtobuf
@testable import LatchRPC

@Suite(.timeLimit(.minutes(1))) struct StreamTests {
    private struct Broken: Error {}

    @Test func `A stream of messages of an array can be read again and again`() async throws {
        let stream = RPCStream([Note(number: 1), Note(number: 2)])
        for _ in 0..<2 { try await expectEqual(collect(stream).notes.map(\.number), [1, 2]) }
        #expect(stream.isReplayable)
        #expect(stream.metadata.isEmpty && stream.trailers.isEmpty)
    }

    @Test func `A stream of messages of a sequence can be read once`() async throws {
        let (notes, feed) = AsyncStream<Note>.makeStream()
        for number in Int32(0)..<3 { feed.yield(Note(number: number)) }
        feed.finish()
        let stream = RPCStream(notes)
        #expect(!stream.isReplayable)
        try await expectEqual(collect(stream).notes.count, 3)
        await #expect(throws: HTTPError.streamSpent) { try await collect(stream) }
    }

    /// An optimised build could wrap the source twice more at each message.
    @Test func `A stream of messages of many messages costs as much for the last one as for the first`() async throws {
        let stream = RPCStream(Array(repeating: Note(number: 1), count: 50_000))
        var count = 0
        for try await note in stream where note.number == 1 { count += 1 }
        expectEqual(count, 50_000)
    }

    /// Each chunk had wrapped the source once more, so that this took minutes.
    @Test
    func `A stream of messages that is read once costs as much for its last chunk as for its first`() async throws {
        let count = 100_000
        let read = Mutex(0)
        let source = LazySource {
            {
                read.withLock { read in
                    guard read < count else { return nil }
                    read += 1
                    return [1]
                }
            }
        }
        while let chunk = try await source.next() { expectEqual(chunk, [1]) }
        expectEqual(read.withLock { $0 }, count)
    }

    /// An object whose release a test sees.
    private final class Held: Sendable {}

    /// A reader that has read enough releases the call, though its caller keeps the stream for its metadata.
    @Test func `A stream of messages holds its source no longer than the reader does`() async throws {
        weak var source: Held?
        let stream: RPCStream<Note>
        do {
            let held = Held()
            source = held
            stream = RPCStream(once: { withExtendedLifetime(held) { Note(number: 1) } })
        }
        #expect(source != nil)
        for try await note in stream where note.number == 1 { break }
        expectNil(source)
        #expect(stream.metadata.isEmpty)
    }

    @Test func `A stream of messages of a writer is produced on demand`() async throws {
        let written = Mutex(0)
        let stream = RPCStream<Note> { writer in
            for number in Int32(0)..<100 {
                written.withLock { $0 += 1 }
                try await writer.send(Note(number: number))
            }
        }
        var iterator = stream.makeAsyncIterator()
        expectEqual(written.withLock { $0 }, 0)
        for number in Int32(0)..<10 { try await expectEqual(iterator.next()?.number, number) }
        // Eight wait to be taken, and one for room.
        #expect(written.withLock { $0 } <= 19)
        for number in Int32(10)..<100 { try await expectEqual(iterator.next()?.number, number) }
        try await expectNil(iterator.next())
        try await expectNil(iterator.next())
    }

    @Test func `A stream of messages of a writer ends with its error, after its messages`() async throws {
        let stream = RPCStream<Note> { writer in
            try await writer.send(Note(number: 1))
            throw Broken()
        }
        var iterator = stream.makeAsyncIterator()
        try await expectEqual(iterator.next()?.number, 1)
        await #expect(throws: Broken.self) { try await iterator.next() }
        try await expectNil(iterator.next())
    }

    @Test func `A stream of messages of a writer cancels the writer when its reader is released`() async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        do {
            let stream = RPCStream<Note> { writer in
                defer { end.yield() }
                while true { try await writer.send(Note()) }
            }
            var iterator = stream.makeAsyncIterator()
            #expect(try await iterator.next() != nil)
        }
        for await _ in ends { break }
    }

    @Test func `A stream of messages of several writers loses no message`() async throws {
        let stream = RPCStream<Note> { writer in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for first in Int32(0)..<10 {
                    group.addTask {
                        for number in first * 20..<(first + 1) * 20 { try await writer.send(Note(number: number)) }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await expectEqual(collect(stream).notes.map(\.number).sorted(), Array(0..<200))
    }

    @Test func `A stream of messages of a response rejects a concurrent second reader with an error`() async throws {
        let gate = Gate()
        let reader = ResponseMessageReader { () async throws -> EnvelopedResponse in
            await gate.pass()
            throw Broken()
        }
        let outcomes = await withTaskGroup(of: (any Error)?.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    do { _ = try await reader.next() } catch { return error }
                    return nil
                }
            }
            // One waits for the head, so that it is the other who is served first.
            let first = await group.next() ?? nil
            gate.open()
            return [first, await group.next() ?? nil]
        }
        expectEqual(outcomes[0] as? HTTPError, .streamSpent)
        #expect(outcomes[1] is Broken)
        try await expectNil(reader.next())
    }

    @Test func `A stream of messages ends for a canceled reader`() async throws {
        let stream = RPCStream<Note> { _ in try await untilCancelled() }
        let reader = Task { try await collect(stream).notes }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
    }
}

@Suite(.timeLimit(.minutes(2))) struct CallInterceptorTests {
    /// Answers the first requests with a status, and the others with the service.
    private struct Reluctant: Handler {
        let status: HTTPStatus
        let refusals: Int
        let asked = Counter()
        let service = RPCService(NotesService().handlers)

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            guard asked.next() > refusals else { return HTTPResponse(status: status) }
            return try await service.respond(to: request)
        }
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)

        var value: Int { count.withLock { $0 } }

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// Asks once more after a 401, as a session does.
    private let renewal = ClosureInterceptor { request, next in
        let response = try await next.respond(to: request)
        guard response.status == .unauthorized, request.body.isReplayable else { return response }
        return try await next.respond(to: request)
    }

    @Test(arguments: CallStyle.plain)
    func `Interceptors around a call repeat it after a 401, also streams of an array`(style: CallStyle)
        async throws
    {
        let reluctant = Reluctant(status: .unauthorized, refusals: 1)
        let channel = try style.channel("http://localhost", through: reluctant, interceptors: [renewal])
        let notes = RPCStream([Note(number: 1), Note(number: 2)])
        try await expectEqual(channel.clientStream(Notes.add, notes).message.number, 3)
        expectEqual(reluctant.asked.value, 2)
        try await expectEqual(channel.unary(Notes.echo, Note(text: "a")).message.text, "a")
    }

    /// Refuses the first calls as a server does that knows gRPC's code alone.
    private struct Refusing: Handler {
        let refusals: Int
        let asked = Counter()
        let service = RPCService([.unary(Notes.echo) { _, _ in throw RPCError.unauthenticated }])
        let accepting = RPCService(NotesService().handlers)

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            let handler = asked.next() > refusals ? accepting : service
            return try await handler.respond(to: request)
        }
    }

    @Test(arguments: [CallStyle(style: .connect), CallStyle(style: .grpcWeb), CallStyle(style: .grpc)])
    func `Interceptors around a call see a refused token as 401 in every protocol`(style: CallStyle) async throws {
        let once = Refusing(refusals: 1)
        let channel = try style.channel("http://localhost", through: once, interceptors: [renewal])
        try await expectEqual(channel.unary(Notes.echo, Note(text: "a")).message.text, "a")
        expectEqual(once.asked.value, 2)
        let twice = try style.channel("http://localhost", through: Refusing(refusals: 2), interceptors: [renewal])
        await #expect(throws: RPCError.unauthenticated) { try await twice.unary(Notes.echo, Note(text: "a")) }
    }

    @Test(arguments: CallStyle.plain)
    func `Interceptors around a call do not repeat a stream that can be read only once`(style: CallStyle)
        async throws
    {
        let reluctant = Reluctant(status: .unauthorized, refusals: 1)
        let channel = try style.channel("http://localhost", through: reluctant, interceptors: [renewal])
        let notes = RPCStream<Note> { try await $0.send(Note()) }
        await #expect(throws: RPCError.unauthenticated) { try await channel.clientStream(Notes.add, notes) }
        expectEqual(reluctant.asked.value, 1)
    }

    @Test func `Interceptors around a call retry only idempotent calls`() async throws {
        let clock = ManualClock()
        let retry = RetryInterceptor(clock: clock.leapingClock())
        for (method, expected) in [(Notes.read, 2), (Notes.echo, 1)] {
            let reluctant = Reluctant(status: .serviceUnavailable, refusals: 1)
            let channel = try RPCChannel("http://localhost", through: reluctant, interceptors: [retry])
            do {
                try await expectEqual(channel.unary(method, Note(text: "a")).message.text, "a")
            } catch RPCError.unavailable {
                expectEqual(expected, 1)
            }
            expectEqual(reluctant.asked.value, expected)
        }
    }
}
