// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import Synchronization
import TestSupport
import Testing

/// An issuer that says about tokens what a test wants, and counts the questions.
private final class Issuer: Handler {
    private struct State {
        var tokens: [String: JSONObject] = [:]
        var questions: [String] = []
        var response: (@Sendable (HTTPRequest) async throws -> HTTPResponse)?
    }

    let clock = ManualClock()
    private let state = Mutex(State())

    var questions: [String] { state.withLock { $0.questions } }

    func know(_ token: String, _ members: JSONObject?) { state.withLock { $0.tokens[token] = members } }

    func respond(by response: (@Sendable (HTTPRequest) async throws -> HTTPResponse)?) {
        state.withLock { $0.response = response }
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let form = ScriptedProvider.parameters(request.body.text ?? "")
        let (members, response) = state.withLock { state in
            state.questions.append(form["token"] ?? "")
            return (state.tokens[form["token"] ?? ""], state.response)
        }
        if let response { return try await response(request) }
        return HTTPResponse(
            status: .ok, fields: [.contentType: "application/json"],
            body: HTTPBody(JSONValue.object(members ?? ["active": false]).serialized()))
    }

    var endpoint: TokenEndpoint {
        let issuer = ScriptedProvider.issuer
        var server = AuthorizationServer(issuer: issuer, tokenEndpoint: issuer.appending(path: "token"))
        server.introspectionEndpoint = issuer.appending(path: "introspect")
        return TokenEndpoint(
            server: server, registration: ClientRegistration(clientID: "api", secret: "api-secret"), transport: self,
            clock: clock.wallClock())
    }

    func verifier(
        _ audience: String? = "https://api.test", policy: IntrospectionPolicy = IntrospectionPolicy()
    ) -> IntrospectionVerifier {
        IntrospectionVerifier(endpoint, audience: audience, policy: policy, clock: clock.wallClock())
    }

    /// The members of a token for the API that is good for so many seconds.
    func members(for seconds: Double? = 600, _ more: JSONObject = [:]) -> JSONObject {
        var members: JSONObject = ["active": true, "sub": "ada", "aud": "https://api.test", "scope": "notes:read"]
        members["exp"] = seconds.map { .integer(Int64(clock.now.timeIntervalSince1970 + $0)) }
        for member in more { members[member.key] = member.value }
        return members
    }
}

@Suite struct IntrospectionVerifierTests {
    private let issuer = Issuer()

    @Test
    func `An introspecting verifier returns the issuer's response, and asks once within its bound`() async throws {
        issuer.know("t", issuer.members())
        let verifier = issuer.verifier()
        for _ in 0..<3 { try await expectEqual(verifier.verify("t").subject, "ada") }
        expectEqual(issuer.questions, ["t"])
        issuer.clock.advance(by: .seconds(29))
        _ = try await verifier.verify("t")
        expectEqual(issuer.questions.count, 1)
        issuer.know("t", nil)
        issuer.clock.advance(by: .seconds(1))
        await #expect(throws: AuthError.invalidAccessToken) { try await verifier.verify("t") }
        expectEqual(issuer.questions.count, 2)
    }

    @Test(arguments: [Duration.seconds(3_600), .seconds(30)])
    func `An introspecting verifier never caches longer than half a minute`(lifetime: Duration) async throws {
        issuer.know("t", issuer.members())
        let verifier = issuer.verifier(policy: IntrospectionPolicy(lifetime: lifetime, refusedLifetime: lifetime))
        _ = try await verifier.verify("t")
        issuer.clock.advance(by: .seconds(30))
        _ = try await verifier.verify("t")
        expectEqual(issuer.questions.count, 2)
        _ = try? await verifier.verify("unknown")
        issuer.clock.advance(by: .seconds(30))
        _ = try? await verifier.verify("unknown")
        expectEqual(issuer.questions.count, 4)
    }

    @Test func `An introspecting verifier never caches beyond the expiry, also when the date is set`() async throws {
        issuer.know("t", issuer.members(for: 10))
        let verifier = issuer.verifier()
        _ = try await verifier.verify("t")
        issuer.clock.advance(by: .seconds(10))
        await #expect(throws: JOSEError.expired) { try await verifier.verify("t") }
        // Nor by a date that is set back: the issuer decides.
        issuer.know("s", issuer.members(for: 10))
        _ = try await verifier.verify("s")
        issuer.clock.advance(by: .seconds(10))
        issuer.clock.jump(by: -10)
        issuer.know("s", nil)
        await #expect(throws: AuthError.invalidAccessToken) { try await verifier.verify("s") }
        issuer.know("u", issuer.members(for: 1_000))
        _ = try await verifier.verify("u")
        issuer.clock.jump(by: 2_000)
        await #expect(throws: JOSEError.expired) { try await verifier.verify("u") }
    }

    @Test
    func `An introspecting verifier caches a token without an expiry for its bound, and no longer`() async throws {
        issuer.know("t", issuer.members(for: nil, ["cnf": .null, "exp": .null]))
        let verifier = issuer.verifier()
        try await expectNil(verifier.verify("t")["cnf"])
        issuer.clock.advance(by: .seconds(30))
        _ = try await verifier.verify("t")
        expectEqual(issuer.questions.count, 2)
    }

    @Test func `An introspecting verifier remembers a refusal for a short time, and then asks again`() async throws {
        let verifier = issuer.verifier()
        for _ in 0..<3 { await #expect(throws: AuthError.invalidAccessToken) { try await verifier.verify("t") } }
        expectEqual(issuer.questions.count, 1)
        issuer.know("t", issuer.members())
        issuer.clock.advance(by: .seconds(5))
        try await expectEqual(verifier.verify("t").subject, "ada")
        // And a revoked one, whose acceptance is still in the cache, is not asked about each time.
        issuer.know("t", nil)
        issuer.clock.advance(by: .seconds(30))
        for _ in 0..<3 { await #expect(throws: AuthError.invalidAccessToken) { try await verifier.verify("t") } }
        expectEqual(issuer.questions.count, 3)
    }

    @Test
    func `An introspecting verifier asks once for all waiting requests, and a canceled one fails no other`()
        async throws
    {
        let gate = Gate()
        issuer.respond { _ in
            await gate.pass()
            return HTTPResponse(status: .ok, body: HTTPBody(#"{"active":true,"sub":"ada","aud":"https://api.test"}"#))
        }
        let verifier = issuer.verifier()
        let tasks = (0..<20).map { _ in Task { try await verifier.verify("t").subject } }
        tasks[0].cancel()
        await gate.reached()
        gate.open()
        for task in tasks.dropFirst() { try await expectEqual(task.value, "ada") }
        _ = await tasks[0].result
        expectEqual(issuer.questions.count, 1)
    }

    @Test
    func `An introspecting verifier never takes a failure of the issuer for a bad token, and caches none`() async throws
    {
        let failures: [@Sendable (HTTPRequest) async throws -> HTTPResponse] = [
            { _ in HTTPResponse(status: .serviceUnavailable) }, { _ in throw HTTPError.timeout },
            { _ in HTTPResponse(status: .unauthorized, body: HTTPBody(#"{"error":"invalid_client"}"#)) },
            { _ in HTTPResponse(status: .ok, body: HTTPBody("<html>")) },
            { _ in HTTPResponse(status: .ok, body: HTTPBody(#"{"active":"true"}"#)) },
            { _ in HTTPResponse(status: .ok, body: HTTPBody(#"{"sub":"ada"}"#)) },
            { _ in HTTPResponse(status: .ok, body: HTTPBody(#"[{"active":true}]"#)) },
            { _ in HTTPResponse(status: .ok, body: HTTPBody([UInt8](repeating: 0x20, count: 2 << 20))) },
            { request in HTTPResponse(status: .badRequest, body: HTTPBody(request.body.bytes)) },
        ]
        issuer.know("secret-token", issuer.members())
        let verifier = issuer.verifier()
        for failure in failures {
            issuer.respond(by: failure)
            do {
                _ = try await verifier.verify("secret-token")
                Issue.record("It accepted the token.")
            } catch {
                let error = try #require(error as? AuthError)
                #expect(error == .introspectionFailed && error.cause != nil)
                #expect(!"\(error) \(error.message)".contains("secret-token"))
            }
            let guarded = ClosureHandler { _ in HTTPResponse(status: .ok) }.intercepted(by: [
                AccessTokenInterceptor(verifier)
            ])
            let response = try await guarded.respond(to: Self.request("secret-token"))
            #expect(response.status == .serviceUnavailable && response.fields[.wwwAuthenticate] == nil)
            expectEqual(response.body.text?.contains("secret"), false)
        }
        issuer.respond(by: nil)
        try await expectEqual(verifier.verify("secret-token").subject, "ada")
    }

    private static func request(_ token: String) -> HTTPRequest {
        HTTPRequest(authority: "api.test", path: "/notes", fields: [.authorization: "Bearer \(token)"])
    }

    @Test
    func `An introspecting verifier answers an inactive token with 401, whatever its other members`() async throws {
        issuer.know("t", issuer.members(for: 600, ["active": false]))
        let guarded = ClosureHandler { _ in HTTPResponse(status: .ok) }
            .intercepted(by: [AccessTokenInterceptor(issuer.verifier())])
        let response = try await guarded.respond(to: Self.request("t"))
        #expect(response.status == .unauthorized && response.challenges().first?["error"] == "invalid_token")
    }

    @Test(
        arguments: [
            ["aud": "https://other.test"], ["aud": ["https://other.test", "https://api.test/"]], ["aud": .null],
            ["aud": 1],
            ["aud": ["https://api.test", 1]], ["iss": "https://evil.example"], ["iss": 1], ["exp": "never"], ["exp": 1],
            ["nbf": 9_000_000_000], ["nbf": "x"], ["token_type": "refresh_token"], ["token_use": "id_token"],
            ["typ": "Refresh"], ["token_type": "DPoP"], ["token_type": "DPoP", "cnf": ["jkt": 1]],
        ] as [JSONObject])
    func `An introspecting verifier refuses an active token of another resource or another type`(more: JSONObject)
        async throws
    {
        issuer.know("t", issuer.members(for: 600, more))
        let verifier = issuer.verifier()
        for _ in 0..<2 { await #expect(throws: JOSEError.self) { try await verifier.verify("t") } }
        expectEqual(issuer.questions.count, 1)
    }

    @Test(
        arguments: [
            ["aud": ["https://other.test", "https://api.test"]], ["iss": "https://id.example.com"], ["exp": 1e300],
            ["token_type": "bearer"], ["token_type": "access_token"], ["typ": "Bearer"], ["username": .null],
            ["token_type": "DPoP", "cnf": ["jkt": "abc"]],
        ] as [JSONObject])
    func `An introspecting verifier accepts the formats of issuers`(more: JSONObject) async throws {
        issuer.know("t", issuer.members(for: 600, more))
        try await expectEqual(issuer.verifier().verify("t").subject, "ada")
    }

    @Test func `An introspecting verifier keeps the tokens of one audience from another`() async throws {
        issuer.know("t", issuer.members())
        let (one, other) = (issuer.verifier(), issuer.verifier("https://other.test"))
        _ = try await one.verify("t")
        await #expect(throws: JOSEError.wrongAudience) { try await other.verify("t") }
        await #expect(throws: JOSEError.wrongAudience) { try await issuer.verifier(nil).verify("t") }
        _ = try await one.verify("t")
    }

    @Test
    func `An introspecting verifier holds a bounded number of tokens, and invented ones displace no real one`()
        async throws
    {
        issuer.know("t", issuer.members())
        let verifier = issuer.verifier(policy: IntrospectionPolicy(capacity: 8))
        _ = try await verifier.verify("t")
        for number in 0..<100 { _ = try? await verifier.verify("invented-\(number)") }
        _ = try await verifier.verify("t")
        expectEqual(issuer.questions.count { $0 == "t" }, 1)
        for number in 0..<20 {
            issuer.know("real-\(number)", issuer.members())
            _ = try await verifier.verify("real-\(number)")
        }
        _ = try await verifier.verify("t")
        expectEqual(issuer.questions.count { $0 == "t" }, 2)
    }

    @Test func `An introspecting verifier caches no response that is larger than any real one`() async throws {
        issuer.know("t", issuer.members(for: 600, ["roles": .string(String(repeating: "r", count: 20_000))]))
        let verifier = issuer.verifier()
        for _ in 0..<2 { _ = try await verifier.verify("t") }
        expectEqual(issuer.questions.count, 2)
    }

    @Test func `An introspecting verifier keeps no printable token`() async throws {
        issuer.know("secret-token", issuer.members())
        let verifier = issuer.verifier()
        _ = try await verifier.verify("secret-token")
        var text = "\(verifier)"
        dump(verifier, to: &text)
        #expect(!text.contains("secret-token") && !text.contains("api-secret"))
    }

    @Test func `An introspecting verifier uses its own registration, in the content and not in the URL`() async throws {
        let seen = Mutex<HTTPRequest?>(nil)
        issuer.respond { request in
            seen.withLock { $0 = request }
            return HTTPResponse(status: .ok, body: HTTPBody(#"{"active":false}"#))
        }
        _ = try? await issuer.verifier().verify("secret-token")
        let request = try #require(seen.withLock { $0 })
        #expect(request.path == "/introspect" && request.method == .post)
        expectEqual(request.fields[.authorization]?.hasPrefix("Basic "), true)
        expectEqual(request.body.text, "token=secret-token&token_type_hint=access_token")
    }
}
