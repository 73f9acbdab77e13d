// SPDX-License-Identifier: Apache-2.0

import LatchCore

/// Waits until the task is cancelled: for what must hang as long as a test goes on.
///
/// - Throws: `CancellationError`, always.
public func untilCancelled() async throws {
    // Nobody else has this clock, so nobody moves it.
    try await ManualClock().wallClock().sleep(for: .seconds(1))
}
