// SPDX-License-Identifier: Apache-2.0

/// A number with three digits after the point (RFC 9651 §3.3.2), kept exactly.
public struct StructuredDecimal: Sendable, Hashable, ExpressibleByFloatLiteral {
    /// The number times a thousand.
    public let thousandths: Int64

    /// A number from its thousandths.
    public init(thousandths: Int64) { self.thousandths = thousandths }

    /// The nearest number with three digits after the point, the even one of two (§4.1.5).
    ///
    /// What is too large for the field, or no number, becomes one that is refused when it is written.
    public init(_ value: Double) {
        let scaled = (value * 1_000).rounded(.toNearestOrEven)
        thousandths = Int64(exactly: scaled) ?? .max
    }

    /// A number from a literal.
    public init(floatLiteral value: Double) { self.init(value) }

    /// The number in binary.
    public var doubleValue: Double { Double(thousandths) / 1_000 }

    /// §3.3.2: at most 12 digits before the point.
    var isWithinBounds: Bool { thousandths.magnitude <= 999_999_999_999_999 }
}
