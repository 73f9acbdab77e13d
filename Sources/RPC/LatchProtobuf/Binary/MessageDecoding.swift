// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

extension BinaryDecoder {
    /// Reads the fields of a message until its end, or until the end of its group.
    ///
    /// The object that owns the memory must be uniquely referenced, and stay alive during the call.
    mutating func message(_ memory: UnsafeMutableRawPointer, group: UInt32 = 0) throws(DecodingFailure) {
        let table = memory.table
        var number: UInt32 = 0
        do throws(DecodingFailure) {
            while at < end {
                let start = at
                let tag = try tag()
                number = tag >> 3
                if tag & 7 == UInt32(WireType.endGroup.rawValue) {
                    guard group == number else { throw DecodingFailure.badGroup }
                    return
                }
                if let slot = table.pointee.slot(of: number), let entries = table.pointee.entries.baseAddress {
                    let entry = entries + slot
                    if try field(entry, tag, start, memory, table) { continue }
                }
                try unknown(tag, start, memory, table)
            }
            if group != 0 { throw DecodingFailure.truncated }
        } catch {
            let slot = table.pointee.slot(of: number)
            trail.append(slot.map { table.pointee.layout.fields[$0].name } ?? "field \(number)")
            throw error
        }
    }

    /// Reads a field's value; returns false for an unexpected wire type, which makes the field unknown.
    @inline(__always)
    private mutating func field(
        _ entry: UnsafePointer<FieldEntry>, _ tag: UInt32, _ start: UnsafePointer<UInt8>,
        _ memory: UnsafeMutableRawPointer, _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) -> Bool {
        if entry.pointee.cell.rawValue >= ValueLayout.bools.rawValue {
            return try list(entry, tag, start, memory, table)
        }
        guard entry.pointee.tag == tag else { return false }
        try value(entry, start, memory, table)
        return true
    }

    /// Reads the value of a singular field.
    @inline(__always)
    private mutating func value(
        _ entry: UnsafePointer<FieldEntry>, _ start: UnsafePointer<UInt8>, _ memory: UnsafeMutableRawPointer,
        _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) {
        let address = memory + Int(entry.pointee.offset)
        switch entry.pointee.kind {
        case .string:
            let text = try text()
            memory.note(entry, table)
            address.at(String?.self).pointee = entry.pointee.presence == .implicit && text.isEmpty ? nil : text
        case .message, .group: try child(entry, address, memory, table)
        case .bytes:
            let bytes = try data()
            memory.note(entry, table)
            address.at(Data?.self).pointee = entry.pointee.presence == .implicit && bytes.isEmpty ? nil : bytes
        case .bool:
            let value = try varint() != 0
            memory.note(entry, table)
            address.at(Bool.self).pointee = value
        case .closedEnum:
            let value = Int32(truncatingIfNeeded: try varint())
            guard table.pointee.isKnown(value, entry) else { return try keep(start, memory) }
            memory.note(entry, table)
            address.at(Int32.self).pointee = value
        case .double, .fixed64, .sfixed64, .int64, .uint64, .sint64:
            let value = try wide(entry.pointee.kind)
            memory.note(entry, table)
            address.at(UInt64.self).pointee = value
        default:
            let value = try narrow(entry.pointee.kind)
            memory.note(entry, table)
            address.at(UInt32.self).pointee = value
        }
    }

    /// Reads a 64-bit number in its memory representation.
    @inline(__always)
    mutating func wide(_ kind: FieldKind) throws(DecodingFailure) -> UInt64 {
        switch kind {
        case .int64, .uint64: return try varint()
        case .sint64:
            let value = try varint()
            return value >> 1 ^ (0 &- (value & 1))
        default: return try fixed(UInt64.self)
        }
    }

    /// Reads a 32-bit number in its memory representation.
    @inline(__always)
    mutating func narrow(_ kind: FieldKind) throws(DecodingFailure) -> UInt32 {
        switch kind {
        case .fixed32, .sfixed32, .float: return try fixed(UInt32.self)
        case .sint32:
            let value = UInt32(truncatingIfNeeded: try varint())
            return value >> 1 ^ (0 &- (value & 1))
        default: return UInt32(truncatingIfNeeded: try varint())
        }
    }

    /// Reads a UTF-8 string, even if the field permits other bytes (proto2), because a `String` cannot hold them.
    @inline(__always)
    mutating func text() throws(DecodingFailure) -> String {
        let length = try length()
        try charge(AllocationCost.text(length))
        let start = at
        at += length
        // Most strings are ASCII and need no generic UTF-8 validation.
        if UnsafeRawPointer(start).isASCII(length) {
            return String(unsafeUninitializedCapacity: length) { memory in
                memory.baseAddress?.update(from: start, count: length)
                return length
            }
        }
        return try otherText(UnsafeBufferPointer(start: start, count: length))
    }

    /// Reads bytes.
    @inline(__always)
    mutating func data() throws(DecodingFailure) -> Data {
        let bytes = try delimited()
        try charge(AllocationCost.data(bytes.count))
        return Data(bytes)
    }

    @inline(never)
    private func otherText(_ bytes: UnsafeBufferPointer<UInt8>) throws(DecodingFailure) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .invalidText }
        return text
    }

    /// Reads a message into the existing one, or into a new one.
    mutating func child(
        _ entry: UnsafePointer<FieldEntry>, _ address: UnsafeMutableRawPointer, _ memory: UnsafeMutableRawPointer,
        _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) {
        let child = address.at(MessageStorage?.self)
        let group = entry.pointee.kind == .group ? entry.pointee.number : 0
        if let memory = child.pointee?.own() { return try inside(memory, group) }
        guard let made = table.pointee.child(entry.pointee) else { return }
        try charge(AllocationCost.object(made))
        memory.note(entry, table)
        let object = MessageObject.make(made)
        let inner = object.memory
        // The memory contains nil, which needs no release; from now on it contains the object.
        child.initialize(to: MessageStorage(object: object))
        try inside(inner, group)
    }

    /// Reads a nested message, which is length-delimited or ends with its group.
    @inline(__always)
    mutating func inside(_ memory: UnsafeMutableRawPointer, _ group: UInt32) throws(DecodingFailure) {
        guard depth > 0 else { throw .tooDeep }
        depth -= 1
        if group == 0 {
            let length = try length()
            let outer = end
            end = at + length
            try message(memory)
            end = outer
        } else {
            try message(memory, group: group)
        }
        depth += 1
    }

    /// Keeps an unknown field, or reads it as an extension.
    @inline(never)
    private mutating func unknown(
        _ tag: UInt32, _ start: UnsafePointer<UInt8>, _ memory: UnsafeMutableRawPointer,
        _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) {
        if tag == Self.itemStart, table.pointee.layout.isMessageSet { return try item(start, memory, table) }
        if hasExtensions, try readExtension(tag, start, memory, table) { return }
        try skip(tag)
        try keep(start, memory)
    }

    /// Keeps the bytes since `start` as an unknown field.
    @inline(never)
    mutating func keep(_ start: UnsafePointer<UInt8>, _ memory: UnsafeMutableRawPointer) throws(DecodingFailure) {
        try charge(2 * (at - start) + (memory.extrasAddress.pointee == nil ? AllocationCost.extras : 0))
        memory.extras().unknown.append(UnsafeBufferPointer(start: start, count: at - start))
    }

    private mutating func readExtension(
        _ tag: UInt32, _ start: UnsafePointer<UInt8>, _ memory: UnsafeMutableRawPointer,
        _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) -> Bool {
        let number = tag >> 3
        guard let schema = extensions.schema(number, of: table.pointee.layout.name),
            let slot = schema.table.pointee.slot(of: number), let entries = schema.table.pointee.entries.baseAddress
        else { return false }
        try charge(AllocationCost.extras + AllocationCost.object(schema.table))
        let extras = memory.extras()
        var values = extras.extensions.removeValue(forKey: number) ?? MessageStorage(schema)
        defer { if values.has(slot) { extras.extensions[number] = values } }
        let inner = values.own()
        let isRead = try field(entries + slot, tag, start, inner, schema.table)
        // An unknown value of a closed enum is an unknown field of the message, not of the extension.
        if let kept = inner.extrasAddress.pointee.take() { extras.unknown.append(contentsOf: kept.unknown) }
        return isRead
    }
}

extension UnsafeMutableRawPointer {
    /// Returns the extras of a uniquely referenced object; creates them if needed.
    func extras() -> MessageExtras {
        let address = extrasAddress
        if isKnownUniquelyReferenced(&address.pointee), let extras = address.pointee { return extras }
        let extras = address.pointee?.copy() ?? MessageExtras()
        address.pointee = extras
        return extras
    }

    @inline(__always)
    func note(_ entry: UnsafePointer<FieldEntry>, _ table: UnsafePointer<LayoutTable>) {
        if entry.pointee.presence != .implicit { note(entry.pointee, table) }
    }
}

extension UnsafeRawPointer {
    /// Whether the next `count` bytes are all below 0x80.
    @inline(__always)
    fileprivate func isASCII(_ count: Int) -> Bool {
        var bits: UInt64 = 0
        var offset = 0
        while offset + 8 <= count {
            bits |= loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < count {
            bits |= UInt64(load(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }
}

extension LayoutTable {
    /// Whether a closed enum contains a value.
    func isKnown(_ number: Int32, _ entry: UnsafePointer<FieldEntry>) -> Bool {
        children[Int(entry.pointee.child)].enumeration?._withUnsafeGuaranteedRef { $0.contains(number) } ?? true
    }
}
