// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// A lenient parser of the dates in cookies, which servers write in many formats (RFC 6265bis §5.1.1).
enum CookieDate {
    /// Returns the date of `text`, or nil if it holds none.
    static func parse(_ text: ArraySlice<UInt8>) -> Date? {
        var components = Components()
        for token in text.split(whereSeparator: isDelimiter) { components.take(token) }
        return components.date
    }

    /// The components found so far; the first token that matches a component sets it.
    private struct Components {
        var time: [Int]?
        var day: Int?
        var month: Int?
        var year: Int?

        /// Assigns a token to the first component that it matches; the order decides the meaning of a number (§5.1.1
        /// step 2).
        mutating func take(_ token: ArraySlice<UInt8>) {
            if time == nil, let value = CookieDate.time(token) {
                time = value
            } else if day == nil, let value = CookieDate.number(token, digits: 1...2) {
                day = value
            } else if month == nil, let value = CookieDate.month(token) {
                month = value
            } else if year == nil, let value = CookieDate.number(token, digits: 2...4) {
                year = value
            }
        }

        /// The date of the components (§5.1.1 steps 3 to 6).
        var date: Date? {
            guard let time, let day, let month, var year else { return nil }
            switch year {
            case 70...99: year += 1_900
            case 0...69: year += 2_000
            default: break
            }
            guard year >= 1_601, time[0] < 24, time[1] < 60, time[2] < 60,
                let civil = CivilDate(year: year, month: month, day: day)
            else { return nil }
            let seconds = time[0] * 3_600 + time[1] * 60 + time[2]
            return Date(timeIntervalSince1970: Double(civil.secondsSince1970(at: seconds)))
        }
    }

    /// Returns hour, minute and second, each with one or two digits; any byte except a digit may follow.
    private static func time(_ token: ArraySlice<UInt8>) -> [Int]? {
        let parts = token.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit),
            let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2)
        else { return nil }
        return [hour, minute, second]
    }

    /// Returns the number at the beginning of a token, if the number of its digits is in the range.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let number = token.prefix(while: isDigit)
        guard digits.contains(number.count) else { return nil }
        return number.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }

    /// Returns the month, counted from 1, that the first three letters name.
    private static func month(_ token: ArraySlice<UInt8>) -> Int? {
        guard token.count >= 3 else { return nil }
        return months.firstIndex { $0.elementsEqual(token.prefix(3).lazy.map(asciiLowercased)) }.map { $0 + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ].map { Array($0.utf8) }

    /// Whether a byte is a `delimiter` (§5.1.1): a tab, or a printable character other than letters, digits and the
    /// colon.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        byte == 0x09 || ((0x20...0x7E).contains(byte) && byte != 0x3A && !isAlphanumeric(byte))
    }
}
