// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Testing

@Suite struct AccessTokenInterceptorTests {
    private let key: Key

    init() throws { key = try Key.generate(.es256, id: "k1") }

    /// Sends a request with an Authorization field to `/notes`, which answers with the token's subject.
    private func respond(
        _ authorization: String?, requiring scopes: Scopes = [], in hierarchy: ScopeHierarchy? = nil,
        at issuer: PublishedKeys
    ) async throws -> HTTPResponse {
        var router = Router()
        let interceptor = AccessTokenInterceptor(try issuer.verifier(), requiring: scopes, in: hierarchy)
        router.group(prefix: "/notes", interceptors: [interceptor]) { notes in
            notes.get("/") { request in
                HTTPResponse(status: .ok, body: HTTPBody(request.accessTokenClaims?.subject ?? "nobody"))
            }
        }
        var request = HTTPRequest(method: .get, scheme: "http", authority: "api.test", path: "/notes")
        request.fields[.authorization] = authorization
        return try await router.respond(to: request)
    }

    private func token(_ issuer: PublishedKeys, scope: String? = nil, expired: Bool = false) throws -> String {
        var claims: Claims = ["iss": "us", "sub": "ada"]
        claims["scope"] = scope.map { .string($0) }
        claims.expiry = issuer.clock.now.addingTimeInterval(expired ? -600 : 600)
        return try JWT.sign(claims, with: key)
    }

    @Test func `A route behind an access token answers a valid token with its claims`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            for scheme in ["bearer", "Bearer", "BEARER  "] {
                let response = try await respond("\(scheme) \(token(issuer))", at: issuer)
                #expect(response.status == .ok && response.body.bytes == Array("ada".utf8))
            }
        }
    }

    @Test
    func `A route behind an access token challenges a request without a token, and gives no error code`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let response = try await respond(nil, at: issuer)
            expectEqual(response.status, .unauthorized)
            expectEqual(response.fields[.wwwAuthenticate], "Bearer")
            expectEqual(issuer.count, 0)
        }
    }

    @Test(arguments: [
        "Bearer", "Bearer not.a.token", "Bearer " + String(repeating: "a", count: 1 << 15), "Bearer a b", "Bearer =",
        "Bearer a\u{301}", "bearer \"x\"", "DPoP a.b.c",
    ])
    func `A route behind an access token refuses an invalid token`(authorization: String) async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let response = try await respond(authorization, at: issuer)
            expectEqual(response.status, .unauthorized)
            let challenge = try #require(response.challenges().first)
            #expect(challenge.isScheme("Bearer") && challenge["error"] == "invalid_token")
            expectEqual(challenge["error_description"]?.isEmpty, false)
        }
    }

    @Test(arguments: ["Basic YTpi", "", "Bearer,Basic", "Negotiate"])
    func `A route behind an access token does not take another scheme for an attempt`(authorization: String)
        async throws
    {
        try await PublishedKeys.serve([key]) { issuer in
            let response = try await respond(authorization, at: issuer)
            expectEqual(response.status, .unauthorized)
            expectEqual(response.fields[.wwwAuthenticate], "Bearer")
        }
    }

    @Test func `A route behind an access token refuses a token in the URL, and two tokens`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let guarded = ClosureHandler { _ in HTTPResponse(status: .ok) }
                .intercepted(by: [AccessTokenInterceptor(try issuer.verifier())])
            let token = try token(issuer)
            var twice = HTTPRequest(authority: "api.test", path: "/notes")
            twice.fields.append("Bearer \(token)", for: .authorization)
            twice.fields.append("Bearer other", for: .authorization)
            let inURL = HTTPRequest(authority: "api.test", path: "/notes?a=b&access%5Ftoken=\(token)")
            var both = inURL
            both.fields[.authorization] = "Bearer \(token)"
            for request in [twice, inURL, both] {
                let response = try await guarded.respond(to: request)
                expectEqual(response.status, .badRequest)
                expectEqual(response.challenges().first?["error"], "invalid_request")
                expectEqual(response.body.text?.contains(token), false)
            }
            expectEqual(issuer.count, 0)
        }
    }

    @Test
    func `A route behind an access token refuses an expired token and one of another issuer's key`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let expired = try await respond("Bearer \(token(issuer, expired: true))", at: issuer)
            #expect(expired.status == .unauthorized && expired.problem?.extensions["error"] == "invalid_token")
            let foreign = try issuer.token(try Key.generate(.es256, id: "k1"))
            try await expectEqual(respond("Bearer \(foreign)", at: issuer).status, .unauthorized)
        }
    }

    @Test
    func `A route behind an access token names the missing scopes, and knows levels only if it is told`()
        async throws
    {
        try await PublishedKeys.serve([key]) { issuer in
            let required = Scopes(parsing: "notes:write")
            let read = try await respond(
                "Bearer \(token(issuer, scope: "notes:read"))", requiring: required, at: issuer)
            expectEqual(read.status, .forbidden)
            let challenge = try #require(read.challenges().first)
            #expect(challenge["error"] == "insufficient_scope" && challenge["scope"] == "notes:write")
            let absent = try await respond(nil, requiring: required, at: issuer)
            expectEqual(absent.fields[.wwwAuthenticate], #"Bearer scope="notes:write""#)
            let admin = try token(issuer, scope: "notes:admin files:read")
            try await expectEqual(respond("Bearer \(admin)", requiring: required, at: issuer).status, .forbidden)
            let levels = try await respond("Bearer \(admin)", requiring: required, in: .levels, at: issuer)
            expectEqual(levels.status, .ok)
        }
    }

    @Test func `A route behind an access token answers 503 if the issuer's keys cannot be fetched`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            issuer.fail()
            let response = try await respond("Bearer \(token(issuer))", at: issuer)
            expectEqual(response.status, .serviceUnavailable)
            expectNil(response.fields[.wwwAuthenticate])
        }
    }
}
