// SPDX-License-Identifier: Apache-2.0

/// A day of the proleptic Gregorian calendar (RFC 3339 §5.1).
package struct CivilDate: Sendable, Hashable {
    package let year: Int
    /// The month, from 1.
    package let month: Int
    /// The day of the month, from 1.
    package let day: Int

    /// Creates a day; nil if it does not exist in the calendar.
    package init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1 else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
        // A day after the end of its month is a day of the next one.
        guard CivilDate(daysSince1970: daysSince1970) == self else { return nil }
    }

    /// Creates the day a number of days after 1970-01-01.
    ///
    /// Internally years begin in March, so that the leap day is the last.
    package init(daysSince1970 days: Int) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// Returns the number of seconds from 1970-01-01T00:00:00Z to a second of this day in UTC, without leap seconds.
    ///
    /// It has 64 bits: an `Int` of 32 bits, as on Apple Watch, ends in 2038.
    package func secondsSince1970(at secondOfDay: Int) -> Int64 { Int64(daysSince1970) * 86_400 + Int64(secondOfDay) }

    /// The number of days since 1970-01-01.
    package var daysSince1970: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }
}
