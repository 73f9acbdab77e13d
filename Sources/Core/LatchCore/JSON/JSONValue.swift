// SPDX-License-Identifier: Apache-2.0

/// A JSON value of any type (RFC 8259), parsed strictly and serialized compactly.
///
/// Token claims, key sets and messages of unknown structure consist of such values. Integers are kept exactly. `1` and
/// `1.0` are different values, but ``intValue`` and ``doubleValue`` read them alike.
public enum JSONValue: Sendable, Hashable {
    /// The literal `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number written without fraction and exponent that fits 64 bits.
    case integer(Int64)
    /// Any other finite number.
    case number(Double)
    case string(String)
    case array([JSONValue])
    /// An object; its members keep their order.
    case object(JSONObject)
}

extension JSONValue {
    /// Whether the value is `null`.
    public var isNull: Bool { self == .null }

    /// The string; nil for other types.
    public var stringValue: String? { if case .string(let value) = self { value } else { nil } }

    /// The boolean; nil for other types.
    public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The number as an integer; nil for other types and for fractions.
    ///
    /// `1.0` and `1e2` are also whole: RFC 8259 §6 leaves the spelling of a number to the writer.
    public var intValue: Int? {
        switch self {
        case .integer(let value): Int(exactly: value)
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    /// The number; for an integer beyond 2⁵³ the nearest float, and nil for other types.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The elements of an array; nil for other types.
    public var arrayValue: [JSONValue]? { if case .array(let value) = self { value } else { nil } }

    /// The members of an object; nil for other types.
    public var objectValue: JSONObject? { if case .object(let value) = self { value } else { nil } }

    /// The member with that name; nil if there is none or this is not an object.
    public subscript(key: String) -> JSONValue? { objectValue?[key] }

    /// The element at that index; nil if there is none or this is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

extension JSONValue {
    /// Parses one JSON text strictly.
    ///
    /// - Throws: ``JSONError`` with the offset of the error, but without the text.
    public init(parsing bytes: [UInt8], limits: JSONLimits = .default) throws(JSONError) {
        guard bytes.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
        var parser = JSONParser(bytes, limits: limits)
        self = try parser.parse()
    }

    /// Parses one JSON text strictly, from any bytes.
    ///
    /// - Throws: ``JSONError`` with the offset of the error, but without the text.
    public init(parsing bytes: some Collection<UInt8>, limits: JSONLimits = .default) throws(JSONError) {
        guard bytes.count <= limits.bytes else { throw .tooLarge(limit: limits.bytes) }
        try self.init(parsing: Array(bytes), limits: limits)
    }

    /// Parses one JSON text strictly, from a string.
    ///
    /// - Throws: ``JSONError`` with the offset of the error, but without the text.
    public init(parsing text: some StringProtocol, limits: JSONLimits = .default) throws(JSONError) {
        try self.init(parsing: text.utf8, limits: limits)
    }

    /// Returns the value as compact JSON in UTF-8.
    ///
    /// Members keep their order, and numbers have the shortest form that reads back the same. `/` is not escaped. A
    /// number that is not finite becomes `null`, since JSON cannot represent it.
    public func serialized() -> [UInt8] {
        var writer = JSONWriter()
        writer.write(self)
        return writer.bytes
    }

    /// The value as JSON for people: each member and element has its own line, indented by two spaces.
    package var indentedText: String {
        var writer = JSONWriter(isIndented: true)
        writer.write(self)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension JSONValue: ExpressibleByNilLiteral {
    /// Creates `null`.
    public init(nilLiteral: ()) { self = .null }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    /// Creates `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    /// Creates a number without a fraction.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// Creates a number with a fraction.
    public init(floatLiteral value: Double) { self = .number(value) }
}

extension JSONValue: ExpressibleByStringInterpolation {
    /// Creates a string; the writer escapes it.
    public init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByArrayLiteral {
    /// Creates an array, which keeps the order.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Creates an object; the last value of a repeated name counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { (key: $0.0, value: $0.1) }))
    }
}

extension JSONValue: Codable {
    /// Decodes a value of any type; members come in the decoder's order, which Foundation leaves undefined.
    public init(from decoder: any Decoder) throws {
        if let members = try Self.members(of: decoder) {
            self = .object(members)
        } else if let elements = try Self.elements(of: decoder) {
            self = .array(elements)
        } else {
            self = try Self.scalar(in: decoder.singleValueContainer())
        }
    }

    /// Writes the same shape to any encoder, with null as nil.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let flag): try flag.encode(to: encoder)
        case .integer(let number): try number.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        case .string(let text): try text.encode(to: encoder)
        case .array(let elements): try elements.encode(to: encoder)
        case .object(let members):
            var container = encoder.container(keyedBy: MemberKey.self)
            for (name, value) in members { try container.encode(value, forKey: MemberKey(stringValue: name)) }
        }
    }

    /// Returns the members of an object; nil if the decoder holds another type.
    private static func members(of decoder: any Decoder) throws -> JSONObject? {
        guard let container = try? decoder.container(keyedBy: MemberKey.self) else { return nil }
        var members = JSONObject()
        for key in container.allKeys { members[key.stringValue] = try container.decode(JSONValue.self, forKey: key) }
        return members
    }

    private static func elements(of decoder: any Decoder) throws -> [JSONValue]? {
        guard var container = try? decoder.unkeyedContainer() else { return nil }
        var elements: [JSONValue] = []
        while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
        return elements
    }

    private static func scalar(in container: any SingleValueDecodingContainer) throws -> JSONValue {
        if container.decodeNil() { return .null }
        if let flag = try? container.decode(Bool.self) { return .bool(flag) }
        if let number = try? container.decode(Int64.self) { return .integer(number) }
        if let number = try? container.decode(Double.self) { return .number(number) }
        return .string(try container.decode(String.self))
    }

    /// A coding key with any name.
    private struct MemberKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
