// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// The deadline of a call, and its clock.
struct RPCDeadline: Sendable {
    let deadline: Deadline
    private let clock: WallClock

    /// About 100 years: the runtime traps on deadlines whose seconds exceed 64 bits.
    static let longest = Duration.seconds(Int64(100 * 366) * 86_400)

    /// Creates the deadline after a time limit.
    init(in limit: Duration, clock: WallClock) {
        deadline = Deadline(in: min(limit, Self.longest), clock: clock)
        self.clock = clock
    }

    /// Waits until the deadline.
    func wait() async throws { try await clock.sleep(for: max(.zero, deadline.remaining)) }
}

/// Runs `body` until it ends or the deadline passes; all its work has ended when this returns or throws.
///
/// - Throws: `RPCError.deadlineExceeded`, or the error of `body`.
func within<Value: Sendable>(
    _ deadline: RPCDeadline?, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    guard let deadline else { return try await body() }
    guard !deadline.deadline.hasPassed else { throw RPCError.deadlineExceeded }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask {
            do {
                return try await body()
            } catch is HTTPError where deadline.deadline.hasPassed {
                // The peer has the same deadline, and may reset the stream before the task with this clock runs.
                throw RPCError.deadlineExceeded
            }
        }
        group.addTask {
            do { try await deadline.wait() } catch is CancellationError { return nil }
            throw RPCError.deadlineExceeded
        }
        defer { group.cancelAll() }
        while let outcome = try await group.next() {
            if let outcome { return outcome }
        }
        throw RPCError.canceled
    }
}
