// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Waits until the task is canceled, for operations that must not end during a test.
///
/// - Throws: `CancellationError`, always.
public func untilCancelled() async throws {
    // No test moves this clock.
    try await ManualClock().wallClock().sleep(for: .seconds(1))
}
