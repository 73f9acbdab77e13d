// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import FoundationEssentials
import Glibc
import LatchHTTP

/// The date for responses, written once a second.
struct DateClock {
    private var second = -1
    private var written = ""

    /// The date of now.
    mutating func text() -> String {
        let current = time(nil)
        if current != second {
            (second, written) = (current, HTTPDate(Date(timeIntervalSince1970: Double(current))).description)
        }
        return written
    }
}

#endif
