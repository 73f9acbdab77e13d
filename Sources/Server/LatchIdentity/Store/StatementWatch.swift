// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The watch over the statements of this process's stores, for a log of slow queries.
///
/// Stores are opened in many places, and their statements have no values in their text: one watch for the process is enough.
package enum StatementWatch {
    /// A function that is called with the text of a statement, and its duration.
    package typealias Report = @Sendable (_ statement: String, _ duration: Duration) -> Void

    private static let watch = Mutex<(threshold: Duration, report: Report)?>(nil)

    /// Reports the statements that take at least as long, from now on.
    ///
    /// - Parameter report: A function that must not block, which the store's threads call; nil ends the watch.
    package static func report(slowerThan threshold: Duration, by report: Report?) {
        watch.withLock { $0 = report.map { (threshold, $0) } }
    }

    /// Runs a statement, and reports it if it is slow.
    static func measured<Result, Failure: Error>(
        _ statement: String, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let watch = watch.withLock({ $0 }) else { return try body() }
        let start = ContinuousClock.now
        defer { end(statement, start, watch) }
        return try body()
    }

    /// Runs a statement that others may delay, and reports it if it is slow.
    static func measured<Result: Sendable>(
        _ statement: String, _ body: () async throws -> Result
    ) async throws -> Result {
        guard let watch = watch.withLock({ $0 }) else { return try await body() }
        let start = ContinuousClock.now
        defer { end(statement, start, watch) }
        return try await body()
    }

    private static func end(
        _ statement: String, _ start: ContinuousClock.Instant, _ watch: (threshold: Duration, report: Report)
    ) {
        let duration = start.duration(to: .now)
        if duration >= watch.threshold { watch.report(statement, duration) }
    }
}
