// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import TestSupport
import Testing

@testable import LatchProtobuf
@testable import LatchRPC

/// The point on the wire at which a server stops sending.
private struct Silence: Sendable, CustomTestStringConvertible {
    let name: String
    let style: RPCProtocol
    /// The bytes sent before it stops.
    let sent: String
    /// The number of stream messages sent before it stops.
    var messages = 0

    var testDescription: String { "\(style), \(name)" }

    static let all: [Silence] = [RPCProtocol.connect, .grpcWeb, .grpc].flatMap { style in
        let type = style.mediaType(.binary)
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nTransfer-Encoding: chunked\r\n\r\n"
        let message = "7\r\n\u{0}\u{0}\u{0}\u{0}\u{2}\u{10}\u{5}\r\n"
        return [
            Silence(name: "before it answers", style: style, sent: ""),
            Silence(name: "within the head", style: style, sent: "HTTP/1.1 200 OK\r\nContent-"),
            Silence(name: "after the head", style: style, sent: head),
            Silence(name: "within the length of a message", style: style, sent: head + "3\r\n\u{0}\u{0}\u{0}\r\n"),
            Silence(
                name: "within a message", style: style,
                sent: head + message + "6\r\n\u{0}\u{0}\u{0}\u{0}\u{9}\u{1}\r\n",
                messages: 1),
            Silence(name: "before the end", style: style, sent: head + message + message, messages: 2),
            Silence(
                name: "within the end", style: style,
                sent: head + message + (style == .grpc ? "0\r\ngrpc-sta" : "5\r\n\u{2}\u{0}\u{0}\u{0}\u{9}\r\n"),
                messages: 1),
        ]
    }
}

@Suite(.timeLimit(.minutes(2))) struct SilentServerTests {
    private func server(_ silence: Silence) throws -> RawHTTPServer {
        try RawHTTPServer { _ in .text(silence.sent) }
    }

    private func channel(_ silence: Silence, _ server: RawHTTPServer, clock: WallClock = .system) throws -> RPCChannel {
        try RPCChannel(server.url, using: silence.style, assumingHTTP2: false, clock: clock)
    }

    /// Waits until the request has arrived, so that the call is under way.
    private func received(_ server: RawHTTPServer) async {
        for await event in server.events { if case .received = event { return } }
    }

    /// Waits until the client has closed the connection.
    private func closed(_ server: RawHTTPServer) async -> Bool {
        for await event in server.events { if case .closedByClient = event { return true } }
        return false
    }

    // Two messages are one too many for this call, whatever comes next.
    @Test(arguments: Silence.all.filter { $0.messages < 2 })
    fileprivate func `A server that falls silent is abandoned by a caller that cancels`(silence: Silence) async throws {
        let server = try server(silence)
        let channel = try channel(silence, server)
        let call = Task { try await channel.clientStream(Notes.add, RPCStream([Note()])) }
        await received(server)
        call.cancel()
        await #expect(throws: RPCError.canceled) { try await call.value }
        #expect(await closed(server))
    }

    @Test(arguments: Silence.all)
    fileprivate func `A server that falls silent is abandoned in the middle of a stream after its messages arrived`(
        silence: Silence
    ) async throws {
        let server = try server(silence)
        let channel = try channel(silence, server)
        let (steps, step) = AsyncStream<Int>.makeStream()
        let reader = Task {
            step.yield(0)
            var count = 0
            for try await note in try await channel.serverStream(Notes.count, Note()) {
                expectEqual(note.number, 5)
                count += 1
                step.yield(count)
            }
        }
        for await count in steps where count == silence.messages { break }
        await received(server)
        reader.cancel()
        await #expect(throws: RPCError.canceled) { try await reader.value }
        #expect(await closed(server))
    }

    @Test(arguments: Silence.all) fileprivate func `A server that falls silent is abandoned exactly at the deadline`(
        silence: Silence
    ) async throws {
        let clock = ManualClock()
        let server = try server(silence)
        let channel = try channel(silence, server, clock: clock.wallClock())
        let options = CallOptions(timeout: .seconds(30))
        let isOver = Mutex(false)
        let call = Task {
            defer { isOver.withLock { $0 = true } }
            let stream = try await channel.serverStream(Notes.count, Note(), options)
            for try await _ in stream {}
        }
        await received(server)
        _ = await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(30) - .nanoseconds(1))
        #expect(!isOver.withLock { $0 })
        clock.advance(by: .nanoseconds(1))
        await #expect(throws: RPCError.deadlineExceeded) { try await call.value }
        #expect(await closed(server))
    }
}

@Suite(.timeLimit(.minutes(2))) struct EarlyCloseTests {
    @Test(arguments: Silence.all)
    fileprivate func `A server that closes too early fails the call at any stage`(silence: Silence)
        async throws
    {
        let server = try RawHTTPServer { _ in .closing(after: silence.sent) }
        let channel = try RPCChannel(server.url, using: silence.style, assumingHTTP2: false)
        var count = 0
        do {
            for try await _ in try await channel.serverStream(Notes.count, Note()) { count += 1 }
            Issue.record("a stream that broke off has ended well")
        } catch let error as RPCError {
            #expect([.unavailable, .internal, .unknown].contains(error.status), "\(error)")
        }
        #expect(count <= silence.messages)
        let one = await failure { _ = try await channel.clientStream(Notes.add, RPCStream([Note()])) }
        #expect(one != nil)
    }
}

@Suite(.timeLimit(.minutes(2))) struct SlowPeerTests {
    private static let piece = [UInt8](repeating: 7, count: 64 << 10)
    private static let count = 512

    @Test(arguments: [CallStyle(style: .connect), CallStyle(style: .grpcWeb), CallStyle(style: .grpcWebText)])
    func `A peer that is slow in reading suspends the method`(style: CallStyle) async throws {
        let written = Mutex(0)
        let method = RPCMethodHandler.serverStream(Notes.count) { _, _ in
            RPCStream { writer in
                for _ in 0..<Self.count {
                    try await writer.send(Note(data: Self.piece))
                    written.withLock { $0 += Self.piece.count }
                }
            }
        }
        let service = RPCService([method], compressions: [])
        var router = Router()
        router.on(service.routes, handledBy: service)
        let server = Server(handler: router)
        let address = try await server.start()
        let client = try RawClient(port: address.port, receiveBuffer: 4096)
        let envelope = Envelope([]).bytes
        let content = style.style == .grpcWebText ? GRPCWebText.encode(envelope) : envelope
        let head =
            "POST /latch.test.v1.Notes/Count HTTP/1.1\r\nHost: a\r\nContent-Type: \(style.style.mediaType(.binary))\r\n"
            + "Content-Length: \(content.count)\r\n\r\n"
        await client.send(Array(head.utf8) + content)
        var (taken, most) = (0, 0)
        while taken < Self.count * Self.piece.count, let bytes = await client.receive() {
            taken += bytes.count
            most = max(most, written.withLock { $0 } - taken)
        }
        #expect(taken >= Self.count * Self.piece.count)
        // The buffers of two sockets, which the system sizes; of all that is written it is less than half.
        #expect(most < 12 << 20)
        await server.shutdown(grace: .zero)
    }

    @Test(arguments: CallStyle.plain)
    func `A peer that is slow in reading suspends the caller's stream, which the method can leave unread`(
        style: CallStyle
    ) async throws {
        // The method answers without reading, and the rest of what is sent is nobody's.
        let method = RPCMethodHandler.clientStream(Notes.add) { notes, _ in
            var iterator = notes.makeAsyncIterator()
            let first = try await iterator.next()
            return Note(number: first?.number ?? -1)
        }
        let handler = RPCService([method])
        let written = Mutex(0)
        let channel = try style.channel("http://localhost", through: handler)
        let notes = RPCStream<Note> { writer in
            for number in Int32(5)..<10_000 {
                try await writer.send(Note(number: number))
                written.withLock { $0 += 1 }
            }
        }
        try await expectEqual(channel.clientStream(Notes.add, notes).message.number, 5)
        // One was read, perhaps one more was on its way, and eight wait.
        #expect(written.withLock { $0 } <= 10)
    }

    @Test(arguments: CallStyle.plain) func `A peer that is slow in leaving ends with the method`(style: CallStyle)
        async throws
    {
        let (ends, end) = AsyncStream<Bool>.makeStream()
        let (begins, begin) = AsyncStream<Void>.makeStream()
        let method = RPCMethodHandler.serverStream(Notes.count) { _, _ in
            RPCStream { writer in
                try await writer.send(Note(number: 1))
                begin.yield()
                do { try await untilCancelled() } catch { end.yield(Task.isCancelled) }
            }
        }
        try await serving(RPCService([method])) { url in
            let channel = try style.channel(url)
            let reader = Task { try await collect(try await channel.serverStream(Notes.count, Note())).notes }
            for await _ in begins { break }
            reader.cancel()
            await #expect(throws: RPCError.canceled) { try await reader.value }
            for await isCancelled in ends {
                #expect(isCancelled)
                break
            }
        }
    }
}

@Suite(.timeLimit(.minutes(2))) struct LengthClaimTests {
    private static let gigabyte = 1 << 30

    @Test func `A claim of a gigabyte in the length of a unary response is rejected at its first byte`() async throws {
        let server = try RawHTTPServer { _ in
            .text(
                "HTTP/1.1 200 OK\r\nContent-Type: application/proto\r\nContent-Length: \(Self.gigabyte)\r\n\r\na")
        }
        let error = await failure { _ = try await RPCChannel(server.url).unary(Notes.echo, Note()) }
        expectEqual(error?.status, .resourceExhausted)
    }

    @Test(arguments: [RPCProtocol.connect, .grpcWeb, .grpc])
    func `A claim of a gigabyte in an envelope is rejected before the content`(
        style: RPCProtocol
    ) async throws {
        let server = try RawHTTPServer { _ in
            .text(
                "HTTP/1.1 200 OK\r\nContent-Type: \(style.mediaType(.binary))\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "5\r\n\u{0}\u{40}\u{0}\u{0}\u{0}\r\n")
        }
        let channel = try RPCChannel(server.url, using: style, assumingHTTP2: false)
        let one = await failure { _ = try await channel.clientStream(Notes.add, RPCStream([Note()])) }
        expectEqual(one?.status, .resourceExhausted)
        let many = await failure { _ = try await collect(try await channel.serverStream(Notes.count, Note())) }
        expectEqual(many?.status, .resourceExhausted)
    }

    @Test func `A claim of a gigabyte in a unary request is rejected by its length`() async throws {
        try await withServedNotes { url in
            let port = try #require(url.split(separator: ":").last.flatMap { Int($0) })
            let client = try RawClient(port: port)
            await client.send(
                "POST /latch.test.v1.Notes/Echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/proto\r\n"
                    + "Content-Length: \(Self.gigabyte)\r\n\r\n")
            let response = await client.receiveResponse()
            expectEqual(response.map { [413, 429].contains($0.status.rawValue) }, true)
        }
    }
}
