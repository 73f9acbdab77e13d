// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import Testing

@testable import LatchIdentity

@Suite struct ReconfigurationTests {
    private func answer(
        _ identity: Identity, _ method: HTTPMethod, _ path: String, bearer: String? = nil, json: JSONValue? = nil
    ) async throws -> Response {
        var fields: HTTPFields = [:]
        if let bearer { fields[.authorization] = "Bearer \(bearer)" }
        if json != nil { fields[.contentType] = "application/json" }
        let request = HTTPRequest(
            method: method, scheme: "http", authority: "127.0.0.1:8080", path: path, fields: fields,
            body: json.map { HTTPBody($0.serialized()) } ?? .empty)
        return Response(try await identity.handler.respond(to: request))
    }

    private func lifetime(of token: String) -> Int? {
        guard let claims = try? JWT(unverified: token).claims, let end = claims.expiry, let begin = claims.issuedAt
        else { return nil }
        return Int(end.timeIntervalSince(begin))
    }

    @Test func `A server under other settings issues tokens by them, and accepts earlier ones`() async throws {
        let site = try await Site { $0.accessTokenLifetime = .seconds(60) }
        try await site.signUp()
        let first = try await site.logIn()
        expectEqual(lifetime(of: first.access), 60)
        var configuration = site.identity.services.configuration
        configuration.accessTokenLifetime = .seconds(700)
        let next = try await site.identity.reconfigured(configuration)
        let profile = try await answer(next, .get, "/user/profile", bearer: first.access)
        expectEqual(profile.status, 200)
        let renewed = try await answer(
            next, .post, "/api/auth/refresh-token", json: ["refreshToken": .string(first.refresh)])
        expectEqual(renewed.status, 200)
        expectEqual(lifetime(of: renewed.access), 700)
        // Whoever still speaks to the earlier value is answered too.
        let earlier = try await site.get("/user/profile", bearer: renewed.access)
        expectEqual(earlier.status, 200)
        await next.close()
    }

    @Test func `A server under other settings keeps its issuer, its counters and its limits`() async throws {
        let site = try await Site()
        try await site.signUp()
        _ = try await site.logIn()
        _ = try await site.logIn(password: "wrong password")
        let next = try await site.identity.reconfigured(site.identity.services.configuration)
        expectEqual(next.issuer, site.identity.issuer)
        let metrics = try await answer(next, .get, "/metrics").text
        #expect(metrics.contains(#"latch_logins_total{result="success"} 1"#))
        #expect(metrics.contains(#"latch_logins_total{result="failure"} 1"#))
        #expect(next.services.limits.limiter === site.identity.services.limits.limiter)
        await next.close()
    }

    @Test func `A reload can require a verified address`() async throws {
        let site = try await Site()
        try await site.signUp(isVerified: false)
        try await expectEqual(site.logIn().status, 200)
        var configuration = site.identity.services.configuration
        configuration.requireVerifiedEmail = true
        let next = try await site.identity.reconfigured(configuration)
        let login = try await answer(
            next, .post, "/api/auth/clients/login",
            json: ["email": "ada@example.com", "password": .string(Site.password)])
        expectEqual(login.status, 403)
        await next.close()
    }

    @Test func `A server under other settings continues unchanged if the settings cannot be used`() async throws {
        let site = try await Site()
        try await site.signUp()
        var configuration = site.identity.services.configuration
        configuration.argon2MemoryKiB = 1
        let refused = configuration
        await #expect(throws: IdentityError.invalidSetting) { try await site.identity.reconfigured(refused) }
        try await expectEqual(site.logIn().status, 200)
        await site.close()
    }
}
