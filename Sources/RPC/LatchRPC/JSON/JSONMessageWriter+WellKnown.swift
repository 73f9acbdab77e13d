// SPDX-License-Identifier: Apache-2.0

extension JSONMessageWriter {
    /// Writes a message that JSON spells in its own way.
    mutating func writeWellKnown(_ shape: WellKnownShape, _ storage: MessageStorage) throws(ProtoError) {
        switch shape {
        case .none: break
        case .timestamp: try writeTime(TimeText.timestamp(storage[int64: 0], storage[int32: 1]), storage)
        case .duration: try writeTime(TimeText.duration(storage[int64: 0], storage[int32: 1]), storage)
        case .fieldMask: try writeFieldMask(storage)
        case .any: try writeAny(storage)
        case .object: try writeMap(storage.table.entries[0], storage)
        case .list:
            let entry = storage.table.entries[0]
            try withExtendedLifetime(storage) { () throws(ProtoError) in
                try writeList(entry, storage.object.memory + Int(entry.offset), nil)
            }
        case .value: try writeValue(storage)
        case .scalar:
            let entry = storage.table.entries[0]
            withExtendedLifetime(storage) {
                writeScalar(entry, storage.object.memory + Int(entry.offset), storage)
            }
        }
    }

    private mutating func writeTime(_ text: [UInt8]?, _ storage: MessageStorage) throws(ProtoError) {
        guard let text else { throw .unspeakable(storage.layout.name, "it is out of range") }
        output.write(UInt8(ascii: "\""))
        text.withUnsafeBufferPointer { output.write(raw: $0) }
        output.write(UInt8(ascii: "\""))
    }

    private mutating func writeFieldMask(_ storage: MessageStorage) throws(ProtoError) {
        var paths: [String] = []
        for path in storage[strings: 0] {
            guard let camel = FieldPathText.camel(path) else {
                throw .unspeakable(storage.layout.name, "a path does not come back from lowerCamelCase")
            }
            paths.append(camel)
        }
        // One path of no letters would come back as no path at all.
        guard paths != [""] else { throw .unspeakable(storage.layout.name, "its only path is empty") }
        output.write(string: paths.joined(separator: ","))
    }

    private mutating func writeValue(_ storage: MessageStorage) throws(ProtoError) {
        switch storage[oneof: 0] {
        case 1: output.write("null")
        case 2:
            let number = storage[double: 1]
            // JSON's numbers are finite, and a string would come back as one.
            guard number.isFinite else { throw .unspeakable(storage.layout.name, "its number is not finite") }
            output.write(double: number)
        case 3: output.write(string: storage[string: 2])
        case 4: write(storage[bool: 3])
        case 5, 6:
            guard let child = storage.child(storage[oneof: 0] - 1) else { return output.write("null") }
            try writeMessage(child)
        default: throw .unspeakable(storage.layout.name, "it was never set")
        }
    }

    /// Writes the members of what an Any holds, after one that names its type.
    private mutating func writeAny(_ storage: MessageStorage) throws(ProtoError) {
        let url = storage[string: 0]
        guard !url.isEmpty || !storage[bytes: 1].isEmpty else { return output.write("{}") }
        let schema = try options.types.type(url: url).schema
        let packed = try MessageStorage(schema, packed: Array(storage[bytes: 1]), extensions: options.extensions)
        let names = packed.layout.jsonNames
        output.write("{\"@type\":")
        output.write(string: url)
        if names.pointee.shape == .none {
            var isFirst = false
            try writeFields(packed, names, &isFirst)
        } else {
            output.write(",\"value\":")
            try writeMessage(packed)
        }
        output.write(UInt8(ascii: "}"))
    }
}
