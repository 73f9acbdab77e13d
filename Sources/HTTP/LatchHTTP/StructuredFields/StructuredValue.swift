// SPDX-License-Identifier: Apache-2.0

/// A bare item of a structured field (RFC 9651 §3.3).
///
/// ```swift
/// let list: StructuredList = [.value("gzip"), .item(StructuredItem(.token("br"), ["q": 0.5]))]
/// ```
///
/// What a value may hold is checked when it is written, since a string may come from anywhere.
public enum StructuredValue: Sendable, Hashable {
    /// A number of at most 15 digits (§3.3.1).
    case integer(Int64)
    /// A number with at most 12 digits before the point and 3 after it (§3.3.2).
    case decimal(StructuredDecimal)
    /// Printable ASCII (§3.3.3).
    case string(String)
    /// A short word without quotes (§3.3.4).
    case token(String)
    /// Bytes, in base64 between colons (§3.3.5).
    case bytes([UInt8])
    /// True or false (§3.3.6).
    case boolean(Bool)
    /// Seconds since 1970, without leap seconds (§3.3.7).
    case date(Int64)
    /// Text of any script (§3.3.8).
    case displayString(String)
}

extension StructuredValue {
    /// The text of a string or a token; nil for any other value.
    public var text: String? {
        switch self {
        case .string(let text), .token(let text): text
        default: nil
        }
    }

    /// The text of a string alone.
    public var stringValue: String? { if case .string(let text) = self { text } else { nil } }

    /// The number of an integer.
    public var integerValue: Int64? { if case .integer(let number) = self { number } else { nil } }

    /// The bytes of a byte sequence.
    public var bytesValue: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// The truth of a boolean.
    public var booleanValue: Bool? { if case .boolean(let isTrue) = self { isTrue } else { nil } }
}

extension StructuredValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByFloatLiteral
{
    /// A string; tokens are made by name.
    public init(stringLiteral value: String) { self = .string(value) }

    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }

    /// A decimal.
    public init(floatLiteral value: Double) { self = .decimal(StructuredDecimal(value)) }
}
