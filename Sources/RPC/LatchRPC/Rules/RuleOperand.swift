// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A value that rules compare: of a field, or written in a rule.
enum RuleOperand: Sendable {
    case bool(Bool)
    case signed(Int64)
    case unsigned(UInt64)
    case real(Double)
    case text(String)
    case bytes(Data)
    /// Seconds, and billionths that count forward: a time or a duration.
    case moment(seconds: Int64, nanoseconds: Int32)

    init?(_ content: FieldContent) {
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

    /// A moment of any billionths.
    static func moment(_ seconds: Int64, _ nanoseconds: Int64) -> RuleOperand {
        let whole = Int64(
            Double(nanoseconds) / 1e9 >= 0 ? nanoseconds / 1_000_000_000 : (nanoseconds - 999_999_999) / 1_000_000_000)
        let rest = nanoseconds - whole * 1_000_000_000
        let (sum, overflow) = seconds.addingReportingOverflow(whole)
        return .moment(seconds: overflow ? seconds : sum, nanoseconds: Int32(rest))
    }

    /// Whether two are the same; texts byte by byte, since two spellings of one letter are two texts on the wire.
    func equals(_ other: RuleOperand) -> Bool {
        switch (self, other) {
        case (.bool(let one), .bool(let other)): one == other
        case (.text(let one), .text(let other)): one.utf8.elementsEqual(other.utf8)
        case (.bytes(let one), .bytes(let other)): one == other
        default: order(other) == 0
        }
    }

    /// Below zero, zero or above it as this is less than, equal to or greater than the other; nil where there is no order.
    func order(_ other: RuleOperand) -> Int? {
        switch (self, other) {
        case (.signed(let one), .signed(let other)): Self.order(one, other)
        case (.unsigned(let one), .unsigned(let other)): Self.order(one, other)
        case (.real(let one), .real(let other)): one.isNaN || other.isNaN ? nil : Self.order(one, other)
        case (.moment(let seconds, let nanoseconds), .moment(let otherSeconds, let otherNanoseconds)):
            seconds == otherSeconds
                ? Self.order(nanoseconds, otherNanoseconds) : Self.order(seconds, otherSeconds)
        default: nil
        }
    }

    private static func order<Value: Comparable>(_ one: Value, _ other: Value) -> Int {
        one < other ? -1 : one == other ? 0 : 1
    }

    /// Whether it is what a field holds that holds nothing.
    var isZero: Bool {
        switch self {
        case .bool(let value): !value
        case .signed(let value): value == 0
        case .unsigned(let value): value == 0
        case .real(let value): value == 0
        case .text(let value): value.isEmpty
        case .bytes(let value): value.isEmpty
        case .moment(let seconds, let nanoseconds): seconds == 0 && nanoseconds == 0
        }
    }
}

extension RuleOperand: CustomStringConvertible {
    /// The value as a message shows it.
    var description: String {
        switch self {
        case .bool(let value): "\(value)"
        case .signed(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .real(let value): value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
        case .text(let value): "'\(value)'"
        case .bytes(let value): value.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }.joined()
        case .moment(let seconds, let nanoseconds):
            nanoseconds == 0 ? "\(seconds) s" : "\(Double(seconds) + Double(nanoseconds) / 1e9) s"
        }
    }
}
