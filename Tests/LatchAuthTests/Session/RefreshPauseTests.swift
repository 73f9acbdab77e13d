// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import SessionSimulation
import Testing

/// An issuer that says for how long it wants to be left alone, or does not.
struct PatienceCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let error: any Error
    /// The pause, in seconds, to which up to a quarter is added.
    let pause: Double

    static func status(_ status: HTTPStatus, _ value: String?, pause: Double) -> PatienceCase {
        var fields = HTTPFields()
        fields[.retryAfter] = value
        let response = HTTPResponse(status: status, fields: fields)
        let error = HTTPError(code: "unacceptableStatus", message: "refused", response: response)
        return PatienceCase(testDescription: "\(status.rawValue) \(value ?? "-")", error: error, pause: pause)
    }

    /// The error of a request of which nothing was sent, so that it is not repeated immediately.
    static var unreached: HTTPError {
        var error = HTTPError.offline
        error.isUnsent = true
        return error
    }

    private struct Asking: RetryAfterError { let retryAfter: Duration? }
    private struct Wrapping: WrappingError { let cause: any Error }

    static let all: [PatienceCase] = [
        .status(.tooManyRequests, "120", pause: 120), .status(.serviceUnavailable, "120", pause: 120),
        .status(.tooManyRequests, "5", pause: 15), .status(.tooManyRequests, nil, pause: 15),
        .status(.tooManyRequests, "soon", pause: 15), .status(.tooManyRequests, "86400", pause: 600),
        .status(.serviceUnavailable, "Fri, 31 Dec 9999 23:59:59 GMT", pause: 600),
        .status(.serviceUnavailable, "Sun, 06 Nov 1994 08:49:37 GMT", pause: 15),
        PatienceCase(testDescription: "no answer", error: unreached, pause: 15),
        PatienceCase(testDescription: "another error that says it", error: Asking(retryAfter: .seconds(60)), pause: 60),
        PatienceCase(testDescription: "one that does not", error: Asking(retryAfter: nil), pause: 15),
        PatienceCase(
            testDescription: "a cause of a cause",
            error: AuthError.refreshFailed.caused(
                by: AuthError.refreshFailed.caused(by: Asking(retryAfter: .seconds(60)))), pause: 60),
        PatienceCase(
            testDescription: "a wrapped one", error: Wrapping(cause: Asking(retryAfter: .seconds(60))), pause: 60),
        PatienceCase(
            testDescription: "a wrapped one of which nothing was sent", error: Wrapping(cause: unreached), pause: 15),
    ]
}

@Suite struct RefreshPauseTests {
    /// Tokens that are due for most of an hour before they end.
    private func fixture(_ error: any Error, refreshesInBackground: Bool = false) -> SessionFixture {
        let policy = RefreshPolicy(
            lead: .seconds(3_000), jitter: .zero, refreshesInBackground: refreshesInBackground, greatestShare: 0.5)
        return SessionFixture(policy: policy) { _, _ in throw error }
    }

    @Test(arguments: PatienceCase.all)
    func `The pause after a failed refresh is as long as the issuer asks for, within bounds`(_ example: PatienceCase)
        throws
    {
        let fixture = fixture(example.error)
        let session = fixture.makeSession()
        let clock = fixture.simulation.clock
        try fixture.run {
            try await session.signIn(fixture.tokens(0, life: 7_200))
            try await clock.sleep(for: .seconds(4_300))
            try await expectEqual(session.credential().access, "access-0")
            try await clock.sleep(for: .seconds(example.pause - 1))
            try await expectEqual(session.credential().access, "access-0")
        }
        expectEqual(fixture.refreshes, 1)
        try fixture.run {
            try await clock.sleep(for: .seconds(example.pause / 4 + 2))
            try await expectEqual(session.credential().access, "access-0")
        }
        expectEqual(fixture.refreshes, 2)
    }

    @Test func `The pause after a failed refresh also applies in the background`() throws {
        let error = PatienceCase.status(.tooManyRequests, "500", pause: 500).error
        let fixture = fixture(error, refreshesInBackground: true)
        let session = fixture.makeSession()
        try fixture.run {
            try await session.signIn(fixture.tokens(0, life: 7_200))
            try await fixture.simulation.clock.sleep(for: .seconds(4_201 + 2 * 625))
        }
        #expect((2...3).contains(fixture.refreshes))
        #expect(session.currentState.isSignedIn)
    }

    /// Returns tokens that are due, whose refresh has failed once.
    private func failedOnce(_ session: Session<Tokens>, _ fixture: SessionFixture) throws -> Tokens {
        let tokens = fixture.tokens(0, life: 7_200)
        try fixture.run {
            try await session.signIn(tokens)
            try await fixture.simulation.clock.sleep(for: .seconds(4_300))
            _ = try await session.credential()
        }
        return tokens
    }

    @Test func `The pause that the issuer asks for also holds back a caller that needs a successor`() throws {
        let fixture = fixture(PatienceCase.status(.tooManyRequests, "500", pause: 500).error)
        let session = fixture.makeSession()
        let tokens = try failedOnce(session, fixture)
        #expect(throws: HTTPError.self) { try fixture.run { try await session.refreshed(replacing: tokens) } }
        expectEqual(fixture.refreshes, 1)
        try fixture.run { try await fixture.simulation.clock.sleep(for: .seconds(626)) }
        #expect(throws: HTTPError.self) { try fixture.run { try await session.refreshed(replacing: tokens) } }
        expectEqual(fixture.refreshes, 2)
    }

    @Test func `The pause of the session itself does not hold back a caller that needs a successor`() throws {
        let fixture = fixture(PatienceCase.unreached)
        let session = fixture.makeSession()
        let tokens = try failedOnce(session, fixture)
        #expect(throws: HTTPError.offline) { try fixture.run { try await session.refreshed(replacing: tokens) } }
        expectEqual(fixture.refreshes, 2)
    }
}
