// SPDX-License-Identifier: Apache-2.0

/// Message types by full name, for the values of Any fields.
///
/// The well-known types are always registered.
public struct TypeRegistry: Sendable, ExpressibleByArrayLiteral {
    private var types: [String: any Message.Type] = [:]

    /// Creates a registry of types.
    public init(_ types: [any Message.Type]) { for type in types { insert(type) } }

    /// Creates a registry from an array literal.
    public init(arrayLiteral elements: any Message.Type...) { self.init(elements) }

    /// Adds a type.
    public mutating func insert(_ type: any Message.Type) { types[type.schema.name] = type }

    /// Adds the types of another registry; existing types stay.
    public mutating func formUnion(_ other: TypeRegistry) { types.merge(other.types) { mine, _ in mine } }

    /// The type with a full name.
    public subscript(name: String) -> (any Message.Type)? { types[name] ?? Self.wellKnown[name] }

    /// Returns the type that the last path component of a type URL names.
    func type(url: String) throws(ProtoError) -> any Message.Type {
        guard let slash = url.utf8.lastIndex(of: UInt8(ascii: "/")), slash != url.startIndex else {
            throw .invalidTypeURL
        }
        guard let type = self[String(url[url.utf8.index(after: slash)...])] else { throw .unknownType(url) }
        return type
    }

    private static let wellKnown: [String: any Message.Type] = {
        let types: [any Message.Type] = [
            ProtoAny.self, ProtoDuration.self, Empty.self, FieldMask.self, ProtoList.self, ProtoStruct.self,
            ProtoValue.self, Timestamp.self, BoolValue.self, BytesValue.self, DoubleValue.self, FloatValue.self,
            Int32Value.self, Int64Value.self, StringValue.self, UInt32Value.self, UInt64Value.self,
        ]
        return Dictionary(types.map { ($0.schema.name, $0) }) { first, _ in first }
    }()
}
