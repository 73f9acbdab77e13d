// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import LatchServer
import Testing

@Suite struct RouterGroupTests {
    /// Adds its name to the trace on the way in, so that the order can be seen.
    struct Mark: Interceptor {
        let name: String

        func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
            var response = try await next.respond(to: request)
            response.fields["Trace"] = name + (response.fields["Trace"].map { " " + $0 } ?? "")
            return response
        }
    }

    static let router: Router = {
        var router = Router(interceptors: [Mark(name: "outer")])
        router.get("/open") { _ in HTTPResponse(status: .ok) }
        router.group(prefix: "/admin", interceptors: [Mark(name: "one"), Mark(name: "two")]) { admin in
            admin.get("/") { _ in HTTPResponse(status: .ok, body: HTTPBody("root")) }
            admin.get("/users/{id}") { HTTPResponse(status: .ok, body: HTTPBody($0.pathParameter("id") ?? "-")) }
            admin.group(prefix: "/{tenant}/deep", interceptors: [Mark(name: "three")]) { deep in
                deep.get("/x") { HTTPResponse(status: .ok, body: HTTPBody($0.pathParameter("tenant") ?? "-")) }
            }
        }
        return router
    }()

    static func answer(_ method: HTTPMethod, _ path: String) async throws -> HTTPResponse {
        try await router.respond(to: HTTPRequest(method: method, authority: "localhost", path: path))
    }

    @Test(arguments: [
        ("/open", "", "outer"), ("/admin", "root", "outer one two"), ("/admin/users/7", "7", "outer one two"),
        ("/admin/acme/deep/x", "acme", "outer one two three"),
    ])
    func `A group of routes is below its prefix and inside its interceptors`(path: String, body: String, trace: String)
        async throws
    {
        let response = try await Self.answer(.get, path)
        expectEqual(response.body.text, body)
        expectEqual(response.fields["Trace"], trace)
    }

    @Test func `A group of routes does not intercept the router's own responses`() async throws {
        let missing = try await Self.answer(.get, "/admin/users")
        expectEqual(missing.status, .notFound)
        expectEqual(missing.fields["Trace"], "outer")
        try await expectEqual(Self.answer(.put, "/admin").fields["Trace"], "outer")
    }

    @Test func `A group of routes can be without a prefix`() async throws {
        var router = Router()
        router.group(interceptors: [Mark(name: "in")]) { $0.get("/x") { _ in HTTPResponse(status: .ok) } }
        let response = try await router.respond(to: HTTPRequest(authority: "localhost", path: "/x"))
        expectEqual(response.fields["Trace"], "in")
    }

    @Test func `A group of routes can be a separate router`() async throws {
        var inner = Router()
        inner.get("/x") { _ in HTTPResponse(status: .ok) }
        var router = Router(interceptors: [Mark(name: "outer")])
        router.merge(inner, below: "v1")
        let response = try await router.respond(to: HTTPRequest(authority: "localhost", path: "/v1/x"))
        expectEqual(response.fields["Trace"], "outer")
    }
}
