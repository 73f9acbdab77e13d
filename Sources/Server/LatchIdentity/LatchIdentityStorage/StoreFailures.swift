// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The watch over calls that fail because of the store.
///
/// Clients only learn that they can try again, and the log line of a request only has the code.
package final class StoreFailures: Sendable {
    /// A function that is called with an error and the name of the operation, such as `rotate`.
    package typealias Report = @Sendable (_ error: IdentityError, _ operation: String) -> Void

    private struct State {
        var report: Report?
        /// The times of the last reports by error code and detail, such as the name of a hook, of which there are few.
        var reported: [String: ContinuousClock.Instant] = [:]
    }

    /// The time for which further failures with the same code are not reported: a store may fail at each request.
    package static let pause = Duration.seconds(60)

    private let state = Mutex(State())

    package init() {}

    /// Reports failures from now on.
    ///
    /// - Parameter report: A function that must not block, which the store's threads call; nil ends the watch.
    package func report(by report: Report?) { state.withLock { $0 = State(report: report) } }

    /// Reports an error of an operation, unless its code was reported recently or the server is ending.
    package func note(_ error: IdentityError, in operation: String, at time: ContinuousClock.Instant = .now) {
        guard error != .storeClosed, error != .cancelled else { return }
        let report = state.withLock { state -> Report? in
            guard let report = state.report else { return nil }
            let key = [error.code, error.detail].compactMap(\.self).joined(separator: " ")
            if let last = state.reported[key], time - last < Self.pause { return nil }
            state.reported[key] = time
            return report
        }
        report?(error, operation)
    }
}
