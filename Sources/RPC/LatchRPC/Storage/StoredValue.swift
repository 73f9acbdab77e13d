// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A type that lies in a message's memory, and how it is turned to and from a content of any kind.
protocol StoredValue: Hashable {
    /// The value of an entry that says none.
    static func zero(_ map: MapOperations) -> Self
    static var cell: StoredKind { get }
    init?(_ content: FieldContent)
    var content: FieldContent { get }
    /// Whether the value may be one of the map: a message must be of the map's type.
    func fits(_ map: MapOperations) -> Bool
    /// Whether the map's schema has the value; a closed enum's may not be.
    func isKnown(_ map: MapOperations) -> Bool
    /// Writes the value, with its length where it has one.
    func write(to writer: inout BinaryWriter, _ kind: FieldKind)
    /// Reads the value, into what is there where it is a message.
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure)
}

extension StoredValue {
    func fits(_ map: MapOperations) -> Bool { true }
    func isKnown(_ map: MapOperations) -> Bool { true }
}

extension Bool: StoredValue {
    static func zero(_ map: MapOperations) -> Bool { false }
    static var cell: StoredKind { .bool }
    init?(_ content: FieldContent) {
        guard case .bool(let value) = content else { return nil }
        self = value
    }
    var content: FieldContent { .bool(self) }
}

extension Int32: StoredValue {
    // A closed enum's default is its first value.
    static func zero(_ map: MapOperations) -> Int32 { map.kind == .closedEnum ? map.enumeration?.first ?? 0 : 0 }
    static var cell: StoredKind { .int32 }
    init?(_ content: FieldContent) {
        guard case .int32(let value) = content else { return nil }
        self = value
    }
    var content: FieldContent { .int32(self) }
}

extension Int64: StoredValue {
    static func zero(_ map: MapOperations) -> Int64 { 0 }
    static var cell: StoredKind { .int64 }
    init?(_ content: FieldContent) {
        guard case .int64(let value) = content else { return nil }
        self = value
    }
    var content: FieldContent { .int64(self) }
}

extension UInt32: StoredValue {
    static func zero(_ map: MapOperations) -> UInt32 { 0 }
    static var cell: StoredKind { .uint32 }
    init?(_ content: FieldContent) {
        guard case .uint32(let value) = content else { return nil }
        self = value
    }
    var content: FieldContent { .uint32(self) }
}

extension UInt64: StoredValue {
    static func zero(_ map: MapOperations) -> UInt64 { 0 }
    static var cell: StoredKind { .uint64 }
    init?(_ content: FieldContent) {
        guard case .uint64(let value) = content else { return nil }
        self = value
    }
    var content: FieldContent { .uint64(self) }
}

extension Float: StoredValue {
    static func zero(_ map: MapOperations) -> Float { 0 }
    static var cell: StoredKind { .float }
    init?(_ content: FieldContent) {
        guard case .float(let value) = content else { return nil }
        self = value
    }
    var content: FieldContent { .float(self) }
}

extension Double: StoredValue {
    static func zero(_ map: MapOperations) -> Double { 0 }
    static var cell: StoredKind { .double }
    init?(_ content: FieldContent) {
        guard case .double(let value) = content else { return nil }
        self = value
    }
    var content: FieldContent { .double(self) }
}

extension String: StoredValue {
    static func zero(_ map: MapOperations) -> String { "" }
    static var cell: StoredKind { .string }
    init?(_ content: FieldContent) {
        guard case .string(let value) = content else { return nil }
        self = value
    }
    var content: FieldContent { .string(self) }
}

extension Data: StoredValue {
    static func zero(_ map: MapOperations) -> Data { Data() }
    static var cell: StoredKind { .bytes }
    init?(_ content: FieldContent) {
        guard case .bytes(let value) = content else { return nil }
        self = value
    }
    var content: FieldContent { .bytes(self) }
}

extension MessageStorage: StoredValue {
    static func zero(_ map: MapOperations) -> MessageStorage { MessageStorage(map.child ?? .nothing) }
    static var cell: StoredKind { .message }
    init?(_ content: FieldContent) {
        guard case .message(let value) = content else { return nil }
        self = value
    }
    var content: FieldContent { .message(self) }
    func fits(_ map: MapOperations) -> Bool { map.child?.table == object.table }
}
