// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import Testing

@testable import LatchProtobuf
@testable import LatchRPC

@Suite(.timeLimit(.minutes(1))) struct ResponseTests {
    /// The client's reading of responses, for calls with one response message and with many.
    private func errors(
        _ style: RPCProtocol, _ codec: RPCCodec = .binary, _ response: HTTPResponse
    ) async throws -> (single: RPCError?, stream: RPCError?) {
        let channel = try RPCChannel(
            "http://localhost", through: ClosureHandler { _ in response }, using: style, codec: codec)
        return (
            await error { _ = try await channel.clientStream(Notes.add, RPCStream([])) },
            await error { _ = try await collect(try await channel.serverStream(Notes.count, Note())) }
        )
    }

    private func error(_ body: () async throws -> Void) async -> RPCError? {
        do { try await body() } catch { return error as? RPCError }
        return nil
    }

    private func response(
        _ type: String, _ body: [UInt8], fields: HTTPFields = [:], trailers: HTTPFields = [:]
    ) -> HTTPResponse {
        var fields = fields
        fields[.contentType] = "application/" + type
        return HTTPResponse(status: .ok, fields: fields, body: HTTPBody(body, trailers: trailers))
    }

    private let message = Envelope([]).bytes
    private let end = Envelope(Array("{}".utf8), flags: .endOfStream).bytes
    private let trailers = Envelope(Array("grpc-status: 0\r\n".utf8), flags: .trailers).bytes

    @Test func `A response that violates the protocol by ending before its status is an error`() async throws {
        for (style, type) in [(RPCProtocol.connect, "connect+proto"), (.grpcWeb, "grpc-web+proto"), (.grpc, "grpc")] {
            for body in [[], message, message + [0, 0]] {
                let errors = try await errors(style, .binary, response(type, body))
                expectEqual(errors.single?.status, .internal)
                expectEqual(errors.stream?.status, .internal)
            }
        }
    }

    @Test func `A response that violates the protocol by continuing after its end is an error`() async throws {
        let connect = try await errors(.connect, .binary, response("connect+proto", message + end + message))
        expectEqual(connect.stream?.status, .internal)
        let web = try await errors(.grpcWeb, .binary, response("grpc-web+proto", message + trailers + trailers))
        expectEqual(web.stream?.status, .internal)
    }

    @Test
    func `A response that violates the protocol with no message or two instead of one is an error`() async throws {
        for body in [[], message + message] {
            let connect = try await errors(.connect, .binary, response("connect+proto", body + end))
            expectEqual(connect.single?.status, .unimplemented)
            expectNil(connect.stream)
            let web = try await errors(.grpcWeb, .binary, response("grpc-web", body + trailers))
            expectEqual(web.single?.status, .unimplemented)
            expectNil(web.stream)
            let grpc = try await errors(.grpc, .binary, response("grpc", body, trailers: ["grpc-status": "0"]))
            expectEqual(grpc.single?.status, .unimplemented)
            expectNil(grpc.stream)
        }
    }

    @Test(arguments: [
        ("connect+json", RPCCode.internal), ("connect+text", .internal), ("json", .unknown), ("proto", .unknown),
        ("grpc", .unknown), ("", .unknown),
    ])
    func `A response that violates the protocol by its content type is an error`(type: String, code: RPCCode)
        async throws
    {
        try await expectEqual(errors(.connect, .binary, response(type, message + end)).stream?.status, code)
    }

    @Test(arguments: [("grpc+json", RPCCode.internal), ("grpc-web", .unknown), ("json", .unknown)])
    func `A response that violates the protocol by its content type is an internal error of gRPC`(
        type: String, code: RPCCode
    ) async throws {
        let answer = response(type, message, trailers: ["grpc-status": "0"])
        try await expectEqual(errors(.grpc, .binary, answer).stream?.status, code)
    }

    @Test func `A response with a compression that was not offered or not declared is an error`() async throws {
        let odd = response("connect+proto", message + end, fields: ["Connect-Content-Encoding": "snappy"])
        try await expectEqual(errors(.connect, .binary, odd).stream?.status, .internal)
        let compressed = Envelope([1, 2, 3], flags: .compressed).bytes
        let unsaid = response("grpc-web+proto", compressed + trailers)
        try await expectEqual(errors(.grpcWeb, .binary, unsaid).stream?.status, .internal)
        let damaged = response("grpc", compressed, fields: ["grpc-encoding": "gzip"], trailers: ["grpc-status": "0"])
        #expect(try await errors(.grpc, .binary, damaged).stream != nil)
    }

    @Test func `A response that violates the protocol by a malformed message is an error`() async throws {
        let body = Envelope([0xFF]).bytes + end
        try await expectEqual(errors(.connect, .binary, response("connect+proto", body)).stream?.status, .internal)
        try await expectEqual(errors(.connect, .json, response("connect+json", body)).stream?.status, .internal)
    }

    @Test(arguments: ["", "[]", "null", "{", "\"a\""])
    func `A response that violates the protocol by an end of stream that is not a JSON object is unknown`(
        text: String
    )
        async throws
    {
        let body = message + Envelope(Array(text.utf8), flags: .endOfStream).bytes
        try await expectEqual(errors(.connect, .binary, response("connect+proto", body)).stream?.status, .unknown)
    }

    @Test(arguments: [
        (#"{"error":{"code":"not_found","message":"a"}}"#, RPCCode.notFound),
        (#"{"error":{"code":"strange"}}"#, .unknown), (#"{"error":{}}"#, .unknown),
        (#"{"error":{"code":"aborted","details":[{"type":1},{"type":"a.B","value":"!"}]}}"#, .aborted),
    ])
    func `A response that violates the protocol only in parts of its error keeps the readable parts`(
        text: String, code: RPCCode
    ) async throws {
        let body = message + Envelope(Array(text.utf8), flags: .endOfStream).bytes
        let error = try await errors(.connect, .binary, response("connect+proto", body)).stream
        expectEqual(error?.status, code)
        expectEqual(error?.details.isEmpty, true)
    }

    @Test func `A response that violates the protocol by unknown envelope flags is an error`() async throws {
        let odd = Envelope([], flags: Envelope.Flags(rawValue: 0x40)).bytes
        try await expectEqual(errors(.connect, .binary, response("connect+proto", odd + end)).stream?.status, .internal)
        try await expectEqual(
            errors(.grpc, .binary, response("grpc", odd, trailers: ["grpc-status": "0"])).stream?.status, .internal)
    }

    @Test func `A response that violates the protocol reports its error only in the head`() async throws {
        let head = response("grpc", [], fields: ["grpc-status": "7", "grpc-message": "no%20way", "x-a": "b"])
        let errors = try await errors(.grpc, .binary, head)
        for error in [errors.single, errors.stream] {
            expectEqual(error?.status, .permissionDenied)
            expectEqual(error?.message, "no way")
            expectEqual(error?.metadata["x-a"], "b")
        }
    }

    @Test(
        arguments: [
            (404, 5, RPCCode.notFound), (503, 14, .unavailable), (400, 9, .failedPrecondition),
            (204, 16, .unauthenticated),
        ]
            as [(HTTPStatus, Int, RPCCode)])
    func `A gateway's other status of HTTP is recognized by the status of gRPC`(
        http: HTTPStatus, grpc: Int, code: RPCCode
    )
        async throws
    {
        for style in [RPCProtocol.grpc, .grpcWeb] {
            var head = response("grpc", [], fields: ["grpc-status": "\(grpc)", "grpc-message": "upstream%20error"])
            head.status = http
            let errors = try await errors(style, .binary, head)
            for error in [errors.single, errors.stream] {
                #expect(error?.status == code && error?.message == "upstream error")
            }
            head.fields["grpc-status"] = "0"
            #expect(try await self.errors(style, .binary, head).single?.status != nil)
        }
    }

    @Test func `A unary Connect response that violates the protocol is treated alike`() async throws {
        func status(_ response: HTTPResponse) async throws -> RPCCode? {
            let channel = try RPCChannel("http://localhost", through: ClosureHandler { _ in response })
            return await error { _ = try await channel.unary(Notes.echo, Note()) }?.status
        }
        try await expectNil(status(response("proto", [])))
        try await expectEqual(status(response("json", Array("{}".utf8))), .internal)
        try await expectEqual(status(response("html", [])), .unknown)
        try await expectEqual(status(response("proto", [0xFF])), .internal)
        try await expectEqual(status(response("proto", [], fields: [.contentEncoding: "br"])), .internal)
        for (text, code) in [
            (#"{"code":"aborted"}"#, RPCCode.aborted), ("{}", .unavailable), ("no", .unavailable),
            (#"{"code":7}"#, .unavailable),
        ] {
            var answer = response("json", Array(text.utf8))
            answer.status = .serviceUnavailable
            try await expectEqual(status(answer), code)
        }
    }
}
