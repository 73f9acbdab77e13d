// SPDX-License-Identifier: Apache-2.0

import LatchHTTP
import Synchronization

/// The sessions whose refresh or step-up the current task belongs to.
///
/// A refresh through a client with the same session would wait for itself forever. This value lets the session detect
/// that.
package enum ActiveRefreshes {
    /// A refresh or step-up of a session.
    package final class Refresh: Sendable {
        /// The identity of the session's actor.
        package let session: ObjectIdentifier
        private let isOver = Mutex(false)

        fileprivate init(_ session: ObjectIdentifier) { self.session = session }

        /// Whether it is still running.
        ///
        /// A task that it started may outlive it, and that task's requests need a credential again.
        fileprivate var isRunning: Bool { !isOver.withLock { $0 } }

        fileprivate func end() { isOver.withLock { $0 = true } }
    }

    /// The running refreshes and step-ups, outermost first, because a refresh may need another session's credential.
    @TaskLocal private static var refreshes: [Refresh] = []

    /// The identities of the sessions, outermost first.
    package static var sessions: [ObjectIdentifier] { refreshes.filter(\.isRunning).map(\.session) }

    /// Whether the current task belongs to a refresh or a step-up of `session`.
    package static func contains(_ session: some Actor) -> Bool {
        let refreshes = refreshes
        guard !refreshes.isEmpty else { return false }
        let session = ObjectIdentifier(session)
        return refreshes.contains { $0.session == session && $0.isRunning }
    }

    /// Runs a refresh or a step-up of `session`.
    ///
    /// - Parameter mayBeSent: The condition for sending its requests, as long as it runs.
    nonisolated(nonsending) static func of<Result>(
        _ session: some Actor, while mayBeSent: (@Sendable () -> Bool)? = nil, _ body: () async throws -> Result
    ) async throws -> Result {
        let refresh = Refresh(ObjectIdentifier(session))
        defer { refresh.end() }
        let condition = mayBeSent.map { mayBeSent in { @Sendable in refresh.isRunning ? mayBeSent() : nil } }
        return try await $refreshes.withValue(refreshes + [refresh]) {
            try await SendCondition.$current.withValue(condition, operation: body)
        }
    }
}
