// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchServer
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

@Suite struct SignUpHookTests {
    private static let email = "eve@example.com"

    private func site(
        _ program: HookProgram, change: (inout Hook) -> Void = { _ in }
    ) async throws -> Site {
        try await Site(upstream: program) { configuration in
            configuration.signUpAttributes = ["company", "plan"]
            configuration.add("gate", on: .signUp, change: change)
        }
    }

    private func register(_ site: Site, _ more: JSONObject = [:]) async throws -> Response {
        var json: JSONObject = [
            "email": .string(Self.email), "password": .string(Site.password), "name": "Eve",
        ]
        for (name, value) in more { json[name] = value }
        return try await site.post("/api/auth/clients/register", .object(json), fields: [.acceptLanguage: "de"])
    }

    private func account(_ site: Site) async throws -> Account? {
        try await site.identity.administration.account(email: Self.email)
    }

    @Test func `A program learns who signs up, and adds attributes`() async throws {
        let program = HookProgram(answering: ["allow": true, "attributes": ["plan": "free"]])
        let site = try await site(program)
        try await expectEqual(register(site, ["attributes": ["company": "Example"]]).status, 201)
        let message = try #require(program.messages.first)
        #expect(message["type"] == "sign_up" && message["timestamp"] == .string(noon.formatted(.iso8601)))
        let data = try #require(message["data"]?.objectValue)
        #expect(data["way"] == "app" && data["email"] == .string(Self.email) && data["email_verified"] == false)
        #expect(data["name"] == "Eve" && data["language"] == "de" && data["attributes"] == ["company": "Example"])
        #expect(!program.requests.contains { $0.body.text?.contains(Site.password) == true })
        let attributes = try await account(site)?.attributes
        #expect(attributes?["company"] == "Example" && attributes?["plan"] == "free")
        try await expectEqual(site.metric(#"latch_hook_calls_total{result="answered"}"#), 1)
        await site.close()
    }

    @Test func `A program denies a sign-up with a text that the user reads, in JSON and on the page`() async throws {
        let program = HookProgram(answering: ["allow": false, "message": "Only with a <b>ticket</b>."])
        let site = try await site(program)
        let refused = try await register(site)
        #expect(refused.status == 403 && refused.text.contains("signUpDenied"))
        #expect(refused.text.contains("Only with a"))
        var agent = UserAgent(site)
        let typing = try await agent.submit(try await agent.get("/signup"), [("email", Self.email)])
        let code = try #require(await site.mailedCode(to: Self.email))
        let form = try await agent.submit(typing, [("code", code)])
        let page = try await agent.submit(form, [("name", "Eve"), ("password", Site.password)])
        #expect(page.status == 403 && page.text.contains("Only with a &lt;b&gt;ticket"))
        #expect(program.messages.last?["data"]?["way"] == "page")
        #expect(program.messages.last?["data"]?["email_verified"] == true)
        try await expectNil(account(site))
        await site.close()
    }

    @Test(arguments: [Hook.Fallback.refuse, .continue])
    func `A program that does not answer refuses the sign-up, or lets it continue`(_ fallback: Hook.Fallback)
        async throws
    {
        let program = HookProgram { _ in throw HTTPError.offline }
        let site = try await site(program) { $0.fallback = fallback }
        let response = try await register(site)
        #expect(response.status == (fallback == .refuse ? 503 : 201))
        #expect(fallback == .continue || response.text.contains("hookUnavailable"))
        try await expectEqual(account(site) == nil, fallback == .refuse)
        // The user tries again when the program is there.
        program.answer { _ in HTTPResponse(status: .noContent) }
        try await expectEqual(register(site).status, fallback == .refuse ? 201 : 409)
        await site.close()
    }

    @Test(arguments: [
        HTTPResponse(status: .internalServerError), HTTPResponse(status: 302, fields: [.location: "https://a.example"]),
        .json([1]), .json(["allow": "no"]), .json(["attributes": 1]), .json(["attributes": ["unknown": "a"]]),
        HTTPResponse(status: .ok, body: HTTPBody("no")),
        HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 0x20, count: 70_000))),
    ])
    func `An answer that is not one refuses the sign-up`(_ answer: HTTPResponse) async throws {
        let site = try await site(HookProgram { _ in answer })
        try await expectEqual(register(site).status, 503)
        try await expectNil(account(site))
        await site.close()
    }

    @Test func `A program that fails is not asked for a while, and then again`() async throws {
        let program = HookProgram { _ in HTTPResponse(status: .internalServerError) }
        let site = try await site(program)
        for _ in 0..<7 { try await expectEqual(register(site).status, 503) }
        expectEqual(program.requests.count, 5)
        try await expectEqual(site.metric(#"latch_hook_calls_total{result="skipped"}"#), 2)
        program.answer { _ in HTTPResponse(status: .ok) }
        site.clock.advance(by: .seconds(11))
        try await expectEqual(register(site).status, 201)
        await site.close()
    }

    @Test func `A user who is refused gets neither past the program, nor keeps it from being asked`() async throws {
        let program = HookProgram { _ in HTTPResponse(status: 422) }
        let site = try await site(program) { $0.fallback = .continue }
        for _ in 0..<8 { try await expectEqual(register(site).status, 503) }
        expectEqual(program.requests.count, 8)
        try await expectNil(account(site))
        await site.close()
    }

    @Test func `A program whose answers are no JSON is not asked for a while, and then by one request`() async throws {
        let program = HookProgram { _ in HTTPResponse(status: .ok, body: HTTPBody("no")) }
        let site = try await site(program)
        for _ in 0..<6 { _ = try await register(site) }
        expectEqual(program.requests.count, 5)
        site.clock.advance(by: .seconds(11))
        for _ in 0..<3 { _ = try await register(site) }
        expectEqual(program.requests.count, 6)
        await site.close()
    }

    @Test func `A request is signed as Standard Webhooks says, with each secret`() async throws {
        let program = HookProgram()
        let older = "whsec_" + Data((0..<40).map { UInt8(200 - $0) }).base64EncodedString()
        let site = try await Site(upstream: program) { configuration in
            configuration.add("gate", on: .signUp)
            configuration.hookSecrets["gate"] = "\(HookProgram.secret),\(older)"
        }
        try await expectEqual(register(site).status, 201)
        let request = try #require(program.requests.first)
        let (id, time) = (request.fields["webhook-id"] ?? "", request.fields["webhook-timestamp"] ?? "")
        #expect(id.hasPrefix("msg_") && time == String(Int(noon.timeIntervalSince1970)))
        let signed = Array("\(id).\(time).".utf8) + request.body.bytes
        let expected = [HookProgram.secret, older].map { secret in
            let key = Data(base64Encoded: String(secret.dropFirst(6))) ?? Data()
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: Array(key)))
            return "v1," + Data(Array(code)).base64EncodedString()
        }
        expectEqual(request.fields["webhook-signature"], expected.joined(separator: " "))
        let input = request.fields["Signature-Input"] ?? ""
        #expect(input.contains("sig1=(") && input.contains("sig2=("))
        #expect(
            input.contains(#"keyid="gate""#) && input.contains(#""@target-uri""#)
                && input.contains(#""content-digest""#))
        #expect(request.path == "/hooks/gate?v=1" && request.authority == "app.example.com")
        await site.close()
    }

    @Test func `Code of the program decides too`() async throws {
        var hooks = IdentityHooks()
        hooks.signUp = { attempt in
            attempt.email == Self.email ? .allow(attributes: ["plan": "team"]) : .deny("Not you.")
        }
        let site = try await Site(hooks: hooks) { configuration in
            configuration.attributes = [AccountAttribute("plan")]
        }
        try await expectEqual(register(site).status, 201)
        try await expectEqual(account(site)?.attributes["plan"], "team")
        try await expectEqual(register(site, ["email": "mallory@example.com"]).status, 403)
        await site.close()
    }

    @Test func `The operator and administrators create accounts without the hook`() async throws {
        let program = HookProgram(answering: ["allow": false])
        let site = try await site(program)
        try await site.signUp(Self.email)
        #expect(program.requests.isEmpty)
        await site.close()
    }

    @Test func `Hooks that cannot work are refused at the start`() async throws {
        let wrong: [(inout IdentityConfiguration) -> Void] = [
            { $0.hooks = [Hook(name: "a", at: .signUp, url: "https://a.example.com")] },
            {
                $0.add("a", on: .signUp)
                $0.hookSecrets["a"] = "secret"
            },
            {
                $0.add("a", on: .signUp)
                $0.hookSecrets["a"] = "whsec_AAAA"
            },
            {
                $0.add("a", on: .signUp)
                $0.add("b", on: .signUp)
            },
            { $0.hookSecrets["a"] = HookProgram.secret },
            { $0.add("a", on: .token) { $0.events = ["account.*"] } },
            { $0.add("a", on: .events) { $0.fallback = .continue } },
        ]
        for change in wrong {
            await #expect(throws: IdentityError.invalidSetting) { _ = try await Site(change: change) }
        }
    }
}
