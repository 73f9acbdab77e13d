// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// A type in a message's memory, with its conversion to `AnyFieldValue`.
protocol StoredValue: Hashable, Sendable {
    static var kind: StoredKind { get }
    /// Creates zero or an empty value.
    init()
    /// The value without its Swift type.
    var content: AnyFieldValue { get }
    /// Returns the value of a singular field, or its default.
    static func load(_ storage: MessageStorage, _ slot: Int) -> Self
    /// Sets the value of a singular field.
    static func store(_ value: Self, _ storage: inout MessageStorage, _ slot: Int)
    /// Sets the value of a singular field; ignored if it has another type.
    static func store(_ content: AnyFieldValue, _ storage: inout MessageStorage, _ slot: Int)
    /// Returns the values of a repeated field.
    static func contents(_ storage: MessageStorage, _ slot: Int) -> [AnyFieldValue]
    /// Appends a value to a repeated field; ignored if it has another type.
    static func append(_ content: AnyFieldValue, _ storage: inout MessageStorage, _ slot: Int)
    static func isEqualList(_ one: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) -> Bool
    static func hashList(_ address: UnsafeMutableRawPointer, into hasher: inout Hasher)

    /// Returns the default value of a map entry.
    static func zero(_ map: MapOperations) -> Self
    /// Returns the bytes that the default value of a map entry allocates.
    static func emptyCost(_ map: MapOperations) -> Int
    /// Whether the value is valid for the map: a message must have the map's type.
    func fits(_ map: MapOperations) -> Bool
    /// Whether the map's schema contains the value; a closed enum may not.
    func isKnown(_ map: MapOperations) -> Bool
    /// Writes the value, with its length if it has one.
    func write(to writer: inout BinaryEncoder, _ kind: FieldKind)
    /// Reads the value; a message is merged.
    mutating func read(_ decoder: inout BinaryDecoder, _ kind: FieldKind) throws(DecodingFailure)
}

/// A string or bytes.
protocol StoredText: StoredValue {
    var isEmpty: Bool { get }
}

extension StoredKind {
    /// The Swift type of the values.
    var type: any StoredValue.Type {
        switch self {
        case .bool: Bool.self
        case .int32: Int32.self
        case .int64: Int64.self
        case .uint32: UInt32.self
        case .uint64: UInt64.self
        case .float: Float.self
        case .double: Double.self
        case .string: String.self
        case .bytes: Data.self
        case .message: MessageStorage.self
        }
    }
}

extension StoredValue {
    static func contents(_ storage: MessageStorage, _ slot: Int) -> [AnyFieldValue] {
        let values: [Self] = storage.list(slot, .many(kind))
        return values.map(\.content)
    }

    static func store(_ content: AnyFieldValue, _ storage: inout MessageStorage, _ slot: Int) {
        if let value = content.value(as: Self.self) { store(value, &storage, slot) }
    }

    static func append(_ content: AnyFieldValue, _ storage: inout MessageStorage, _ slot: Int) {
        if let value = content.value(as: Self.self) { storage[list: slot, .many(kind)].append(value) }
    }

    static func isEqualList(_ one: UnsafeMutableRawPointer, _ other: UnsafeMutableRawPointer) -> Bool {
        one.at([Self]?.self).pointee == other.at([Self]?.self).pointee
    }

    static func hashList(_ address: UnsafeMutableRawPointer, into hasher: inout Hasher) {
        hasher.combine(address.at([Self]?.self).pointee)
    }

    static func zero(_ map: MapOperations) -> Self { Self() }
    static func emptyCost(_ map: MapOperations) -> Int { 0 }
    func fits(_ map: MapOperations) -> Bool { true }
    func isKnown(_ map: MapOperations) -> Bool { true }
}

// The defaults for numbers; other types have their own.
extension StoredValue {
    static func load(_ storage: MessageStorage, _ slot: Int) -> Self { storage.number(slot, .one(kind), Self()) }

    static func store(_ value: Self, _ storage: inout MessageStorage, _ slot: Int) {
        storage.setNumber(slot, .one(kind), value)
    }

    func write(to writer: inout BinaryEncoder, _ kind: FieldKind) {
        writer.reserve(BinaryEncoder.headRoom)
        withUnsafePointer(to: self) { writer.value(UnsafeRawPointer($0), kind) }
    }

    mutating func read(_ decoder: inout BinaryDecoder, _ kind: FieldKind) throws(DecodingFailure) {
        if MemoryLayout<Self>.size == 4 {
            self = unsafeBitCast(try decoder.narrow(kind), to: Self.self)
        } else {
            self = unsafeBitCast(try decoder.wide(kind), to: Self.self)
        }
    }
}

extension Bool: StoredValue {
    static var kind: StoredKind { .bool }
    var content: AnyFieldValue { .bool(self) }
    mutating func read(_ decoder: inout BinaryDecoder, _ kind: FieldKind) throws(DecodingFailure) {
        self = try decoder.varint() != 0
    }
}

extension Int32: StoredValue {
    static var kind: StoredKind { .int32 }
    var content: AnyFieldValue { .int32(self) }
    // The default of a closed enum is its first value.
    static func zero(_ map: MapOperations) -> Int32 { map.kind == .closedEnum ? map.field.enumeration?.first ?? 0 : 0 }
    func isKnown(_ map: MapOperations) -> Bool {
        map.kind != .closedEnum || map.field.enumeration?.contains(self) ?? true
    }
}

extension Int64: StoredValue {
    static var kind: StoredKind { .int64 }
    var content: AnyFieldValue { .int64(self) }
}

extension UInt32: StoredValue {
    static var kind: StoredKind { .uint32 }
    var content: AnyFieldValue { .uint32(self) }
}

extension UInt64: StoredValue {
    static var kind: StoredKind { .uint64 }
    var content: AnyFieldValue { .uint64(self) }
}

extension Float: StoredValue {
    static var kind: StoredKind { .float }
    var content: AnyFieldValue { .float(self) }
}

extension Double: StoredValue {
    static var kind: StoredKind { .double }
    var content: AnyFieldValue { .double(self) }
}

extension String: StoredText {
    static var kind: StoredKind { .string }
    var content: AnyFieldValue { .string(self) }
    static func load(_ storage: MessageStorage, _ slot: Int) -> String { storage[string: slot] }
    static func store(_ value: String, _ storage: inout MessageStorage, _ slot: Int) { storage[string: slot] = value }
    func write(to writer: inout BinaryEncoder, _ kind: FieldKind) { writer.string(self) }
    mutating func read(_ decoder: inout BinaryDecoder, _ kind: FieldKind) throws(DecodingFailure) {
        self = try decoder.text()
    }
}

extension Data: StoredText {
    static var kind: StoredKind { .bytes }
    var content: AnyFieldValue { .bytes(self) }
    static func load(_ storage: MessageStorage, _ slot: Int) -> Data { storage[bytes: slot] }
    static func store(_ value: Data, _ storage: inout MessageStorage, _ slot: Int) { storage[bytes: slot] = value }
    func write(to writer: inout BinaryEncoder, _ kind: FieldKind) { writer.data(self) }
    mutating func read(_ decoder: inout BinaryDecoder, _ kind: FieldKind) throws(DecodingFailure) {
        self = try decoder.data()
    }
}

extension MessageStorage: StoredValue {
    static var kind: StoredKind { .message }
    init() { self.init(.nothing) }
    var content: AnyFieldValue { .message(self) }
    static func load(_ storage: MessageStorage, _ slot: Int) -> MessageStorage {
        storage.child(slot) ?? MessageStorage()
    }
    static func store(_ value: MessageStorage, _ storage: inout MessageStorage, _ slot: Int) {
        storage.setChild(slot, value)
    }
    static func zero(_ map: MapOperations) -> MessageStorage { MessageStorage(map.field.child ?? .nothing) }
    static func emptyCost(_ map: MapOperations) -> Int { AllocationCost.object((map.field.child ?? .nothing).table) }
    func fits(_ map: MapOperations) -> Bool { map.field.child?.table == object.table }
    func write(to writer: inout BinaryEncoder, _ kind: FieldKind) {
        let before = writer.count
        writer.message(object.memory)
        writer.reserve(BinaryEncoder.headRoom)
        writer.varint(UInt64(writer.count - before))
    }
    mutating func read(_ decoder: inout BinaryDecoder, _ kind: FieldKind) throws(DecodingFailure) {
        try decoder.inside(own(), 0)
    }
}
