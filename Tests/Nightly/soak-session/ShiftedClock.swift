// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchCore
import Synchronization

/// This machine's clock and an offset, so that hours pass in a moment for the server and for its clients alike.
final class ShiftedClock: Sendable {
    private let offset = Mutex(0)

    /// The seconds by which this clock is ahead of the machine's.
    var seconds: Int {
        get { offset.withLock { $0 } }
        set { offset.withLock { $0 = newValue } }
    }

    var wallClock: WallClock {
        WallClock(
            now: { WallClock.system.now.addingTimeInterval(Double(self.seconds)) },
            sleep: { try await WallClock.system.sleep(for: $0) },
            // Hours pass for the limits of refreshes as well, and not for the date alone.
            uptime: { WallClock.system.uptime + .seconds(self.seconds) })
    }
}
