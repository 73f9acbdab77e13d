// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct APIResultTests {
    private struct User: Codable, Sendable, Equatable {
        var name: String
    }

    private struct Refusal: Error, Codable, Equatable {
        var reason: String
    }

    private static let failure = HTTPBody(#"{"reason":"no"}"#)

    @Test func `The result of a route is the answer of a success, with its response`() async throws {
        let client = try client(answering: .created, HTTPBody(#"{"name":"Ada"}"#), fields: ["X-A": "1"])
        let outcome = try await client.result(of: .get("x", as: User.self), failure: Refusal.self)
        expectEqual(outcome.value, User(name: "Ada"))
        expectNil(outcome.failure)
        expectEqual(outcome.response.status, .created)
        expectEqual(outcome.response.fields["X-A"], "1")
        try expectEqual(outcome.get(), User(name: "Ada"))
    }

    @Test(arguments: [300, 400, 401, 404, 409, 422, 429, 500, 503] as [HTTPStatus])
    func `The result of a route is the API's response to a failure, with any status`(status: HTTPStatus) async throws {
        let client = try client(answering: status, Self.failure)
        let outcome = try await client.result(of: .get("x", as: User.self), failure: Refusal.self)
        expectNil(outcome.value)
        expectEqual(outcome.failure, Refusal(reason: "no"))
        expectEqual(outcome.response.status, status)
        #expect(throws: Refusal(reason: "no")) { try outcome.get() }
        await #expect(throws: Refusal(reason: "no")) {
            try await client.perform(.delete("x"), throwing: Refusal.self)
        }
    }

    @Test func `The result of a route is the API's response also if a stream was requested`() async throws {
        let client = try client(answering: .notFound, HTTPBody(pieces([#"{"reason":"#, #""no"}"#])))
        let outcome = try await client.result(of: .stream(.get, "x"), failure: Refusal.self)
        expectEqual(outcome.failure, Refusal(reason: "no"))
    }

    @Test(arguments: ["", "<html>", "[]", #"{"reason":1}"#, "null"])
    func `The result of a route is an error with the response if the failure is not one of the API's`(body: String)
        async throws
    {
        let error = await #expect(throws: HTTPError.unacceptableStatus) {
            try await client(answering: 502, HTTPBody(body)).result(of: .get("x"), failure: Refusal.self)
        }
        expectEqual(error?.response?.status, 502)
        expectEqual(error?.response?.body.text, body)
    }

    @Test
    func `The result of a route is an error if a success has another shape, even that of a failure`() async throws {
        await #expect(throws: HTTPError.undecodable) {
            try await client(answering: .ok, Self.failure).result(of: .get("x", as: User.self), failure: Refusal.self)
        }
    }

    @Test func `The result of a route is left to the route if that uses the status`() async throws {
        let route = Route<Bool>(.get, "x") { $0.status != .notFound }
        let outcome = try await client(answering: .notFound, Self.failure).result(of: route, failure: Refusal.self)
        expectEqual(outcome.value, false)
    }

    @Test func `The result of a route is the transport's error if there is no response`() async throws {
        let broken = Client(
            baseURL: try #require(URL(string: "https://h")), transport: ClosureHandler { _ in throw HTTPError.offline }
        )
        await #expect(throws: HTTPError.offline) {
            try await broken.result(of: .get("x"), failure: Refusal.self)
        }
    }
}

@Suite struct ProblemTests {
    private static let text = """
        {"type":"https://h/p/credit","title":"Not enough","status":403,"detail":"30 needed","instance":"/a/1",\
        "balance":30,"accounts":["/a",null,1.5,true,{"b":"c"}]}
        """

    private func error(_ body: String, type: String = "application/problem+json") async throws -> HTTPError? {
        let client = try client(answering: .forbidden, HTTPBody(body), fields: [.contentType: type])
        return await #expect(throws: HTTPError.unacceptableStatus) { try await client.perform(.get("x")) }
    }

    @Test(arguments: [
        "application/problem+json", "Application/Problem+JSON; charset=utf-8", "application/problem+json ;a=b",
    ])
    func `A problem is read from the answer that an error carries`(type: String) async throws {
        let problem = try #require(try await error(Self.text, type: type)?.problem)
        expectEqual(problem.type, "https://h/p/credit")
        expectEqual(problem.title, "Not enough")
        expectEqual(problem.status, .forbidden)
        expectEqual(problem.detail, "30 needed")
        expectEqual(problem.instance, "/a/1")
        expectEqual(problem.extensions.keys, ["balance", "accounts"])
        expectEqual(problem.extensions["balance"]?.intValue, 30)
        try expectEqual(problem.json, JSONValue(parsing: Array(Self.text.utf8)))
    }

    @Test(arguments: ["application/json", "text/html", "", "application/problem+xml"])
    func `A problem is not read from an answer of another type`(type: String) async throws {
        try await expectNil(error(Self.text, type: type)?.problem)
    }

    @Test(arguments: ["", "[]", "null", "{", "problem"])
    func `A problem is not read from an invalid answer`(body: String) async throws {
        try await expectNil(error(body)?.problem)
    }

    /// RFC 9457 §3.1.
    @Test func `A problem ignores members of another type than they should have`() async throws {
        let body = #"{"type":1,"title":[],"status":"403","detail":{},"instance":null,"code":"x"}"#
        let problem = try #require(try await error(body)?.problem)
        expectEqual(problem, ProblemDetails(extensions: ["code": "x"]))
        expectEqual(problem.type, "about:blank")
    }

    @Test func `A problem is the same through a decoder as through the parser`() async throws {
        let client = try LatchHTTPTests.client(answering: .forbidden, HTTPBody(Self.text))
        let outcome = try await client.result(of: .get("x"), failure: ProblemDetails.self)
        let parsed = ProblemDetails(try JSONValue(parsing: Array(Self.text.utf8)))
        expectEqual(outcome.failure, parsed)
        await #expect(throws: HTTPError.unacceptableStatus) {
            try await LatchHTTPTests.client(answering: .forbidden, HTTPBody("[]")).result(
                of: .get("x"), failure: ProblemDetails.self)
        }
    }

    @Test func `A problem of our server is read by our client`() async throws {
        var router = Router()
        router.get("/known") { _ in throw ServerError.malformedRequest("It is odd.") }
        router.get("/made") { _ in
            .problem(ProblemDetails(title: "Gone", status: 410, detail: "long ago", extensions: ["code": "gone"]))
        }
        try await serving(router) { address in
            let client = Client(baseURL: try #require(URL(string: address.url)), transport: CurlTransport())
            let known = await #expect(throws: HTTPError.unacceptableStatus) { try await client.perform(.get("known")) }
            expectEqual(known?.problem?.status, .badRequest)
            expectEqual(known?.problem?.extensions["code"], "malformedRequest")
            expectEqual(known?.problem?.detail, "It is odd.")
            let made = await #expect(throws: ProblemDetails.self) {
                try await client.perform(.get("made"), throwing: ProblemDetails.self)
            }
            expectEqual(made?.title, "Gone")
            expectEqual(made?.status, 410)
            expectEqual(made?.extensions["code"], "gone")
        }
    }
}
