// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore

/// A clock that stands still until a test moves it.
final class TestClock: Sendable {
    private let date = Lock(noon)

    var now: Date { date.withLock { $0 } }

    func advance(by seconds: TimeInterval) { date.withLock { $0 += seconds } }

    /// Waiting ends only with its task: what waits here waits for something that a test brings about otherwise.
    var wallClock: WallClock {
        WallClock(now: { self.now }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
    }
}
