// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import Testing

@testable import LatchIdentity

@Suite struct TokenHookTests {
    private func site(_ program: HookProgram, change: (inout Hook) -> Void = { _ in }) async throws -> Site {
        let site = try await Site(upstream: program) { $0.add("claims", on: .token, change: change) }
        try await site.signUp(roles: ["editor"])
        return site
    }

    private func claims(_ token: String) throws -> JSONObject { try JWT(unverified: token).claims.members }

    @Test func `A program adds claims to the tokens of a sign-in and of each refresh`() async throws {
        let program = HookProgram { data in
            .json(["claims": ["plan": "team", "grant": data["grant"] ?? .null]])
        }
        let site = try await site(program)
        let first = try await site.logIn()
        let claims = try claims(first.access)
        #expect(claims["plan"] == "team" && claims["grant"] == "password")
        let data = try #require(program.messages.first?["data"]?.objectValue)
        #expect(data["user"]?["email"] == "ada@example.com" && data["user"]?["roles"] == ["editor"])
        #expect(data["client_id"] == .string(OAuthClient.firstPartyID) && data["user"]?["id"] == claims["sub"])
        let second = try await site.renew(first.refresh)
        let next = try self.claims(second.access)
        expectEqual(program.messages.count, 2)
        expectEqual(second.status, 200)
        expectEqual(next["plan"], "team")
        expectEqual(next["grant"], "refresh_token")
        // The server's own routes accept the tokens.
        try await expectEqual(site.get("/api/auth/links", bearer: second.access).status, 200)
        await site.close()
    }

    @Test func `A repeated refresh gets the claims, and a copied token is still detected`() async throws {
        let program = HookProgram(answering: ["claims": ["plan": "team"]])
        let site = try await site(program)
        let first = try await site.logIn().refresh
        let second = try await site.renew(first)
        let again = try await site.renew(first)
        #expect(again.refresh == second.refresh)
        try expectEqual(claims(again.access)["plan"], "team")
        site.clock.advance(by: .seconds(60))
        // Also while the program is down.
        program.answer { _ in throw HTTPError.offline }
        try await expectEqual(site.renew(first).status, 401)
        try await expectEqual(site.renew(second.refresh).status, 401)
        await site.close()
    }

    @Test func `A program that is down ends no session`() async throws {
        let program = HookProgram()
        let site = try await site(program)
        let refresh = try await site.logIn().refresh
        program.answer { _ in HTTPResponse(status: 502) }
        for _ in 0..<20 {
            let refused = try await site.renew(refresh)
            #expect(refused.status == 503 && refused.text.contains("hookUnavailable"))
            site.clock.advance(by: .seconds(60))
        }
        program.answer { _ in HTTPResponse(status: .ok) }
        try await expectEqual(site.renew(refresh).status, 200)
        await site.close()
    }

    @Test(arguments: ["sub", "scope", "roles", "cnf", "exp", "client_id", "token_use", "s_hash"])
    func `A claim of the server is not set by a program`(_ name: String) async throws {
        let site = try await site(HookProgram(answering: ["claims": .object(["plan": "a", name: "x"])]))
        try await expectEqual(site.logIn().status, 503)
        await site.close()
    }

    @Test func `The time of a program does not count to the replay window`() async throws {
        let program = HookProgram()
        let site = try await Site(upstream: program) { configuration in
            configuration.replayWindow = .seconds(5)
            configuration.add("claims", on: .token)
        }
        try await site.signUp()
        let refresh = try await site.logIn().refresh
        program.answer { _ in
            site.clock.advance(by: .seconds(8))
            return HTTPResponse(status: .ok)
        }
        let first = try await site.renew(refresh)
        program.answer { _ in HTTPResponse(status: .ok) }
        // The response was lost, and the client repeats the request at once.
        let again = try await site.renew(refresh)
        #expect(first.status == 200 && again.status == 200 && first.refresh == again.refresh)
        await site.close()
    }

    @Test func `Claims have a size`() async throws {
        let program = HookProgram { _ in .json(["claims": ["a": .string(String(repeating: "x", count: 4096))]]) }
        let site = try await site(program) { $0.fallback = .continue }
        let tokens = try await site.logIn()
        try expectNil(claims(tokens.access)["a"])
        await site.close()
    }

    @Test func `Code adds claims, and its error refuses the token`() async throws {
        struct Unknown: Error {}
        var hooks = IdentityHooks()
        hooks.token = { request in
            guard let user = request.user else { throw Unknown() }
            return ["mailbox": user.email.map { .string($0) } ?? .null]
        }
        let site = try await Site(hooks: hooks) { configuration in
            configuration.clients = [
                OAuthClient(id: "job", isConfidential: true, grants: [.clientCredentials], scopes: ["files:read"])
            ]
            configuration.clientSecretDigests = ["job": ClientSecret.digest]
        }
        try await site.signUp()
        try await expectEqual(claims(site.logIn().access)["mailbox"], "ada@example.com")
        let machine = try await site.token([
            "grant_type": "client_credentials", "client_id": "job", "client_secret": ClientSecret.text,
            "scope": "files:read",
        ])
        #expect(machine.status == 503 && machine.text.contains("temporarily_unavailable"))
        await site.close()
    }
}
