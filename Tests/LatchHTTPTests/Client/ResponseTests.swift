// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchTesting
import TestSupport
import TestTags
import Testing

/// A client whose server always answers in the same way.
func client(
    answering status: HTTPStatus, _ body: HTTPBody = .empty, fields: HTTPFields = [:],
    seen: Recording<HTTPRequest> = Recording()
) throws -> Client {
    let transport = ClosureHandler { request in
        seen.add(request)
        return HTTPResponse(status: status, fields: fields, body: body)
    }
    return Client(baseURL: try #require(URL(string: "https://h/v1")), transport: transport)
}

@Suite struct ResponseTests {
    struct User: Codable, Sendable, Equatable {
        var name: String
    }

    @Test(.tags(.statusMapping), arguments: [200, 201, 204, 205, 304] as [HTTPStatus])
    func `A response without content is nil if that is allowed`(status: HTTPStatus) async throws {
        try await expectNil(client(answering: status).perform(.get("x", as: User?.self)))
        try await expectNil(client(answering: status, HTTPBody(pieces([]))).perform(.get("x", as: User?.self)))
    }

    @Test(.tags(.statusMapping), arguments: [200, 204, 205] as [HTTPStatus])
    func `A response without content has another shape if content is required`(status: HTTPStatus) async throws {
        let error = await #expect(throws: HTTPError.undecodable) {
            try await client(answering: status).perform(.get("x", as: User.self))
        }
        expectEqual(error?.response?.status, status)
    }

    @Test(.tags(.statusMapping))
    func `A response of 304 is a status like any other if content is required`() async throws {
        let error = await #expect(throws: HTTPError.unacceptableStatus) {
            try await client(answering: 304).perform(.get("x", as: User.self))
        }
        expectEqual(error?.response?.status, 304)
    }

    @Test(.tags(.statusMapping))
    func `A response that is optional is read if it exists, and refused if it has another shape`()
        async throws
    {
        let user = try await client(answering: .ok, HTTPBody(#"{"name":"Ada"}"#)).perform(.get("x", as: User?.self))
        expectEqual(user, User(name: "Ada"))
        try await expectNil(client(answering: .ok, HTTPBody("null")).perform(.get("x", as: User?.self)))
        await #expect(throws: HTTPError.undecodable) {
            try await client(answering: .ok, HTTPBody("[]")).perform(.get("x", as: User?.self))
        }
        await #expect(throws: HTTPError.unacceptableStatus) {
            try await client(answering: .notFound).perform(.get("x", as: User?.self))
        }
    }

    @Test(
        .tags(.statusMapping),
        arguments: [200, 201, 202, 204, 206, 226, 299, 300, 304, 400, 401, 403, 404, 409, 422, 429, 499, 500, 503, 599]
            as [HTTPStatus])
    func `A response is a success by its class only, and the others carry the response`(status: HTTPStatus) async throws
    {
        let client = try client(answering: status, HTTPBody("why"), fields: [.retryAfter: "3"])
        do {
            try await client.perform(.get("x"))
            #expect(status.isSuccess)
        } catch let error as HTTPError {
            expectEqual(error, .unacceptableStatus)
            expectEqual(error.response?.status, status)
            expectEqual(error.response?.body.text, "why")
            expectEqual(error.response?.fields[.retryAfter], "3")
            #expect(!status.isSuccess)
        }
        let classes = [
            status.isSuccess, status.isRedirection, status.isClientError, status.isServerError,
        ]
        expectEqual(classes.firstIndex(of: true), status.rawValue / 100 - 2)
        expectEqual(classes.filter { $0 }.count, 1)
    }

    @Test func `A response of another status is an error that names the method and the template`() async throws {
        let client = try client(answering: .notFound, HTTPBody("why"))
        let id = "canary-1"
        let error = await #expect(throws: HTTPError.unacceptableStatus) {
            try await client.perform(.delete("users/\(id)", query: [("token", "canary-2")]))
        }
        let message = try #require(error?.message)
        #expect(message.hasPrefix("DELETE /") && message.hasSuffix("users/{} returned status 404."))
        let path = "users/8f3a9c12?token=canary"
        let whole = await #expect(throws: HTTPError.unacceptableStatus) {
            try await client.perform(.get(RoutePath(path), as: User.self))
        }
        expectEqual(whole?.message.hasSuffix("users/* returned status 404."), true)
        expectEqual(whole?.response?.body.text, "why")
    }

    @Test(.tags(.statusMapping))
    func `A response that cannot be read is carried by the error, also if it came as a stream`() async throws {
        let error = await #expect(throws: HTTPError.undecodable) {
            try await client(answering: .ok, HTTPBody(pieces(["{\"na", "me\":1}"]))).perform(.get("x", as: User.self))
        }
        expectEqual(error?.response?.body.text, #"{"name":1}"#)
    }

    @Test func `A response can be bytes or text`() async throws {
        let bytes: [UInt8] = [0, 255, 128]
        try await expectEqual(client(answering: .ok, HTTPBody(bytes)).perform(.bytes(.get, "x")), bytes)
        try await expectEqual(
            client(answering: .ok, HTTPBody("é")).perform(.text(.post, "x", sending: .text("a"))), "é")
        try await expectEqual(client(answering: .ok, HTTPBody(pieces(["a", "b"]))).perform(.text(.get, "x")), "ab")
        #expect(try await client(answering: .noContent).perform(.text(.get, "x")).isEmpty)
        let error = await #expect(throws: HTTPError.undecodable) {
            try await client(answering: .ok, HTTPBody(bytes)).perform(.text(.get, "x"))
        }
        expectEqual(error?.response?.body.bytes, bytes)
        await #expect(throws: HTTPError.unacceptableStatus) {
            try await client(answering: .notFound).perform(.bytes(.get, "x"))
        }
    }

    @Test func `A response can be a stream, which is asked for as one`() async throws {
        let seen = Recording<HTTPRequest>()
        let client = try client(answering: .ok, HTTPBody(pieces(["a", "", "bc"])), seen: seen)
        let stream = try await client.perform(.stream(.get, "export"))
        var read: [String] = []
        for try await piece in stream { read.append(String(decoding: piece, as: UTF8.self)) }
        expectEqual(read, ["a", "bc"])
        _ = try await client.perform(.text(.get, "export"))
        expectEqual(seen.entries.map(\.wantsStream), [true, false])
    }

    @Test func `A response can be its head, with the content as a stream`() async throws {
        let listener = try RawListener()
        let client = Client(baseURL: try #require(URL(string: "http://127.0.0.1:\(listener.port)")))
        let call = Task { try await client.perform(.raw(.get, "export").streamed()) }
        let peer = try #require(await listener.accept())
        _ = await peer.receive(through: "\r\n\r\n")
        await peer.send("HTTP/1.1 404 Not Found\r\nX-A: 1\r\nContent-Length: 4\r\n\r\n")
        let response = try await call.value
        #expect(response.status == .notFound && response.fields["X-A"] == "1" && response.body.length == 4)
        await peer.send("late")
        try await expectEqual(response.body.collected(upTo: 10), Array("late".utf8))
    }

    @Test func `A response that is not a success is in memory, up to a limit`() async throws {
        let long = String(repeating: "x", count: 600_000)
        let error = await #expect(throws: HTTPError.unacceptableStatus) {
            try await client(answering: .badRequest, HTTPBody(pieces([long, long, long]))).perform(
                .stream(.get, "export"))
        }
        expectEqual(error?.response?.body.bytes.count, 1 << 20)
    }

    @Test func `A response that is not a success says so even if its content breaks off`() async throws {
        let error = await #expect(throws: HTTPError.unacceptableStatus) {
            try await client(answering: 401, HTTPBody(pieces(["wh"], then: .offline))).perform(.stream(.get, "x"))
        }
        expectEqual(error?.response?.status, .unauthorized)
        expectEqual(error?.response?.body.text, "wh")
    }

    @Test func `A response can be read in any way, with the client's decoder or without`() async throws {
        let client = try client(answering: .notFound, HTTPBody(#"{"name":"Ada"}"#))
        let exists = Route<Bool>(.get, "x", sending: .empty) { response, _ in response.status != .notFound }
        try await expectEqual(client.perform(exists), false)
        let name = Route<String>(.get, "x", sending: .empty, accept: "application/vnd.user+json") {
            try $1.decode(User.self, from: Data($0.body.bytes)).name
        }
        try await expectEqual(client.perform(name), "Ada")
        try expectEqual(client.request(for: name).fields[.accept], "application/vnd.user+json")
    }
}

@Suite struct RouteRequestTests {
    private enum Marked: HTTPContextKey {
        static var defaultValue: Bool { false }
    }

    @Test func `The request of a route reaches the transport`() async throws {
        let seen = Recording<HTTPRequest>()
        let client = try client(answering: .ok, seen: seen)
        let plain = Route<Void>.get("x")
        try await client.perform(plain)
        try await client.perform(plain.timeout(.seconds(5)).context(Marked.self, true).field("X-A", "1"))
        expectEqual(seen.entries.map(\.timeout), [nil, .seconds(5)])
        expectEqual(seen.entries.map { $0.context[Marked.self] }, [false, true])
        expectEqual(seen.entries.map { $0.fields["X-A"] }, [nil, "1"])
    }

    @Test func `The request of a route has its own time limit, or the client's`() throws {
        let client = Client(baseURL: try #require(URL(string: "https://h")), timeout: .seconds(9))
        try expectEqual(client.request(for: Route<Void>.get("x")).timeout, .seconds(9))
        try expectEqual(client.request(for: Route<Void>.get("x").timeout(.seconds(1))).timeout, .seconds(1))
    }

    @Test func `The request of a route ends a request that takes longer than it allows`() async throws {
        let server = try RawHTTPServer { _ in .stall }
        let client = Client(
            baseURL: try #require(URL(string: server.url)), transport: CurlTransport(), timeout: .seconds(600))
        await #expect(throws: HTTPError.timeout) { try await client.perform(.get("x").timeout(.milliseconds(50))) }
    }

    @Test func `The request of a route can be the content of a file`() async throws {
        try await withTemporaryFolder { folder in
            try Data("abc".utf8).write(to: URL(filePath: folder + "/a"))
            let client = Client(baseURL: try #require(URL(string: "https://h")))
            let route = Route<Void>.put("x", sending: .file(at: folder + "/a", as: "text/csv"))
            let request = try client.request(for: route)
            expectEqual(request.fields[.contentType], "text/csv")
            expectEqual(request.body.length, 3)
            try await expectEqual(request.body.collected(upTo: 3), Array("abc".utf8))
            let missing = Route<Void>.put("x", sending: .file(at: folder + "/b", as: "text/csv"))
            #expect(throws: HTTPError.fileUnavailable) { try client.request(for: missing) }
        }
    }

    @Test func `The request of a route can be custom content`() throws {
        let content = RouteContent { encoder in
            RouteContent.Encoded(HTTPBody([UInt8](try encoder.encode([1, 2]))), mediaType: "application/x-numbers")
        }
        let client = Client(baseURL: try #require(URL(string: "https://h")))
        let request = try client.request(for: Route<Void>.put("x", sending: content))
        expectEqual(request.fields[.contentType], "application/x-numbers")
        expectEqual(request.body.text, "[1,2]")
    }
}
