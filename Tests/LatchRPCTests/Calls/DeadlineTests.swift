// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchRPC
import LatchTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct DeadlineTests {
    private let clock = ManualClock()

    /// A channel whose clock a test moves.
    private func channel(_ style: CallStyle, through handler: any Handler) throws -> RPCChannel {
        try RPCChannel(
            "http://localhost", through: handler, using: style.style, codec: style.codec, clock: clock.wallClock())
    }

    @Test(arguments: CallStyle.plain)
    func `The deadline of a call is enforced by the client, whatever the server does`(style: CallStyle)
        async throws
    {
        let deaf = ClosureHandler { _ in
            try await untilCancelled()
            throw CancellationError()
        }
        let channel = try channel(style, through: deaf)
        let call = Task { try await channel.unary(Notes.echo, Note(), CallOptions(timeout: .seconds(5))) }
        _ = await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(6))
        await #expect(throws: RPCError.deadlineExceeded) { try await call.value }
    }

    @Test(arguments: CallStyle.plain)
    func `The deadline of a call covers a stream to its end`(style: CallStyle) async throws {
        let channel = try channel(style, through: RPCService(NotesService().handlers, clock: clock.wallClock()))
        let options = CallOptions(timeout: .seconds(5))
        let stream = try await channel.serverStream(Notes.count, Note(text: "wait", number: 2), options)
        var iterator = stream.makeAsyncIterator()
        try await expectEqual(iterator.next()?.number, 0)
        try await expectEqual(iterator.next()?.number, 1)
        let reader = Task { [iterator] in
            var iterator = iterator
            return try await iterator.next()
        }
        _ = await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(6))
        await #expect(throws: RPCError.deadlineExceeded) { try await reader.value }
    }

    @Test(arguments: CallStyle.plain)
    func `The deadline of a call is enforced by the server`(style: CallStyle) async throws {
        // The caller's clock stands still, so that only the server's ends the call.
        try await withServedNotes { url in
            let channel = try RPCChannel(
                url, using: style.style, assumingHTTP2: false, clock: clock.wallClock())
            await #expect(throws: RPCError.deadlineExceeded) {
                try await channel.unary(Notes.echo, Note(text: "wait"), CallOptions(timeout: .milliseconds(50)))
            }
            await #expect(throws: RPCError.deadlineExceeded) {
                let stream = try await channel.serverStream(
                    Notes.count, Note(text: "wait", number: 1), CallOptions(timeout: .milliseconds(50)))
                _ = try await collect(stream)
            }
        }
    }

    @Test(arguments: CallStyle.plain)
    func `The deadline of a call is visible to the method`(style: CallStyle) async throws {
        let channel = try channel(style, through: RPCService(NotesService().handlers, clock: clock.wallClock()))
        let options = CallOptions(timeout: .seconds(1000))
        try await expectEqual(channel.unary(Notes.echo, Note(text: "time"), options).message.number, 1000)
        try await expectEqual(channel.unary(Notes.echo, Note(text: "time")).message.number, -1)
    }

    @Test(arguments: CallStyle.plain)
    func `The deadline of a call that has passed before the call sends nothing`(style: CallStyle)
        async throws
    {
        let channel = try channel(
            style,
            through: ClosureHandler { _ in
                Issue.record("something was sent")
                throw HTTPError.offline
            })
        await #expect(throws: RPCError.deadlineExceeded) {
            try await channel.unary(Notes.echo, Note(), CallOptions(timeout: .zero))
        }
    }

    @Test(arguments: [
        ("Connect-Timeout-Ms", "application/proto", "abc"), ("Connect-Timeout-Ms", "application/proto", "12345678901"),
        ("Connect-Timeout-Ms", "application/proto", "-1"), ("Connect-Timeout-Ms", "application/proto", ""),
    ])
    func `The deadline of a call that is malformed is rejected`(field: String, type: String, text: String) async throws
    {
        let service = RPCService(NotesService().handlers)
        let request = HTTPRequest(
            method: .post, authority: "a", path: "/latch.test.v1.Notes/Echo",
            fields: [.contentType: type, HTTPFieldName(field): text])
        let response = try await service.respond(to: request)
        expectEqual(response.status, .badRequest)
        expectEqual(response.body.text?.contains("invalid_argument"), true)
    }
}

@Suite(.timeLimit(.minutes(2))) struct CancellationTests {
    @Test(arguments: CallStyle.plain)
    func `Canceling a call ends the method at the server`(style: CallStyle) async throws {
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let waiting = RPCMethodHandler.unary(Notes.echo) { _, _ in
            begin.yield()
            do { try await untilCancelled() } catch {}
            end.yield()
            throw RPCError.canceled
        }
        try await serving(RPCService([waiting])) { url in
            let channel = try style.channel(url)
            let call = Task { try await channel.unary(Notes.echo, Note()) }
            for await _ in begins { break }
            call.cancel()
            await #expect(throws: RPCError.canceled) { try await call.value }
            for await _ in ends { break }
        }
    }

    @Test(arguments: CallStyle.plain)
    func `Canceling a call happens when a stream is released`(style: CallStyle) async throws {
        let (ends, end) = AsyncStream<Void>.makeStream()
        let endless = RPCMethodHandler.serverStream(Notes.count) { _, _ in
            RPCStream { writer in
                defer { end.yield() }
                while true { try await writer.send(Note(data: [UInt8](repeating: 7, count: 10_000))) }
            }
        }
        try await serving(RPCService([endless])) { url in
            let channel = try style.channel(url)
            do {
                var iterator = try await channel.serverStream(Notes.count, Note()).makeAsyncIterator()
                try await expectEqual(iterator.next()?.data.count, 10_000)
            }
            for await _ in ends { break }
        }
    }

    @Test(arguments: CallStyle.plain) func `Canceling a call ends a waiting reader`(style: CallStyle) async throws {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            let reader = Task {
                try await collect(try await channel.serverStream(Notes.count, Note(text: "wait", number: 1))).notes
            }
            reader.cancel()
            await #expect(throws: RPCError.canceled) { try await reader.value }
        }
    }
}
