// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore

/// A clock on which waiting takes no time: it steps to the end of the wait and notes it.
final class SteppingClock: Sendable {
    private let state = Lock<(uptime: Duration, waits: [Duration])>((.zero, []))

    /// For how long somebody has waited, in order.
    var waits: [Duration] { state.withLock { $0.waits } }

    var wallClock: WallClock {
        WallClock(
            now: { Date(timeIntervalSince1970: 1_800_000_000 + self.state.withLock { $0.uptime.inSeconds }) },
            sleep: { duration in
                try Task.checkCancellation()
                self.state.withLock { state in
                    state.uptime += duration
                    state.waits.append(duration)
                }
            },
            uptime: { self.state.withLock { $0.uptime } })
    }
}
