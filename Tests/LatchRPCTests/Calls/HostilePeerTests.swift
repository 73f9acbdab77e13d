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

@Suite(.timeLimit(.minutes(2))) struct HostilePeerTests {
    @Test(arguments: CallStyle.plain) func `A timeout of centuries is valid for a call`(style: CallStyle) async throws {
        try await withServedNotes { url in
            let channel = try style.channel(url)
            for timeout in [Duration.seconds(Int64.max), .seconds(Int64(1) << 40), .seconds(9_999_999_999)] {
                let options = CallOptions(timeout: timeout)
                try await expectEqual(channel.unary(Notes.echo, Note(number: 1), options).message.number, 1)
                let stream = try await channel.serverStream(Notes.count, Note(number: 2), options)
                try await expectEqual(collect(stream).notes.count, 2)
            }
        }
    }

    @Test(arguments: [
        ("application/grpc-web+proto", "grpc-timeout", "99999999H"), ("application/grpc", "grpc-timeout", "99999999H"),
        ("application/grpc-web+proto", "grpc-timeout", "00000100M"),
        ("application/connect+proto", "Connect-Timeout-Ms", "9999999999"),
    ])
    func `A timeout of centuries is valid for a server`(type: String, field: String, text: String) async throws {
        let service = RPCService(NotesService().handlers)
        let request = HTTPRequest(
            method: .post, authority: "a", path: "/latch.test.v1.Notes/Count",
            fields: [.contentType: type, HTTPFieldName(field): text],
            body: HTTPBody(Envelope(try Note(number: 1).serialized()).bytes))
        let response = try await service.respond(to: request)
        let bytes = try await response.body.collected(upTo: 1000)
        // The first message, which is number 0 and so empty, and then the end where it is said in the content.
        #expect(bytes.starts(with: [0, 0, 0, 0, 0]))
        let end =
            String(decoding: bytes, as: UTF8.self)
            + (response.body.trailers["grpc-status"].map { "grpc-status: \($0)" } ?? "")
        #expect(end.contains(type.contains("connect") ? "{" : "grpc-status: 0"))
        #expect(!end.contains("deadline"))
    }
}

@Suite(.timeLimit(.minutes(2))) struct LineBreakTests {
    private static let evil = "a\r\ngrpc-status: 0\r\nx-more: 1"

    private struct Leaving: Sendable {
        var metadata: HTTPFields = [:]
        var trailers: HTTPFields = [:]
        var error: RPCError?

        var handlers: [RPCMethodHandler] {
            [
                .unary(Notes.echo) { note, context in
                    (context.responseMetadata, context.responseTrailers) = (metadata, trailers)
                    if let error { throw error }
                    return note
                },
                .serverStream(Notes.count) { note, context in
                    context.responseMetadata = metadata
                    return RPCStream { writer in
                        try await writer.send(note)
                        context.responseTrailers = trailers
                        if let error { throw error }
                    }
                },
            ]
        }
    }

    /// The outcomes of a unary call and a stream over a real socket.
    private func outcomes(_ style: CallStyle, _ leaving: Leaving) async throws -> [RPCError?] {
        try await serving(returning: RPCService(leaving.handlers)) { url in
            let channel = try style.channel(url)
            return [
                await failure { _ = try await channel.unary(Notes.echo, Note(number: 3)) },
                await failure { _ = try await collect(try await channel.serverStream(Notes.count, Note(number: 3))) },
            ]
        }
    }

    @Test(arguments: CallStyle.plain)
    func `A field value with a line break makes a successful method fail`(style: CallStyle)
        async throws
    {
        for leaving in [
            Leaving(metadata: ["x-evil": Self.evil]), Leaving(trailers: ["x-evil": Self.evil]),
            Leaving(trailers: ["x evil": "a"]), Leaving(trailers: ["x-evil": "\u{0}"]),
        ] {
            for error in try await outcomes(style, leaving) {
                expectEqual(error?.status, .internal)
                expectEqual(error?.message, "The method set a metadata field that cannot be sent.")
                expectNil(error?.metadata["x-more"])
            }
        }
    }

    @Test(arguments: CallStyle.plain) func `A field value with a line break is omitted from the error of a method`(
        style: CallStyle
    )
        async throws
    {
        let error = RPCError(.notFound, "gone", metadata: ["x-evil": Self.evil, "x-kept": "b"])
        let leaving = Leaving(trailers: ["x-evil": Self.evil, "x-after": "c"], error: error)
        for error in try await outcomes(style, leaving) {
            expectEqual(error?.status, .notFound)
            expectEqual(error?.message, "gone")
            expectEqual(error?.metadata["x-kept"], "b")
            expectEqual(error?.metadata["x-after"], "c")
            expectNil(error?.metadata["x-more"])
            expectNil(error?.metadata["x-evil"])
        }
    }

    @Test(arguments: CallStyle.plain)
    func `A field value with a line break is rejected by the client before it sends the request`(style: CallStyle)
        async throws
    {
        let server = try RawHTTPServer { _ in .response(204) }
        let channel = try style.channel(server.url)
        for fields in [["x-evil": Self.evil], ["x evil": "a"], ["x-evil": "\n"]] as [HTTPFields] {
            let options = CallOptions(metadata: fields)
            let one = await failure { _ = try await channel.unary(Notes.echo, Note(), options) }
            #expect(one != nil)
            let many = await failure {
                _ = try await collect(try await channel.serverStream(Notes.count, Note(), options))
            }
            #expect(many != nil)
        }
        #expect(server.requests.isEmpty)
    }
}

@Suite(.timeLimit(.minutes(2))) struct ForwardedErrorTests {
    /// A server whose methods call another server, and throw on what that says.
    private func relay(to url: String, _ style: CallStyle) throws -> RPCService {
        let channel = try style.channel(url)
        return RPCService([
            .unary(Notes.echo) { note, _ in try await channel.unary(Notes.echo, note).message },
            .serverStream(Notes.count) { note, _ in
                let inner = try await channel.serverStream(Notes.count, note)
                return RPCStream(inner)
            },
        ])
    }

    @Test(arguments: CallStyle.plain)
    func `An error that a server forwards arrives complete, without the framing of the other response`(
        style: CallStyle
    ) async throws {
        try await withServedNotes { inner in
            for other in CallStyle.plain {
                try await serving(try relay(to: inner, other)) { url in
                    let channel = try style.channel(url)
                    let options = CallOptions(metadata: ["x-ask": "one"])
                    let one = await failure {
                        _ = try await channel.unary(Notes.echo, Note(text: "fail 5 gone"), options)
                    }
                    let many = await failure {
                        let stream = try await channel.serverStream(Notes.count, Note(text: "fail 5 gone", number: 2))
                        _ = try await collect(stream)
                    }
                    for error in [one, many] {
                        expectEqual(error?.status, .notFound)
                        expectEqual(error?.message, "gone")
                        expectEqual(error?.detail(Note.self)?.number, 5)
                        expectEqual(error?.metadata["x-after"], "none")
                        for name in ["content-type", "content-length", "grpc-status", "grpc-message"] as [HTTPFieldName]
                        {
                            #expect((error?.metadata.values(of: name).count ?? 0) <= 1, "\(name) by \(other)")
                        }
                    }
                    // The connection is sound: the next call on it works.
                    try await expectEqual(channel.unary(Notes.echo, Note(text: "ok")).message.text, "ok")
                }
            }
        }
    }

    @Test func `An error that a server forwards does not affect the framing of the response`() {
        let fields: HTTPFields = [
            "Content-Type": "a", "content-length": "1", "Transfer-Encoding": "chunked", "grpc-status": "0",
            "Grpc-Message": "x", "connect-content-encoding": "gzip", "x-own": "1", "x-own": "2", "Connection": "close",
            "cache-control": "no-store",
        ]
        expectEqual(fields.applicationMetadata, ["x-own": "1", "x-own": "2", "cache-control": "no-store"])
    }
}

@Suite(.timeLimit(.minutes(2))) struct UnauthenticatedResponseTests {
    @Test func `An unauthenticated response in base64 appears as 401 to the interceptors of a call`() async throws {
        let asked = Mutex(0)
        let refusing = RPCService([.unary(Notes.echo) { _, _ in throw RPCError.unauthenticated }])
        let accepting = RPCService(NotesService().handlers)
        let server = ClosureHandler { request in
            let count = asked.withLock { asked in
                asked += 1
                return asked
            }
            return try await (count == 1 ? refusing : accepting).respond(to: request)
        }
        let renewal = ClosureInterceptor { request, next in
            let response = try await next.respond(to: request)
            return response.status == .unauthorized ? try await next.respond(to: request) : response
        }
        let channel = try RPCChannel("http://localhost", through: server, interceptors: [renewal], using: .grpcWebText)
        try await expectEqual(channel.unary(Notes.echo, Note(text: "a")).message.text, "a")
        expectEqual(asked.withLock { $0 }, 2)
    }

    @Test(arguments: ["", "A", "AAAA", "gAAA", "!!!!", "=", "gAAAAA==", "gA=="])
    func `An unauthenticated response in base64 that is malformed leaves the response unchanged`(text: String)
        async throws
    {
        let fields: HTTPFields = [.contentType: "application/grpc-web-text+proto"]
        let answer = HTTPResponse(status: .ok, fields: fields, body: HTTPBody(text))
        let channel = try RPCChannel("http://localhost", using: .grpcWebText)
        let seen = try await UnauthenticatedInterceptor(style: .grpcWebText, configuration: channel.configuration)
            .intercept(
                HTTPRequest(authority: "a", path: "/"), next: ClosureHandler { _ in answer })
        expectEqual(seen.status, .ok)
    }
}

/// The error of a call; nil where it succeeds.
func failure(_ body: () async throws -> Void) async -> RPCError? {
    do { try await body() } catch { return error as? RPCError }
    return nil
}

/// Runs `body` with a service behind a real socket on loopback.
func serving<Value: Sendable>(
    returning service: RPCService, _ body: @Sendable (_ url: String) async throws -> Value
) async throws -> Value {
    let result = Mutex<Value?>(nil)
    try await serving(service) { url in
        let value = try await body(url)
        result.withLock { $0 = value }
    }
    return try #require(result.withLock { $0 })
}
