// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Synchronization
import Testing

@testable import LatchProtobuf
@testable import LatchRPC

/// The protocols whose pieces can be told without decoding all.
private let framed: [RPCProtocol] = [.connect, .grpcWeb, .grpc]

@Suite(.timeLimit(.minutes(1))) struct UnauthenticatedTests {
    /// Signs a request, and asks once more after a 401, as a session does.
    private struct Renewal: Interceptor {
        private struct Step: RequestModifier {
            func prepare(_ request: inout HTTPRequest) async throws { request.fields[.authorization] = "Bearer a" }
        }

        let signs: Bool
        let refusals = Tally()

        func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
            var request = request
            if signs { request.modifiers.append(Step()) }
            let response = try await next.respond(to: request)
            guard response.status == .unauthorized, request.body.isReplayable else { return response }
            refusals.add()
            return try await next.respond(to: request)
        }
    }

    private final class Tally: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }

        @discardableResult func add() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// Answers as the test service does, but that the first calls fail after so many messages.
    private func refusing(_ refusals: Int, after count: Int = 0) -> RPCService {
        let asked = Tally()
        @Sendable func answer() -> RPCStream<Note> {
            let isRefused = asked.add() <= refusals
            return RPCStream { writer in
                for number in 0..<(isRefused ? count : 50) {
                    try await writer.send(Note(number: Int32(number), data: Array(repeating: 7, count: 1000)))
                }
                if isRefused { throw RPCError(.unauthenticated, "too old") }
            }
        }
        return RPCService([
            .serverStream(Notes.count) { _, _ in answer() },
            .bidirectional(Notes.talk) { _, _ in answer() },
        ])
    }

    @Test(arguments: framed, [true, false])
    func `An unauthenticated response that ends a stream before its first message appears as 401`(
        style: RPCProtocol, isCompressed: Bool
    )
        async throws
    {
        try await serving(refusing(1)) { url in
            let renewal = Renewal(signs: true)
            let channel = try RPCChannel(
                url, interceptors: [renewal], using: style, accepting: isCompressed ? [.gzip] : [],
                assumingHTTP2: false)
            let notes = try await collect(try await channel.serverStream(Notes.count, Note())).notes
            expectEqual(notes.map(\.number), Array(0..<50))
            #expect(notes.allSatisfy { $0.data.count == 1000 })
            expectEqual(renewal.refusals.value, 1)
        }
    }

    @Test(arguments: framed)
    func `An unauthenticated response that ends a two-way stream appears as 401 if it is replayable`(
        style: RPCProtocol
    ) async throws {
        let renewal = Renewal(signs: true)
        let channel = try RPCChannel(
            "http://localhost", through: refusing(1), interceptors: [renewal], using: style)
        let answer = try await channel.bidirectional(Notes.talk, RPCStream([Note(), Note()]))
        try await expectEqual(collect(answer).notes.count, 50)
        expectEqual(renewal.refusals.value, 1)
    }

    @Test(arguments: framed)
    func `An unauthenticated response is the error of the call if it is repeated`(style: RPCProtocol) async throws {
        let renewal = Renewal(signs: true)
        let channel = try RPCChannel(
            "http://localhost", through: refusing(2), interceptors: [renewal], using: style)
        do {
            _ = try await collect(try await channel.serverStream(Notes.count, Note()))
            Issue.record("it was not refused")
        } catch let error as RPCError {
            expectEqual(error.status, .unauthenticated)
            expectEqual(error.message, "too old")
        }
        expectEqual(renewal.refusals.value, 1)
    }

    @Test(arguments: framed)
    func `An unauthenticated response after a message is the error of the stream`(style: RPCProtocol) async throws {
        let renewal = Renewal(signs: true)
        let channel = try RPCChannel(
            "http://localhost", through: refusing(1, after: 1), interceptors: [renewal], using: style)
        var iterator = try await channel.serverStream(Notes.count, Note()).makeAsyncIterator()
        try await expectEqual(iterator.next()?.number, 0)
        await #expect(throws: RPCError.unauthenticated) { try await iterator.next() }
        expectEqual(renewal.refusals.value, 0)
    }

    @Test(arguments: framed)
    func `An unauthenticated response is not awaited without a credential`(style: RPCProtocol) async throws {
        let (silence, end) = AsyncStream<[UInt8]>.makeStream()
        let handler = ClosureHandler { _ in
            let held = Mutex(silence.makeAsyncIterator())
            let body = HTTPBodyStream(once: {
                var own = held.withLock { $0 }
                return await own.next()
            })
            return HTTPResponse(
                status: .ok, fields: [.contentType: style.mediaType(.binary), "x-head": "1"], body: HTTPBody(body))
        }
        let channel = try RPCChannel(
            "http://localhost", through: handler, interceptors: [Renewal(signs: false)], using: style)
        let stream = try await channel.serverStream(Notes.count, Note())
        expectEqual(stream.metadata["x-head"], "1")
        end.finish()
        await #expect(throws: RPCError.internal) { _ = try await collect(stream) }
    }

    @Test
    func `An unauthenticated response in the trailers of a call with one response message appears as 401`() async throws
    {
        let renewal = Renewal(signs: true)
        let handler = ClosureHandler { _ in
            HTTPResponse(
                status: .ok, fields: [.contentType: "application/grpc"],
                body: HTTPBody([], trailers: ["grpc-status": "16", "grpc-message": "too old"]))
        }
        let channel = try RPCChannel("http://localhost", through: handler, interceptors: [renewal], using: .grpc)
        await #expect(throws: RPCError.unauthenticated) { try await channel.unary(Notes.echo, Note()) }
        expectEqual(renewal.refusals.value, 1)
    }

    @Test(
        arguments: [
            [0x02], [0x02, 0, 0, 0, 9, 0x7B], [0x02, 0xFF, 0xFF, 0xFF, 0xFF], [0x02, 0, 0, 0, 1, 0x7B],
            [0x03, 0, 0, 0, 1, 0],
            [],
        ] as [[UInt8]])
    func `An unauthenticated response is not assumed if the content is malformed`(content: [UInt8]) async throws {
        let renewal = Renewal(signs: true)
        let handler = ClosureHandler { _ in
            HTTPResponse(
                status: .ok, fields: [.contentType: "application/connect+proto"],
                body: HTTPBody(HTTPBodyStream(once: HTTPBodyStream(content).source)))
        }
        let channel = try RPCChannel("http://localhost", through: handler, interceptors: [renewal])
        await #expect(throws: RPCError.self) {
            _ = try await collect(try await channel.serverStream(Notes.count, Note()))
        }
        expectEqual(renewal.refusals.value, 0)
    }
}

extension HTTPBodyStream {
    /// The pieces one after the other.
    fileprivate var source: Source {
        let held = Mutex(makeAsyncIterator())
        return {
            var own = held.withLock { $0 }
            let piece = try await own.next()
            held.withLock { [own] in $0 = own }
            return piece
        }
    }
}
