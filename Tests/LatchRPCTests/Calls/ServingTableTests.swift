// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchHTTP
import LatchServer
import LatchTesting
import Testing

@testable import LatchProtobuf
@testable import LatchRPC

@Suite struct ServingTableTests {
    private func answer(_ error: RPCError) async throws -> HTTPResponse {
        let service = RPCService([.unary(Notes.echo) { _, _ in throw error }])
        return try await service.respond(
            to: HTTPRequest(
                method: .post, authority: "a", path: "/latch.test.v1.Notes/Echo",
                fields: [.contentType: "application/proto"])
        ).collected()
    }

    @Test(
        arguments: [
            (.canceled, 499, "canceled"), (.unknown, 500, "unknown"), (.invalidArgument, 400, "invalid_argument"),
            (.deadlineExceeded, 504, "deadline_exceeded"), (.notFound, 404, "not_found"),
            (.alreadyExists, 409, "already_exists"), (.permissionDenied, 403, "permission_denied"),
            (.resourceExhausted, 429, "resource_exhausted"), (.failedPrecondition, 400, "failed_precondition"),
            (.aborted, 409, "aborted"), (.outOfRange, 400, "out_of_range"), (.unimplemented, 501, "unimplemented"),
            (.internal, 500, "internal"), (.unavailable, 503, "unavailable"), (.dataLoss, 500, "data_loss"),
            (.unauthenticated, 401, "unauthenticated"),
        ] as [(RPCCode, Int, String)])
    func `A Connect response has the HTTP status of its code, and the name of the code`(
        code: RPCCode, status: Int, word: String
    )
        async throws
    {
        let response = try await answer(RPCError(code))
        expectEqual(response.status.rawValue, status)
        expectEqual(response.fields[.contentType], "application/json")
        expectEqual(response.body.text, #"{"code":"\#(word)"}"#)
    }

    @Test func `A Connect response carries text, details, fields and trailers of an error`() async throws {
        let detail = ProtoAny(typeURL: "type.googleapis.com/a.B", value: .init([0xFB, 0xFF]))
        let response = try await answer(
            RPCError(.aborted, "quote \" and é", details: [detail], metadata: ["X-Why": "because", "x-why": "again"]))
        expectEqual(
            response.body.text,
            #"{"code":"aborted","message":"quote \" and é","details":[{"type":"a.B","value":"+/8"}]}"#)
        expectEqual(response.fields.values(of: "trailer-x-why"), ["because", "again"])
    }
}

@Suite struct CallRequestTests {
    private let service = RPCService(NotesService().handlers)

    /// The outcome of a handwritten call: the HTTP status, and the content with the trailers as text.
    private func answer(
        _ type: String, _ fields: HTTPFields = [:], name: String = "Count", body: [UInt8]
    ) async throws -> (status: Int, text: String) {
        var fields = fields
        fields[.contentType] = type
        let response = try await service.respond(
            to: HTTPRequest(
                method: .post, authority: "a", path: "/latch.test.v1.Notes/\(name)", fields: fields,
                body: HTTPBody(body)))
        var text = String(decoding: try await response.body.collected(upTo: 100_000), as: UTF8.self)
        for line in [response.fields, response.body.trailers].joined() where line.name.canonicalName.hasPrefix("grpc-")
        {
            text += "\(line.name.canonicalName): \(line.value)\n"
        }
        return (response.status.rawValue, text)
    }

    private static let streams = ["application/connect+proto", "application/grpc-web+proto", "application/grpc"]

    /// The text that carries a code in a protocol.
    private func reports(_ code: RPCCode, _ text: String, _ type: String) -> Bool {
        text.contains(type.contains("connect") ? "\"code\":\"\(code.name)\"" : "grpc-status: \(code.rawValue)")
    }

    @Test(arguments: streams, ["", "1", "S", "-1S", "1.5S", "123456789S", "1s", "1 S", "0x1S", "12345678901"])
    func `A request of a call with a malformed timeout is rejected`(type: String, text: String) async throws {
        let isConnect = type.contains("connect")
        guard !isConnect || text != "1" else { return }
        let field: HTTPFieldName = isConnect ? "Connect-Timeout-Ms" : "grpc-timeout"
        let answer = try await answer(type, [field: text], body: Envelope([]).bytes)
        expectEqual(answer.status, 200)
        #expect(reports(.invalidArgument, answer.text, type), "\(answer.text)")
    }

    @Test(arguments: streams, [0x02, 0x04, 0x40, 0x80, 0xFF, 0x03] as [UInt8])
    func `A request of a call with an envelope that is not a message is rejected`(type: String, flags: UInt8)
        async throws
    {
        let body = Envelope([], flags: Envelope.Flags(rawValue: flags)).bytes
        let answer = try await answer(type, body: body)
        expectEqual(answer.status, 200)
        #expect(reports(.invalidArgument, answer.text, type), "\(answer.text)")
    }

    @Test(arguments: streams) func `A request of a call with an undeclared compression is rejected`(type: String)
        async throws
    {
        let body = Envelope(try RPCCompression.gzip.compress([]), flags: .compressed).bytes
        #expect(reports(.internal, try await answer(type, body: body).text, type))
        let field: HTTPFieldName = type.contains("connect") ? "Connect-Content-Encoding" : "grpc-encoding"
        #expect(reports(.unimplemented, try await answer(type, [field: "br"], body: body).text, type))
        for name in ["gzip", "identity", ""] {
            let isSaid = name == "gzip"
            let text = try await answer(type, [field: name], body: body).text
            expectEqual(reports(.internal, text, type), !isSaid, "\(name)")
        }
    }

    @Test(arguments: streams)
    func `A request of a call that is truncated or has two messages is rejected`(type: String) async throws {
        #expect(reports(.internal, try await answer(type, body: [0, 0, 0]).text, type))
        #expect(reports(.internal, try await answer(type, body: [0, 0, 0, 0, 2, 8]).text, type))
        #expect(reports(.unimplemented, try await answer(type, body: []).text, type))
        #expect(
            reports(.unimplemented, try await answer(type, body: Envelope([]).bytes + Envelope([]).bytes).text, type))
        #expect(reports(.invalidArgument, try await answer(type, body: Envelope([0xFF]).bytes).text, type))
        #expect(reports(.resourceExhausted, try await answer(type, body: [0, 0x7F, 0xFF, 0xFF, 0xFF]).text, type))
    }

    @Test(
        arguments: [
            ("application/proto", 200), ("application/json", 200), ("Application/Proto", 200),
            ("application/json;charset=utf-8", 200), ("application/json ; charset=\"utf-8\"; a=b", 200),
            ("application/grpc", 200), ("application/grpc+proto", 200), ("application/grpc+json", 200),
            ("application/grpc;x=y", 200), ("application/grpc-web", 200), ("application/grpc-web+json", 200),
            ("application/grpc-web-text", 200), ("application/grpc-web-text+proto", 200),
            ("application/connect+proto", 415), ("application/connect+json", 415), ("application/connect", 415),
            ("application/grpc+", 415), ("application/grpc+thrift", 415), ("application/grpc-web+", 415),
            ("application/x-protobuf", 415), ("text/json", 415), ("application/*", 415), ("", 415), (";", 415),
        ])
    func `A request of a call is accepted by its content type`(type: String, status: Int) async throws {
        let isJSON = type.lowercased().hasPrefix("application/json")
        let message = Array((isJSON ? "{}" : "").utf8)
        let content = type.contains("+json") ? Array("{}".utf8) : []
        let envelope = Envelope(content).bytes
        let body = type.contains("text") ? GRPCWebText.encode(envelope) : type.contains("grpc") ? envelope : message
        let answer = try await answer(type, name: "Echo", body: body)
        expectEqual(answer.status, status)
        if type.contains("grpc"), status == 200 {
            let text = type.contains("text") ? "" : answer.text
            #expect(text.isEmpty || text.contains("grpc-status: 0"), "\(text)")
        }
    }

    @Test(arguments: [
        "base64=1&connect=v1&encoding=proto&message=CgFh", "base64=1&encoding=proto&message=CgFh",
        "message=CgFh&encoding=proto&base64=1", "encoding=json&message=%7B%22text%22:%22a%22%7D",
        "encoding=json&base64=1&message=eyJ0ZXh0IjoiYSJ9", "encoding=json&base64=1&message=eyJ0ZXh0IjoiYSJ9%3D%3D",
        "encoding=json&message=%7b%22text%22%3a%22a%22%7d&compression=identity",
        "encoding=json&message={%22text%22:%22a%22}&x=y",
    ])
    func `A request of a call by GET is read in any spelling of its query`(query: String) async throws {
        let response = try await service.respond(
            to: HTTPRequest(method: .get, authority: "a", path: "/latch.test.v1.Notes/Read?" + query)
        ).collected()
        expectEqual(response.status, .ok)
        let isJSON = query.contains("encoding=json")
        expectEqual(response.body.bytes, Array((isJSON ? #"{"text":"a"}"# : "\n\u{1}a").utf8))
    }

    @Test(arguments: [
        ("encoding=proto&message=%FF", 400), ("encoding=json&message=", 400), ("encoding=proto", 400),
        ("encoding=proto&message=a&compression=br", 501), ("encoding=proto&message=a&compression=gzip", 400),
        ("encoding=PROTO&message=", 400), ("encoding=proto&base64=1&message=C+Fh", 400),
        ("connect=v2&encoding=proto&message=", 400), ("encoding=proto&message=", 200),
    ])
    func `A request of a call by GET is rejected with a malformed query`(query: String, status: Int) async throws {
        let response = try await service.respond(
            to: HTTPRequest(method: .get, authority: "a", path: "/latch.test.v1.Notes/Read?" + query))
        expectEqual(response.status.rawValue, status)
    }

    @Test func `A request of a call carries bytes in its fields, padded or not, in one line or several`() async throws {
        let method = RPCMethodHandler.unary(Notes.echo) { _, context in
            Note(text: context.metadata.binaryValues(of: "x-a-bin").map { "\($0)" }.joined())
        }
        for lines in [["AAE=", "/w"], ["AAE,/w=="], ["AAE , /w"], ["!", "AAE", "/w"]] {
            var request = HTTPRequest(
                method: .post, authority: "a", path: "/latch.test.v1.Notes/Echo",
                fields: [.contentType: "application/json"], body: HTTPBody("{}"))
            for line in lines { request.fields.append(line, for: "X-A-Bin") }
            let answer = try await RPCService([method]).respond(to: request).collected()
            expectEqual(answer.body.text, #"{"text":"[0, 1][255]"}"#)
        }
    }
}
