// SPDX-License-Identifier: Apache-2.0

/// Points in time and spans of it as ProtoJSON spells them, in seconds and nanoseconds.
enum TimeText {
    /// From 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z, what a Timestamp may hold.
    static let timestamps: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// Some 10,000 years to either side, what a Duration may hold.
    static let durations: ClosedRange<Int64> = -315_576_000_000...315_576_000_000

    /// Whether these make a Timestamp: nanoseconds count forwards, before 1970 too.
    static func isTimestamp(_ seconds: Int64, _ nanos: Int32) -> Bool {
        timestamps.contains(seconds) && (0...999_999_999).contains(nanos)
    }

    /// Whether these make a Duration: nanoseconds have the seconds' sign.
    static func isDuration(_ seconds: Int64, _ nanos: Int32) -> Bool {
        durations.contains(seconds) && (-999_999_999...999_999_999).contains(nanos)
            && (seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0))
    }

    /// RFC 3339 §5.6, in UTC, with 0, 3, 6 or 9 digits of a second's fraction; nil where it is out of range.
    static func timestamp(_ seconds: Int64, _ nanos: Int32) -> [UInt8]? {
        guard isTimestamp(seconds, nanos) else { return nil }
        let shifted = Int(seconds - timestamps.lowerBound)
        let days = shifted / 86_400 + Int(timestamps.lowerBound / 86_400)
        let (date, second) = (CivilDate(daysSince1970: days), shifted % 86_400)
        var text: [UInt8] = []
        text.reserveCapacity(30)
        append(date.year, digits: 4, to: &text)
        append(date.month, digits: 2, after: "-", to: &text)
        append(date.day, digits: 2, after: "-", to: &text)
        append(second / 3_600, digits: 2, after: "T", to: &text)
        append(second / 60 % 60, digits: 2, after: ":", to: &text)
        append(second % 60, digits: 2, after: ":", to: &text)
        appendFraction(Int(nanos), to: &text)
        text.append(UInt8(ascii: "Z"))
        return text
    }

    /// Seconds with 0, 3, 6 or 9 digits of a fraction, and an `s`; nil where it is out of range.
    static func duration(_ seconds: Int64, _ nanos: Int32) -> [UInt8]? {
        guard isDuration(seconds, nanos) else { return nil }
        var text: [UInt8] = seconds < 0 || nanos < 0 ? [UInt8(ascii: "-")] : []
        text += Array(String(seconds.magnitude).utf8)
        appendFraction(Int(nanos.magnitude), to: &text)
        text.append(UInt8(ascii: "s"))
        return text
    }

    private static func append(
        _ value: Int, digits: Int, after mark: Unicode.Scalar? = nil, to text: inout [UInt8]
    ) {
        if let mark { text.append(UInt8(ascii: mark)) }
        var power = 1
        for _ in 1..<max(digits, 2) { power *= 10 }
        while power > 0 {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / power % 10))
            power /= 10
        }
    }

    private static func appendFraction(_ nanos: Int, to text: inout [UInt8]) {
        guard nanos != 0 else { return }
        if nanos % 1_000_000 == 0 {
            append(nanos / 1_000_000, digits: 3, after: ".", to: &text)
        } else if nanos % 1_000 == 0 {
            append(nanos / 1_000, digits: 6, after: ".", to: &text)
        } else {
            append(nanos, digits: 9, after: ".", to: &text)
        }
    }
}

extension TimeText {
    /// Reads an RFC 3339 point in time with any offset; nil where it is none or out of range.
    static func readTimestamp(_ text: UnsafeBufferPointer<UInt8>) -> (seconds: Int64, nanos: Int32)? {
        var reader = DigitReader(text)
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
            reader.take("-"), let day = reader.number(digits: 2), reader.take("T"),
            let date = CivilDate(year: year, month: month, day: day),
            let hour = reader.number(digits: 2), hour < 24, reader.take(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.take(":"),
            let second = reader.number(digits: 2), second < 60,
            let nanos = reader.fraction(), let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let seconds = Int64(date.daysSince1970 * 86_400 + hour * 3_600 + minute * 60 + second - offset)
        return isTimestamp(seconds, nanos) ? (seconds, nanos) : nil
    }

    /// Reads seconds such as `-1.5s`; nil where it is none or out of range.
    static func readDuration(_ text: UnsafeBufferPointer<UInt8>) -> (seconds: Int64, nanos: Int32)? {
        var reader = DigitReader(text)
        let isNegative = reader.take("-")
        guard let seconds = reader.number(), let nanos = reader.fraction(), reader.take("s"), reader.isAtEnd,
            Int64(seconds) <= durations.upperBound
        else { return nil }
        return isNegative ? (-Int64(seconds), -nanos) : (Int64(seconds), nanos)
    }
}
