// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#endif

/// The current date in the form of the `Date` field, formatted once a second.
struct DateClock {
    /// The second of `formatted`; -1 before the first call.
    private var second = -1
    /// The date in the preferred format (RFC 9110 §5.6.7), always 29 characters.
    private var formatted = ""

    /// Returns the current date.
    mutating func text() -> String {
        let current = time(nil)
        if current != second {
            (second, formatted) = (current, HTTPDate(Date(timeIntervalSince1970: Double(current))).description)
        }
        return formatted
    }
}

extension EventLoop {
    /// Returns the system's monotonic time in nanoseconds; setting the date does not change it.
    @Sendable static func monotonicNow() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
    }
}
