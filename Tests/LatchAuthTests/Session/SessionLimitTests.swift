// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import SessionSimulation
import Synchronization
import Testing

@Suite struct SessionLimitTests {
    @Test
    func `The limits of a refresh end the wait for a silent issuer, and a late response is still stored`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, fixture in
            // A closure that hears of no cancellation.
            try await fixture.simulation.spawn {
                try await fixture.simulation.clock.sleep(for: .seconds(100))
                return fixture.issue(1)
            }.value
        }
        let session = fixture.makeSession()
        let began = fixture.simulation.now
        #expect(throws: AuthError.refreshTimedOut) { try fixture.run { try await session.credential() } }
        #expect(fixture.simulation.now.timeIntervalSince(began) < 61)
        #expect(session.currentState.isSignedIn)
        _ = fixture.simulation.run { fixture.stored?.access == "access-1" }
        try expectEqual(fixture.run { try await session.credential() }.access, "access-1")
        // After a pause the request was repeated under its key.
        expectEqual(Set(fixture.world.withLock { $0.refreshes.map(\.idempotencyKey) }).count, 1)
    }

    @Test func `The limits of a refresh keep a resource that refuses everything from using up refresh tokens`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0)) { _, fixture in
            fixture.tokens(fixture.refreshes)
        }
        fixture.world.withLock { $0.accepted = [] }
        let session = fixture.makeSession()
        let client = fixture.client(session)
        // Seven requests a second for a minute and a half.
        let statuses = try fixture.run {
            var statuses: Set<HTTPStatus> = []
            for _ in 0..<600 {
                statuses.insert(try await client.respond(to: SessionFixture.request()).status)
                try await fixture.simulation.clock.sleep(for: .milliseconds(100))
            }
            return statuses
        }
        expectEqual(statuses, [HTTPStatus.unauthorized])
        #expect((5...20).contains(fixture.refreshes))
        #expect(session.currentState.isSignedIn)
    }

    @Test func `The limits of a refresh leave a credential without a refresh token to the caller`() throws {
        let tokens = Tokens(access: "a0")
        var policy = RefreshPolicy(jitter: .zero)
        policy.needsRefreshToken = true
        let fixture = SessionFixture(holding: tokens, policy: policy)
        fixture.world.withLock { $0.accepted = [] }
        let session = fixture.makeSession()
        let client = fixture.client(session)
        try expectEqual(fixture.run { try await client.respond(to: SessionFixture.request()) }.status, .unauthorized)
        expectEqual(session.currentState, .signedIn(tokens))
        #expect(throws: AuthError.notRefreshable) { try fixture.run { try await session.refreshed(replacing: tokens) } }
        expectEqual(fixture.stored, tokens)
    }

    @Test func `The limits of a refresh send one-shot content only once`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        fixture.world.withLock { $0.accepted = [] }
        let session = fixture.makeSession()
        let client = fixture.client(session)
        let response = try fixture.run {
            var request = SessionFixture.request(.post)
            request.body = HTTPBody(HTTPBodyStream(once: { nil }))
            return try await client.respond(to: request)
        }
        expectEqual(response.status, .unauthorized)
        expectEqual(fixture.requests.count, 1)
        // The next request has a credential that may be accepted.
        expectEqual(fixture.refreshes, 1)
    }

    @Test func `The limits of a refresh ask the user if the issuer requires that, and not the issuer again`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, _ in
            throw HTTPError(
                code: "unacceptableStatus", message: "refused",
                response: HTTPResponse(status: .badRequest, body: HTTPBody(#"{"error":"login_required"}"#)))
        }
        let session = fixture.makeSession()
        for _ in 0..<3 { #expect(throws: HTTPError.self) { try fixture.run { try await session.credential() } } }
        expectEqual(fixture.refreshes, 1)
        expectEqual(session.stepUp, StepUpRequirement(prompt: .login))
        #expect(session.currentState.isSignedIn)
        let fresh = fixture.tokens(7)
        try fixture.run { try await session.stepUp(to: fresh) }
        expectNil(session.stepUp)
        try expectEqual(fixture.run { try await session.credential() }, fresh)
    }

    @Test func `The limits of a refresh let a server refuse the credential in its own way`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0))
        let session = fixture.makeSession()
        let resource = ClosureHandler { request in
            let isFresh = request.fields[.authorization] != "Bearer access-0"
            return HTTPResponse(status: .ok, body: HTTPBody(isFresh ? "{}" : #"{"errors":["UNAUTHENTICATED"]}"#))
        }
        let client = resource.intercepted(by: [
            SessionInterceptor(
                session, for: .host("api.example.com"),
                refusal: { response in
                    response.body.text?.contains("UNAUTHENTICATED") == true ? .credential : CredentialRefusal(response)
                })
        ])
        try expectEqual(fixture.run { try await client.respond(to: SessionFixture.request()) }.body.text, "{}")
        expectEqual(fixture.refreshes, 1)
    }

    @Test func `The limits of a refresh do not reach the requests of a task that outlives the refresh`() throws {
        let late = Mutex<Task<HTTPResponse, any Error>?>(nil)
        let client = Mutex<(any Handler)?>(nil)
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, fixture in
            let task = fixture.simulation.spawn {
                try await fixture.simulation.clock.sleep(for: .seconds(1))
                let client = try #require(client.withLock { $0 })
                return try await client.respond(to: SessionFixture.request())
            }
            late.withLock { $0 = task }
            return fixture.issue(1)
        }
        let session = fixture.makeSession()
        client.withLock { $0 = fixture.client(session) }
        _ = try fixture.run { try await session.credential() }
        let response = try fixture.run { try await late.withLock { $0 }?.value }
        expectEqual(response?.status, .ok)
    }
}

@Suite struct SessionSuspensionTests {
    @Test
    func `A session before a suspension finishes its work in progress, and begins nothing until it resumes`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1))
        let session = fixture.makeSession()
        let first = fixture.simulation.spawn { try await session.credential() }
        try fixture.run {
            while fixture.refreshes == 0 { await Task.yield() }
            await session.prepareToSuspend()
        }
        // The refresh that was under way has been stored.
        expectEqual(fixture.stored?.access, "access-1")
        try expectEqual(fixture.run { try await first.value }.access, "access-1")
        // A credential that is accepted is used; another waits.
        try expectEqual(fixture.run { try await session.credential() }.access, "access-1")
        let current = try fixture.run { try await session.credential() }
        let second = fixture.simulation.spawn { try await session.refreshed(replacing: current) }
        _ = fixture.simulation.run(horizon: .seconds(30))
        expectEqual(fixture.refreshes, 1)
        try fixture.run { await session.resume() }
        try expectEqual(fixture.run { try await second.value }.access, "access-2")
    }

    @Test
    func `A session before a suspension does not stay awake for a long request, and takes its answer later`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, fixture in
            try await fixture.simulation.clock.sleep(for: .seconds(20))
            return fixture.issue(1)
        }
        let session = fixture.makeSession()
        let waiting = fixture.simulation.spawn { try await session.credential() }
        let began = fixture.simulation.now
        try fixture.run {
            while fixture.refreshes == 0 { await Task.yield() }
            await session.prepareToSuspend(within: .seconds(5))
        }
        #expect(fixture.simulation.now.timeIntervalSince(began) < 6)
        try fixture.run { await session.resume() }
        try expectEqual(fixture.run { try await waiting.value }.access, "access-1")
        expectEqual(fixture.stored?.access, "access-1")
        expectEqual(fixture.refreshes, 1)
    }
}
