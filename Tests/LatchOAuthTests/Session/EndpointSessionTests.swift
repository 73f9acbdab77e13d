// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchTesting
import TestTags
import Testing

@Suite struct EndpointSessionTests {
    let issuer = ScriptedIssuer()
    let store = InMemoryTokenStore<Tokens>()

    private func session(jsonRefresh: Bool = false) -> Session<Tokens> {
        Session(
            tokenEndpoint: issuer.endpoint(jsonRefresh: jsonRefresh), store: store,
            policy: RefreshPolicy(lead: .seconds(300), jitter: .zero))
    }

    /// Signed in with an hour to go.
    private func signedIn(
        jsonRefresh: Bool = false, answer: String = #""refresh_token":"r0","expires_in":3600"#
    ) async throws -> Session<Tokens> {
        issuer.on(.ok, #"{"access_token":"a0","user_id":"u1",\#(answer)}"#)
        let session = session(jsonRefresh: jsonRefresh)
        let endpoint = issuer.endpoint()
        try await session.signIn(with: PasswordGrant(username: "u", password: "p"), at: endpoint)
        return session
    }

    private func refreshes(at path: String = "/oauth/token") -> Int { issuer.requests(to: path).count - 1 }

    @Test func `A session over a token endpoint signs in at its own endpoint, and has to have one`() async throws {
        issuer.on(.ok, #"{"access_token":"a0"}"#)
        let session = session()
        try await session.signIn(with: PasswordGrant(username: "u", password: "p"))
        try await expectEqual(session.currentCredential().access, "a0")
        let other = Session(store: InMemoryTokenStore<Tokens>()) { $0.credential }
        await #expect(throws: OAuthError.noTokenEndpoint) {
            try await other.signIn(with: PasswordGrant(username: "u", password: "p"))
        }
    }

    @Test(.tags(.validToken))
    func `A session over a token endpoint refreshes nothing with 301 s left, and once with 299 s`() async throws {
        let session = try await signedIn()
        issuer.on(.ok, #"{"access_token":"a1","refresh_token":"r1","expires_in":3600}"#)
        issuer.clock.advance(by: 3299)
        try await expectEqual(session.credential().access, "a0")
        expectEqual(refreshes(), 0)
        issuer.clock.advance(by: 2)
        try await expectEqual(session.credential().access, "a1")
        expectEqual(refreshes(), 1)
    }

    @Test(.tags(.tokenRefresh))
    func `A session over a token endpoint stores the rotated token, sends the key, and keeps the user`() async throws {
        let session = try await signedIn()
        issuer.on(.ok, #"{"access_token":"a1","refresh_token":"r1","expires_in":3600}"#)
        issuer.clock.advance(by: 3601)
        try await expectEqual(session.credential().refresh, "r1")
        expectEqual(store.load()?.refresh, "r1")
        expectEqual(store.load()?.userID, "u1")
        expectEqual(issuer.forms.last, ["grant_type=refresh_token", "refresh_token=r0"])
        expectEqual(issuer.requests.last?.fields[.idempotencyKey]?.count, 32)
    }

    @Test(.tags(.tokenRefresh))
    func `A session over a token endpoint repeats a lost refresh under its key`() async throws {
        let session = try await signedIn()
        issuer.on("/oauth/token") { _ in throw HTTPError.timeout }
        issuer.clock.advance(by: 3601)
        await #expect(throws: HTTPError.timeout) { try await session.credential() }
        issuer.on(.ok, #"{"access_token":"a1","refresh_token":"r1"}"#)
        _ = try await session.credential()
        // The first one was repeated immediately.
        let keys = issuer.requests.suffix(3).map { $0.fields[.idempotencyKey] }
        expectEqual(Set(keys).count, 1)
        expectEqual(issuer.requests.count, 4)
    }

    @Test(
        .tags(.tokenRefresh),
        arguments: [
            (400, #"{"error":"invalid_grant"}"#), (401, #"{"detail":"Invalid refresh token"}"#),
            (401, #"{"error":"invalid_token","error_description":"Invalid refresh token"}"#),
            (400, #"{"detail":"No.","error_code":"INVALID_REFRESH_TOKEN"}"#), (403, #"{"error":"invalid_grant"}"#),
        ] as [(HTTPStatus, String)])
    func `A session over a token endpoint ends once if the issuer refuses the refresh token`(
        status: HTTPStatus, body: String
    ) async throws {
        let session = try await signedIn()
        let states = session.states
        issuer.on(status, body)
        issuer.clock.advance(by: 3601)
        await #expect(throws: AuthError.reauthenticationRequired) { try await session.credential() }
        await #expect(throws: AuthError.reauthenticationRequired) { try await session.credential() }
        expectEqual(session.currentState, .signedOut(.issuer))
        expectNil(store.load())
        expectEqual(refreshes(), 1)
        var ends = 0
        for await state in states {
            guard case .signedOut = state else { continue }
            ends += 1
            break
        }
        expectEqual(ends, 1)
    }

    @Test(
        .tags(.tokenRefresh),
        arguments: [
            (500, ""), (502, "<html>"), (503, ""), (429, ""), (400, #"{"error":"invalid_request"}"#),
            (401, #"{"error":"invalid_client"}"#), (400, #"{"error":"unauthorized_client"}"#), (400, "<html>"),
            (401, ""), (401, "<html>"), (401, #"{"message":"Unauthorized"}"#), (401, #"{"message":"No session"}"#),
            (401, #"{"error":"gateway_quota_exceeded"}"#), (403, ""), (403, "<html>"),
            (404, ""), (302, ""), (200, "<html>Welcome to the hotel</html>"), (200, "{}"),
            (500, #"{"error":"invalid_grant"}"#), (503, #"{"error":"invalid_grant"}"#),
        ] as [(HTTPStatus, String)])
    func `A session over a token endpoint continues through every other answer`(status: HTTPStatus, body: String)
        async throws
    {
        let session = try await signedIn()
        issuer.on(status, body)
        issuer.clock.advance(by: 3400)
        // Due, and the old one is still accepted.
        try await expectEqual(session.credential().access, "a0")
        issuer.clock.advance(by: 201)
        await #expect(throws: OAuthError.self) { try await session.credential() }
        #expect(session.currentState.isSignedIn)
        expectEqual(store.load()?.refresh, "r0")
        issuer.on(.ok, #"{"access_token":"a1"}"#)
        try await expectEqual(session.credential().access, "a1")
    }

    @Test(
        arguments: [
            (#"{"error":"interaction_required"}"#, StepUpRequirement()),
            (#"{"error":"consent_required"}"#, StepUpRequirement(prompt: .consent)),
            (#"{"error":"invalid_grant","suberror":"consent_required"}"#, StepUpRequirement(prompt: .consent)),
            (#"{"error":"invalid_grant","suberror":"basic_action"}"#, StepUpRequirement()),
            (#"{"error":"invalid_grant","suberror":"user_password_expired"}"#, StepUpRequirement(prompt: .login)),
            (#"{"error":"invalid_grant","error_codes":[50076]}"#, StepUpRequirement()),
        ])
    func `A session over a token endpoint continues if the user has to act, and says so`(
        body: String, requirement: StepUpRequirement
    ) async throws {
        let session = try await signedIn()
        issuer.on(.badRequest, body)
        issuer.clock.advance(by: 3601)
        let error = await #expect(throws: AuthError.stepUpRequired) { try await session.credential() }
        expectEqual(error?.requirement, requirement)
        expectEqual(error?.cause as? OAuthError, .interactionRequired)
        expectEqual((error?.cause as? OAuthError)?.issuerCode?.isEmpty, false)
        #expect(session.currentState.isSignedIn)
        expectEqual(store.load()?.refresh, "r0")
    }

    @Test(arguments: ["bad_token", "token_expired"])
    func `A session over a token endpoint ends if the second code says that the refresh token is refused`(
        suberror: String
    ) async throws {
        let session = try await signedIn()
        issuer.on(.badRequest, #"{"error":"invalid_grant","suberror":"\#(suberror)"}"#)
        issuer.clock.advance(by: 3601)
        await #expect(throws: AuthError.reauthenticationRequired) { try await session.credential() }
        expectEqual(session.currentState, .signedOut(.issuer))
    }

    @Test func `A session over a token endpoint does not end if the refresh token is another client's`() async throws {
        let session = try await signedIn()
        issuer.on(.badRequest, #"{"error":"invalid_grant","suberror":"client_mismatch"}"#)
        issuer.clock.advance(by: 3601)
        await #expect(throws: OAuthError.unauthorizedClient) { try await session.credential() }
        expectEqual(store.load()?.refresh, "r0")
    }

    @Test(.tags(.tokenRefresh), arguments: [HTTPError.offline, .timeout, .tls])
    func `A session over a token endpoint continues without a network`(error: HTTPError) async throws {
        let session = try await signedIn()
        issuer.on("/oauth/token") { _ in throw error }
        issuer.clock.advance(by: 3400)
        try await expectEqual(session.credential().access, "a0")
        issuer.clock.advance(by: 201)
        await #expect(throws: error) { try await session.credential() }
        #expect(session.currentState.isSignedIn)
    }

    @Test(.tags(.validToken))
    func `A session over a token endpoint makes one refresh for 500 callers, and all get its result`() async throws {
        let session = try await signedIn()
        issuer.on(.ok, #"{"access_token":"a1","refresh_token":"r1","expires_in":3600}"#)
        issuer.clock.advance(by: 3500)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<500 { group.addTask { try await session.credential().access } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        expectEqual(tokens, Array(repeating: "a1", count: 500))
        expectEqual(refreshes(), 1)
    }

    @Test(.tags(.loginResponses))
    func `A session without a refresh token lasts as long as its access token, and makes no call before`()
        async throws
    {
        let session = try await signedIn(answer: #""expires_in":3600"#)
        issuer.clock.advance(by: 3599)
        try await expectEqual(session.credential().access, "a0")
        #expect(session.currentState.isSignedIn)
        issuer.clock.advance(by: 2)
        await #expect(throws: AuthError.reauthenticationRequired) { try await session.credential() }
        expectEqual(issuer.requests.count, 1)
    }

    @Test(.tags(.loginResponses))
    func `A session without a refresh token does not end if a resource refuses the access token`()
        async throws
    {
        let session = try await signedIn(answer: #""expires_in":3600"#)
        let tokens = try await session.credential()
        await #expect(throws: AuthError.notRefreshable) { try await session.refreshed(replacing: tokens) }
        expectEqual(session.currentState, .signedIn(tokens))
    }

    @Test func `A session over a token endpoint keeps the ID token if a refresh brings none`() async throws {
        let session = try await signedIn(answer: #""refresh_token":"r0","expires_in":3600,"id_token":"i0""#)
        issuer.on(.ok, #"{"access_token":"a1"}"#)
        issuer.clock.advance(by: 3601)
        try await expectEqual(session.credential().idToken, "i0")
        issuer.on(.ok, #"{"access_token":"a2","id_token":"i2"}"#)
        let refreshed = try await session.refreshed(replacing: session.credential())
        expectEqual(refreshed.idToken, "i2")
    }

    @Test func `A session over a token endpoint refreshes by JSON if its provider does`() async throws {
        let session = try await signedIn(jsonRefresh: true)
        let path = "/oauth/token/refresh"
        issuer.on(path, .ok, #"{"access_token":"a1","refresh_token":"r1","expires_in":3600,"user_id":"u1"}"#)
        issuer.clock.advance(by: 3601)
        try await expectEqual(session.credential().access, "a1")
        let request = try #require(issuer.requests(to: path).first)
        expectEqual(request.fields[.contentType], "application/json")
        expectEqual(request.body.text, #"{"refresh_token":"r0"}"#)
        expectEqual(request.fields[.idempotencyKey]?.count, 32)
    }

    @Test(
        .tags(.tokenRefresh),
        arguments: [
            (400, #"{"detail":"Refresh token expired"}"#, true), (401, #"{"detail":"x"}"#, false),
            (401, #"{"message":"Refresh token revoked"}"#, true), (401, #"{"message":"Unauthorized"}"#, false),
            (401, "", false), (400, "", false), (400, #"{"detail":"x"}"#, false),
            (400, "<html>", false), (422, #"{"detail":[{"msg":"field required"}]}"#, false),
            (400, #"{"error":"invalid_request","error_description":"x"}"#, false),
        ] as [(HTTPStatus, String, Bool)])
    func `A session over a token endpoint ends by JSON only if the token was refused`(
        status: HTTPStatus, body: String, ends: Bool
    ) async throws {
        let session = try await signedIn(jsonRefresh: true)
        issuer.on("/oauth/token/refresh", status, body)
        issuer.clock.advance(by: 3601)
        await #expect(throws: (any Error).self) { try await session.credential() }
        expectEqual(session.currentState.isSignedIn, !ends)
    }
}
