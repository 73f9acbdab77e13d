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
    static func measured<Result>(
        _ statement: String, _ body: () throws(IdentityError) -> Result
    ) throws(IdentityError) -> Result {
        guard let (threshold, report) = watch.withLock({ $0 }) else { return try body() }
        let start = ContinuousClock.now
        defer {
            let duration = start.duration(to: .now)
            if duration >= threshold { report(statement, duration) }
        }
        return try body()
    }
}
