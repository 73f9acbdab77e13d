// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The credential that an application's refresh closure saves by itself while it runs.
///
/// A facade's storage records it here instead of signing in: a sign-in would discard the refresh of which it is part.
package final class RefreshRecord: Sendable {
    /// The record of the refresh that the current task is part of.
    @TaskLocal package static var current: RefreshRecord?

    private struct State {
        var credential: (any Sendable)?
        var isClosed = false
    }

    private let owner: ObjectIdentifier
    private let state = Mutex(State())

    /// Creates the record of a refresh of `owner`.
    package init(owner: AnyObject) { self.owner = ObjectIdentifier(owner) }

    /// The credential that was saved last.
    package var credential: (any Sendable)? { state.withLock { $0.credential } }

    /// Saves a credential; returns false after the refresh has ended, for a task that outlives it.
    package func save(_ credential: any Sendable) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.credential = credential
            return true
        }
    }

    /// Ends the refresh.
    package func close() { state.withLock { $0.isClosed = true } }

    /// Returns the record if the current task is part of a refresh of `owner` that has not ended.
    package static func current(for owner: AnyObject) -> RefreshRecord? {
        current.flatMap { record in
            record.owner == ObjectIdentifier(owner) && !record.state.withLock({ $0.isClosed }) ? record : nil
        }
    }
}

/// An error of an application's refresh closure that does not end the session.
package struct RefreshFailure: Error {
    /// The error of the closure.
    package let cause: any Error

    /// Creates a failure.
    package init(cause: any Error) { self.cause = cause }
}
