// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchTesting
import Synchronization

/// A clock on which waiting takes no time: it advances by the wait and records it.
final class SteppingClock: Sendable {
    private let clock = ManualClock()
    private let noted = Mutex<[Duration]>([])

    /// The durations of all waits, in order.
    var waits: [Duration] { noted.withLock { $0 } }

    /// The clock of a token storage: only the waits of a refresh take no time, and the session's own timers do not fire.
    var refreshClock: WallClock {
        let (leaping, still) = (wallClock, ManualClock().wallClock())
        return WallClock(
            now: { leaping.now },
            sleep: { try await (ActiveRefreshes.sessions.isEmpty ? still : leaping).sleep(for: $0) },
            uptime: { leaping.uptime })
    }

    /// The clock in the form of the library.
    var wallClock: WallClock { clock.leapingClock { wait in self.noted.withLock { $0.append(wait) } } }
}
