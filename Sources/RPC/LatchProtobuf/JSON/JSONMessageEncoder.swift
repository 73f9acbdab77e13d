// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

struct JSONMessageEncoder {
    var output = JSONOutput()
    let options: JSONEncodingOptions

    /// The remaining nesting depth, which limits the use of the stack.
    private var depth = 512

    init(options: JSONEncodingOptions) { self.options = options }

    /// Writes a message of any type.
    mutating func writeMessage(_ storage: MessageStorage) throws(ProtoError) {
        guard depth > 0 else { throw .tooDeep }
        depth -= 1
        let names = storage.table.layout.jsonNames
        if names.pointee.wellKnownType == .none {
            output.write(UInt8(ascii: "{"))
            var isFirst = true
            try writeFields(storage, names, &isFirst)
            output.write(UInt8(ascii: "}"))
        } else {
            try writeWellKnown(names.pointee.wellKnownType, storage)
        }
        depth += 1
    }

    /// Writes the members of an object: the fields that are set, then the extensions.
    mutating func writeFields(
        _ storage: MessageStorage, _ names: UnsafePointer<JSONNames>, _ isFirst: inout Bool
    ) throws(ProtoError) {
        let memory = storage.object.memory
        let table = storage.object.table
        for entry in table.pointee.entries where entry.cell != .none {
            // Only a field with implicit presence has a default to write; others are absent (protobuf.dev, ProtoJSON).
            let includesDefault = options.includesDefaults && entry.presence == .implicit
            guard includesDefault || memory.holds(entry, table.pointee) else { continue }
            output.separate(&isFirst)
            output.write(raw: names.pointee.key(Int(entry.slot), isProto: options.preservesProtoNames))
            try writeField(entry, memory + Int(entry.offset), storage)
        }
        for (_, values) in storage.extensions {
            output.separate(&isFirst)
            let entry = values.table.entries[0]
            output.write(string: "[\(values.layout.fields[0].name)]")
            output.write(UInt8(ascii: ":"))
            try writeField(entry, values.object.memory + Int(entry.offset), values)
        }
    }

    @inline(__always)
    mutating func writeField(
        _ entry: FieldEntry, _ address: UnsafeMutableRawPointer, _ storage: MessageStorage
    ) throws(ProtoError) {
        switch entry.cell {
        case .message:
            if let child = address.at(MessageStorage?.self).pointee {
                try writeMessage(child)
            } else {
                output.write("{}")
            }
        case .map: try writeMap(entry, storage)
        default:
            if entry.cell.isMany {
                try writeList(entry, address, storage.table.enumeration(of: entry))
            } else {
                writeScalar(entry, address, storage)
            }
        }
    }

    @inline(__always)
    mutating func writeScalar(_ entry: FieldEntry, _ address: UnsafeMutableRawPointer, _ storage: MessageStorage) {
        switch entry.cell {
        case .bool: write(address.at(Bool.self).pointee)
        case .int32 where entry.kind.isEnum:
            write(enum: address.at(Int32.self).pointee, storage.table.enumeration(of: entry))
        case .int32: output.write(integer: Int64(address.at(Int32.self).pointee))
        case .uint32: output.write(unsigned: UInt64(address.at(UInt32.self).pointee))
        case .int64: write(address.at(Int64.self).pointee)
        case .uint64: write(address.at(UInt64.self).pointee)
        case .float: output.write(float: address.at(Float.self).pointee)
        case .double: output.write(float: address.at(Double.self).pointee)
        case .string: output.write(string: address.at(String?.self).pointee ?? "")
        case .bytes: write(address.at(Data?.self).pointee ?? Data())
        default: break
        }
    }
}

extension JSONMessageEncoder {
    @inline(__always)
    mutating func write(_ value: Bool) { if value { output.write("true") } else { output.write("false") } }

    /// Writes a 64-bit integer as a string, because JavaScript's numbers cannot represent all of them.
    mutating func write(_ value: Int64) {
        output.write(UInt8(ascii: "\""))
        output.write(integer: value)
        output.write(UInt8(ascii: "\""))
    }

    mutating func write(_ value: UInt64) {
        output.write(UInt8(ascii: "\""))
        output.write(unsigned: value)
        output.write(UInt8(ascii: "\""))
    }

    mutating func write(_ value: Data) {
        if value.withContiguousStorageIfAvailable({ output.write(base64: $0) }) == nil {
            Array(value).withUnsafeBufferPointer { output.write(base64: $0) }
        }
    }

    /// Writes an enum value by its name, or as a number if it has none.
    mutating func write(enum number: Int32, _ schema: EnumSchema?) {
        if schema?.name == "google.protobuf.NullValue" { return output.write("null") }
        guard !options.enumsAsNumbers, let name = schema?.name(of: number) else {
            return output.write(integer: Int64(number))
        }
        output.write(string: name)
    }

    mutating func writeList(
        _ entry: FieldEntry, _ address: UnsafeMutableRawPointer, _ schema: EnumSchema?
    ) throws(ProtoError) {
        output.write(UInt8(ascii: "["))
        switch entry.cell {
        case .bools: list(address) { $0.write($1 as Bool) }
        case .int32s where entry.kind.isEnum: list(address) { $0.write(enum: $1, schema) }
        case .int32s: list(address) { $0.output.write(integer: Int64($1 as Int32)) }
        case .int64s: list(address) { $0.write($1 as Int64) }
        case .uint32s: list(address) { $0.output.write(unsigned: UInt64($1 as UInt32)) }
        case .uint64s: list(address) { $0.write($1 as UInt64) }
        case .floats: list(address) { $0.output.write(float: $1 as Float) }
        case .doubles: list(address) { $0.output.write(float: $1 as Double) }
        case .strings: list(address) { $0.output.write(string: $1) }
        case .datas: list(address) { $0.write($1 as Data) }
        case .messages:
            var isFirst = true
            for child in address.at([MessageStorage]?.self).pointee ?? [] {
                output.separate(&isFirst)
                try writeMessage(child)
            }
        default: break
        }
        output.write(UInt8(ascii: "]"))
    }

    @inline(__always)
    private mutating func list<Value>(
        _ address: UnsafeMutableRawPointer, _ write: (inout JSONMessageEncoder, Value) -> Void
    ) {
        var isFirst = true
        for value in address.at([Value]?.self).pointee ?? [] {
            output.separate(&isFirst)
            write(&self, value)
        }
    }

    /// Writes a map as an object sorted by key, so that equal messages have equal JSON.
    mutating func writeMap(_ entry: FieldEntry, _ storage: MessageStorage) throws(ProtoError) {
        let schema = storage.layout.fields[Int(entry.slot)].enumeration
        output.write(UInt8(ascii: "{"))
        var isFirst = true
        for (key, value) in storage.entries(Int(entry.slot)) {
            output.separate(&isFirst)
            write(key: key)
            output.write(UInt8(ascii: ":"))
            try write(value, schema)
        }
        output.write(UInt8(ascii: "}"))
    }

    private mutating func write(key: AnyFieldValue) {
        switch key {
        case .string(let value): output.write(string: value)
        case .bool(let value): output.write(string: value ? "true" : "false")
        case .int32(let value): write(Int64(value))
        case .int64(let value): write(value)
        case .uint32(let value): write(UInt64(value))
        case .uint64(let value): write(value)
        case .float, .double, .bytes, .message: break
        }
    }

    private mutating func write(_ value: AnyFieldValue, _ schema: EnumSchema?) throws(ProtoError) {
        switch value {
        case .bool(let value): write(value)
        case .int32(let value):
            if let schema { write(enum: value, schema) } else { output.write(integer: Int64(value)) }
        case .int64(let value): write(value)
        case .uint32(let value): output.write(unsigned: UInt64(value))
        case .uint64(let value): write(value)
        case .float(let value): output.write(float: value)
        case .double(let value): output.write(float: value)
        case .string(let value): output.write(string: value)
        case .bytes(let value): write(value)
        case .message(let value): try writeMessage(value)
        }
    }
}
