// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The time by which a server keeps its deadlines, standing still until a test moves it.
public final class ManualUptime: Sendable {
    /// One time for all who took it; it begins late enough that no deadline lies before 0.
    private let time = Mutex<UInt64>(1_000_000_000)

    /// A time that stands still.
    public init() {}

    /// The time that it shows.
    public var nanoseconds: UInt64 { time.withLock { $0 } }

    /// Moves the time; a server sees it within a quarter of a second.
    public func advance(bySeconds seconds: Int) { time.withLock { $0 += UInt64(seconds) * 1_000_000_000 } }
}
