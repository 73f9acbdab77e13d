// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// Reads dates as servers write them into cookies: in many spellings, most of them wrong (RFC 6265bis §5.1.1).
enum CookieDate {
    /// The date that `text` means; nil where it means none.
    static func parse(_ text: ArraySlice<UInt8>) -> Date? {
        var found = Found()
        for token in text.split(whereSeparator: isDelimiter) { found.take(token) }
        return found.date
    }

    /// What the tokens have told so far; each part is told by the first token that can tell it.
    private struct Found {
        var time: [Int]?
        var day: Int?
        var month: Int?
        var year: Int?

        /// §5.1.1 step 2: the order of the questions decides what a number means.
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

        /// §5.1.1 steps 3 to 6.
        var date: Date? {
            guard let time, let day, let month, var year else { return nil }
            switch year {
            case 70...99: year += 1_900
            case 0...69: year += 2_000
            default: break
            }
            guard year >= 1_601, time[0] < 24, time[1] < 60, time[2] < 60 else { return nil }
            let first = HTTPDate.daysSinceEpoch(year: year, month: month, day: 1)
            let next = HTTPDate.daysSinceEpoch(
                year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
            guard day >= 1, first + day <= next else { return nil }
            let seconds = time[0] * 3_600 + time[1] * 60 + time[2]
            return Date(timeIntervalSince1970: Double((first + day - 1) * 86_400 + seconds))
        }
    }

    /// Hour, minute and second, each of one or two digits; anything but a digit may follow.
    private static func time(_ token: ArraySlice<UInt8>) -> [Int]? {
        let parts = token.split(separator: 0x3A, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].allSatisfy(isDigit), parts[1].allSatisfy(isDigit),
            let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
            let second = number(parts[2], digits: 1...2)
        else { return nil }
        return [hour, minute, second]
    }

    /// The number at the beginning of a token, where it has so many digits and no more.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int? {
        let number = token.prefix(while: isDigit)
        guard digits.contains(number.count) else { return nil }
        return number.reduce(0) { $0 * 10 + Int($1 & 0x0F) }
    }

    /// The month, counted from 1, that the first three letters name; whatever follows them.
    private static func month(_ token: ArraySlice<UInt8>) -> Int? {
        guard token.count >= 3 else { return nil }
        return months.firstIndex { $0.elementsEqual(token.prefix(3).lazy.map(asciiLowercased)) }.map { $0 + 1 }
    }

    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ].map { Array($0.utf8) }

    /// §5.1.1: `delimiter`.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}

/// DIGIT (RFC 5234 appendix B.1).
func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
