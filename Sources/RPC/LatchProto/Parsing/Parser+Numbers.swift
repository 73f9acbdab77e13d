// SPDX-License-Identifier: Apache-2.0

extension Parser {
    /// A number that is not negative and fits into 32 bits with a sign.
    func integer(_ message: String) throws(Abandoned) -> Int32 {
        Int32(truncatingIfNeeded: try integer(upTo: UInt64(Int32.max), message))
    }

    /// The same, which may be negative.
    func signedInteger(_ message: String) throws(Abandoned) -> Int32 {
        let isNegative = take("-")
        let value = try integer(upTo: UInt64(Int32.max) + (isNegative ? 1 : 0), message)
        return Int32(truncatingIfNeeded: isNegative ? 0 &- value : value)
    }

    /// A number up to a limit; a larger one is reported, and counts as 0.
    func integer(upTo limit: UInt64, _ message: String) throws(Abandoned) -> UInt64 {
        guard token.kind == .integer else { throw abandon(message) }
        defer { advance() }
        guard let value = Self.integer(text), value <= limit else {
            fail("the number is too large; it is \(limit) at most")
            return 0
        }
        return value
    }

    /// A number up to a limit; nil where here is none, and nothing is read then.
    func takeInteger(upTo limit: UInt64) -> UInt64? {
        guard token.kind == .integer, let value = Self.integer(text), value <= limit else { return nil }
        advance()
        return value
    }

    /// A number with or without a fraction, `inf` or `nan`.
    func number(_ message: String) throws(Abandoned) -> Double {
        switch token.kind {
        case .float:
            defer { advance() }
            return Double(text) ?? 0
        case .integer:
            defer { advance() }
            if let value = Self.integer(text) { return Double(value) }
            guard !text.hasPrefix("0"), let value = Double(text) else {
                fail("the number is too large")
                return 0
            }
            return value
        default:
            if take("inf") { return .infinity }
            if take("nan") { return .nan }
            throw abandon(message)
        }
    }

    /// The value of a token in base 8, 10 or 16; nil where it is too large or has a digit too many.
    static func integer(_ text: String) -> UInt64? {
        if text.hasPrefix("0x") || text.hasPrefix("0X") {
            // That there are no digits was told when the token was cut out.
            return text.utf8.count == 2 ? 0 : UInt64(text.dropFirst(2), radix: 16)
        }
        if text.hasPrefix("0"), text.utf8.count > 1 { return UInt64(text.dropFirst(), radix: 8) }
        return UInt64(text)
    }
}
