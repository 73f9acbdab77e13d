// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The time of a server's deadlines, which changes only when a test moves it.
public final class ManualUptime: Sendable {
    /// The time, which begins late enough for all deadlines to be positive.
    private let time = Mutex<UInt64>(1_000_000_000)

    /// Creates a time that changes only when it is moved.
    public init() {}

    /// The current time.
    public var nanoseconds: UInt64 { time.withLock { $0 } }

    /// Moves the time; a server sees it within a quarter of a second.
    public func advance(bySeconds seconds: Int) { time.withLock { $0 += UInt64(seconds) * 1_000_000_000 } }
}
