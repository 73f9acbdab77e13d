// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation

/// A decoder of messages from the text format.
struct TextFormatDecoder {
    var text: TextFormatScanner
    let options: TextFormatDecodingOptions

    /// Reads fields up to a closing bracket, or to the end of the text if it is nil.
    mutating func readFields(into storage: inout MessageStorage, closing: UInt8?) throws(ProtoError) {
        var seen = SlotSet()
        while true {
            if let closing {
                if try text.closesMessage(closing) { return }
            } else {
                text.peekToken()
                if text.isAtEnd { return }
            }
            try readNamed(into: &storage, &seen)
            text.takeSeparator()
        }
    }

    /// Reads a field.
    private mutating func readNamed(into storage: inout MessageStorage, _ seen: inout SlotSet) throws(ProtoError) {
        let start = text.position
        if text.peekToken() == UInt8(ascii: "[") { return try readBracketed(into: &storage) }
        guard let name = text.takeIdentifier() else { throw text.malformed("a field's name is expected") }
        let layout = storage.layout
        guard let slot = layout.textSlot(of: name) else {
            guard options.ignoresUnknownFields || layout.reservedNames.contains(name) else {
                throw .unknownField(name, in: layout.name)
            }
            return try skipFieldValue()
        }
        let field = layout.fields[slot]
        let isNew = seen.insert(slot)
        // Like in protoc and the C++ runtime, a zero without presence does not set the field, so the field may occur
        // again.
        guard isNew || field.cardinality != .singular || !storage.has(slot) else {
            throw .duplicateField(field.name, at: start)
        }
        do throws(ProtoError) {
            try readField(field, into: &storage)
        } catch {
            throw error.inside(field.name)
        }
    }

    /// Reads the value of a field: a single one, or a list in brackets.
    private mutating func readField(_ field: FieldSchema, into storage: inout MessageStorage) throws(ProtoError) {
        let hasColon = text.take(UInt8(ascii: ":"))
        let isMessage = field.cardinality == .map || field.kind.isMessage
        guard hasColon || isMessage else { throw text.malformed("a colon is expected") }
        guard field.cardinality != .singular, text.take(UInt8(ascii: "[")) else {
            return try readValue(field, into: &storage)
        }
        guard !text.take(UInt8(ascii: "]")) else { return }
        repeat { try readValue(field, into: &storage) } while text.take(UInt8(ascii: ","))
        try text.expect(UInt8(ascii: "]"), "a comma or a closing bracket is expected")
    }

    private mutating func readValue(_ field: FieldSchema, into storage: inout MessageStorage) throws(ProtoError) {
        switch field.cardinality {
        case .map: try readEntry(field, into: &storage)
        case .repeated: storage.appendContent(field.slot, try readContent(field))
        case .singular:
            if let oneof = field.oneof, storage[oneof: oneof] != 0 { throw .duplicateOneof(at: text.position) }
            storage.setContent(field.slot, try readContent(field))
        }
    }

    private mutating func readContent(_ field: FieldSchema) throws(ProtoError) -> AnyFieldValue {
        if field.kind.isEnum { return .int32(try readEnum(field)) }
        switch field.kind.stored {
        case .bool: return .bool(try text.readBool())
        case .int32: return .int32(try text.readInteger(Int32.self))
        case .int64: return .int64(try text.readInteger(Int64.self))
        case .uint32: return .uint32(try text.readInteger(UInt32.self))
        case .uint64: return .uint64(try text.readInteger(UInt64.self))
        case .float: return .float(try text.readFloat(Float.self))
        case .double: return .double(try text.readFloat(Double.self))
        case .string: return .string(try text.readString())
        case .bytes: return .bytes(Data(try text.readBytes()))
        case .message:
            guard let schema = field.child else { throw text.malformed("the field has no type") }
            return .message(try readMessage(schema))
        }
    }

    /// Reads a message in brackets.
    private mutating func readMessage(_ schema: MessageSchema) throws(ProtoError) -> MessageStorage {
        let closing = try text.openMessage()
        var storage = MessageStorage(schema)
        try readFields(into: &storage, closing: closing)
        return storage
    }

    /// Reads an enum value by name or number.
    private mutating func readEnum(_ field: FieldSchema) throws(ProtoError) -> Int32 {
        let start = text.position
        guard let schema = field.enumeration else { throw text.malformed("the field has no type") }
        if let name = text.takeIdentifier() {
            guard let number = schema.number(of: name) else { throw .unknownEnumValue(schema.name, at: start) }
            return number
        }
        let number = try text.readInteger(Int32.self)
        guard field.kind == .openEnum || schema.contains(number) else {
            throw .unknownEnumValue(schema.name, at: start)
        }
        return number
    }

    /// Reads a map entry, which is a message of `key` and `value`; for a repeated key the last entry counts.
    private mutating func readEntry(_ field: FieldSchema, into storage: inout MessageStorage) throws(ProtoError) {
        guard var (key, value) = storage.emptyEntry(field.slot) else { throw text.malformed("the field has no type") }
        var keyField = FieldSchema()
        keyField.kind = field.key ?? .bool
        let closing = try text.openMessage()
        var seen: Set<String> = []
        while try !text.closesMessage(closing) {
            let start = text.position
            let name = text.takeIdentifier()
            guard seen.insert(name ?? "").inserted else { throw .duplicateField(name ?? "?", at: start) }
            let hasColon = text.take(UInt8(ascii: ":"))
            switch name {
            case "key" where hasColon: key = try readContent(keyField)
            case "value" where hasColon || field.kind.isMessage: value = try readContent(field)
            default: throw text.malformed("an entry of a map has the fields key and value")
            }
            text.takeSeparator()
        }
        storage.setEntry(field.slot, key, value)
    }
}

extension TextFormatDecoder {
    /// Reads an extension or the message in an Any.
    private mutating func readBracketed(into storage: inout MessageStorage) throws(ProtoError) {
        let start = text.position
        let name = try text.readBracketedName()
        if name.utf8.contains(UInt8(ascii: "/")), WellKnownType(storage.layout.name) == .any {
            return try readPacked(name, into: &storage)
        }
        let layout = storage.layout
        let schemas = options.extensions.schemas(of: layout.name)
        guard
            let schema = options.extensions.schema(named: name, of: layout.name)
                ?? schemas.first(where: { $0.fields.first?.bracketedName(in: layout) == name }),
            let field = schema.fields.first
        else {
            guard options.ignoresUnknownFields else { throw .unknownField("[\(name)]", in: storage.layout.name) }
            return try skipFieldValue()
        }
        var values = storage.extension(field.number) ?? MessageStorage(schema)
        guard field.cardinality != .singular || !values.has(0) else { throw .duplicateField(name, at: start) }
        // The extension is removed while values are added: a shared list would be copied for each value.
        storage.setExtension(field.number, nil)
        try readField(field, into: &values)
        if values.has(0) { storage.setExtension(field.number, values) }
    }

    private mutating func readPacked(_ url: String, into storage: inout MessageStorage) throws(ProtoError) {
        guard storage[string: 0].isEmpty, storage[bytes: 1].isEmpty else {
            throw text.malformed("an Any holds one message")
        }
        _ = text.take(UInt8(ascii: ":"))
        let packed = try readMessage(options.types.type(url: url).schema)
        storage[string: 0] = url
        storage[bytes: 1] = Data(try packed.packed())
    }

    /// Skips the value of an ignored field, which must be valid.
    private mutating func skipFieldValue() throws(ProtoError) {
        let hasColon = text.take(UInt8(ascii: ":"))
        let byte = text.peekToken()
        guard hasColon || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "<") else {
            throw text.malformed("a colon is expected")
        }
        guard text.take(UInt8(ascii: "[")) else { return try skipValue() }
        guard !text.take(UInt8(ascii: "]")) else { return }
        repeat { try skipValue() } while text.take(UInt8(ascii: ","))
        try text.expect(UInt8(ascii: "]"), "a comma or a closing bracket is expected")
    }

    private mutating func skipValue() throws(ProtoError) {
        let byte = text.peekToken()
        if text.isAtString() {
            _ = try text.readBytes()
        } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "<") {
            let closing = try text.openMessage()
            while try !text.closesMessage(closing) {
                if text.peekToken() == UInt8(ascii: "[") {
                    _ = try text.readBracketedName()
                } else if text.takeIdentifier() == nil {
                    throw text.malformed("a field's name is expected")
                }
                try skipFieldValue()
                text.takeSeparator()
            }
        } else {
            _ = try text.readNumber()
        }
    }
}

extension MessageLayout {
    /// Returns the slot of a field by its name in the text format.
    ///
    /// A group has the name of its type; the field's name is also accepted.
    fileprivate func textSlot(of name: String) -> Int? {
        byName[name] ?? fields.first { $0.textName(in: self) == name && $0.number > 0 }?.slot
    }
}

extension FieldSchema {
    /// The text format's name for a field of a message.
    ///
    /// A delimited field is group-like if its name is the lowercase name of its type, and the message declares the type
    /// (editions, "Group-like fields").
    func textName(in message: MessageLayout) -> String {
        guard kind == .group, let type = child?.name.utf8, type.count == message.name.utf8.count + 1 + name.utf8.count,
            type.starts(with: "\(message.name).".utf8)
        else {
            return name
        }
        let own = String(decoding: type.suffix(name.utf8.count), as: UTF8.self)
        return own.lowercasedASCII() == name ? own : name
    }

    /// The text format's name for an extension of a message, between brackets.
    ///
    /// In a MessageSet it is the name of the extension's type if the type declares the extension, as in C++ and Python.
    func bracketedName(in message: MessageLayout) -> String {
        guard message.isMessageSet, let type = child?.name, name.utf8.starts(with: "\(type).".utf8),
            !name.utf8.dropFirst(type.utf8.count + 1).contains(UInt8(ascii: "."))
        else {
            return name
        }
        return type
    }
}
