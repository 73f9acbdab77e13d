// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import PortableFoundation

/// A date in the format of header fields (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, to the second, in UTC.
package struct HTTPDate: Sendable, Hashable, CustomStringConvertible {
    /// The point in time.
    package let date: Date

    /// Creates an HTTP date.
    ///
    /// Fractions of a second are rounded towards the past; dates beyond the four digits of a year become the nearest
    /// one that can be written.
    package init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        // NaN compares false and becomes the first date: long expired, if it is an expiry.
        let bounded = seconds >= Self.firstSecond ? min(seconds, Self.lastSecond) : Self.firstSecond
        self.date = Date(timeIntervalSince1970: bounded)
    }

    /// Parses the preferred format, IMF-fixdate, or returns nil for any other text.
    ///
    /// Each number has its exact digits and no sign, and the day exists in the month. The weekday must be valid but
    /// need not match the date. A leap second is the first second of the next minute.
    package init?(_ text: String) {
        let parts = text.unicodeScalars.split(separator: " ", omittingEmptySubsequences: false).map { Substring($0) }
        guard parts.count == 6, Self.weekdays.contains(where: { parts[0] == "\($0)," }),
            let day = Self.number(parts[1], digits: 2),
            let month = Self.months.firstIndex(of: String(parts[2])),
            let year = Self.number(parts[3], digits: 4),
            let civil = CivilDate(year: year, month: month + 1, day: day),
            let seconds = Self.secondsOfDay(parts[4]), parts[5] == "GMT"
        else { return nil }
        self.init(Date(timeIntervalSince1970: Double(civil.secondsSince1970(at: seconds))))
    }

    /// The date in its preferred form, IMF-fixdate.
    package var description: String {
        let (days, second) = daysAndSecond
        let civil = CivilDate(daysSince1970: days)
        let weekday = Self.weekdays[((days + 4) % 7 + 7) % 7]
        let time = [second / 3_600, second / 60 % 60, second % 60].map { Self.padded($0, to: 2) }
        return "\(weekday), \(Self.padded(civil.day, to: 2)) \(Self.months[civil.month - 1]) "
            + "\(Self.padded(civil.year, to: 4)) \(time.joined(separator: ":")) GMT"
    }

    /// The date in the basic format of ISO 8601, to the second and in UTC: `19941106T084937Z`.
    package var basicText: String {
        let (days, second) = daysAndSecond
        let civil = CivilDate(daysSince1970: days)
        let date = (civil.year * 100 + civil.month) * 100 + civil.day
        let time = (second / 3_600 * 100 + second / 60 % 60) * 100 + second % 60
        return "\(Self.padded(date, to: 8))T\(Self.padded(time, to: 6))Z"
    }

    private var daysAndSecond: (days: Int, second: Int) {
        let days = (date.timeIntervalSince1970 / 86_400).rounded(.down)
        return (Int(days), Int(date.timeIntervalSince1970 - days * 86_400))
    }

    private static func padded(_ number: Int, to count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// The range of dates with four digits of a year: 1 January 0000 to 31 December 9999.
    private static let firstSecond = -62_167_219_200.0
    private static let lastSecond = 253_402_300_799.0

    /// Returns the number of exactly so many digits; Swift's own conversion would accept `+8` and digits of other
    /// scripts.
    private static func number(_ text: Substring, digits: Int) -> Int? {
        let isNumber = text.utf8.count == digits && text.utf8.allSatisfy(isDigit)
        return isNumber ? Int(text) : nil
    }

    private static func secondsOfDay(_ text: Substring) -> Int? {
        let parts = text.unicodeScalars.split(separator: ":", omittingEmptySubsequences: false).map { Substring($0) }
        guard parts.count == 3, let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
            let second = number(parts[2], digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }
}
