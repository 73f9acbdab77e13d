// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension JSONMessageReader {
    /// Reads an array into a repeated field.
    mutating func readList(_ entry: FieldEntry, into storage: inout MessageStorage) throws(ProtoError) {
        let table = storage.object.table
        let place = storage.own() + Int(entry.offset)
        switch entry.cell {
        case .bools: try fill(place) { (reader) throws(ProtoError) in try reader.text.readBool() }
        case .int32s where entry.kind.isEnum:
            let schema = table.pointee.enumeration(of: entry)
            try fill(place) { (reader) throws(ProtoError) in try reader.readEnum(entry.kind, schema) }
        case .int32s: try fill(place) { (reader) throws(ProtoError) in try reader.readInteger(Int32.self) }
        case .int64s: try fill(place) { (reader) throws(ProtoError) in try reader.readInteger(Int64.self) }
        case .uint32s: try fill(place) { (reader) throws(ProtoError) in try reader.readInteger(UInt32.self) }
        case .uint64s: try fill(place) { (reader) throws(ProtoError) in try reader.readInteger(UInt64.self) }
        case .floats: try fill(place) { (reader) throws(ProtoError) in try reader.readFloat() }
        case .doubles: try fill(place) { (reader) throws(ProtoError) in try reader.readDouble() }
        case .strings: try fill(place) { (reader) throws(ProtoError) in try reader.text.readString() }
        case .datas: try fill(place) { (reader) throws(ProtoError) in try reader.readBytes() }
        case .messages:
            guard let schema = table.pointee.schema(of: entry) else { return try text.skipValue() }
            try fill(place) { (reader) throws(ProtoError) in try reader.readMessage(schema) }
        default: try text.skipValue()
        }
    }

    /// Reads the elements; one that is to be ignored is left out.
    @inline(__always)
    private mutating func fill<Value>(
        _ place: UnsafeMutableRawPointer, _ read: (inout JSONMessageReader) throws(ProtoError) -> Value?
    ) throws(ProtoError) {
        var values: [Value] = []
        try text.openArray()
        var isFirst = true
        while try text.nextElement(isFirst: &isFirst) {
            if let value = try read(&self) { values.append(value) }
        }
        place.at([Value]?.self).pointee = values.isEmpty ? nil : values
    }
}
