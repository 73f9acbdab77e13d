// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

extension JSONMessageDecoder {
    /// Reads a message with a special JSON form.
    mutating func readWellKnown(_ type: WellKnownType, into storage: inout MessageStorage) throws(ProtoError) {
        switch type {
        case .none: break
        case .timestamp: try readTime(into: &storage, "RFC 3339's date and time is expected", TimeText.readTimestamp)
        case .duration: try readTime(into: &storage, "seconds such as 1.5s are expected", TimeText.readDuration)
        case .fieldMask: try readFieldMask(into: &storage)
        case .any: try readAny(into: &storage)
        case .object: try readMap(storage.table.entries[0], into: &storage)
        case .list: try readList(storage.table.entries[0], into: &storage)
        case .value: try readValue(into: &storage)
        case .scalar: try readScalar(storage.table.entries[0], into: &storage)
        }
    }

    private mutating func readTime(
        into storage: inout MessageStorage, _ expected: StaticString,
        _ parse: (UnsafeBufferPointer<UInt8>) -> (seconds: Int64, nanos: Int32)?
    ) throws(ProtoError) {
        let string = try text.scanString()
        guard let time = try text.withBytes(of: string, { parse($0) }) else {
            throw .malformedJSON("\(expected), in range", at: string.start)
        }
        storage[int64: 0] = time.seconds
        storage[int32: 1] = time.nanos
    }

    private mutating func readFieldMask(into storage: inout MessageStorage) throws(ProtoError) {
        let string = try text.scanString()
        let list = try text.string(string)
        guard !list.isEmpty else { return }
        // Even a path of one letter is a separate element.
        try charge(AllocationCost.array + 32 * list.utf8.count)
        let paths = list.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map { Substring($0) }
        storage[strings: 0] = paths.compactMap { FieldPathText.snake($0) }
        guard storage[strings: 0].count == paths.count else {
            throw .malformedJSON("a field mask's path is not in lowerCamelCase", at: string.start)
        }
    }

    /// Reads any JSON value into a `google.protobuf.Value`, whose slots follow the order of its fields.
    private mutating func readValue(into storage: inout MessageStorage) throws(ProtoError) {
        switch text.peekToken() {
        case UInt8(ascii: "n"):
            try text.expectWord("null")
            storage[int32: 0] = 0
        case UInt8(ascii: "\""): storage[string: 2] = try readText()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): storage[bool: 3] = try text.readBool()
        case UInt8(ascii: "{"): try readChild(storage.table.entries[4], into: &storage)
        case UInt8(ascii: "["): try readChild(storage.table.entries[5], into: &storage)
        default: storage[double: 1] = try readFloat(Double.self)
        }
    }
}

extension JSONMessageDecoder {
    /// Reads an Any, whose member `@type` determines the other members.
    ///
    /// The object is read twice, because `@type` may come last.
    private mutating func readAny(into storage: inout MessageStorage) throws(ProtoError) {
        let start = text
        guard let url = try findType() else { return }
        text = start
        let schema = try options.types.type(url: url).schema
        try charge(AllocationCost.object(schema.table))
        var packed = MessageStorage(schema)
        let names = packed.layout.jsonNames
        if names.pointee.wellKnownType == .none {
            try readFields(names, into: &packed, skipping: "@type")
        } else {
            try readPacked(into: &packed)
        }
        storage[string: 0] = url
        storage[bytes: 1] = Data(try packed.packed())
    }

    /// Reads the members of an Any up to its end.
    ///
    /// - Returns: The type URL; nil for an empty object.
    private mutating func findType() throws(ProtoError) -> String? {
        try text.openObject()
        let start = text.position
        var url: String?
        var isEmpty = true
        var isFirst = true
        while let name = try text.nextName(isFirst: &isFirst) {
            isEmpty = false
            guard try text.string(name) == "@type" else {
                try text.skipValue()
                continue
            }
            guard url == nil else { throw .duplicateField("@type", at: name.start) }
            url = try text.readString()
        }
        guard url != nil || isEmpty else { throw .malformedJSON("an Any has no member @type", at: start) }
        return url
    }

    /// Reads an object of `@type` and `value`, the form of well-known types in an Any.
    private mutating func readPacked(into packed: inout MessageStorage) throws(ProtoError) {
        try text.openObject()
        let start = text.position
        var isFirst = true
        var isFound = false
        while let name = try text.nextName(isFirst: &isFirst) {
            switch try text.string(name) {
            case "@type": try text.skipValue()
            case "value":
                guard !isFound else { throw .duplicateField("value", at: name.start) }
                isFound = true
                try readMessage(into: &packed)
            case let other:
                guard options.ignoresUnknownFields else { throw .unknownField(other, in: packed.layout.name) }
                try text.skipValue()
            }
        }
        guard isFound else { throw .malformedJSON("an Any has no member value", at: start) }
    }
}

extension JSONMessageEncoder {
    /// Writes a message with a special JSON form.
    mutating func writeWellKnown(_ type: WellKnownType, _ storage: MessageStorage) throws(ProtoError) {
        switch type {
        case .none: break
        case .timestamp: try writeTime(TimeText.timestamp(storage[int64: 0], storage[int32: 1]), storage)
        case .duration: try writeTime(TimeText.duration(storage[int64: 0], storage[int32: 1]), storage)
        case .fieldMask: try writeFieldMask(storage)
        case .any: try writeAny(storage)
        case .value: try writeValue(storage)
        case .object, .list, .scalar:
            let entry = storage.table.entries[0]
            try withExtendedLifetime(storage) { () throws(ProtoError) in
                try writeField(entry, storage.object.memory + Int(entry.offset), storage)
            }
        }
    }

    private mutating func writeTime(_ text: [UInt8]?, _ storage: MessageStorage) throws(ProtoError) {
        guard let text else { throw .unrepresentable(storage.layout.name, "it is out of range") }
        output.write(UInt8(ascii: "\""))
        text.withUnsafeBufferPointer { output.write(raw: $0) }
        output.write(UInt8(ascii: "\""))
    }

    private mutating func writeFieldMask(_ storage: MessageStorage) throws(ProtoError) {
        let paths = storage[strings: 0].compactMap { FieldPathText.camel($0) }
        guard paths.count == storage[strings: 0].count else {
            throw .unrepresentable(storage.layout.name, "a path has no unambiguous lowerCamelCase form")
        }
        // A single empty path would be decoded as no path.
        guard paths != [""] else { throw .unrepresentable(storage.layout.name, "its only path is empty") }
        output.write(string: paths.joined(separator: ","))
    }

    private mutating func writeValue(_ storage: MessageStorage) throws(ProtoError) {
        switch storage[oneof: 0] {
        case 1: output.write("null")
        case 2:
            let number = storage[double: 1]
            // JSON numbers are finite, and a string would be decoded as a string value.
            guard number.isFinite else { throw .unrepresentable(storage.layout.name, "its number is not finite") }
            output.write(float: number)
        case 3: output.write(string: storage[string: 2])
        case 4: write(storage[bool: 3])
        case 5, 6:
            guard let child = storage.child(storage[oneof: 0] - 1) else { return output.write("null") }
            try writeMessage(child)
        default: throw .unrepresentable(storage.layout.name, "it was never set")
        }
    }

    /// Writes `@type` and the members of the message in an Any.
    private mutating func writeAny(_ storage: MessageStorage) throws(ProtoError) {
        let url = storage[string: 0]
        guard !url.isEmpty || !storage[bytes: 1].isEmpty else { return output.write("{}") }
        let schema = try options.types.type(url: url).schema
        let packed = try MessageStorage(schema, packed: Array(storage[bytes: 1]), extensions: options.extensions)
        let names = packed.layout.jsonNames
        output.write("{\"@type\":")
        output.write(string: url)
        if names.pointee.wellKnownType == .none {
            var isFirst = false
            try writeFields(packed, names, &isFirst)
        } else {
            output.write(",\"value\":")
            try writeMessage(packed)
        }
        output.write(UInt8(ascii: "}"))
    }
}
