// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchHTTP
import LatchServer
import Testing

@Suite struct RouterRestTests {
    static let router: Router = {
        var router = Router()
        router.get("/files/{path...}") {
            HTTPResponse(status: .ok, body: HTTPBody("rest=" + ($0.pathParameter("path") ?? "-")))
        }
        router.get("/files/{name}/info") {
            HTTPResponse(status: .ok, body: HTTPBody("info=" + ($0.pathParameter("name") ?? "-")))
        }
        router.get("/files/fixed") { _ in HTTPResponse(status: .ok, body: HTTPBody("fixed")) }
        router.delete("/files/{name}") { _ in HTTPResponse(status: .noContent) }
        router.group(prefix: "/users/{id}") { user in
            user.get("/home/{path...}") { request in
                let parts = ["id", "path"].map { request.pathParameter($0) ?? "-" }
                return HTTPResponse(status: .ok, body: HTTPBody(parts.joined(separator: " ")))
            }
        }
        return router
    }()

    static func answer(_ path: String, _ method: HTTPMethod = .get) async throws -> HTTPResponse {
        try await router.respond(to: HTTPRequest(method: method, authority: "localhost", path: path))
    }

    @Test(arguments: [
        ("/files/", "rest="), ("/files/a", "rest=a"), ("/files/a/b/c.txt", "rest=a/b/c.txt"), ("/files/a/", "rest=a/"),
        ("/files/a%20b/%C3%A9", "rest=a b/\u{E9}"), ("/files/a%2Fb", "rest=a/b"), ("/files/x/info", "info=x"),
        ("/files/x/info/more", "rest=x/info/more"), ("/files/fixed", "fixed"), ("/files/fixed/", "rest=fixed/"),
        ("/users/7/home/a/b?x=/c", "7 a/b"),
    ])
    func `A pattern that matches the rest of a path gives it decoded, if no more precise pattern matches`(
        path: String, expected: String
    ) async throws {
        let response = try await Self.answer(path)
        expectEqual(response.status, .ok)
        expectEqual(response.body.text, expected)
    }

    @Test(arguments: [
        "/files", "/files//", "/files/a//b", "/files/..", "/files/a/../b", "/files/%2e%2e/x", "/files/a%2F..%2Fb/c",
        "/files/.",
    ])
    func `A pattern that matches the rest of a path does not match empty segments or dot segments`(path: String)
        async throws
    {
        try await expectEqual(Self.answer(path).status, .notFound)
    }

    @Test(arguments: ["/files/%", "/files/a/%ff", "/files/x/%zz/y"])
    func `A pattern that matches the rest of a path refuses an undecodable one`(
        path: String
    ) async throws {
        try await expectEqual(Self.answer(path).status, .badRequest)
    }

    @Test func `A pattern that matches the rest of a path leaves a method to the pattern that has it`() async throws {
        try await expectEqual(Self.answer("/files/x", .delete).status, .noContent)
        try await expectEqual(Self.answer("/files/x").body.text, "rest=x")
        let response = try await Self.answer("/files/x", .put)
        expectEqual(response.status, .methodNotAllowed)
        expectEqual(response.fields["Allow"], "DELETE, GET, HEAD, OPTIONS")
    }

    @Test
    func `A pattern that matches the rest of a path is listed as written, and a parameter otherwise`() async throws {
        var router = Router()
        router.get("/{all...}") { HTTPResponse(status: .ok, body: HTTPBody($0.pathParameter("all") ?? "-")) }
        router.get("/{a...}/x") { HTTPResponse(status: .ok, body: HTTPBody($0.pathParameter("a...") ?? "-")) }
        for (path, text) in [("/", ""), ("/q", "q"), ("/q/x", "q"), ("/q/r/x", "q/r/x")] {
            let response = try await router.respond(to: HTTPRequest(authority: "localhost", path: path))
            expectEqual(response.body.text, text)
        }
    }
}

@Suite struct TrailingSlashTests {
    static func router(_ rule: Router.TrailingSlash) -> Router {
        var router = Router(trailingSlash: rule)
        router.get("/") { _ in HTTPResponse(status: .ok, body: HTTPBody("root")) }
        router.get("/a") { _ in HTTPResponse(status: .ok, body: HTTPBody("a")) }
        router.post("/b/") { HTTPResponse(status: .ok, body: $0.body) }
        router.get("/both") { _ in HTTPResponse(status: .ok, body: HTTPBody("without")) }
        router.get("/both/") { _ in HTTPResponse(status: .ok, body: HTTPBody("with")) }
        router.group(prefix: "/g") {
            $0.get("/{id}") { HTTPResponse(status: .ok, body: HTTPBody($0.pathParameter("id") ?? "-")) }
        }
        router.get("/{x}/{y}/z") { _ in HTTPResponse(status: .ok) }
        return router
    }

    static func answer(_ rule: Router.TrailingSlash, _ path: String, _ method: HTTPMethod = .get) async throws
        -> HTTPResponse
    {
        try await router(rule).respond(
            to: HTTPRequest(method: method, authority: "localhost", path: path, body: HTTPBody("sent")))
    }

    @Test func `A slash at the end of a path makes another path unless the router is told otherwise`() async throws {
        for path in ["/a/", "/b", "/g/7/"] {
            try await expectEqual(Self.answer(.significant, path, path == "/b" ? .post : .get).status, .notFound)
        }
    }

    @Test func `A slash at the end of a path is ignored in both directions if the router ignores it`() async throws {
        try await expectEqual(Self.answer(.ignored, "/a/").body.text, "a")
        try await expectEqual(Self.answer(.ignored, "/b", .post).body.text, "sent")
        try await expectEqual(Self.answer(.ignored, "/g/7/").body.text, "7")
        try await expectEqual(Self.answer(.ignored, "/both/").body.text, "with")
        try await expectEqual(Self.answer(.ignored, "/").body.text, "root")
        try await expectEqual(Self.answer(.ignored, "/a/", .post).fields["Allow"], "GET, HEAD, OPTIONS")
        try await expectEqual(Self.answer(.ignored, "/none/").status, .notFound)
    }

    @Test(arguments: [
        ("/a/", "/a"), ("/a/?x=1&y=%2F", "/a?x=1&y=%2F"), ("/b", "/b/"), ("/g/a%20b/", "/g/a%20b"), ("/%61/", "/%61"),
    ])
    func `A slash at the end of a path is corrected by a redirect that keeps method and content`(
        path: String, location: String
    ) async throws {
        let response = try await Self.answer(.redirected, path)
        expectEqual(response.status, 308)
        expectEqual(response.fields[.location], location)
    }

    @Test(arguments: ["//evil.example/y/z/", "/\\evil.example/y/z/", "/", "/none/", "//a/"])
    func `A slash at the end of a path redirects to no other host`(path: String)
        async throws
    {
        try await expectNil(Self.answer(.redirected, path).fields[.location])
    }
}
