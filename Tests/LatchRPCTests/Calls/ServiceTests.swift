// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchRPC
import Testing

@Suite struct ServiceTests {
    private let service = RPCService(NotesService().handlers)

    private func answer(
        _ method: HTTPMethod = .post, _ name: String = "Echo", _ fields: HTTPFields = [:], body: [UInt8] = []
    ) async throws -> HTTPResponse {
        try await service.respond(
            to: HTTPRequest(
                method: method, authority: "a", path: "/latch.test.v1.Notes/" + name, fields: fields,
                body: HTTPBody(body))
        ).collected()
    }

    @Test func `A service has routes for all calls of its services`() {
        expectEqual(service.routes.map(\.pattern), Array(repeating: "/latch.test.v1.Notes/{method}", count: 2))
        expectEqual(service.routes.map(\.method), [.post, .get])
    }

    @Test(arguments: ["", "text/plain", "application/xml", "application/grpc+xml", "application/connect+text"])
    func `A service rejects other content types and lists the supported ones`(type: String) async throws {
        let answer = try await answer(.post, "Echo", type.isEmpty ? [:] : [.contentType: type])
        expectEqual(answer.status, .unsupportedMediaType)
        expectEqual(answer.fields["Accept-Post"]?.contains("application/proto"), true)
    }

    @Test(arguments: [
        ("Count", "application/proto"), ("Add", "application/json"), ("Echo", "application/connect+proto"),
    ])
    func `A service rejects a Connect format that does not fit the method`(name: String, type: String) async throws {
        try await expectEqual(answer(.post, name, [.contentType: type]).status, .unsupportedMediaType)
    }

    @Test func `A service accepts content types with parameters, in any case`() async throws {
        let answer = try await answer(
            .post, "Echo", [.contentType: "Application/JSON; charset=utf-8"], body: Array("{}".utf8))
        expectEqual(answer.status, .ok)
        expectEqual(answer.fields[.contentType], "application/json")
        expectEqual(answer.body.text, "{}")
    }

    @Test func `A service serves GET only for calls without side effects`() async throws {
        let query = "?connect=v1&encoding=json&message=%7B%22text%22%3A%22a%22%7D"
        let read = try await answer(.get, "Read" + query)
        expectEqual(read.status, .ok)
        expectEqual(read.body.text, #"{"text":"a"}"#)
        expectEqual(read.fields["Vary"], "Accept-Encoding")
        for name in ["Echo", "Count"] {
            let refused = try await answer(.get, name + query)
            expectEqual(refused.status, .methodNotAllowed)
            expectEqual(refused.fields["Allow"], "POST")
        }
        try await expectEqual(answer(.put, "Read").status, .methodNotAllowed)
        try await expectEqual(answer(.get, "Read?encoding=json").status, .badRequest)
    }

    @Test func `A service supports version 1 of Connect`() async throws {
        let fields: HTTPFields = [.contentType: "application/json", "Connect-Protocol-Version": "2"]
        let answer = try await answer(.post, "Echo", fields, body: Array("{}".utf8))
        expectEqual(answer.status, .badRequest)
        expectEqual(answer.body.text?.contains("invalid_argument"), true)
    }

    @Test func `A service lists the supported compressions`() async throws {
        let fields: HTTPFields = [.contentType: "application/json", .contentEncoding: "snappy"]
        let answer = try await answer(.post, "Echo", fields, body: [1])
        expectEqual(answer.status, 501)
        expectEqual(answer.body.text?.contains("gzip"), true)
    }

    @Test(arguments: ["gzip", "br, gzip;q=0.5", "identity,gzip", "GZIP", "gzip ; Q=1", "gzip;a=0;q=0.001"])
    func `A service compresses large messages`(list: String)
        async throws
    {
        let note = Array(#"{"text":"\#(String(repeating: "a", count: 5000))"}"#.utf8)
        let fields: HTTPFields = [.contentType: "application/json", .acceptEncoding: list]
        let answer = try await answer(.post, "Echo", fields, body: note)
        expectEqual(answer.fields[.contentEncoding], "gzip")
        try expectEqual(RPCCompression.gzip.decompress(answer.body.bytes, 6000), note)
    }

    @Test(arguments: ["", "br", "gzip;q=0", "gzip; q=0.0", "gzip;a=1;q=0", "GZip;Q=0.000", "x-gzip", ";gzip", ","])
    func `A service compresses only with an accepted compression`(list: String)
        async throws
    {
        let note = Array(#"{"text":"\#(String(repeating: "a", count: 5000))"}"#.utf8)
        let fields: HTTPFields = [.contentType: "application/json", .acceptEncoding: list]
        let answer = try await answer(.post, "Echo", fields, body: note)
        expectNil(answer.fields[.contentEncoding])
        expectEqual(answer.body.bytes, note)
    }

    @Test(arguments: ["application/proto", "application/json"])
    func `A service rejects a malformed message`(type: String)
        async throws
    {
        let answer = try await answer(.post, "Echo", [.contentType: type], body: [0xFF, 0xFF])
        expectEqual(answer.status, .badRequest)
        expectEqual(answer.body.text?.contains("latch.test.v1.Note"), true)
    }

    @Test(arguments: [[], [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]] as [[UInt8]])
    func `A service accepts exactly one message in a unary call`(body: [UInt8]) async throws {
        let answer = try await answer(.post, "Echo", [.contentType: "application/grpc-web+proto"], body: body)
        let text = String(decoding: answer.body.bytes.dropFirst(5), as: UTF8.self)
        #expect(text.contains("grpc-status: 12"))
    }

    @Test func `A service ends a Connect stream with an end-of-stream envelope`() async throws {
        let answer = try await answer(
            .post, "Count", [.contentType: "application/connect+json"], body: [4, 0, 0, 0, 0])
        expectEqual(answer.status, .ok)
        expectEqual(answer.body.bytes.first, 2)
        #expect(String(decoding: answer.body.bytes.dropFirst(5), as: UTF8.self).contains("invalid_argument"))
    }
}
