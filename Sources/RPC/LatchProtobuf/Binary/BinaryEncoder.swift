// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// An encoder that writes backwards from the end, so that each length is known before it is written.
///
/// The creator provides initial memory; the encoder allocates more if needed, and `free` releases that memory.
struct BinaryEncoder: ~Copyable {
    private(set) var start: UnsafeMutablePointer<UInt8>
    /// The start of the written bytes.
    var at: UnsafeMutablePointer<UInt8>
    private(set) var end: UnsafeMutablePointer<UInt8>
    private var isOnHeap = false
    /// Whether equal messages must have equal bytes: map entries are then sorted by key.
    let isDeterministic: Bool

    init(_ memory: UnsafeMutableBufferPointer<UInt8>, deterministic: Bool) {
        // Empty memory has no address, and is never written to.
        start = memory.baseAddress ?? .allocate(capacity: 1)
        end = start + memory.count
        at = end
        isDeterministic = deterministic
    }

    /// The number of bytes written.
    @inline(__always)
    var count: Int { end - at }

    var bytes: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: at, count: count) }

    /// Ensures capacity for more bytes.
    @inline(__always)
    mutating func reserve(_ bytes: Int) {
        if at - start < bytes { grow(bytes) }
    }

    @inline(never)
    private mutating func grow(_ bytes: Int) {
        let used = count
        let capacity = Swift.max((end - start) * 2, used + bytes + 64)
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
        let target = memory + (capacity - used)
        target.update(from: at, count: used)
        free()
        (start, at, end, isOnHeap) = (memory, target, memory + capacity, true)
    }

    /// Releases memory that the encoder allocated.
    func free() {
        if isOnHeap { start.deallocate() }
    }

    /// Writes a varint; the caller has reserved ten bytes.
    @inline(__always)
    mutating func varint(_ value: UInt64) {
        if value < 0x80 {
            at -= 1
            at.pointee = UInt8(truncatingIfNeeded: value)
        } else {
            longVarint(value)
        }
    }

    @inline(__always)
    private mutating func longVarint(_ value: UInt64) {
        let length = (70 - value.leadingZeroBitCount) / 7
        at -= length
        var address = at
        var rest = value
        while rest >= 0x80 {
            address.pointee = UInt8(truncatingIfNeeded: rest) | 0x80
            address += 1
            rest >>= 7
        }
        address.pointee = UInt8(truncatingIfNeeded: rest)
    }

    /// Writes a fixed-width number; the caller has reserved its bytes.
    @inline(__always)
    mutating func fixed<Number: FixedWidthInteger>(_ value: Number) {
        at -= MemoryLayout<Number>.size
        UnsafeMutableRawPointer(at).storeBytes(of: value.littleEndian, as: Number.self)
    }

    /// Writes raw bytes, and reserves room for their length and a tag.
    @inline(__always)
    mutating func raw(_ bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        reserve(count + Self.headRoom)
        at -= count
        if let base = bytes.baseAddress { UnsafeMutableRawPointer(at).copyMemory(from: base, byteCount: count) }
    }

    /// Writes the length of the bytes since `before`, and a tag.
    @inline(__always)
    mutating func head(_ tag: UInt32, since before: Int) {
        reserve(Self.headRoom)
        varint(UInt64(count - before))
        varint(UInt64(tag))
    }

    /// The room for a number or a length, plus a tag.
    static let headRoom = 24
}

extension BinaryEncoder {
    /// Writes a message: the fields by number, then extensions, then unknown fields.
    mutating func message(_ memory: UnsafeMutableRawPointer) {
        let table = memory.table
        if memory.load(fromByteOffset: LayoutTable.extras, as: UInt.self) != 0 { extras(memory, table) }
        let ordered = table.pointee.ordered
        guard let first = ordered.baseAddress else { return }
        var entry = first + ordered.count
        while entry > first {
            entry -= 1
            if entry.pointee.cell.rawValue >= ValueLayout.bools.rawValue {
                list(entry, memory + Int(entry.pointee.offset), table)
            } else {
                field(entry, memory, table)
            }
        }
    }

    /// Writes a singular field, if it is set.
    @inline(__always)
    private mutating func field(
        _ entry: UnsafePointer<FieldEntry>, _ memory: UnsafeMutableRawPointer, _ table: UnsafePointer<LayoutTable>
    ) {
        let address = memory + Int(entry.pointee.offset)
        switch entry.pointee.kind {
        case .string:
            guard address.at((UInt, UInt).self).pointee.1 != 0 else { return }
            string(address.at(String.self).pointee)
            varint(UInt64(entry.pointee.tag))
        case .bytes:
            guard let bytes = address.at(Data?.self).pointee else { return }
            data(bytes)
            varint(UInt64(entry.pointee.tag))
        case .message, .group:
            guard address.at(UInt.self).pointee != 0 else { return }
            child(address.at(MessageStorage.self), entry)
        default:
            guard memory.holdsNumber(entry) else { return }
            number(address, entry)
        }
    }

    @inline(__always)
    private mutating func number(_ address: UnsafeMutableRawPointer, _ entry: UnsafePointer<FieldEntry>) {
        reserve(Self.headRoom)
        value(address, entry.pointee.kind)
        varint(UInt64(entry.pointee.tag))
    }

    /// Writes a number from memory; the caller has reserved its bytes.
    @inline(__always)
    mutating func value(_ address: UnsafeRawPointer, _ kind: FieldKind) {
        switch kind {
        case .bool: varint(address.load(as: UInt8.self) == 0 ? 0 : 1)
        case .int32, .openEnum, .closedEnum: varint(UInt64(bitPattern: Int64(address.load(as: Int32.self))))
        case .uint32: varint(UInt64(address.load(as: UInt32.self)))
        case .int64, .uint64: varint(address.load(as: UInt64.self))
        case .sint32:
            let value = address.load(as: Int32.self)
            varint(UInt64(UInt32(bitPattern: value << 1 ^ value >> 31)))
        case .sint64:
            let value = address.load(as: Int64.self)
            varint(UInt64(bitPattern: value << 1 ^ value >> 63))
        case .fixed32, .sfixed32, .float: fixed(address.load(as: UInt32.self))
        case .fixed64, .sfixed64, .double: fixed(address.load(as: UInt64.self))
        case .string, .bytes, .message, .group: break
        }
    }

    /// Writes a string with its length.
    @inline(__always)
    mutating func string(_ text: consuming String) {
        let count = text.withUTF8 { utf8 in
            raw(UnsafeRawBufferPointer(utf8))
            return utf8.count
        }
        varint(UInt64(count))
    }

    /// Writes bytes with their length.
    mutating func data(_ bytes: Data) {
        bytes.withUnsafeBytes { raw($0) }
        varint(UInt64(bytes.count))
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
        guard let extras = memory.extrasAddress.pointee else { return }
        extras.unknown.bytes.withUnsafeBytes { raw($0) }
        let isMessageSet = table.pointee.layout.isMessageSet
        for (number, values) in extras.extensions.sorted(by: { $0.key > $1.key }) {
            if isMessageSet { item(number, values) } else { message(values.object.memory) }
        }
    }
}

extension BinaryEncoder {
    /// Writes a repeated field or a map from memory.
    mutating func list(
        _ entry: UnsafePointer<FieldEntry>, _ address: UnsafeMutableRawPointer, _ table: UnsafePointer<LayoutTable>
    ) {
        // Arrays and dictionaries are single references; null means nil.
        guard address.at(UInt.self).pointee != 0 else { return }
        let tag = UInt64(entry.pointee.tag)
        switch entry.pointee.cell {
        case .messages:
            elements(address, MessageStorage.self) { (writer: inout BinaryEncoder, storage) in
                writer.child(storage, entry)
            }
        case .strings:
            elements(address, String.self) { (writer: inout BinaryEncoder, text) in
                writer.string(text.pointee)
                writer.varint(tag)
            }
        case .datas:
            elements(address, Data.self) { (writer: inout BinaryEncoder, data) in
                writer.data(data.pointee)
                writer.varint(tag)
            }
        case .map: table.pointee.map(entry.pointee).write(address, entry.pointee.tag, to: &self)
        case .bools: numbers(address, Bool.self, entry)
        case .int32s, .uint32s, .floats: numbers(address, UInt32.self, entry)
        case .int64s, .uint64s, .doubles: numbers(address, UInt64.self, entry)
        default: break
        }
    }

    /// Calls `body` with each element, last to first.
    @inline(__always)
    private mutating func elements<Element>(
        _ address: UnsafeMutableRawPointer, _ type: Element.Type,
        _ body: (inout BinaryEncoder, UnsafeMutablePointer<Element>) -> Void
    ) {
        address.at([Element]?.self).pointee?.withUnsafeBufferPointer { elements in
            guard let first = elements.baseAddress else { return }
            var element = UnsafeMutablePointer(mutating: first) + elements.count
            while element > UnsafeMutablePointer(mutating: first) {
                element -= 1
                body(&self, element)
            }
        }
    }

    /// Writes numbers, without a tag for each if they are packed.
    private mutating func numbers<Element>(
        _ address: UnsafeMutableRawPointer, _ type: Element.Type, _ entry: UnsafePointer<FieldEntry>
    ) {
        let kind = entry.pointee.kind
        let tag = UInt64(entry.pointee.tag)
        let before = count
        if !entry.pointee.isPacked {
            elements(address, type) { (writer: inout BinaryEncoder, element) in
                writer.reserve(Self.headRoom)
                writer.value(element, kind)
                writer.varint(tag)
            }
            return
        }
        let width = MemoryLayout<Element>.size
        if kind.wire != .varint, width > 1 {
            // Swift's platforms are little-endian, like the wire format.
            address.at([Element]?.self).pointee?.withUnsafeBytes { raw($0) }
        } else {
            elements(address, type) { (writer: inout BinaryEncoder, element) in
                writer.reserve(Self.headRoom)
                writer.value(element, kind)
            }
        }
        head(entry.pointee.tag, since: before)
    }
}
