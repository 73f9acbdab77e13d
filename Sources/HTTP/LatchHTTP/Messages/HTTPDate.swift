// SPDX-License-Identifier: Apache-2.0

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
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].last == ",", Self.weekdays.contains(String(parts[0].dropLast())),
            let day = Self.number(parts[1], digits: 2),
            let month = Self.months.firstIndex(of: String(parts[2])),
            let year = Self.number(parts[3], digits: 4),
            let seconds = Self.secondsOfDay(parts[4]), parts[5] == "GMT"
        else { return nil }
        let first = Self.daysSinceEpoch(year: year, month: month + 1, day: 1)
        let next = Self.daysSinceEpoch(year: month == 11 ? year + 1 : year, month: (month + 1) % 12 + 1, day: 1)
        guard day >= 1, first + day <= next else { return nil }
        self.init(Date(timeIntervalSince1970: Double((first + day - 1) * 86_400 + seconds)))
    }

    /// The date in its preferred form, IMF-fixdate.
    package var description: String {
        let total = Int(date.timeIntervalSince1970)
        let days = (Double(total) / 86_400).rounded(.down)
        let inDay = total - Int(days) * 86_400
        let (year, month, day) = Self.civil(daysSinceEpoch: Int(days))
        let weekday = Self.weekdays[((Int(days) + 4) % 7 + 7) % 7]
        let time = [inDay / 3_600, inDay / 60 % 60, inDay % 60].map(Self.twoDigits).joined(separator: ":")
        let fourDigits = String(repeating: "0", count: max(0, 4 - String(year).count)) + String(year)
        return "\(weekday), \(Self.twoDigits(day)) \(Self.months[month - 1]) \(fourDigits) \(time) GMT"
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
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 2), let minute = number(parts[1], digits: 2),
            let second = number(parts[2], digits: 2), hour < 24, minute < 60, second <= 60
        else { return nil }
        return hour * 3_600 + minute * 60 + second
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

    /// Returns the days from 1970-01-01 in the proleptic Gregorian calendar; years are counted from March, so that the
    /// leap day is the last one.
    static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// Returns the date of a day, the reverse of `daysSinceEpoch`.
    static func civil(daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}

extension HTTPDate {
    /// The date in the basic format of ISO 8601, to the second and in UTC: `19941106T084937Z`.
    package var basicText: String {
        let total = Int(date.timeIntervalSince1970)
        let days = Int((Double(total) / 86_400).rounded(.down))
        let inDay = total - days * 86_400
        let (year, month, day) = Self.civil(daysSinceEpoch: days)
        let digits = ((year * 100 + month) * 100 + day, (inDay / 3_600 * 100 + inDay / 60 % 60) * 100 + inDay % 60)
        return "\(Self.padded(digits.0, to: 8))T\(Self.padded(digits.1, to: 6))Z"
    }

    private static func padded(_ number: Int, to count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}
