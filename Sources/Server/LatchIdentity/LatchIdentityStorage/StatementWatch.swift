// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The watch over the statements of this process's stores, for a log of slow queries.
///
/// Stores are opened in many places, and their statements contain no values. So one watch for the process is enough.
package final class StatementWatch: Sendable {
    /// A function that is called with the text of a statement, and its duration.
    package typealias Report = @Sendable (_ statement: String, _ duration: Duration) -> Void

    /// The condition for a report.
    ///
    /// It is a struct, since a `Mutex` must not hold a closure directly, or in a tuple or optional. Each `withLock`
    /// would convert the closure to the generic convention and back. Each conversion wraps it again, until a call
    /// overflows the stack.
    private struct Condition: Sendable {
        let threshold: Duration
        let report: Report
    }

    private static let process = StatementWatch()

    private let condition = Mutex<Condition?>(nil)

    package init() {}

    /// Reports statements with at least this duration, from now on.
    ///
    /// - Parameter report: A function that must not block, which the store's threads call; nil ends the watch.
    package static func report(slowerThan threshold: Duration, by report: Report?) {
        process.report(slowerThan: threshold, by: report)
    }

    /// Reports statements that have run together, each text once.
    ///
    /// - Parameter duration: The total time of all of them, without waits for other statements.
    package static func ended(after duration: Duration, _ statements: @autoclosure () -> Set<String>) {
        process.ended(after: duration, statements())
    }

    /// Begins a statement; nil without a watch.
    package static func begin(_ statement: String) -> Running? { process.begin(statement) }

    package func report(slowerThan threshold: Duration, by report: Report?) {
        condition.withLock { $0 = report.map { Condition(threshold: threshold, report: $0) } }
    }

    package func ended(after duration: Duration, _ statements: @autoclosure () -> Set<String>) {
        guard let condition = condition.withLock({ $0 }), duration >= condition.threshold else { return }
        for statement in statements() { condition.report(statement, duration) }
    }

    package func begin(_ statement: String) -> Running? {
        condition.withLock { $0 }.map {
            Running(statement: statement, start: .now, threshold: $0.threshold, report: $0.report)
        }
    }

    /// A running statement.
    package struct Running {
        fileprivate let statement: String
        fileprivate let start: ContinuousClock.Instant
        fileprivate let threshold: Duration
        fileprivate let report: Report

        /// Ends the statement, and reports it if it was slow.
        package func end() {
            let duration = start.duration(to: .now)
            if duration >= threshold { report(statement, duration) }
        }
    }
}
