// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// Until when a call may take, and the clock by which that is so.
struct CallDeadline: Sendable {
    let deadline: Deadline
    private let clock: WallClock

    /// Some 100 years: the runtime stops the program where it is to wait until a moment that 64 bits of seconds do not hold.
    static let longest = Duration.seconds(100 * 366 * 86_400)

    /// The moment that is so far from now.
    init(in limit: Duration, clock: WallClock) {
        deadline = Deadline(in: min(limit, Self.longest), clock: clock)
        self.clock = clock
    }

    /// Waits until the moment has come.
    func wait() async throws { try await clock.sleep(for: max(.zero, deadline.remaining)) }
}

/// Runs `body` for no longer than there is time; what it has begun has ended before this returns or throws.
///
/// - Throws: `RPCError.deadlineExceeded`, and what `body` throws before.
func within<Value: Sendable>(
    _ deadline: CallDeadline?, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    guard let deadline else { return try await body() }
    guard !deadline.deadline.hasPassed else { throw RPCError.deadlineExceeded }
    return try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await body() }
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
