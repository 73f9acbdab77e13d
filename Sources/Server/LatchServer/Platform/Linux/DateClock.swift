// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import PortableFoundation
import Glibc

/// The current date as the `Date` field shows it, formatted once a second.
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

#endif
