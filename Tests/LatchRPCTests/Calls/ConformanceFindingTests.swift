// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Synchronization
import Testing

@testable import LatchProtobuf
@testable import LatchRPC

@Suite(.timeLimit(.minutes(1))) struct ConformanceFindingTests {
    private func answer(_ fields: HTTPFields, _ body: [UInt8], trailers: HTTPFields = [:]) -> ClosureHandler {
        ClosureHandler { _ in HTTPResponse(status: .ok, fields: fields, body: HTTPBody(body, trailers: trailers)) }
    }

    private func status(_ style: RPCProtocol, _ handler: ClosureHandler) async throws -> [RPCCode?] {
        let channel = try RPCChannel("http://localhost", through: handler, using: style)
        var codes: [RPCCode?] = []
        for call in [
            { _ = try await channel.unary(Notes.echo, Note()) },
            { _ = try await collect(try await channel.serverStream(Notes.count, Note())) },
        ] as [() async throws -> Void] {
            do {
                try await call()
                codes.append(nil)
            } catch {
                codes.append((error as? RPCError)?.status)
            }
        }
        return codes
    }

    @Test func `A status in the head counts only if nothing follows it`() async throws {
        let head: HTTPFields = [.contentType: "application/grpc", "grpc-status": "8"]
        try await expectEqual(status(.grpc, answer(head, [])), [.resourceExhausted, .resourceExhausted])
        let message = Envelope([]).bytes
        try await expectEqual(status(.grpc, answer(head, message)), [.internal, .internal])
        let ninth: HTTPFields = ["grpc-status": "9"]
        try await expectEqual(
            status(.grpc, answer(head, [], trailers: ninth)), [.failedPrecondition, .failedPrecondition])
        try await expectEqual(status(.grpc, answer(head, message, trailers: ["grpc-status": "0"])), [nil, nil])
    }

    @Test func `A status in the content of gRPC-Web overrides the one in the head`() async throws {
        let head: HTTPFields = [.contentType: "application/grpc-web", "grpc-status": "8"]
        let end = Envelope(GRPCWebTrailers.bytes(["grpc-status": "9"]), flags: .trailers).bytes
        try await expectEqual(status(.grpcWeb, answer(head, end)), [.failedPrecondition, .failedPrecondition])
        try await expectEqual(status(.grpcWeb, answer(head, [])), [.resourceExhausted, .resourceExhausted])
        // Traefik and the proxy of improbable-eng end a failure with a frame of no fields.
        let nothing = Envelope([], flags: .trailers).bytes
        try await expectEqual(status(.grpcWeb, answer(head, nothing)), [.resourceExhausted, .resourceExhausted])
        let late = Envelope([]).bytes + nothing
        try await expectEqual(status(.grpcWeb, answer(head, late)), [.unknown, .unknown])
    }

    @Test func `A query has the order that the protocol recommends`() {
        let binary = ConnectQuery(content: [1], codec: .binary, compression: "gzip").text
        expectEqual(binary, "connect=v1&base64=1&compression=gzip&encoding=proto&message=AQ")
        let json = ConnectQuery(content: Array("{}".utf8), codec: .json, compression: nil).text
        expectEqual(json, "connect=v1&encoding=json&message=%7B%7D")
    }

    @Test(arguments: CallStyle.plain) func `A canceled reader receives no buffered message`(style: CallStyle)
        async throws
    {
        try await withServedNotes { url in
            let stream = try await style.channel(url).serverStream(Notes.count, Note(number: 10))
            let reading = Task {
                var iterator = stream.makeAsyncIterator()
                _ = try await iterator.next()
                withUnsafeCurrentTask { $0?.cancel() }
                return try await iterator.next()
            }
            await #expect(throws: RPCError.canceled) { try await reading.value }
        }
    }

    @Test(arguments: RPCProtocol.allCases) func `An Any is expanded in JSON if its type is registered`(
        style: RPCProtocol
    ) async throws {
        let method = RPCMethod<ProtoAny, ProtoAny>("latch.test.v1.Anything", "Echo")
        let handler = RPCMethodHandler.unary(method) { message, _ in
            let inside = try message.unpack(Note.self)
            expectEqual(inside?.text, "inside")
            return message
        }
        let any = try ProtoAny(packing: Note(text: "inside", number: 3))
        try await serving(RPCService([handler], types: [Note.self])) { url in
            let channel = try RPCChannel(url, using: style, codec: .json, assumingHTTP2: false, types: [Note.self])
            try await expectEqual(channel.unary(method, any).message, any)
            let unknowing = try RPCChannel(url, using: style, codec: .json, assumingHTTP2: false)
            await #expect(throws: RPCError.internal) { try await unknowing.unary(method, any) }
        }
    }

    @Test(arguments: CallStyle.plain) func `The smallest message is compressed on request`(
        style: CallStyle
    ) async throws {
        let sizes = Mutex<[Int]>([])
        var counting = RPCCompression(
            name: "gzip",
            compress: { bytes in
                sizes.withLock { $0.append(bytes.count) }
                return try RPCCompression.gzip.compress(bytes)
            }, decompress: RPCCompression.gzip.decompress)
        let service = RPCService(NotesService().handlers)
        func call() async throws {
            let channel = try RPCChannel(
                "http://localhost", through: service, using: style.style, compression: counting)
            try await expectEqual(channel.unary(Notes.echo, Note(number: 1)).message.number, 1)
        }
        try await call()
        expectEqual(sizes.withLock { $0 }, [])
        counting.minimumMessageBytes = 0
        try await call()
        expectEqual(sizes.withLock { $0 }, [2])
    }
}
