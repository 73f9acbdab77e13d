// SPDX-License-Identifier: Apache-2.0

package import Foundation
import LatchCore
package import LatchHTTP
import Synchronization

/// One run of an application's refresh closure, with the credential that the closure saves by itself.
///
/// A facade's storage saves to it instead of signing in: a sign-in would discard the refresh of which it is part.
package final class RefreshAttempt: Sendable {
    @TaskLocal private static var running: RefreshAttempt?

    private struct State {
        var credential: (any Sendable)?
        var keyCount = 0
        /// This device's clock minus that of the server that the closure asked last, in seconds.
        var clockLead = 0.0
        var isClosed = false
    }

    private let session: ObjectIdentifier?
    private let idempotencyKey: String?
    /// The attempt within whose closure this one runs.
    private let outer: RefreshAttempt?
    private let state = Mutex(State())

    private init(of session: ObjectIdentifier?, idempotencyKey: String?) {
        self.session = session
        self.idempotencyKey = idempotencyKey
        outer = Self.running
    }

    /// The attempt that the current task is part of; nil after it has ended, for a task that outlives it.
    package static var current: RefreshAttempt? { running.flatMap { $0.isClosed ? nil : $0 } }

    /// Returns the attempt of a session that the current task is part of.
    ///
    /// The closure of one session may refresh another: each saves to its own attempt.
    package static func current(of session: ObjectIdentifier) -> RefreshAttempt? {
        var attempt = running
        while let candidate = attempt, candidate.session != session { attempt = candidate.outer }
        return attempt.flatMap { $0.isClosed ? nil : $0 }
    }

    private var isClosed: Bool { state.withLock { $0.isClosed } }

    /// Runs a refresh closure.
    ///
    /// - Parameters:
    ///   - session: The session that refreshes.
    ///   - idempotencyKey: The key of the closure's first POST; nil for none.
    ///   - refresh: The closure.
    /// - Returns: The credential of the closure or, if that fails, the one that it has saved by itself: the issuer has
    ///   issued that one, so it must not be lost.
    package static func run<Credential: Sendable>(
        of session: ObjectIdentifier?, idempotencyKey: String? = nil, _ refresh: () async throws -> Credential
    ) async throws -> Credential {
        let attempt = RefreshAttempt(of: session, idempotencyKey: idempotencyKey)
        defer { attempt.state.withLock { $0.isClosed = true } }
        do {
            return try await $running.withValue(attempt) { try await refresh() }
        } catch {
            guard let saved = attempt.credential as? Credential else { throw error }
            return saved
        }
    }

    /// The credential that was saved last.
    package var credential: (any Sendable)? { state.withLock { $0.credential } }

    /// Saves a credential; returns false after the refresh has ended.
    package func save(_ credential: any Sendable) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.credential = credential
            return true
        }
    }

    /// Takes note of the date of a response that arrived at `now`.
    package func note(_ response: HTTPResponse, at now: Date) {
        guard response.fields["Age"] == nil, let date = response.fields[.date].flatMap(HTTPDate.init)?.date else {
            return
        }
        state.withLock { $0.clockLead = now.timeIntervalSince(date) }
    }

    /// This device's clock minus that of the server that the closure asked last, in seconds; zero if it is not known.
    package var clockLead: Double { state.withLock { $0.clockLead } }

    /// Returns the idempotency key of the next POST, nil if the attempt has none, so that a repeated refresh gets the same response.
    package func nextIdempotencyKey() -> String? {
        guard let idempotencyKey else { return nil }
        let count = state.withLock { state in
            state.keyCount += 1
            return state.keyCount
        }
        return count == 1 ? idempotencyKey : "\(idempotencyKey)-\(count)"
    }
}

/// An error of an application's refresh closure that does not end the session, or not at once.
package struct RefreshFailure: WrappingError, IssuerError {
    /// The error of the closure.
    package let cause: any Error
    /// Whether it refuses the session, and may come from a gateway.
    package let isDoubtfulEnd: Bool

    /// Creates a failure.
    package init(cause: any Error, isDoubtfulEnd: Bool = false) {
        (self.cause, self.isDoubtfulEnd) = (cause, isDoubtfulEnd)
    }

    /// Whether the request may have arrived, as far as the cause knows.
    package var mayHaveArrived: Bool { (cause as? any IssuerError)?.mayHaveArrived ?? false }
}

extension URLError: IssuerError {
    /// Whether the connection ended after it had been made.
    var mayHaveArrived: Bool {
        [.timedOut, .networkConnectionLost, .cancelled, .badServerResponse, .cannotParseResponse].contains(code)
    }
}
