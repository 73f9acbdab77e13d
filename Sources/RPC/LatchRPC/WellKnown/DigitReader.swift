// SPDX-License-Identifier: Apache-2.0

/// Reads numbers of fixed lengths, as times are written in.
struct DigitReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// A reader at the first byte.
    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Whether all has been read.
    var isAtEnd: Bool { position == bytes.count }

    /// Goes past a byte, if it is next.
    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    private mutating func digit() -> Int? {
        guard position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) else {
            return nil
        }
        defer { position += 1 }
        return Int(bytes[position] - UInt8(ascii: "0"))
    }

    /// A number of exactly so many digits.
    mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// A number of 1 to 18 digits, without needless zeros before it.
    mutating func number() -> Int? {
        let start = position
        guard var value = digit() else { return nil }
        while let digit = digit() {
            guard value != 0, position - start <= 18 else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// The nanoseconds of a fraction of up to nine digits; 0 where there is none, nil where it is unsound.
    mutating func fraction() -> Int32? {
        guard take(".") else { return 0 }
        var (value, count) = (0, 0)
        while let digit = digit() {
            count += 1
            guard count <= 9 else { return nil }
            value = value * 10 + digit
        }
        guard count > 0 else { return nil }
        for _ in count..<9 { value *= 10 }
        return Int32(value)
    }

    /// RFC 3339 §5.6: the seconds of `Z` or of an offset such as `+08:00`.
    mutating func offset() -> Int? {
        if take("Z") { return 0 }
        let isNegative = take("-")
        guard isNegative || take("+"), let hours = number(digits: 2), hours < 24, take(":"),
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return (isNegative ? -1 : 1) * (hours * 3_600 + minutes * 60)
    }
}
