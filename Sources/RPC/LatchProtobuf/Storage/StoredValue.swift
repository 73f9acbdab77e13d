// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A type in a message's memory, with its conversion to and from `AnyFieldValue`.
protocol StoredValue: Hashable {
    /// Returns the default value of a map entry.
    static func zero(_ map: MapOperations) -> Self
    init?(_ content: AnyFieldValue)
    var content: AnyFieldValue { get }
    /// Returns whether the value is valid for the map: a message must have the map's type.
    func fits(_ map: MapOperations) -> Bool
    /// Returns whether the map's schema has the value; a closed enum may not.
    func isKnown(_ map: MapOperations) -> Bool
    /// Writes the value, with its length if it has one.
    func write(to writer: inout BinaryEncoder, _ kind: FieldKind)
    /// Reads the value; a message is merged.
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure)
}

extension StoredValue {
    // The encoding of numbers; other types have their own.
    func write(to writer: inout BinaryEncoder, _ kind: FieldKind) { writer.number(self, kind) }
    func fits(_ map: MapOperations) -> Bool { true }
    func isKnown(_ map: MapOperations) -> Bool { true }
}

extension Bool: StoredValue {
    static func zero(_ map: MapOperations) -> Bool { false }
    init?(_ content: AnyFieldValue) {
        guard case .bool(let value) = content else { return nil }
        self = value
    }
    var content: AnyFieldValue { .bool(self) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = try decoder.varint() != 0
    }
}

extension Int32: StoredValue {
    // The default of a closed enum is its first value.
    static func zero(_ map: MapOperations) -> Int32 { map.kind == .closedEnum ? map.enumeration?.first ?? 0 : 0 }
    init?(_ content: AnyFieldValue) {
        guard case .int32(let value) = content else { return nil }
        self = value
    }
    var content: AnyFieldValue { .int32(self) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = Int32(bitPattern: try decoder.narrow(kind))
    }
    func isKnown(_ map: MapOperations) -> Bool {
        map.kind != .closedEnum || map.enumeration?.contains(self) ?? true
    }
}

extension Int64: StoredValue {
    static func zero(_ map: MapOperations) -> Int64 { 0 }
    init?(_ content: AnyFieldValue) {
        guard case .int64(let value) = content else { return nil }
        self = value
    }
    var content: AnyFieldValue { .int64(self) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = Int64(bitPattern: try decoder.wide(kind))
    }
}

extension UInt32: StoredValue {
    static func zero(_ map: MapOperations) -> UInt32 { 0 }
    init?(_ content: AnyFieldValue) {
        guard case .uint32(let value) = content else { return nil }
        self = value
    }
    var content: AnyFieldValue { .uint32(self) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = try decoder.narrow(kind)
    }
}

extension UInt64: StoredValue {
    static func zero(_ map: MapOperations) -> UInt64 { 0 }
    init?(_ content: AnyFieldValue) {
        guard case .uint64(let value) = content else { return nil }
        self = value
    }
    var content: AnyFieldValue { .uint64(self) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = try decoder.wide(kind)
    }
}

extension Float: StoredValue {
    static func zero(_ map: MapOperations) -> Float { 0 }
    init?(_ content: AnyFieldValue) {
        guard case .float(let value) = content else { return nil }
        self = value
    }
    var content: AnyFieldValue { .float(self) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = Float(bitPattern: try decoder.narrow(kind))
    }
}

extension Double: StoredValue {
    static func zero(_ map: MapOperations) -> Double { 0 }
    init?(_ content: AnyFieldValue) {
        guard case .double(let value) = content else { return nil }
        self = value
    }
    var content: AnyFieldValue { .double(self) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = Double(bitPattern: try decoder.wide(kind))
    }
}

extension String: StoredValue {
    static func zero(_ map: MapOperations) -> String { "" }
    init?(_ content: AnyFieldValue) {
        guard case .string(let value) = content else { return nil }
        self = value
    }
    var content: AnyFieldValue { .string(self) }
    func write(to writer: inout BinaryEncoder, _ kind: FieldKind) {
        var text = self
        let count = text.withUTF8 { utf8 in
            writer.raw(UnsafeRawBufferPointer(utf8))
            return utf8.count
        }
        writer.varint(UInt64(count))
    }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = try decoder.text(isRaw: map.isRaw)
    }
}

extension Data: StoredValue {
    static func zero(_ map: MapOperations) -> Data { Data() }
    init?(_ content: AnyFieldValue) {
        guard case .bytes(let value) = content else { return nil }
        self = value
    }
    var content: AnyFieldValue { .bytes(self) }
    func write(to writer: inout BinaryEncoder, _ kind: FieldKind) {
        withUnsafeBytes { writer.raw($0) }
        writer.varint(UInt64(count))
    }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = Data(try decoder.delimited())
    }
}

extension MessageStorage: StoredValue {
    static func zero(_ map: MapOperations) -> MessageStorage { MessageStorage(map.child ?? .nothing) }
    init?(_ content: AnyFieldValue) {
        guard case .message(let value) = content else { return nil }
        self = value
    }
    var content: AnyFieldValue { .message(self) }
    func fits(_ map: MapOperations) -> Bool { map.child?.table == object.table }
    func write(to writer: inout BinaryEncoder, _ kind: FieldKind) {
        let before = writer.count
        writer.message(object.memory)
        writer.reserve(BinaryEncoder.headRoom)
        writer.varint(UInt64(writer.count - before))
    }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        try decoder.inside(own(), 0)
    }
}

extension BinaryEncoder {
    @inline(__always)
    fileprivate mutating func number<Number>(_ number: Number, _ kind: FieldKind) {
        reserve(Self.headRoom)
        withUnsafePointer(to: number) { value(UnsafeRawPointer($0), kind) }
    }
}
