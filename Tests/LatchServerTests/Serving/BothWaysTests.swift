// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchServer
import LatchTesting
import TestSupport
import Testing

@Suite struct BothWaysTests {
    struct Unexpected: Error {}

    static let router: Router = {
        var router = Router(interceptors: [RequestIDInterceptor(), ProblemInterceptor()])
        router.get("/hello/{name}") { request in
            HTTPResponse(
                status: .ok, fields: [.contentType: "text/plain; charset=utf-8"],
                body: HTTPBody("hello \(request.pathParameter("name") ?? "")"))
        }
        router.post("/echo") { HTTPResponse(status: .ok, body: $0.body) }
        router.post("/form") { request in
            HTTPResponse(status: .ok, body: HTTPBody(try request.formFields()["a"] ?? "none"))
        }
        router.get("/cookies") { request in
            var response = HTTPResponse(status: .noContent)
            response.fields.append("a=1", for: .setCookie)
            response.fields.append("b=" + (request.cookies["b"] ?? "none"), for: .setCookie)
            return response
        }
        router.get("/throws") { _ in throw Unexpected() }
        router.get("/unsendable") { _ in
            HTTPResponse(status: .ok, fields: ["X-Bad": "a\r\nSet-Cookie: stolen=1"])
        }
        return router
    }()

    static func request(
        _ method: HTTPMethod, _ path: String, fields: HTTPFields = [:], _ body: String = ""
    ) -> HTTPRequest {
        HTTPRequest(
            method: method, scheme: "http", authority: "localhost", path: path, fields: fields, body: HTTPBody(body))
    }

    @Test func `A router in process and behind a socket answers with status, fields and content`() async throws {
        try await bothWays(Self.router) { api in
            let response = try await api.respond(to: Self.request(.get, "/hello/caf%C3%A9?x=1"))
            expectEqual(response.status, .ok)
            expectEqual(response.body.text, "hello caf\u{E9}")
            expectEqual(response.fields[.contentType], "text/plain; charset=utf-8")
            expectEqual(response.fields[.requestID]?.count, 32)
        }
    }

    @Test func `A router in process and behind a socket accepts content`() async throws {
        try await bothWays(Self.router) { api in
            try await expectEqual(api.respond(to: Self.request(.post, "/echo", "abc")).body.text, "abc")
            let form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
            try await expectEqual(api.respond(to: Self.request(.post, "/form", fields: form, "a=1+2")).body.text, "1 2")
            let refused = try await api.respond(to: Self.request(.post, "/form", "a=1"))
            expectEqual(refused.status, .unsupportedMediaType)
            expectEqual(refused.fields[.contentType], "application/problem+json")
        }
    }

    @Test func `A router in process and behind a socket keeps repeated fields separate`() async throws {
        try await bothWays(Self.router) { api in
            let response = try await api.respond(to: Self.request(.get, "/cookies", fields: [.cookie: "b=2"]))
            expectEqual(response.status, .noContent)
            expectEqual(response.fields.values(of: .setCookie), ["a=1", "b=2"])
        }
    }

    @Test func `A router in process and behind a socket answers HEAD, OPTIONS, 404 and 405 alike`() async throws {
        try await bothWays(Self.router) { api in
            let head = try await api.respond(to: Self.request(.head, "/hello/you"))
            expectEqual(head.status, .ok)
            #expect(head.body.isEmpty)
            expectEqual(head.fields[.contentLength], "9")
            let options = try await api.respond(to: Self.request(.options, "/echo"))
            expectEqual(options.status, .noContent)
            expectEqual(options.fields["Allow"], "OPTIONS, POST")
            try await expectEqual(api.respond(to: Self.request(.get, "/nobody")).status, .notFound)
            let wrong = try await api.respond(to: Self.request(.get, "/echo"))
            expectEqual(wrong.status, .methodNotAllowed)
            expectEqual(wrong.fields["Allow"], "OPTIONS, POST")
        }
    }

    @Test func `A router in process and behind a socket hides the error of an endpoint`() async throws {
        try await bothWays(Self.router) { api in
            let response = try await api.respond(to: Self.request(.get, "/throws"))
            expectEqual(response.status, .internalServerError)
            expectEqual(response.body.text, #"{"title":"Internal Server Error","status":500}"#)
        }
    }

    @Test
    func `A router in process and behind a socket hides the error of a handler without interceptors`() async throws {
        try await bothWays(ClosureHandler { _ in throw Unexpected() }) { api in
            let response = try await api.respond(to: Self.request(.get, "/"))
            expectEqual(response.status, .internalServerError)
            expectEqual(response.body.text?.contains("Unexpected"), false)
        }
    }

    @Test func `A router in process and behind a socket responds with the status of a handler's error`() async throws {
        try await bothWays(ClosureHandler { _ in throw ServerError.contentTooLarge }) { api in
            let response = try await api.respond(to: Self.request(.get, "/"))
            expectEqual(response.status, .contentTooLarge)
            expectEqual(response.body.text?.contains("contentTooLarge"), true)
        }
    }
}
