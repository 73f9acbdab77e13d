// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import SessionSimulation
import Synchronization
import TestTags
import Testing

/// The failures of a token endpoint, and whether they end the session.
struct IssuerAnswer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: any Error
    /// The number of requests: one without a response is repeated immediately.
    var requests = 1

    static func status(_ status: HTTPStatus, _ body: String = "", requests: Int = 1) -> IssuerAnswer {
        let response = HTTPResponse(status: status, body: HTTPBody(body))
        let error = HTTPError(code: "unacceptableStatus", message: "refused", response: response)
        return IssuerAnswer(testDescription: "\(status) \(body)", error: error, requests: requests)
    }

    static let keeping: [IssuerAnswer] = [
        IssuerAnswer(testDescription: "offline", error: HTTPError.offline, requests: 2),
        IssuerAnswer(testDescription: "timeout", error: HTTPError.timeout, requests: 2),
        IssuerAnswer(testDescription: "TLS", error: HTTPError.tls),
        IssuerAnswer(testDescription: "cancelled inside", error: CancellationError(), requests: 2),
        .status(500), .status(502, "<html>bad gateway</html>", requests: 2), .status(503), .status(.tooManyRequests),
        .status(.unauthorized), .status(.forbidden), .status(.notFound), .status(.badRequest),
        .status(.badRequest, "not JSON"),
        .status(.badRequest, #"{"error":"invalid_request"}"#), .status(.badRequest, #"{"error":"invalid_scope"}"#),
    ]

    static let ending: [IssuerAnswer] = [
        IssuerAnswer(testDescription: "the closure's word", error: AuthError.reauthenticationRequired),
        .status(.unauthorized, #"{"message":"Refresh token expired"}"#),
        .status(.forbidden, #"{"message":"Refresh token expired"}"#),
        .status(.badRequest, #"{"error":"invalid_grant"}"#),
    ]
}

@Suite struct SessionFailureTests {
    @Test(.tags(.refreshFailure), arguments: IssuerAnswer.keeping)
    func `A failed refresh keeps the session, fails for every waiter and is tried again at the next call`(
        answer: IssuerAnswer
    ) throws {
        let isBroken = Mutex(true)
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { request, fixture in
            try await fixture.simulation.clock.sleep(for: .milliseconds(10))
            if isBroken.withLock({ $0 }) { throw answer.error }
            return fixture.issue(1)
        }
        let session = fixture.makeSession()
        let waiters = (0..<10).map { _ in fixture.simulation.spawn { try await session.credential() } }
        let failures = try fixture.run {
            var failures: [any Error] = []
            for waiter in waiters { do { _ = try await waiter.value } catch { failures.append(error) } }
            return failures
        }
        expectEqual(failures.count, 10)
        #expect(failures.allSatisfy { !($0 is CancellationError) && ($0 as? AuthError) != .missingToken })
        expectEqual(fixture.refreshes, answer.requests)
        #expect(session.currentState.isSignedIn)
        expectEqual(fixture.stored?.access, "access-0")

        isBroken.withLock { $0 = false }
        try expectEqual(fixture.run { try await session.credential() }.access, "access-1")
    }

    @Test(.tags(.refreshFailure), arguments: IssuerAnswer.ending)
    func `A failed refresh ends the session once when the issuer says so, with a typed error`(answer: IssuerAnswer)
        throws
    {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, _ in throw answer.error }
        let session = fixture.makeSession()
        #expect(throws: AuthError.reauthenticationRequired) { try fixture.run { try await session.credential() } }
        expectEqual(session.currentState, .signedOut(.issuer))
        expectNil(fixture.stored)
        #expect(throws: AuthError.reauthenticationRequired) { try fixture.run { try await session.credential() } }
        expectEqual(fixture.refreshes, 1)
        expectEqual(fixture.world.withLock { $0.clears }, 1)
    }

    @Test
    func `A failed refresh is not an error while the old credential is accepted, and is not repeated at once`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0)) { _, _ in throw HTTPError.offline }
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        let current = try fixture.run {
            try await fixture.simulation.clock.sleep(for: .seconds(890))
            _ = try await session.credential()
            return try await session.credential()
        }
        expectEqual(current.access, "access-0")
        expectEqual(fixture.refreshes, 2)
    }

    @Test
    func `A failed refresh is repeated under the same idempotency key until it succeeds, then under another`() throws {
        // Two for each call: the first one of a refresh is repeated immediately.
        let failures = Mutex(4)
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, fixture in
            let fails = failures.withLock { left in
                left -= 1
                return left >= 0
            }
            if fails { throw HTTPError.timeout }
            return fixture.issue(1)
        }
        let session = fixture.makeSession()
        for _ in 0..<2 {
            #expect(throws: HTTPError.timeout) { try fixture.run { try await session.credential() } }
        }
        let first = try fixture.run { try await session.credential() }
        _ = try fixture.run {
            try await fixture.simulation.clock.sleep(for: .seconds(31))
            return try await session.refreshed(replacing: first)
        }
        let keys = fixture.world.withLock { $0.refreshes.map(\.idempotencyKey) }
        expectEqual(keys.count, 6)
        expectEqual(Set(keys.prefix(5)).count, 1)
        expectNotEqual(keys[5], keys[0])
    }

    @Test func `A failed refresh does not ask the issuer while the store is locked`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1))
        let session = fixture.makeSession()
        try fixture.run { try await session.restore() }
        fixture.world.withLock { $0.loadFailure = .storeLocked }
        #expect(throws: AuthError.storeLocked) { try fixture.run { try await session.credential() } }
        expectEqual(fixture.refreshes, 0)
        #expect(session.currentState.isSignedIn)
    }

    @Test func `A failed refresh gives way to what another session stored meanwhile`() throws {
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, fixture in
            let tokens = fixture.issue(5)
            fixture.world.withLock { $0.stored = tokens }
            throw AuthError.reauthenticationRequired
        }
        let session = fixture.makeSession()
        try expectEqual(fixture.run { try await session.credential() }.access, "access-5")
        #expect(session.currentState.isSignedIn)
    }
}
