// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// Reads the text of a `MessageSchema`.
struct SchemaParser {
    let types: [any SchemaType.Type]
    var fields: [FieldSchema] = []
    var extensionRanges: [ClosedRange<UInt32>] = []
    var reservedNames: Set<String> = []
    var isMessageSet = false

    init(_ text: String, types: [any SchemaType.Type]) {
        self.types = types
        for line in text.utf8.split(separator: UInt8(ascii: "\n")) { read(Substring(line)) }
    }

    private mutating func read(_ line: Substring) {
        var (head, defaultText) = Self.splitDefault(line)
        head = head.drop { $0 == " " }
        var words = head.split(separator: " ")[...]
        if words.first == "extensions", words.count == 3, let first = UInt32(words[1]), let last = UInt32(words[2]) {
            if first <= last { extensionRanges.append(first...last) }
            return
        }
        if words == ["messageset"] {
            isMessageSet = true
            return
        }
        if words.first == "reserved" {
            reservedNames.formUnion(words.dropFirst().map(String.init))
            return
        }
        var field = FieldSchema()
        field.slot = fields.count
        field.defaultText = defaultText
        // A line that cannot be read leaves number 0, which no field has.
        if !readField(&words, into: &field) { field.number = 0 }
        fields.append(field)
    }

    private func readField(_ words: inout ArraySlice<Substring>, into field: inout FieldSchema) -> Bool {
        guard let number = words.popFirst().flatMap({ UInt32($0) }), (1...536_870_911).contains(number),
            let name = words.popFirst(), let kind = words.popFirst()
        else { return false }
        field.name = String(name)
        field.jsonName = Self.lowerCamel(name)
        field.number = number
        if kind == "map" {
            guard let key = words.popFirst().flatMap({ FieldKind(word: $0) }), Self.isKey(key),
                let value = words.popFirst()
            else { return false }
            field.key = key
            field.cardinality = .map
            guard readKind(value, &words, into: &field) else { return false }
        } else {
            guard readKind(kind, &words, into: &field) else { return false }
        }
        readWords(&words, into: &field)
        field.defaultValue = Self.defaultValue(of: field)
        // What reads as its default where it is absent must know whether it is.
        if field.defaultValue != nil, field.presence == .implicit { field.presence = .explicit }
        return true
    }

    private func readKind(
        _ word: Substring, _ words: inout ArraySlice<Substring>, into field: inout FieldSchema
    ) -> Bool {
        guard let kind = FieldKind(word: word) else { return false }
        field.kind = kind
        guard kind.namesType else { return true }
        guard let index = words.popFirst().flatMap({ Int($0) }), types.indices.contains(index) else { return false }
        field.typeIndex = index
        field.type = types[index]
        switch types[index].shape {
        case .message(let schema):
            field.child = schema
            field.presence = .explicit
            return kind.isMessage
        case .enumeration(let schema):
            field.enumeration = schema
            return kind.isEnum
        }
    }

    private func readWords(_ words: inout ArraySlice<Substring>, into field: inout FieldSchema) {
        while let word = words.popFirst() {
            switch word {
            case "repeated", "expanded":
                field.cardinality = .repeated
                field.presence = .implicit
                field.isPacked = word == "repeated" && field.kind.wire != .delimited && !field.kind.isMessage
            case "optional": field.presence = .explicit
            case "required":
                field.presence = .explicit
                field.isRequired = true
            case "oneof":
                field.oneof = words.popFirst().flatMap { Int($0) }
                field.presence = field.oneof == nil ? .explicit : .oneof
            case "secret": field.isSecret = true
            case "raw": field.isRaw = true
            case "json":
                let name = words.popFirst().map { String(decoding: Self.unescaped(String($0)), as: UTF8.self) }
                field.jsonName = name ?? field.jsonName
            default: break
            }
        }
    }

    private static func isKey(_ kind: FieldKind) -> Bool {
        switch kind {
        case .double, .float, .bytes, .openEnum, .closedEnum, .message, .group: false
        default: true
        }
    }

    /// The JSON name of a field that says none: letters after an underscore are upper case, underscores go.
    static func lowerCamel(_ name: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var raises = false
        for byte in name.utf8 {
            if byte == UInt8(ascii: "_") {
                raises = true
            } else {
                let isLower = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                bytes.append(raises && isLower ? byte - 32 : byte)
                raises = false
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
