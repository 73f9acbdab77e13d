// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CLatchTimer
package import LatchFoundation

extension WallClock {
    /// The maximum error of a clock that a time server keeps, in microseconds (adjtimex(2), `maxerror`).
    ///
    /// The kernel's value is larger after a start, and when the clock has not been corrected for nine hours.
    private static let greatestError = 16_000_000

    /// The kernel's date if a time server keeps it correct; nil otherwise.
    ///
    /// The flag `STA_UNSYNC` does not count: chronyd leaves it set unless `rtcsync` is configured.
    package static var synchronizedDate: Date? {
        var clock = timex()
        guard adjtimex(&clock) >= 0, clock.maxerror < greatestError else { return nil }
        return Date(timeIntervalSince1970: Double(clock.time.tv_sec))
    }
}
#endif
