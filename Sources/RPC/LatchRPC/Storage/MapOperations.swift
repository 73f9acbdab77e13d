// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// What is done to a map whose types are known only to its schema; each pair of types has its own subclass.
///
/// `place` is where the map lies in a message's memory: an optional dictionary.
class MapOperations: @unchecked Sendable {
    let key: FieldKind
    let kind: FieldKind
    /// Whether strings of the map may hold bytes that are not UTF-8.
    let isRaw: Bool
    let typeIndex: Int
    let child: MessageSchema?
    let enumeration: EnumSchema?

    init(_ field: FieldSchema) {
        key = field.key ?? .bool
        kind = field.kind
        isRaw = field.isRaw
        typeIndex = field.typeIndex ?? 0
        child = field.child
        enumeration = field.enumeration
    }

    func retain(_ place: UnsafeMutableRawPointer) {}
    func release(_ place: UnsafeMutableRawPointer) {}
    func isEmpty(_ place: UnsafeMutableRawPointer) -> Bool { true }
    func count(_ place: UnsafeMutableRawPointer) -> Int { 0 }
    func isEqual(_ place: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) -> Bool { true }
    func hash(_ place: UnsafeMutableRawPointer, into hasher: inout Hasher) {}

    /// Writes the entries, each with a tag before it.
    func write(_ place: UnsafeMutableRawPointer, _ tag: UInt32, to writer: inout BinaryWriter) {}

    /// Reads an entry that began at `start`, in the message whose memory is given.
    func read(
        _ place: UnsafeMutableRawPointer, _ decoder: inout BinaryDecoder, _ start: UnsafePointer<UInt8>,
        _ memory: UnsafeMutableRawPointer
    ) throws(DecodingFailure) {}

    /// The entries, in the order of the keys where `sorted` is said.
    func entries(_ place: UnsafeMutableRawPointer, sorted: Bool) -> [(FieldContent, FieldContent)] { [] }

    /// Sets a value; answers whether the key is new.
    ///
    /// What is of another type sets nothing.
    func set(_ place: UnsafeMutableRawPointer, _ key: FieldContent, _ value: FieldContent) -> Bool { false }
}

extension MapOperations {
    /// The operations for the types of a field.
    static func make(_ field: FieldSchema) -> MapOperations {
        switch field.key?.stored {
        case .bool: make(Bool.self, field)
        case .int32: make(Int32.self, field)
        case .int64: make(Int64.self, field)
        case .uint32: make(UInt32.self, field)
        case .uint64: make(UInt64.self, field)
        case .string: make(String.self, field)
        default: MapOperations(field)
        }
    }

    private static func make<Key: StoredKey>(_ key: Key.Type, _ field: FieldSchema) -> MapOperations {
        switch field.kind.stored {
        case .bool: TypedMap<Key, Bool>(field)
        case .int32: TypedMap<Key, Int32>(field)
        case .int64: TypedMap<Key, Int64>(field)
        case .uint32: TypedMap<Key, UInt32>(field)
        case .uint64: TypedMap<Key, UInt64>(field)
        case .float: TypedMap<Key, Float>(field)
        case .double: TypedMap<Key, Double>(field)
        case .string: TypedMap<Key, String>(field)
        case .bytes: TypedMap<Key, Data>(field)
        case .message: TypedMap<Key, MessageStorage>(field)
        }
    }
}
