// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchRPC
import LatchServer
import LatchTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct NativeGRPCTests {
    static let styles = CallStyle.all.filter { $0.style == .grpc }

    @Test(arguments: styles)
    func `gRPC over HTTP/2 makes every kind of call, both ways at a time`(style: CallStyle) async throws {
        try await withServedNotes { url in try await Exercise(try style.channel(url, http2: true)).all() }
    }

    @Test func `gRPC over HTTP/2 makes calls at the same time over one connection`() async throws {
        try await withServedNotes { url in
            let channel = try CallStyle(style: .grpc).channel(url, http2: true)
            try await withThrowingTaskGroup { group in
                for number in Int32(0)..<60 {
                    group.addTask { try await channel.unary(Notes.echo, Note(number: number)).message.number == number }
                }
                for try await isSame in group { #expect(isSame) }
            }
        }
    }

    @Test(.enabled(if: TestKeys.isPossible))
    func `gRPC over HTTP/2 makes every kind of call over TLS, which agrees on HTTP/2 by ALPN`()
        async throws
    {
        let keys = try await TestKeys()
        var configuration = Server.Configuration()
        configuration.tls = try keys.tls()
        try await serving(RPCService(NotesService().handlers), configuration) { url in
            let channel = try CallStyle(style: .grpc).channel(url, through: keys.transport(), http2: true)
            try await Exercise(channel).all()
        }
    }

    @Test func `gRPC over HTTP/2 ends the method of a call that is canceled, and serves the next one`() async throws {
        let (events, event) = AsyncStream<String>.makeStream()
        let waiting = RPCMethodHandler.unary(Notes.echo) { note, _ in
            guard note.text == "wait" else { return note }
            event.yield("begins")
            do {
                try await untilCancelled()
            } catch {
                event.yield("ends")
                throw error
            }
            return note
        }
        try await serving(RPCService([waiting])) { url in
            let channel = try CallStyle(style: .grpc).channel(url, http2: true)
            let call = Task { try await channel.unary(Notes.echo, Note(text: "wait")) }
            var seen = events.makeAsyncIterator()
            await expectEqual(seen.next(), "begins")
            call.cancel()
            await expectEqual(seen.next(), "ends")
            await #expect(throws: (any Error).self) { try await call.value }
            try await expectEqual(channel.unary(Notes.echo, Note(number: 3)).message.number, 3)
        }
    }

    @Test func `gRPC over HTTP/2 goes both ways at a time below a path and behind interceptors`() async throws {
        struct Passing: Interceptor {
            func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
                try await next.respond(to: request)
            }
        }
        let service = RPCService(NotesService().handlers)
        var router = Router(interceptors: [Passing()])
        router.group(prefix: "/api", interceptors: [RequestIDInterceptor()]) {
            $0.on(service.routes, handledBy: service)
        }
        try await serving(router, Server.Configuration()) { url in
            try await Exercise(try CallStyle(style: .grpc).channel("\(url)/api", http2: true)).all()
        }
    }

    @Test func `gRPC over HTTP/2 is refused at once by a transport without trailers`() throws {
        struct Silent: TrailerlessTransport {
            func respond(to request: HTTPRequest) async throws -> HTTPResponse { HTTPResponse(status: .ok) }
        }
        let error = #expect(throws: HTTPError.self) {
            try RPCChannel("https://a", through: Silent(), using: .grpc)
        }
        #expect(error?.code == "trailersUnavailable" && error?.hint?.contains(".grpcWeb") == true)
        _ = try RPCChannel("https://a", through: Silent(), using: .grpcWeb)
    }

    @Test func `gRPC over HTTP/2 names the methods whose messages are streamed`() {
        let paths = RPCService(NotesService().handlers).streamedContent
        expectEqual(paths, ["/\(Notes.service)/Add", "/\(Notes.service)/Talk"])
    }

    @Test func `gRPC over HTTP/2 ends a call whose message is too long, and serves the next one`() async throws {
        var limits = RPCLimits.standard
        limits.messageBytes = 1000
        try await withServedNotes(limits: limits) { url in
            let channel = try CallStyle(style: .grpc).channel(url, http2: true)
            let long = Note(data: [UInt8](repeating: 1, count: 5000))
            await #expect(throws: RPCError.resourceExhausted) {
                try await channel.clientStream(Notes.add, RPCStream([long, long]))
            }
            await #expect(throws: RPCError.resourceExhausted) { try await channel.unary(Notes.echo, long) }
            try await expectEqual(channel.unary(Notes.echo, Note(number: 3)).message.number, 3)
        }
    }
}
