// SPDX-License-Identifier: Apache-2.0

package import Foundation
import LatchCore
package import LatchHTTP
import Synchronization

/// One run of an application's refresh closure, with the credential that the closure itself saves.
///
/// A facade's storage saves to it instead of signing in, because a sign-in would discard the running refresh.
package final class RefreshAttempt: Sendable {
    @TaskLocal private static var running: RefreshAttempt?

    private struct State {
        var credential: (any Sendable)?
        var keyCount = 0
        /// This device's clock minus the clock of the server that the closure called last, in seconds.
        var clockLead = 0.0
        var isClosed = false
    }

    private let session: ObjectIdentifier?
    private let idempotencyKey: String?
    /// The attempt that surrounds this one, if one closure runs within another.
    private let outer: RefreshAttempt?
    private let state = Mutex(State())

    private init(of session: ObjectIdentifier?, idempotencyKey: String?) {
        self.session = session
        self.idempotencyKey = idempotencyKey
        outer = Self.running
    }

    /// The attempt to which the current task belongs; nil after it has ended, for a task that outlives it.
    package static var current: RefreshAttempt? { running.flatMap { $0.isClosed ? nil : $0 } }

    /// Returns the attempt of a session to which the current task belongs.
    ///
    /// The closure of one session may refresh another session; each saves to its own attempt.
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
    /// - Returns: The credential of the closure or, if the closure fails, the one that it has saved. The issuer has
    ///   issued that credential, so it must not be lost.
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

    /// Records the date of a response that arrived at `now`.
    package func note(_ response: HTTPResponse, at now: Date) {
        guard response.fields["Age"] == nil, let date = response.fields[.date].flatMap(HTTPDate.init)?.date else {
            return
        }
        state.withLock { $0.clockLead = now.timeIntervalSince(date) }
    }

    /// This device's clock minus the clock of the server that the closure called last, in seconds; zero if unknown.
    package var clockLead: Double { state.withLock { $0.clockLead } }

    /// Returns the idempotency key of the next POST; nil if the attempt has none.
    ///
    /// With the key, a repeated refresh receives the same response.
    package func nextIdempotencyKey() -> String? {
        guard let idempotencyKey else { return nil }
        let count = state.withLock { state in
            state.keyCount += 1
            return state.keyCount
        }
        return count == 1 ? idempotencyKey : "\(idempotencyKey)-\(count)"
    }
}

/// An error of an application's refresh closure that does not end the session, or does not end it immediately.
package struct RefreshFailure: WrappingError, IssuerError {
    /// The error of the closure.
    package let cause: any Error
    /// Whether the error refuses the session, but may come from a gateway.
    package let isDoubtfulEnd: Bool

    /// Creates a failure.
    package init(cause: any Error, isDoubtfulEnd: Bool = false) {
        (self.cause, self.isDoubtfulEnd) = (cause, isDoubtfulEnd)
    }

    /// Whether the request may have arrived, if the cause knows.
    package var mayHaveArrived: Bool { (cause as? any IssuerError)?.mayHaveArrived ?? false }
}

extension URLError: IssuerError {
    /// Whether the connection ended after it was established.
    var mayHaveArrived: Bool {
        [.timedOut, .networkConnectionLost, .cancelled, .badServerResponse, .cannotParseResponse].contains(code)
    }
}
