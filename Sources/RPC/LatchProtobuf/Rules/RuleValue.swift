// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// A value that rules compare: a field's value or a constant of a rule.
enum RuleValue: Sendable {
    case bool(Bool)
    case signed(Int64)
    case unsigned(UInt64)
    case real(Double)
    case text(String)
    case bytes(Data)
    /// A time or a duration: seconds and nanoseconds, which count forward.
    case time(seconds: Int64, nanoseconds: Int32)

    init?(_ content: AnyFieldValue) {
        switch content {
        case .bool(let value): self = .bool(value)
        case .int32(let value): self = .signed(Int64(value))
        case .int64(let value): self = .signed(value)
        case .uint32(let value): self = .unsigned(UInt64(value))
        case .uint64(let value): self = .unsigned(value)
        case .float(let value): self = .real(Double(value))
        case .double(let value): self = .real(value)
        case .string(let value): self = .text(value)
        case .bytes(let value): self = .bytes(value)
        case .message: return nil
        }
    }

    /// Creates a time with any number of nanoseconds.
    static func time(_ seconds: Int64, _ nanoseconds: Int64) -> RuleValue {
        let rest = (nanoseconds % 1_000_000_000 + 1_000_000_000) % 1_000_000_000
        let (sum, overflow) = seconds.addingReportingOverflow((nanoseconds - rest) / 1_000_000_000)
        return .time(seconds: overflow ? seconds : sum, nanoseconds: Int32(rest))
    }

    /// Whether two values are equal; compares strings by bytes, because equivalent Unicode strings differ on the wire.
    func equals(_ other: RuleValue) -> Bool {
        switch (self, other) {
        case (.bool(let one), .bool(let other)): one == other
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        case (.bytes(let one), .bytes(let other)): one == other
        default: order(other) == 0
        }
    }

    /// Returns a negative number, zero or a positive number if this value is less than, equal to or greater than the
    /// other.
    ///
    /// Returns nil if the values have no order.
    func order(_ other: RuleValue) -> Int? {
        switch (self, other) {
        case (.signed(let one), .signed(let other)): Self.order(one, other)
        case (.unsigned(let one), .unsigned(let other)): Self.order(one, other)
        case (.real(let one), .real(let other)): one.isNaN || other.isNaN ? nil : Self.order(one, other)
        case (.time(let seconds, let nanoseconds), .time(let otherSeconds, let otherNanoseconds)):
            seconds == otherSeconds
                ? Self.order(nanoseconds, otherNanoseconds) : Self.order(seconds, otherSeconds)
        default: nil
        }
    }

    private static func order<Value: Comparable>(_ one: Value, _ other: Value) -> Int {
        one < other ? -1 : one == other ? 0 : 1
    }

    /// Whether the value is the type's default.
    var isZero: Bool {
        switch self {
        case .bool(let value): !value
        case .signed(let value): value == 0
        case .unsigned(let value): value == 0
        case .real(let value): value == 0
        case .text(let value): value.isEmpty
        case .bytes(let value): value.isEmpty
        case .time(let seconds, let nanoseconds): seconds == 0 && nanoseconds == 0
        }
    }
}

extension RuleValue: CustomStringConvertible {
    /// The value in the form that messages show.
    var description: String {
        switch self {
        case .bool(let value): "\(value)"
        case .signed(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
        case .text(let value): "'\(value)'"
        case .bytes(let value): value.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined()
        case .time(let seconds, let nanoseconds):
            nanoseconds == 0 ? "\(seconds) s" : "\(Double(seconds) + Double(nanoseconds) / 1e9) s"
        }
    }
}
