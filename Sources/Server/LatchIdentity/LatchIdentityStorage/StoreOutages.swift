// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The watch over the connections of this process to the databases of its stores.
package enum StoreOutages {
    /// A function that gets the error when the connection to a database is lost, and nil when it is back.
    package typealias Report = @Sendable (IdentityError?) -> Void

    private struct Watch {
        var report: Report?
        /// The reason why a database is unavailable; nil if all are available.
        var failure: IdentityError?
    }

    private static let watch = Mutex(Watch())

    /// Reports outages and their ends from now on.
    ///
    /// - Parameter report: A function that must not block, which the store's threads call; nil ends the watch.
    package static func report(by report: Report?) { watch.withLock { $0.report = report } }

    /// Runs `body`, which opens a store; if it waits for the database for longer than `delay`, reports the reason.
    package static func announcingWait<Result>(
        after delay: Duration = .seconds(2), by announce: @escaping @Sendable (IdentityError) -> Void,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let announcement = Task {
            try await Task.sleep(for: delay)
            // The first attempt may take longer than the delay.
            while true {
                if let failure = watch.withLock({ $0.failure }) { return announce(failure) }
                try await Task.sleep(for: .milliseconds(500))
            }
        }
        defer { announcement.cancel() }
        return try await body()
    }

    package static func changed(_ failure: IdentityError?) {
        let report = watch.withLock { watch in
            watch.failure = failure
            return watch.report
        }
        report?(failure)
    }
}
