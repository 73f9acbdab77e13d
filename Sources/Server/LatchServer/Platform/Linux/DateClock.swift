// SPDX-License-Identifier: Apache-2.0
#if os(Linux)

import PortableFoundation
import Glibc
import LatchHTTP

/// The date for responses, written once a second.
struct DateClock {
    /// The second of `written`; -1 before the first.
    private var second = -1
    /// RFC 9110 §5.6.7: the preferred form, always 29 characters.
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
