// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchRPC
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity
@testable import LatchServer

/// A route that costs the server a row, a mail or a write, and how strangers use it.
struct CostlyRoute: Sendable, CustomTestStringConvertible {
    let path: String
    let limit: String
    var testDescription: String { path }

    static let rpc = "/userservice.v1.UserService/"
    static let signUps = ["/auth/signup", "/api/clients/register", "/api/auth/clients/register", rpc + "Register"].map {
        CostlyRoute(path: $0, limit: "signup")
    }
    static let mails = [
        "/api/auth/forgot-password", "/api/auth/resend-verification", rpc + "RequestPasswordReset",
        rpc + "ResendVerification",
    ].map { CostlyRoute(path: $0, limit: "mail-address") }
    static let links = [
        "/api/auth/verify-email", "/api/auth/reset-password", rpc + "VerifyEmail", rpc + "ResetPassword",
    ].map { CostlyRoute(path: $0, limit: "link") }

    /// Sends a request about somebody from an address.
    func send(_ site: Site, _ number: Int, from address: String, text: String? = nil) async throws -> Response {
        let email = "user\(number)@example.com"
        let json: JSONValue = ["email": .string(email), "password": .string(Site.password), "token": "x"]
        let rpc: JSONValue = [
            "email": .string(email), "password": .string(Site.password), "verificationToken": "x", "resetToken": "x",
            "newPassword": .string(Site.password),
        ]
        let body = text.map { Array($0.utf8) } ?? (path.hasPrefix(Self.rpc) ? rpc : json).serialized()
        var request = HTTPRequest(
            method: .post, scheme: "http", authority: "127.0.0.1:8080", path: path,
            fields: [.contentType: "application/json"], body: HTTPBody(body))
        request.context[RemoteAddress.self] = address
        return Response(try await site.identity.handler.respond(to: request))
    }
}

@Suite struct RequestLimitTests {
    private func site() async throws -> Site {
        try await Site {
            $0.signUpLimitPerHour = 3
            $0.mailLimitPerHour = 3
            // Links have ten times as many.
            $0.loginLimitPerMinute = 1
        }
    }

    @Test(.tags(.hashFlood, .mailFlood), arguments: CostlyRoute.signUps + CostlyRoute.mails + CostlyRoute.links)
    func `Costly requests of strangers are limited by network, with the time to wait, before they are read`(
        route: CostlyRoute
    ) async throws {
        let site = try await site()
        let allowed = route.limit == "link" ? 10 : 3
        for number in 0..<allowed {
            try await expectNotEqual(route.send(site, number, from: "192.0.2.1").status, 429)
        }
        let refused = try await route.send(site, 99, from: "192.0.2.1", text: "this is not JSON")
        expectEqual(refused.status, 429)
        expectEqual(refused.field(.retryAfter), route.limit == "link" ? "6" : "1200")
        expectEqual(refused.field("RateLimit")?.hasPrefix("\"\(route.limit)\";r=0"), true)
        expectEqual(refused.field("RateLimit-Policy")?.hasPrefix("\"\(route.limit)\";q=\(allowed)"), true)
        try await expectNotEqual(route.send(site, 98, from: "198.51.100.1").status, 429)
        site.clock.advance(by: 1200)
        try await expectNotEqual(route.send(site, 97, from: "192.0.2.1").status, 429)
        await site.close()
    }

    @Test(
        .tags(.mailFlood), arguments: [CostlyRoute.signUps[1], CostlyRoute.mails[0]], ["2001:db8:1:%::1", "192.0.2.%"])
    func `Costly requests of strangers are limited by the wider network`(
        route: CostlyRoute, addresses: String
    ) async throws {
        let site = try await site()
        func status(_ number: Int) async throws -> Int {
            try await route.send(site, number, from: addresses.replacing("%", with: "\(number)")).status
        }
        for number in 0..<15 { try await expectNotEqual(status(number), 429) }
        try await expectEqual(status(16), 429)
        try await expectNotEqual(route.send(site, 17, from: "2001:db8:2::1").status, 429)
        await site.close()
    }

    @Test(.tags(.mailFlood))
    func `No route makes more accounts or emails for strangers than the limits allow`() async throws {
        let site = try await site()
        var created = 0
        for number in 0..<20 {
            let route = CostlyRoute.signUps[number % CostlyRoute.signUps.count]
            if try await route.send(site, number, from: "192.0.2.1").status < 300 { created += 1 }
        }
        expectEqual(created, 3)
        await site.identity.services.mails.flush()
        expectEqual(site.mailer.messages.count, 3)
        await site.close()
    }

    @Test(.tags(.hashFlood))
    func `Costly requests about one address are limited wherever they come from`() async throws {
        let site = try await Site()
        var statuses: [Int] = []
        for number in 0..<12 {
            statuses.append(try await CostlyRoute.signUps[1].send(site, 1, from: "192.0.\(number).1").status)
        }
        expectEqual(statuses, [201] + Array(repeating: 409, count: 9) + [429, 429])
        await site.close()
    }

    @Test(.tags(.hashFlood))
    func `Strangers who request emails leave some for an owner with a signed-in device`() async throws {
        let site = try await Site()
        try await site.signUp("user1@example.com")
        let logins = CostlyRoute(path: "/api/auth/clients/login", limit: "login")
        try await expectEqual(logins.send(site, 1, from: "198.51.100.7").status, 200)
        func mails(after count: Int, from address: (Int) -> String) async throws -> Int {
            for number in 0..<count {
                try await expectEqual(CostlyRoute.mails[0].send(site, 1, from: address(number)).status, 200)
            }
            await site.identity.flushMails()
            return site.mailer.messages.count
        }
        try await expectEqual(mails(after: 9) { "192.0.\($0).1" }, 5)
        try await expectEqual(mails(after: 1) { _ in "198.51.100.7" }, 6)
        try await expectEqual(mails(after: 1) { _ in "192.0.2.1" }, 6)
        try await expectEqual(mails(after: 9) { _ in "198.51.100.7" }, 10)
        await site.close()
    }

    @Test(.tags(.hashFlood)) func `Costly requests with right passwords are also limited`() async throws {
        let site = try await Site()
        try await site.signUp()
        for _ in 0..<120 { try await expectEqual(site.logIn().status, 200) }
        try await expectEqual(site.logIn().status, 429)
        site.clock.advance(by: 1)
        try await expectEqual(site.logIn().status, 200)
        await site.close()
    }
}

@Suite struct ExpandingMessageTests {
    /// The tag and the empty content of a social link in a profile.
    private static let link: [UInt8] = [0x4A, 0]
    /// Two million empty social links: four megabytes, four kilobytes of gzip, and two hundred megabytes of objects.
    private static let bomb = Array(repeating: link, count: 2_000_000).flatMap(\.self)

    private func send(
        _ site: Site, _ method: String, _ content: [UInt8], encoding: String? = nil, bearer: String? = nil
    ) async throws -> Response {
        var fields: HTTPFields = [.contentType: "application/proto"]
        fields[.contentEncoding] = encoding
        fields[.authorization] = bearer.map { "Bearer \($0)" }
        return try await site.send(.post, CostlyRoute.rpc + method, fields: fields, body: HTTPBody(content))
    }

    @Test(
        .tags(.decompressionBomb),
        arguments: ["UpdateProfile", "GetUsers", "SetUserRole", "VerifyTwoFactor", "DeleteUser"])
    func `A message that expands is not read without a token`(method: String) async throws {
        let site = try await Site()
        // Broken gzip would be an invalid argument.
        let response = try await send(site, method, [1, 2, 3], encoding: "gzip")
        expectEqual(response.status, 401)
        expectEqual(response.word, "unauthenticated")
        await site.close()
    }

    @Test(
        .tags(.decompressionBomb),
        arguments: ["Register", "Login", "RequestPasswordReset", "ResetPassword", "RefreshToken"])
    func `A message that expands is refused as soon as it exceeds the limit for strangers`(method: String) async throws
    {
        let site = try await Site()
        let compressed = try RPCCompression.gzip.compress(Self.bomb)
        #expect(compressed.count < 8192)
        try await expectEqual(send(site, method, compressed, encoding: "gzip").word, "resource_exhausted")
        try await expectEqual(send(site, method, Array(Self.bomb.prefix(70_000))).word, "resource_exhausted")
        await site.close()
    }

    @Test(.tags(.decompressionBomb))
    func `A message that expands is refused by the memory it would take, from any sender`() async throws {
        let site = try await Site()
        let access = try await site.token("ada@example.com", .user).access
        // A profile of almost four megabytes, which is field 9 of the request.
        let profile = Array(Self.bomb.prefix(3_900_000))
        var length = profile.count
        var request: [UInt8] = [0x4A]
        while length >= 0x80 {
            request.append(UInt8(length & 0x7F) | 0x80)
            length >>= 7
        }
        request += [UInt8(length)] + profile
        let compressed = try RPCCompression.gzip.compress(request)
        for (content, encoding) in [(request, nil), (compressed, "gzip")] as [([UInt8], String?)] {
            let response = try await send(site, "UpdateProfile", content, encoding: encoding, bearer: access)
            expectEqual(response.word, "resource_exhausted")
        }
        await site.close()
    }
}
