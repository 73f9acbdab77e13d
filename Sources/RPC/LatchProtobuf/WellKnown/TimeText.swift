// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// The ProtoJSON forms of timestamps and durations.
enum TimeText {
    /// The valid seconds of a Timestamp, from 0001-01-01T00:00:00Z to 9999-12-31T23:59:59Z.
    static let timestamps: ClosedRange<Int64> = -62_135_596_800...253_402_300_799
    /// The valid seconds of a Duration, about 10,000 years in either direction.
    static let durations: ClosedRange<Int64> = -315_576_000_000...315_576_000_000

    /// Whether the values are a valid Timestamp: nanoseconds also count forward before 1970.
    static func isTimestamp(_ seconds: Int64, _ nanos: Int32) -> Bool {
        timestamps.contains(seconds) && (0...999_999_999).contains(nanos)
    }

    /// Whether the values are a valid Duration: nanoseconds have the sign of the seconds.
    static func isDuration(_ seconds: Int64, _ nanos: Int32) -> Bool {
        durations.contains(seconds) && (-999_999_999...999_999_999).contains(nanos)
            && (seconds == 0 || nanos == 0 || (seconds < 0) == (nanos < 0))
    }

    /// Formats a timestamp (RFC 3339 §5.6) in UTC with 0, 3, 6 or 9 fraction digits; nil if it is out of range.
    static func timestamp(_ seconds: Int64, _ nanos: Int32) -> [UInt8]? {
        guard isTimestamp(seconds, nanos) else { return nil }
        let shifted = seconds - timestamps.lowerBound
        let date = CivilDate(daysSince1970: Int(shifted / 86_400 + timestamps.lowerBound / 86_400))
        let second = Int(shifted % 86_400)
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

    /// Formats seconds with 0, 3, 6 or 9 fraction digits and an `s`; nil if they are out of range.
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
        for _ in 1..<digits { power *= 10 }
        while power > 0 {
            text.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / power % 10))
            power /= 10
        }
    }

    private static func appendFraction(_ nanos: Int, to text: inout [UInt8]) {
        guard nanos != 0 else { return }
        let (digits, unit) = nanos % 1_000_000 == 0 ? (3, 1_000_000) : nanos % 1_000 == 0 ? (6, 1_000) : (9, 1)
        append(nanos / unit, digits: digits, after: ".", to: &text)
    }
}

extension TimeText {
    /// Parses an RFC 3339 timestamp with any offset; nil if it is malformed or out of range.
    static func readTimestamp(_ text: UnsafeBufferPointer<UInt8>) -> (seconds: Int64, nanos: Int32)? {
        var reader = text[...]
        guard let year = reader.number(digits: 4), reader.take("-"), let month = reader.number(digits: 2),
            reader.take("-"), let day = reader.number(digits: 2), reader.take("T"),
            let date = CivilDate(year: year, month: month, day: day),
            let hour = reader.number(digits: 2), hour < 24, reader.take(":"),
            let minute = reader.number(digits: 2), minute < 60, reader.take(":"),
            let second = reader.number(digits: 2), second < 60,
            let nanos = reader.fraction(), let offset = reader.offset(), reader.isEmpty
        else { return nil }
        let time = hour * 3_600 + minute * 60 + second - offset
        let seconds = Int64(date.daysSince1970) * 86_400 + Int64(time)
        return isTimestamp(seconds, nanos) ? (seconds, nanos) : nil
    }

    /// Parses seconds such as `-1.5s`; nil if they are malformed or out of range.
    static func readDuration(_ text: UnsafeBufferPointer<UInt8>) -> (seconds: Int64, nanos: Int32)? {
        var reader = text[...]
        let isNegative = reader.take("-")
        guard let seconds = reader.number(), let nanos = reader.fraction(), reader.take("s"), reader.isEmpty,
            seconds <= durations.upperBound
        else { return nil }
        return isNegative ? (-seconds, -nanos) : (seconds, nanos)
    }
}

/// A text with numbers of timestamps and durations, consumed from its beginning.
private typealias DigitText = Slice<UnsafeBufferPointer<UInt8>>

extension DigitText {
    /// Consumes a character if it is next.
    fileprivate mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard first == UInt8(ascii: mark) else { return false }
        removeFirst()
        return true
    }

    /// Consumes as many digits as possible within a range of counts; nil if there are too few.
    @inline(__always)
    private mutating func digits(_ counts: ClosedRange<Int>) -> (value: Int64, count: Int)? {
        var (value, count): (Int64, Int) = (0, 0)
        while count < counts.upperBound, count < self.count, self[startIndex + count].isDigit {
            value = value * 10 + Int64(self[startIndex + count] - UInt8(ascii: "0"))
            count += 1
        }
        guard count >= counts.lowerBound else { return nil }
        self = self[(startIndex + count)...]
        return (value, count)
    }

    /// Reads a number with a fixed number of digits.
    fileprivate mutating func number(digits count: Int) -> Int? { digits(count...count).map { Int($0.value) } }

    /// Reads a number of 1 to 18 digits without leading zeros.
    fileprivate mutating func number() -> Int64? {
        let isZero = first == UInt8(ascii: "0")
        guard let digits = digits(1...18), digits.count == 1 || !isZero else { return nil }
        return digits.value
    }

    /// Reads a fraction of up to nine digits as nanoseconds; 0 if there is none, nil if it is malformed.
    fileprivate mutating func fraction() -> Int32? {
        guard take(".") else { return 0 }
        guard let digits = digits(1...9) else { return nil }
        return Int32((digits.count..<9).reduce(digits.value) { value, _ in value * 10 })
    }

    /// Reads `Z` or an offset such as `+08:00` in seconds (RFC 3339 §5.6).
    fileprivate mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let isNegative = take("-")
        guard isNegative || take("+"), let hours = number(digits: 2), hours < 24, take(":"),
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return (isNegative ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }
}
