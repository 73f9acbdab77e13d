// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CTimer
package import PortableFoundation

extension WallClock {
    /// The kernel's date, if a time server keeps it right; nil if none does (adjtimex(2), `STA_UNSYNC`).
    package static var synchronizedDate: Date? {
        var clock = timex()
        let state = adjtimex(&clock)
        guard state >= 0, state != TIME_ERROR, clock.status & STA_UNSYNC == 0 else { return nil }
        return Date(timeIntervalSince1970: Double(clock.time.tv_sec))
    }
}
#endif
