// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchServer
import Testing

@Suite struct RouterTests {
    /// A router whose endpoints respond with their pattern and parameters.
    static let router: Router = {
        var router = Router()
        for pattern in ["/", "/users", "/users/me", "/users/me/keys", "/caf\u{E9}", "/a b", "/slash/", "/{any}/tail"] {
            router.get(pattern) { _ in HTTPResponse(status: .ok, body: HTTPBody(pattern)) }
        }
        router.get("/users/{id}") { HTTPResponse(status: .ok, body: HTTPBody("id=" + ($0.pathParameter("id") ?? "-"))) }
        router.get("/users/{name}/posts/{post}") { request in
            let (name, post) = (request.pathParameter("name") ?? "-", request.pathParameter("post") ?? "-")
            return HTTPResponse(status: .ok, body: HTTPBody("name=\(name) post=\(post)"))
        }
        router.post("/users") { _ in HTTPResponse(status: .created) }
        router.delete("/users/{id}") { _ in HTTPResponse(status: .noContent) }
        return router
    }()

    static func answer(_ method: HTTPMethod, _ path: String) async throws -> HTTPResponse {
        try await router.respond(to: HTTPRequest(method: method, authority: "localhost", path: path))
    }

    @Test(arguments: [
        ("/", "/"), ("/users", "/users"), ("/users?x=1", "/users"), ("/users/me", "/users/me"),
        ("/users/you", "id=you"), ("/users/me/keys", "/users/me/keys"), ("/us%65rs", "/users"),
        ("/caf%C3%A9", "/caf\u{E9}"), ("/a%20b", "/a b"), ("/slash/", "/slash/"), ("/users/a+b", "id=a+b"),
        ("/users/a%2Fb", "id=a/b"), ("/users/%7Bid%7D", "id={id}"), ("/users/me/posts/7", "name=me post=7"),
        ("/users/ann/posts/%31", "name=ann post=1"), ("/users/tail", "id=tail"), ("/x/tail", "/{any}/tail"),
        ("/users?a=/users/me", "/users"),
    ])
    func `A router finds the endpoint of a path`(path: String, expected: String) async throws {
        let response = try await Self.answer(.get, path)
        expectEqual(response.status, .ok)
        expectEqual(response.body.text, expected)
    }

    @Test(arguments: ["", "/"]) func `A router takes an empty pattern for the root, or for the prefix above it`(
        pattern: String
    ) async throws {
        var router = Router()
        router.get(pattern) { _ in HTTPResponse(status: .ok, body: HTTPBody("root")) }
        router.group(prefix: "/notes") { $0.get(pattern) { _ in HTTPResponse(status: .ok, body: HTTPBody("notes")) } }
        expectEqual(router.routes.map(\.pattern), ["/", "/notes"])
        for (path, text) in [("/", "root"), ("/notes", "notes"), ("/notes/", nil)] {
            let response = try await router.respond(to: HTTPRequest(authority: "localhost", path: path))
            expectEqual(response.status == .ok ? response.body.text : nil, text)
        }
    }

    @Test func `A router finds each of many segments`() async throws {
        var router = Router()
        let names = (0..<200).map { "\($0 * 7919 % 1000)" } + ["", "caf\u{E9}", "cafe", "a%2Fb"]
        for name in Set(names) {
            router.get("/wide/\(name)/x") { _ in HTTPResponse(status: .ok, body: HTTPBody(name)) }
        }
        for name in names where name != "a%2Fb" {
            let path = "/wide/\(name == "caf\u{E9}" ? "caf%C3%A9" : name)/x"
            let response = try await router.respond(to: HTTPRequest(authority: "localhost", path: path))
            expectEqual(response.body.text, name)
        }
        for path in ["/wide/1000/x", "/wide/caf/x", "/wide/cafe%CC%81/x", "/wide/0%30/x"] {
            let response = try await router.respond(to: HTTPRequest(authority: "localhost", path: path))
            expectEqual(response.status, .notFound)
        }
    }

    @Test(arguments: [
        "/nobody", "/users/", "/users//posts/1", "/users/me/", "/slash", "//users", "/users/..", "/users/%2e%2e",
        "/users/.", "/USERS", "/cafe%CC%81", "/users/me/posts", "/x/%2E./tail",
    ])
    func `A router does not find an unknown path`(path: String) async throws {
        let response = try await Self.answer(.get, path)
        expectEqual(response.status, .notFound)
        expectEqual(response.fields[.contentType], "application/problem+json")
        expectEqual(response.body.text, #"{"title":"Not Found","status":404}"#)
    }

    @Test(arguments: ["/users/%", "/users/%4", "/users/%zz", "/users/%ff"])
    func `A router rejects a path that cannot be decoded`(path: String) async throws {
        try await expectEqual(Self.answer(.get, path).status, .badRequest)
    }

    @Test func `A router answers another method with 405 and the allowed ones`() async throws {
        let response = try await Self.answer(.put, "/users")
        expectEqual(response.status, .methodNotAllowed)
        expectEqual(response.fields["Allow"], "GET, HEAD, OPTIONS, POST")
        try await expectEqual(Self.answer(.put, "/users/7").fields["Allow"], "DELETE, GET, HEAD, OPTIONS")
        try await expectEqual(Self.answer(.put, "/users/me").fields["Allow"], "DELETE, GET, HEAD, OPTIONS")
    }

    @Test func `A router leaves a method to a less precise pattern that has it`() async throws {
        try await expectEqual(Self.answer(.delete, "/users/me").status, .noContent)
        try await expectEqual(Self.answer(.get, "/users/me").body.text, "/users/me")
    }

    @Test func `A router answers HEAD as GET without the content`() async throws {
        let response = try await Self.answer(.head, "/users/you")
        expectEqual(response.status, .ok)
        #expect(response.body.isEmpty)
        expectEqual(response.fields[.contentLength], "6")
    }

    @Test func `A router answers OPTIONS itself`() async throws {
        let response = try await Self.answer(.options, "/users/7")
        expectEqual(response.status, .noContent)
        expectEqual(response.fields["Allow"], "DELETE, GET, HEAD, OPTIONS")
        try await expectEqual(Self.answer(.options, "*").status, .noContent)
        try await expectEqual(Self.answer(.options, "/nobody").status, .notFound)
    }

    @Test func `A router lets an endpoint answer HEAD and OPTIONS itself`() async throws {
        var router = Router()
        router.get("/x") { _ in HTTPResponse(status: .ok, body: HTTPBody("long")) }
        router.on(.head, "/x") { _ in HTTPResponse(status: .noContent) }
        router.on(.options, "/x") { _ in HTTPResponse(status: .ok) }
        for (method, status) in [(HTTPMethod.head, HTTPStatus.noContent), (.options, .ok)] {
            let request = HTTPRequest(method: method, authority: "localhost", path: "/x")
            try await expectEqual(router.respond(to: request).status, status)
        }
    }

    @Test func `A router replaces an endpoint with the same pattern`() async throws {
        var router = Router()
        router.get("/x") { _ in HTTPResponse(status: .ok) }
        router.get("/x") { _ in HTTPResponse(status: .noContent) }
        let response = try await router.respond(to: HTTPRequest(authority: "localhost", path: "/x"))
        expectEqual(response.status, .noContent)
        try await expectEqual(
            router.respond(to: HTTPRequest(method: "PUT", authority: "localhost", path: "/x"))
                .fields["Allow"], "GET, HEAD, OPTIONS")
    }

    @Test func `A router passes on the error of an endpoint`() async throws {
        var router = Router()
        router.get("/x") { _ in throw ServerError.contentTooLarge }
        await #expect(throws: ServerError.self) {
            try await router.respond(to: HTTPRequest(authority: "localhost", path: "/x"))
        }
    }

    @Test func `A router has a method for each HTTP method`() async throws {
        var router = Router()
        router.get("/") { HTTPResponse(status: .ok, body: HTTPBody($0.method.rawValue)) }
        router.post("/") { HTTPResponse(status: .ok, body: HTTPBody($0.method.rawValue)) }
        router.put("/") { HTTPResponse(status: .ok, body: HTTPBody($0.method.rawValue)) }
        router.patch("/") { HTTPResponse(status: .ok, body: HTTPBody($0.method.rawValue)) }
        router.delete("/") { HTTPResponse(status: .ok, body: HTTPBody($0.method.rawValue)) }
        for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
            let request = HTTPRequest(method: method, authority: "localhost", path: "/")
            try await expectEqual(router.respond(to: request).body.text, method.rawValue)
        }
    }
}
