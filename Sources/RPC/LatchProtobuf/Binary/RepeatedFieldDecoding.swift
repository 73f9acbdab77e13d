// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

extension BinaryDecoder {
    /// Reads values of a repeated field or one map entry; returns false for an unexpected wire type.
    mutating func list(
        _ entry: UnsafePointer<FieldEntry>, _ tag: UInt32, _ start: UnsafePointer<UInt8>,
        _ memory: UnsafeMutableRawPointer, _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) -> Bool {
        let address = memory + Int(entry.pointee.offset)
        let kind = entry.pointee.kind
        let wire = tag & 7
        switch entry.pointee.cell {
        case .messages, .strings, .datas, .map:
            guard entry.pointee.tag == tag else { return false }
            switch entry.pointee.cell {
            case .messages: try children(entry, address, table)
            case .strings: try texts(entry, address)
            case .datas:
                try charge(AllocationCost.element(16, in: address))
                address.append(try data())
            default: try table.pointee.map(entry.pointee).read(address, &self, start, memory)
            }
            return true
        // Both packed and unpacked values are accepted, whatever the schema says (protobuf encoding, "Packed Repeated
        // Fields").
        case _ where wire == UInt32(WireType.delimited.rawValue):
            try packed(entry, address, memory, table)
            return true
        case _ where wire == UInt32(kind.wire.rawValue):
            try number(entry, address, start, memory, table)
            return true
        default: return false
        }
    }

    /// Reads consecutive messages of the field.
    private mutating func children(
        _ entry: UnsafePointer<FieldEntry>, _ address: UnsafeMutableRawPointer, _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) {
        guard let made = table.pointee.child(entry.pointee) else { return }
        let group = entry.pointee.kind == .group ? entry.pointee.number : 0
        try reserve(MessageStorage.self, address, entry)
        let cost = AllocationCost.object(made)
        repeat {
            try charge(cost + AllocationCost.element(8, in: address))
            let object = MessageObject.make(made)
            let memory = object.memory
            address.append(MessageStorage(object: object))
            try inside(memory, group)
        } while follows(entry.pointee.tag)
    }

    private mutating func texts(
        _ entry: UnsafePointer<FieldEntry>, _ address: UnsafeMutableRawPointer
    ) throws(DecodingFailure) {
        try reserve(String.self, address, entry)
        repeat {
            try charge(AllocationCost.element(16, in: address))
            address.append(try text())
        } while follows(entry.pointee.tag)
    }

    /// Consumes the same tag, if it follows; returns whether it did.
    @inline(__always)
    private mutating func follows(_ tag: UInt32) -> Bool {
        if tag < 0x80 {
            guard at < end, at.pointee == UInt8(truncatingIfNeeded: tag) else { return false }
            at += 1
            return true
        }
        guard tag < 0x4000, remaining >= 2, at.pointee == UInt8(truncatingIfNeeded: tag) | 0x80,
            at[1] == UInt8(truncatingIfNeeded: tag >> 7)
        else { return false }
        at += 2
        return true
    }

    /// Counts consecutive length-delimited values, and reserves capacity for them.
    @inline(__always)
    private mutating func reserve<Element>(
        _ type: Element.Type, _ address: UnsafeMutableRawPointer, _ entry: UnsafePointer<FieldEntry>
    ) throws(DecodingFailure) {
        let here = at
        var count = 0
        // A second look-ahead would cost as much as it saves.
        if address.at([Element]?.self).pointee == nil, entry.pointee.kind != .group {
            repeat {
                do throws(DecodingFailure) {
                    at += try length()
                } catch {
                    // Reading the value will throw the error again.
                    break
                }
                count += 1
            } while follows(entry.pointee.tag)
        }
        at = here
        if count > 1 {
            // The elements are charged when they are read. Here, only a number that exceeds any budget is refused.
            guard count <= budget / MemoryLayout<Element>.stride else { throw .overBudget }
            var elements: [Element] = []
            elements.reserveCapacity(count)
            address.at([Element]?.self).pointee = elements
        }
    }

    /// Reads one unpacked number.
    private mutating func number(
        _ entry: UnsafePointer<FieldEntry>, _ address: UnsafeMutableRawPointer, _ start: UnsafePointer<UInt8>,
        _ memory: UnsafeMutableRawPointer, _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) {
        try charge(AllocationCost.element(8, in: address))
        switch entry.pointee.cell {
        case .bools: address.append(try varint() != 0)
        case .int64s, .uint64s, .doubles: address.append(try wide(entry.pointee.kind))
        default:
            let value = try narrow(entry.pointee.kind)
            if entry.pointee.kind == .closedEnum, !table.pointee.isKnown(Int32(bitPattern: value), entry) {
                return try keep(start, memory)
            }
            address.append(value)
        }
    }

    private mutating func packed(
        _ entry: UnsafePointer<FieldEntry>, _ address: UnsafeMutableRawPointer, _ memory: UnsafeMutableRawPointer,
        _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) {
        let bytes = try delimited()
        let outer = (at, end)
        at = bytes.baseAddress ?? at
        end = at + bytes.count
        switch entry.pointee.cell {
        case .bools:
            try packed(address, Bool.self, bytes, .bool) { (decoder, _) throws(DecodingFailure) in
                try decoder.varint() != 0
            }
        case .int64s, .uint64s, .doubles:
            try packed(address, UInt64.self, bytes, entry.pointee.kind) { (decoder, kind) throws(DecodingFailure) in
                try decoder.wide(kind)
            }
        default:
            if entry.pointee.kind == .closedEnum {
                try packedEnum(entry, address, memory, table)
            } else {
                try packed(address, UInt32.self, bytes, entry.pointee.kind) { (decoder, kind) throws(DecodingFailure) in
                    try decoder.narrow(kind)
                }
            }
        }
        (at, end) = outer
    }

    /// Reads packed numbers; `Element` has the bit pattern of the field's type.
    @inline(__always)
    private mutating func packed<Element>(
        _ address: UnsafeMutableRawPointer, _ type: Element.Type, _ bytes: UnsafeBufferPointer<UInt8>,
        _ kind: FieldKind,
        _ read: (inout BinaryDecoder, FieldKind) throws(DecodingFailure) -> Element
    ) throws(DecodingFailure) {
        var elements = address.at([Element]?.self).pointee.take() ?? []
        defer { address.at([Element]?.self).pointee = elements.isEmpty ? nil : elements }
        let width = MemoryLayout<Element>.size
        if kind.wire != .varint {
            guard bytes.count % width == 0 else { throw .badPacked }
            try charge(AllocationCost.array + bytes.count)
            // The byte count determines the number of elements exactly.
            elements.append(contentsOf: bytes.numbers(of: type))
        } else {
            // Each varint ends with a byte below 0x80, which gives the exact capacity.
            let count = bytes.count { $0 < 0x80 }
            try charge(AllocationCost.array + count * width)
            var failure: DecodingFailure?
            let read = [Element](unsafeUninitializedCapacity: count) { numbers, used in
                do throws(DecodingFailure) {
                    while at < end {
                        guard used < count else { throw .truncated }
                        numbers.initializeElement(at: used, to: try read(&self, kind))
                        used += 1
                    }
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            if elements.isEmpty { elements = read } else { elements += read }
        }
    }

    private mutating func packedEnum(
        _ entry: UnsafePointer<FieldEntry>, _ address: UnsafeMutableRawPointer, _ memory: UnsafeMutableRawPointer,
        _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) {
        while at < end {
            let value = try varint()
            try charge(AllocationCost.element(8, in: address))
            if table.pointee.isKnown(Int32(truncatingIfNeeded: value), entry) {
                address.append(UInt32(truncatingIfNeeded: value))
            } else {
                try charge(32)
                memory.extras().unknown.append(varint: value, number: entry.pointee.number)
            }
        }
    }
}

/// The memory costs of values in bytes, rounded up: an allocation has a header, and an array grows to twice its count.
enum AllocationCost {
    /// The header of an array and of its allocation.
    static var array: Int { 48 }
    /// The extras of a message.
    static var extras: Int { 160 }

    /// Returns the cost of an empty message.
    @inline(__always)
    static func object(_ table: UnsafePointer<LayoutTable>) -> Int { table.pointee.size + 32 }

    /// Returns the cost of one more array element; the first element also allocates the array.
    @inline(__always)
    static func element(_ size: Int, in address: UnsafeMutableRawPointer) -> Int {
        2 * size + (address.load(as: UInt.self) == 0 ? array : 0)
    }

    /// Returns the cost of a string; up to 15 bytes are stored in the value itself.
    @inline(__always)
    static func text(_ count: Int) -> Int { count > 15 ? count + array : 0 }

    /// Returns the cost of bytes; up to 14 are stored in the value itself.
    @inline(__always)
    static func data(_ count: Int) -> Int { count > 14 ? count + 2 * array : 0 }
}

extension UnsafeMutableRawPointer {
    /// Appends an element to the array at this address; its type has the bit pattern of the array's element.
    @inline(__always)
    func append<Element>(_ element: Element) {
        let address = at([Element]?.self)
        if address.pointee == nil { address.pointee = [] }
        address.pointee?.append(element)
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Returns the little-endian numbers in these bytes.
    fileprivate func numbers<Number>(of type: Number.Type) -> [Number] {
        let count = count / MemoryLayout<Number>.size
        return [Number](unsafeUninitializedCapacity: count) { numbers, used in
            UnsafeMutableRawBufferPointer(numbers).copyMemory(from: UnsafeRawBufferPointer(self))
            used = count
        }
    }
}
