// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension JSONMessageReader {
    /// Reads a message that JSON spells in its own way.
    mutating func readWellKnown(_ shape: WellKnownShape, into storage: inout MessageStorage) throws(ProtoError) {
        switch shape {
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
        var paths: [String] = []
        for path in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let snake = FieldPathText.snake(path) else {
                throw .malformedJSON("a field mask's path is not in lowerCamelCase", at: string.start)
            }
            paths.append(snake)
        }
        storage[strings: 0] = paths
    }

    /// Reads any JSON value; the six fields of a Value are in the order of their slots.
    private mutating func readValue(into storage: inout MessageStorage) throws(ProtoError) {
        switch text.peekToken() {
        case UInt8(ascii: "n"):
            try text.expectWord("null")
            storage[int32: 0] = 0
        case UInt8(ascii: "\""): storage[string: 2] = try text.readString()
        case UInt8(ascii: "t"), UInt8(ascii: "f"): storage[bool: 3] = try text.readBool()
        case UInt8(ascii: "{"): try readChild(4, into: &storage)
        case UInt8(ascii: "["): try readChild(5, into: &storage)
        default: storage[double: 1] = try readDouble()
        }
    }

    private mutating func readChild(_ slot: Int, into storage: inout MessageStorage) throws(ProtoError) {
        guard let child = storage.makeChild(slot) else { return try text.skipValue() }
        var inner = child
        try readMessage(into: &inner)
        storage.setChild(slot, inner)
    }
}

extension JSONMessageReader {
    /// Reads an object whose member `@type` says what its other members are.
    ///
    /// It may stand anywhere among them, so the object is read twice.
    private mutating func readAny(into storage: inout MessageStorage) throws(ProtoError) {
        let start = text
        guard let url = try findType() else { return }
        text = start
        let schema = try options.types.type(url: url).schema
        var packed = MessageStorage(schema)
        let names = packed.layout.jsonNames
        if names.pointee.shape == .none {
            try readFields(names, into: &packed, skipping: "@type")
        } else {
            try readPacked(into: &packed)
        }
        storage[string: 0] = url
        storage[bytes: 1] = Data(try packed.packed())
    }

    /// Reads the members of an Any up to its end.
    ///
    /// - Returns: The type's URL; nil where there are no members at all.
    private mutating func findType() throws(ProtoError) -> String? {
        try text.openObject()
        let place = text.position
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
        guard url != nil || isEmpty else { throw .malformedJSON("an Any has no member @type", at: place) }
        return url
    }

    /// Reads an object of `@type` and `value`, as messages stand in an Any that JSON spells in their own way.
    private mutating func readPacked(into packed: inout MessageStorage) throws(ProtoError) {
        try text.openObject()
        let place = text.position
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
        guard isFound else { throw .malformedJSON("an Any has no member value", at: place) }
    }
}
