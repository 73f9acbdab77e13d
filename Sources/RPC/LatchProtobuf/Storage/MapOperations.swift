// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// The operations on a map whose types are only in the schema; each pair of types has a subclass.
///
/// `address` is the address of the map in a message's memory: an optional dictionary.
class MapOperations: @unchecked Sendable {
    let field: FieldSchema
    /// The kinds of the keys and of the values.
    let key, kind: FieldKind

    init(_ field: FieldSchema) {
        self.field = field
        key = field.key ?? .bool
        kind = field.kind
    }

    func isEqual(_ address: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) -> Bool { true }
    func hash(_ address: UnsafeMutableRawPointer, into hasher: inout Hasher) {}

    /// Writes the entries with their tags.
    func write(_ address: UnsafeMutableRawPointer, _ tag: UInt32, to writer: inout BinaryEncoder) {}

    /// Reads an entry that starts at `start`, in the message with this memory.
    func read(
        _ address: UnsafeMutableRawPointer, _ decoder: inout BinaryDecoder, _ start: UnsafePointer<UInt8>,
        _ memory: UnsafeMutableRawPointer
    ) throws(DecodingFailure) {}

    /// Returns the entries, sorted by key.
    func entries(_ address: UnsafeMutableRawPointer) -> [(key: AnyFieldValue, value: AnyFieldValue)] { [] }

    /// Returns the defaults of an entry's key and value.
    func emptyEntry() -> (key: AnyFieldValue, value: AnyFieldValue)? { nil }

    /// Sets a value; returns whether the key is new.
    ///
    /// Values of other types are ignored.
    func set(_ address: UnsafeMutableRawPointer, _ key: AnyFieldValue, _ value: AnyFieldValue) -> Bool { false }
}

extension MapOperations {
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

/// The memory representation of a map key.
protocol StoredKey: StoredValue {
    /// Returns whether a key sorts before another.
    func isBefore(_ other: Self) -> Bool
}

extension StoredKey where Self: Comparable {
    func isBefore(_ other: Self) -> Bool { self < other }
}

extension Int32: StoredKey {}
extension Int64: StoredKey {}
extension UInt32: StoredKey {}
extension UInt64: StoredKey {}

extension Bool: StoredKey {
    func isBefore(_ other: Bool) -> Bool { !self && other }
}

extension String: StoredKey {
    /// Compares bytes, like all implementations of protobuf.
    func isBefore(_ other: String) -> Bool { utf8.lexicographicallyPrecedes(other.utf8) }
}

/// The operations on maps from `Key` to `Value`.
final class TypedMap<Key: StoredKey, Value: StoredValue>: MapOperations, @unchecked Sendable {
    typealias Map = [Key: Value]

    @inline(__always)
    private func map(_ address: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Map?> { address.at(Map?.self) }

    override func isEqual(_ address: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) -> Bool {
        map(address).pointee == map(other).pointee
    }

    override func hash(_ address: UnsafeMutableRawPointer, into hasher: inout Hasher) {
        hasher.combine(map(address).pointee)
    }

    override func entries(_ address: UnsafeMutableRawPointer) -> [(key: AnyFieldValue, value: AnyFieldValue)] {
        let map = map(address).pointee ?? [:]
        return map.sorted { $0.key.isBefore($1.key) }.map { ($0.key.content, $0.value.content) }
    }

    override func emptyEntry() -> (key: AnyFieldValue, value: AnyFieldValue)? {
        (Key().content, Value.zero(self).content)
    }

    override func set(_ address: UnsafeMutableRawPointer, _ key: AnyFieldValue, _ value: AnyFieldValue) -> Bool {
        guard let key = key.value(as: Key.self), let value = value.value(as: Value.self), value.fits(self) else {
            return false
        }
        return update(address, key, value) == nil
    }

    /// Sets a value in place and returns the previous one.
    @inline(__always)
    private func update(_ address: UnsafeMutableRawPointer, _ key: Key, _ value: Value) -> Value? {
        if map(address).pointee == nil { map(address).pointee = [:] }
        return map(address).pointee?.updateValue(value, forKey: key)
    }

    /// Writes each entry as a message with the key as field 1 and the value as field 2.
    override func write(_ address: UnsafeMutableRawPointer, _ tag: UInt32, to writer: inout BinaryEncoder) {
        guard let map = map(address).pointee else { return }
        if writer.isDeterministic {
            for (key, value) in map.sorted(by: { $1.key.isBefore($0.key) }) { write(key, value, tag, to: &writer) }
        } else {
            for (key, value) in map { write(key, value, tag, to: &writer) }
        }
    }

    @inline(__always)
    private func write(_ key: Key, _ value: Value, _ tag: UInt32, to writer: inout BinaryEncoder) {
        let before = writer.count
        value.write(to: &writer, kind)
        writer.reserve(BinaryEncoder.headRoom)
        writer.varint(UInt64(2 << 3 | kind.wire.rawValue))
        key.write(to: &writer, self.key)
        writer.varint(UInt64(1 << 3 | self.key.wire.rawValue))
        writer.head(tag, since: before)
    }

    /// Reads an entry: key and value in any order; the last of each counts, and a missing one has its default.
    override func read(
        _ address: UnsafeMutableRawPointer, _ decoder: inout BinaryDecoder, _ start: UnsafePointer<UInt8>,
        _ memory: UnsafeMutableRawPointer
    ) throws(DecodingFailure) {
        // An entry counts as a nested message.
        guard decoder.depth > 0 else { throw .tooDeep }
        decoder.depth -= 1
        let length = try decoder.length()
        let outer = decoder.end
        decoder.end = decoder.at + length
        // A table has room for more entries than it contains, and its first entry allocates it.
        let stride = MemoryLayout<Key>.stride + MemoryLayout<Value>.stride
        try decoder.charge(AllocationCost.element(2 * stride, in: address) + Value.emptyCost(self))
        var key = Key()
        var value = Value.zero(self)
        let keyTag = UInt32(1 << 3 | self.key.wire.rawValue)
        let valueTag = UInt32(2 << 3 | kind.wire.rawValue)
        while decoder.at < decoder.end {
            let tag = try decoder.tag()
            if tag == keyTag {
                try key.read(&decoder, self.key)
            } else if tag == valueTag {
                try value.read(&decoder, kind)
            } else {
                try decoder.skip(tag)
            }
        }
        decoder.end = outer
        decoder.depth += 1
        guard value.isKnown(self) else { return try decoder.keep(start, memory) }
        _ = update(address, key, value)
    }
}
