// SPDX-License-Identifier: Apache-2.0

import Dispatch

/// Runs what blocks or computes for long on a thread outside of the pool that all tasks share.
///
/// The pool has as many threads as there are processors. A test that keeps one for seconds starves every other test,
/// and those that talk to a server with deadlines fail for it.
public func offThePool<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        // The threads of the global queues are the pool's.
        DispatchQueue(label: "latch.off-the-pool").async { continuation.resume(with: Result { try body() }) }
    }
}
