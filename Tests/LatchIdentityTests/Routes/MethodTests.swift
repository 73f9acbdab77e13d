// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import Testing

@testable import LatchIdentity

@Suite struct MethodTests {
    static let posts = BadInputTests.routes
    static let gets = [
        "/user/profile", "/api/users", "/.well-known/jwks.json", "/.well-known/oauth-authorization-server",
        "/.well-known/openid-configuration",
        "/healthz", "/readyz", "/metrics",
    ]
    static let pages = ["/verify", "/reset"]

    @Test(arguments: posts)
    func `A route that takes content allows no other method, and names the allowed one`(path: String)
        async throws
    {
        let site = try await Site()
        for method in [HTTPMethod.get, .put, .delete, .patch] {
            let answer = try await site.send(method, path)
            expectEqual(answer.status, 405)
            expectEqual(answer.field("Allow")?.contains("POST"), true)
        }
        await site.close()
    }

    @Test(arguments: gets)
    func `A route that is read allows no other method, and changes nothing`(path: String) async throws {
        let site = try await Site()
        // The profile is also changed.
        for method in [HTTPMethod.post, .put, .delete, .patch] where path != "/user/profile" || method != .patch {
            let answer = try await site.send(
                method, path, fields: [.contentType: "application/json"], body: HTTPBody("{}"))
            expectEqual(answer.status, 405)
            expectEqual(answer.field("Allow")?.contains("GET"), true)
        }
        await site.close()
    }

    @Test(arguments: gets + pages)
    func `A route that is read answers HEAD as GET, without content`(path: String) async throws {
        let site = try await Site()
        let (get, head) = (try await site.send(.get, path), try await site.send(.head, path))
        expectEqual(head.status, get.status)
        expectEqual(head.field(.contentType), get.field(.contentType))
        #expect(head.text.isEmpty)
        await site.close()
    }

    @Test(arguments: posts) func `A route never repeats content of its request, for it can be a password`(path: String)
        async throws
    {
        let site = try await Site()
        let secret = "hunter2-hunter2"
        let contents = [
            #"{"password": "\#(secret)"#, #"{"password": \#(secret)}"#, #"{"\#(secret)": 1, "\#(secret)": 2}"#,
            #"{"email": "\#(secret)", "password": "\#(secret)", "token": "\#(secret)", "refreshToken": "\#(secret)"}"#,
            #"{"email": ["\#(secret)"], "password": ["\#(secret)"], "token": ["\#(secret)"], "refreshToken": {}}"#,
        ]
        for content in contents {
            let answer = try await site.send(
                .post, path, fields: [.contentType: "application/json"], body: HTTPBody(content))
            #expect(!answer.text.contains(secret), "\(content)")
            for field in answer.response.fields { #expect(!field.value.contains(secret)) }
        }
        await site.close()
    }

    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json",
    ])
    func `A route takes JSON under each of its names`(type: String) async throws {
        let site = try await Site()
        try await site.signUp()
        let content = #"{"email": "ada@example.com", "password": "\#(Site.password)"}"#
        let answer = try await site.send(
            .post, "/api/auth/clients/login", fields: [.contentType: type], body: HTTPBody(content))
        expectEqual(answer.status, 200)
        await site.close()
    }

    @Test(arguments: ["Bearer", "Bearer ", "Basic YWRhOng=", "Token x", "Bearer  x", "bearer\tx", ""])
    func `A route that needs a token answers 401 with a challenge to everything else`(value: String) async throws {
        let site = try await Site()
        let answer = try await site.send(.get, "/user/profile", fields: [.authorization: value])
        expectEqual(answer.status, 401)
        expectEqual(answer.field(.wwwAuthenticate), #"Bearer error="invalid_token""#)
        expectEqual(answer.field(.cacheControl), "no-store")
        await site.close()
    }

    @Test(arguments: ["0", "-1", "501", "x", "", "1e2", "9223372036854775808"])
    func `A route that lists refuses a page without a size`(limit: String) async throws {
        let site = try await Site()
        try await site.signUp(roles: ["admin"])
        let token = try await site.logIn().access
        let answer = try await site.get("/api/users?limit=\(limit)", bearer: token)
        expectEqual(answer.status, 400)
        expectEqual(answer.message?.contains("limit"), true)
        await site.close()
    }

    @Test(arguments: ["'", "%00", "%27%20OR%201=1--", "zzzz", "%F0%9F%94%91"])
    func `A route that lists takes any text as a cursor only`(after: String) async throws {
        let site = try await Site()
        try await site.signUp(roles: ["admin"])
        let token = try await site.logIn().access
        let answer = try await site.get("/api/users?after=\(after)", bearer: token)
        expectEqual(answer.status, 200)
        #expect((answer.json["users"]?.arrayValue?.count ?? 9) <= 1)
        await site.close()
    }
}
