// SPDX-License-Identifier: Apache-2.0

// A message set is proto1's encoding of message extensions. Each extension is a group with number 1; field 2 is the
// extension's number and field 3 the message. Only messages with `message_set_wire_format` use it.

extension BinaryDecoder {
    /// The tags of an item in a message set.
    static var itemStart: UInt32 { 0x0B }
    fileprivate static var itemEnd: UInt32 { 0x0C }
    fileprivate static var itemNumber: UInt32 { 0x10 }
    fileprivate static var itemMessage: UInt32 { 0x1A }

    /// Reads an item, whose fields may be in either order; if a field is repeated, the first one counts.
    mutating func item(
        _ start: UnsafePointer<UInt8>, _ memory: UnsafeMutableRawPointer, _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) {
        var number: UInt32?
        var message: UnsafePointer<UInt8>?
        while at < end {
            switch try tag() {
            case Self.itemEnd:
                guard let number, let message, try read(message, as: number, memory, table) else {
                    return try keep(start, memory)
                }
                return
            case Self.itemNumber:
                let value = try varint()
                number = number ?? UInt32(truncatingIfNeeded: value)
            case Self.itemMessage:
                message = message ?? at
                _ = try delimited()
            case let tag: try skip(tag)
            }
        }
        throw .truncated
    }

    /// Reads an item's length-delimited message into an extension; returns false for an unknown extension.
    private mutating func read(
        _ start: UnsafePointer<UInt8>, as number: UInt32, _ memory: UnsafeMutableRawPointer,
        _ table: UnsafePointer<LayoutTable>
    ) throws(DecodingFailure) -> Bool {
        guard let schema = extensions.schema(number, of: table.pointee.layout.name),
            let entry = schema.table.pointee.entries.baseAddress, entry.pointee.cell == .message
        else { return false }
        try charge(AllocationCost.extras + AllocationCost.object(schema.table))
        let extras = memory.extras()
        var values = extras.extensions.removeValue(forKey: number) ?? MessageStorage(schema)
        defer { extras.extensions[number] = values }
        let inner = values.own()
        let outer = at
        at = start
        try child(entry, inner + Int(entry.pointee.offset), inner, schema.table)
        at = outer
        return true
    }
}

extension BinaryEncoder {
    /// Writes an extension as an item, backwards like all values.
    mutating func item(_ number: UInt32, _ values: MessageStorage) {
        guard let child = values.child(0) else { return }
        reserve(Self.headRoom)
        varint(UInt64(BinaryDecoder.itemEnd))
        let before = count
        message(child.object.memory)
        head(BinaryDecoder.itemMessage, since: before)
        reserve(Self.headRoom)
        varint(UInt64(number))
        varint(UInt64(BinaryDecoder.itemNumber))
        varint(UInt64(BinaryDecoder.itemStart))
    }
}
