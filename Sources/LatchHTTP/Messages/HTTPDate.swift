// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials

/// A date as header fields write it (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`, to the second, in UTC.
public struct HTTPDate: Sendable, Hashable, CustomStringConvertible {
    /// The point in time.
    public let date: Date

    /// An HTTP date for a point in time; fractions of a second are dropped.
    public init(_ date: Date) { self.date = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)) }

    /// Reads the preferred form of a date, IMF-fixdate; nil where `text` is anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0].hasSuffix(","), parts[5] == "GMT",
            parts[1].utf8.count == 2, let day = UInt8(parts[1]),
            let month = Self.months.firstIndex(of: String(parts[2])),
            parts[3].utf8.count == 4, let year = UInt16(parts[3])
        else { return nil }
        let clock = parts[4].split(separator: ":", omittingEmptySubsequences: false)
        guard clock.count == 3, clock.allSatisfy({ $0.utf8.count == 2 }),
            let hour = UInt8(clock[0]), let minute = UInt8(clock[1]), let second = UInt8(clock[2]),
            (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        let days = Self.daysSinceEpoch(year: Int(year), month: month + 1, day: Int(day))
        let seconds = days * 86_400 + Int(hour) * 3_600 + Int(minute) * 60 + Int(second)
        date = Date(timeIntervalSince1970: Double(seconds))
    }

    /// The date in its preferred form, IMF-fixdate.
    public var description: String {
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

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }

    /// Days from 1970-01-01 in the proleptic Gregorian calendar; years are counted from March, so that the leap day is
    /// the last.
    private static func daysSinceEpoch(year: Int, month: Int, day: Int) -> Int {
        let shifted = month > 2 ? year : year - 1
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
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
