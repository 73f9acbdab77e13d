// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// A parser of the text of a `MessageSchema`.
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
        let (head, defaultText) = Self.splitDefault(line)
        var words = head.unicodeScalars.split(separator: " ").map { Substring($0) }[...]
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
        // A malformed line gets number 0, which no field has.
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
        // A field with a default needs explicit presence.
        if field.defaultValue != nil, field.presence == .implicit { field.presence = .explicit }
        return true
    }

    private func readKind(
        _ word: Substring, _ words: inout ArraySlice<Substring>, into field: inout FieldSchema
    ) -> Bool {
        guard let kind = FieldKind(word: word) else { return false }
        field.kind = kind
        guard kind.isEnum || kind.isMessage else { return true }
        guard let index = words.popFirst().flatMap({ Int($0) }), types.indices.contains(index) else { return false }
        field.typeIndex = index
        field.type = types[index]
        field.child = (types[index] as? any Message.Type)?.schema
        field.enumeration = (types[index] as? any ProtoEnum.Type)?.schema
        if field.child != nil { field.presence = .explicit }
        return kind.isMessage ? field.child != nil : field.enumeration != nil
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
            case "json":
                if let name = words.popFirst() {
                    field.jsonName = String(decoding: Self.unescaped(name), as: UTF8.self)
                }
            default: break
            }
        }
    }

    private static func isKey(_ kind: FieldKind) -> Bool {
        !kind.isEnum && !kind.isMessage && ![.double, .float, .bytes].contains(kind)
    }

    /// Returns the default JSON name of a field, in lowerCamelCase.
    static func lowerCamel(_ name: some StringProtocol) -> String {
        let words = String(name).unicodeScalars.split(separator: "_", omittingEmptySubsequences: false)
            .map { Substring($0) }
        return words.dropFirst().reduce(into: String(words.first ?? "")) {
            $0 += $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }
}

extension SchemaParser {
    /// Removes `default "TEXT"` from the end of a line and returns both parts.
    private static func splitDefault(_ line: Substring) -> (Substring, String?) {
        let mark = " default \""
        guard line.utf8.last == UInt8(ascii: "\""), let start = line.utf8.firstRange(of: mark.utf8) else {
            return (line, nil)
        }
        let text = Substring(line[start.upperBound...].utf8.dropLast())
        return (line[..<start.lowerBound], String(text))
    }

    /// Returns the default value of a field; nil for zero, which is not stored.
    static func defaultValue(of field: FieldSchema) -> FieldSchema.Default? {
        guard field.cardinality == .singular else { return nil }
        guard let text = field.defaultText else {
            let first = field.kind == .closedEnum ? field.enumeration?.first ?? 0 : 0
            return first == 0 ? nil : .bits(UInt64(UInt32(bitPattern: first)))
        }
        switch field.kind {
        case .string: return .text(String(decoding: unescaped(text), as: UTF8.self))
        case .bytes: return .bytes(Data(unescaped(text)))
        case .message, .group: return nil
        default: return bits(of: text, field).map { .bits($0) }
        }
    }

    private static func bits(of text: String, _ field: FieldSchema) -> UInt64? {
        switch field.kind.stored {
        case .bool: text == "true" ? 1 : 0
        case .int32:
            (Int32(text) ?? field.enumeration?.number(of: text)).map { UInt64(UInt32(bitPattern: $0)) }
        case .int64: Int64(text).map { UInt64(bitPattern: $0) }
        case .uint32: UInt32(text).map { UInt64($0) }
        case .uint64: UInt64(text)
        case .float: Float(text).map { UInt64($0.bitPattern) }
        case .double: Double(text).map { $0.bitPattern }
        case .string, .bytes, .message: nil
        }
    }

    /// Decodes C escapes, which the text format also uses; a text with an invalid escape is not changed.
    private static func unescaped(_ text: some StringProtocol) -> [UInt8] {
        do throws(ProtoError) {
            return try Array("\"\(text)\"".utf8).withUnsafeBufferPointer { (bytes) throws(ProtoError) in
                var scanner = TextFormatScanner(bytes: bytes, depth: 0)
                return try scanner.readBytes()
            }
        } catch {
            return Array(text.utf8)
        }
    }
}
