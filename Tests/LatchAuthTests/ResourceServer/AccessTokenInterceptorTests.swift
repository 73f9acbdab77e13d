// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import PortableFoundation
import Testing

@Suite struct `A route behind an access token` {
    private let key: Key

    init() throws { key = try Key.generate(.es256, id: "k1") }

    /// Sends a request with an Authorization field to `/notes`, which answers with the token's subject.
    private func respond(
        _ authorization: String?, requiring scopes: Scopes = [], at issuer: PublishedKeys
    ) async throws -> HTTPResponse {
        var router = Router()
        let interceptor = AccessTokenInterceptor(try issuer.verifier(), requiring: scopes)
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

    @Test func `answers a valid token with its claims`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let response = try await respond("bearer \(token(issuer))", at: issuer)
            #expect(response.status == .ok && response.body.bytes == Array("ada".utf8))
        }
    }

    @Test func `challenges a request without a token, and gives no error code`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let response = try await respond(nil, at: issuer)
            #expect(response.status == .unauthorized)
            #expect(response.fields[.wwwAuthenticate] == "Bearer")
            #expect(issuer.count == 0)
        }
    }

    @Test(arguments: ["Basic YTpi", "Bearer", "Bearer not.a.token", "Bearer " + String(repeating: "a", count: 1 << 15)])
    func `refuses what is no token`(authorization: String) async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let response = try await respond(authorization, at: issuer)
            #expect(response.status == .unauthorized)
            #expect(response.fields[.wwwAuthenticate] == #"Bearer error="invalid_token""#)
        }
    }

    @Test func `refuses an expired token and one of another issuer's key`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let expired = try await respond("Bearer \(token(issuer, expired: true))", at: issuer)
            #expect(expired.status == .unauthorized && expired.problem?.extensions["error"] == "invalid_token")
            let foreign = try issuer.token(try Key.generate(.es256, id: "k1"))
            #expect(try await respond("Bearer \(foreign)", at: issuer).status == .unauthorized)
        }
    }

    @Test func `asks for the scopes that are missing, and takes a higher level for a lower one`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            let required = Scopes(parsing: "notes:write")
            let read = try await respond(
                "Bearer \(token(issuer, scope: "notes:read"))", requiring: required, at: issuer)
            #expect(read.status == .forbidden)
            #expect(read.fields[.wwwAuthenticate] == #"Bearer error="insufficient_scope", scope="notes:write""#)
            let admin = try token(issuer, scope: "notes:admin files:read")
            #expect(try await respond("Bearer \(admin)", requiring: required, at: issuer).status == .ok)
        }
    }

    @Test func `answers 503 where the issuer's keys cannot be fetched`() async throws {
        try await PublishedKeys.serve([key]) { issuer in
            issuer.fail()
            let response = try await respond("Bearer \(token(issuer))", at: issuer)
            #expect(response.status == .serviceUnavailable)
            #expect(response.fields[.wwwAuthenticate] == nil)
        }
    }
}
