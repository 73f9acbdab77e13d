// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

// How the keys and values of maps are written and read.

extension Bool {
    func write(to writer: inout BinaryWriter, _ kind: FieldKind) { writer.number(self, kind) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = try decoder.varint() != 0
    }
}

extension Int32 {
    func write(to writer: inout BinaryWriter, _ kind: FieldKind) { writer.number(self, kind) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = Int32(bitPattern: try decoder.narrow(kind))
    }
    func isKnown(_ map: MapOperations) -> Bool {
        map.kind != .closedEnum || map.enumeration?.contains(self) ?? true
    }
}

extension Int64 {
    func write(to writer: inout BinaryWriter, _ kind: FieldKind) { writer.number(self, kind) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = Int64(bitPattern: try decoder.wide(kind))
    }
}

extension UInt32 {
    func write(to writer: inout BinaryWriter, _ kind: FieldKind) { writer.number(self, kind) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = try decoder.narrow(kind)
    }
}

extension UInt64 {
    func write(to writer: inout BinaryWriter, _ kind: FieldKind) { writer.number(self, kind) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = try decoder.wide(kind)
    }
}

extension Float {
    func write(to writer: inout BinaryWriter, _ kind: FieldKind) { writer.number(self, kind) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = Float(bitPattern: try decoder.narrow(kind))
    }
}

extension Double {
    func write(to writer: inout BinaryWriter, _ kind: FieldKind) { writer.number(self, kind) }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = Double(bitPattern: try decoder.wide(kind))
    }
}

extension String {
    func write(to writer: inout BinaryWriter, _ kind: FieldKind) {
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

extension Data {
    func write(to writer: inout BinaryWriter, _ kind: FieldKind) {
        withUnsafeBytes { writer.raw($0) }
        writer.varint(UInt64(count))
    }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        self = Data(try decoder.delimited())
    }
}

extension MessageStorage {
    func write(to writer: inout BinaryWriter, _ kind: FieldKind) {
        let before = writer.count
        writer.message(object.memory)
        writer.reserve(BinaryWriter.headRoom)
        writer.varint(UInt64(writer.count - before))
    }
    mutating func read(
        from decoder: inout BinaryDecoder, _ kind: FieldKind, _ map: MapOperations
    ) throws(DecodingFailure) {
        try decoder.inside(own(), 0)
    }
}

extension BinaryWriter {
    @inline(__always)
    fileprivate mutating func number<Number>(_ number: Number, _ kind: FieldKind) {
        reserve(Self.headRoom)
        withUnsafePointer(to: number) { value(UnsafeRawPointer($0), kind) }
    }
}
