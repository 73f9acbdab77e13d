// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension BinaryWriter {
    /// Writes a message's fields in the order of their numbers, then extensions, then unknown fields.
    mutating func message(_ memory: UnsafeMutableRawPointer) {
        let table = memory.table
        if memory.load(fromByteOffset: LayoutTable.extras, as: UInt.self) != 0 { extras(memory, table) }
        let ordered = table.pointee.ordered
        guard let first = ordered.baseAddress else { return }
        var entry = first + ordered.count
        while entry > first {
            entry -= 1
            if entry.pointee.cell.rawValue >= Cell.bools.rawValue {
                list(entry, memory + Int(entry.pointee.offset), table)
            } else {
                field(entry, memory, table)
            }
        }
    }

    /// Writes a field that is neither repeated nor a map, if it is set.
    @inline(__always)
    private mutating func field(
        _ entry: UnsafePointer<FieldEntry>, _ memory: UnsafeMutableRawPointer, _ table: UnsafePointer<LayoutTable>
    ) {
        let place = memory + Int(entry.pointee.offset)
        switch entry.pointee.kind {
        case .string:
            guard place.at((UInt, UInt).self).pointee.1 != 0 else { return }
            string(place.at(String.self), entry.pointee.tag)
        case .bytes:
            guard let bytes = place.at(Data?.self).pointee else { return }
            data(bytes, entry.pointee.tag)
        case .message, .group:
            guard place.at(UInt.self).pointee != 0 else { return }
            child(place.at(MessageStorage.self), entry)
        default:
            guard memory.holdsNumber(entry) else { return }
            number(place, entry)
        }
    }

    @inline(__always)
    private mutating func number(_ place: UnsafeMutableRawPointer, _ entry: UnsafePointer<FieldEntry>) {
        reserve(Self.headRoom)
        value(place, entry.pointee.kind)
        varint(UInt64(entry.pointee.tag))
    }

    /// Writes a number of a kind from where it lies; room is taken for granted.
    @inline(__always)
    mutating func value(_ place: UnsafeRawPointer, _ kind: FieldKind) {
        switch kind {
        case .bool: varint(place.load(as: UInt8.self) == 0 ? 0 : 1)
        case .int32, .openEnum, .closedEnum: varint(UInt64(bitPattern: Int64(place.load(as: Int32.self))))
        case .uint32: varint(UInt64(place.load(as: UInt32.self)))
        case .int64, .uint64: varint(place.load(as: UInt64.self))
        case .sint32:
            let value = place.load(as: Int32.self)
            varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
        case .sint64:
            let value = place.load(as: Int64.self)
            varint(UInt64(bitPattern: value << 1 ^ value >> 63))
        case .fixed32, .sfixed32, .float: fixed(place.load(as: UInt32.self))
        case .fixed64, .sfixed64, .double: fixed(place.load(as: UInt64.self))
        case .string, .bytes, .message, .group: break
        }
    }

    @inline(__always)
    mutating func string(_ text: UnsafeMutablePointer<String>, _ tag: UInt32) {
        var text = text.pointee
        let count = text.withUTF8 { utf8 in
            raw(UnsafeRawBufferPointer(utf8))
            return utf8.count
        }
        varint(UInt64(count))
        varint(UInt64(tag))
    }

    mutating func data(_ bytes: Data, _ tag: UInt32) {
        bytes.withUnsafeBytes { raw($0) }
        varint(UInt64(bytes.count))
        varint(UInt64(tag))
    }

    @inline(__always)
    mutating func child(_ storage: UnsafeMutablePointer<MessageStorage>, _ entry: UnsafePointer<FieldEntry>) {
        if entry.pointee.kind == .group {
            reserve(Self.headRoom)
            varint(UInt64(entry.pointee.number << 3 | UInt32(WireType.endGroup.rawValue)))
            message(storage.pointee.object.memory)
            reserve(Self.headRoom)
            varint(UInt64(entry.pointee.tag))
        } else {
            let before = count
            message(storage.pointee.object.memory)
            head(entry.pointee.tag, since: before)
        }
    }

    @inline(never)
    private mutating func extras(_ memory: UnsafeMutableRawPointer, _ table: UnsafePointer<LayoutTable>) {
        guard let extras = memory.extrasPlace.pointee else { return }
        extras.unknown.bytes.withUnsafeBytes { raw($0) }
        let isMessageSet = table.pointee.layout.isMessageSet
        for (number, values) in extras.extensions.sorted(by: { $0.key > $1.key }) {
            if isMessageSet { item(number, values) } else { message(values.object.memory) }
        }
    }
}
