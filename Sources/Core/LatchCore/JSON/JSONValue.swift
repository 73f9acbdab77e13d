// SPDX-License-Identifier: Apache-2.0

/// Any JSON value (RFC 8259), read strictly and written compactly.
///
/// It is what token claims, key sets and messages of unknown shape are made of: arrays, booleans, nulls and nested
/// objects stay what they are. Integers are kept exactly; `1` and `1.0` are different values that read the same through
/// ``intValue`` and ``doubleValue``.
public enum JSONValue: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    /// A string.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object; its members keep their order.
    case object(JSONObject)
}

extension JSONValue {
    /// Whether this is `null`.
    public var isNull: Bool { self == .null }

    /// The string, where this is one.
    public var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The boolean, where this is one.
    public var boolValue: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The number as an integer, where it is a whole one.
    ///
    /// `1.0` and `1e2` are whole too: RFC 8259 §6 leaves it to the writer how a number is spelled.
    public var intValue: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number, where this is one; of an integer beyond 2⁵³ the nearest float.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The elements, where this is an array; a single value is not taken for an array of one.
    public var arrayValue: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The members, where this is an object.
    public var objectValue: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The member of that name, where this is an object that has one.
    public subscript(key: String) -> JSONValue? { objectValue?[key] }

    /// The element at that place, where this is an array that reaches so far.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}
