// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// One run of an application's refresh closure, with the credential that the closure saves by itself.
///
/// A facade's storage saves to it instead of signing in: a sign-in would discard the refresh of which it is part.
package final class RefreshAttempt: Sendable {
    @TaskLocal private static var running: RefreshAttempt?

    private struct State {
        var credential: (any Sendable)?
        var keyCount = 0
        var isClosed = false
    }

    private let idempotencyKey: String
    private let state = Mutex(State())

    private init(idempotencyKey: String) { self.idempotencyKey = idempotencyKey }

    /// The attempt that the current task is part of; nil after it has ended, for a task that outlives it.
    package static var current: RefreshAttempt? {
        running.flatMap { attempt in attempt.state.withLock { $0.isClosed } ? nil : attempt }
    }

    /// Runs a refresh closure.
    ///
    /// - Returns: The credential of the closure or, if that fails, the one that it has saved by itself: the issuer has
    ///   issued that one, so it must not be lost.
    package static func run<Credential: Sendable>(
        idempotencyKey: String = "", _ refresh: () async throws -> Credential
    ) async throws -> Credential {
        let attempt = RefreshAttempt(idempotencyKey: idempotencyKey)
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

    /// Returns the idempotency key of the next POST, so that a repeated refresh gets the same response.
    package func nextIdempotencyKey() -> String {
        let count = state.withLock { state in
            state.keyCount += 1
            return state.keyCount
        }
        return count == 1 ? idempotencyKey : "\(idempotencyKey)-\(count)"
    }
}

/// An error of an application's refresh closure that does not end the session.
package struct RefreshFailure: Error {
    /// The error of the closure.
    package let cause: any Error

    /// Creates a failure.
    package init(cause: any Error) { self.cause = cause }
}
