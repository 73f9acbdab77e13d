// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchTesting
import Synchronization

/// A clock on which waiting takes no time: it steps to the end of the wait and notes it.
final class SteppingClock: Sendable {
    private let clock = ManualClock()
    private let noted = Mutex<[Duration]>([])

    /// For how long somebody has waited, in order.
    var waits: [Duration] { noted.withLock { $0 } }

    /// The clock as others take it.
    var wallClock: WallClock { clock.leapingClock { wait in self.noted.withLock { $0.append(wait) } } }
}
