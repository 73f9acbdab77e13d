// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

/// A date in the format of header fields (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, to the second, in UTC.
package struct HTTPDate: Sendable, Hashable, CustomStringConvertible {
    /// The point in time.
    package let date: Date

    /// Creates an HTTP date.
    ///
    /// Fractions of a second are rounded towards the past. Dates beyond the four digits of a year become the nearest
    /// date that can be written.
    package init(_ date: Date) {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        // NaN compares false and becomes the first date; as an expiry, it is long past.
        let bounded = seconds >= Self.firstSecond ? min(seconds, Self.lastSecond) : Self.firstSecond
        self.date = Date(timeIntervalSince1970: bounded)
    }

    /// Parses the preferred format, IMF-fixdate, or an obsolete one; returns nil for any other text.
    ///
    /// A recipient must accept both obsolete formats. Each number has its exact digits and no sign, and the day exists
    /// in the month. The weekday must be valid but need not match the date. A leap second is the first second of the
    /// next minute.
    package init?(_ text: String) {
        let parts = Self.parts(of: Substring(text), at: " ")
        guard let (civil, time) = Self.preferred(parts) ?? Self.rfc850(parts) ?? Self.asctime(parts),
            let seconds = Self.secondsOfDay(time)
        else { return nil }
        self.init(Date(timeIntervalSince1970: Double(civil.secondsSince1970(at: seconds))))
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`.
    private static func preferred(_ parts: [Substring]) -> (CivilDate, time: Substring)? {
        guard parts.count == 6, weekdays.contains(where: { parts[0] == "\($0)," }), parts[5] == "GMT",
            let day = number(parts[1], digits: 2), let year = number(parts[3], digits: 4)
        else { return nil }
        return date(year, parts[2], day).map { ($0, parts[4]) }
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`.
    ///
    /// RFC 9110 interprets the two digits relative to today. Here they mean 1970 to 2069, as in a cookie (RFC 6265
    /// §5.1.1), so that a text has one meaning.
    private static func rfc850(_ parts: [Substring]) -> (CivilDate, time: Substring)? {
        guard parts.count == 4, parts[3] == "GMT", longWeekdays.contains(where: { parts[0] == "\($0)," }) else {
            return nil
        }
        let date = Self.parts(of: parts[1], at: "-")
        guard date.count == 3, let day = number(date[0], digits: 2), let year = number(date[2], digits: 2) else {
            return nil
        }
        return Self.date(year + (year < 70 ? 2_000 : 1_900), date[1], day).map { ($0, parts[2]) }
    }

    /// `Sun Nov  6 08:49:37 1994`, where the day has a space in place of a zero.
    private static func asctime(_ parts: [Substring]) -> (CivilDate, time: Substring)? {
        let isShort = parts.count == 6 && parts[2].isEmpty
        guard isShort || parts.count == 5, weekdays.contains(where: { parts[0] == $0 }) else { return nil }
        guard let day = number(parts[isShort ? 3 : 2], digits: isShort ? 1 : 2),
            let year = number(parts[parts.count - 1], digits: 4)
        else { return nil }
        return date(year, parts[1], day).map { ($0, parts[parts.count - 2]) }
    }

    private static func date(_ year: Int, _ month: Substring, _ day: Int) -> CivilDate? {
        guard let index = months.firstIndex(where: { $0 == month }) else { return nil }
        return CivilDate(year: year, month: index + 1, day: day)
    }

    private static func parts(of text: Substring, at separator: Unicode.Scalar) -> [Substring] {
        text.unicodeScalars.split(separator: separator, omittingEmptySubsequences: false).map { Substring($0) }
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
    private static let longWeekdays = [
        "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday",
    ]

    /// The range of dates with a year of four digits: 1 January 0000 to 31 December 9999.
    private static let firstSecond = -62_167_219_200.0
    private static let lastSecond = 253_402_300_799.0

    /// Returns the number with exactly the given count of digits.
    ///
    /// Swift's conversion would accept `+8` and digits of other scripts.
    private static func number(_ text: Substring, digits: Int) -> Int? {
        let isNumber = text.utf8.count == digits && text.utf8.allSatisfy(isDigit)
        return isNumber ? Int(text) : nil
    }

    private static func secondsOfDay(_ text: Substring) -> Int? {
        let parts = parts(of: text, at: ":")
        guard parts.count == 3, let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
            let second = number(parts[2], digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }
}
