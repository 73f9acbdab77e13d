// SPDX-License-Identifier: Apache-2.0

extension JSONValue: Codable {
    /// Reads a value of any shape with a decoder.
    ///
    /// Members come in the order in which the decoder gives them, which for Foundation's is none in particular.
    public init(from decoder: any Decoder) throws {
        if let members = try Self.members(of: decoder) {
            self = .object(members)
        } else if let elements = try Self.elements(of: decoder) {
            self = .array(elements)
        } else {
            self = try Self.scalar(in: decoder.singleValueContainer())
        }
    }

    /// Writes the value with an encoder.
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

    /// A decoder says what it holds only by what it refuses.
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

    /// Any name.
    private struct MemberKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
