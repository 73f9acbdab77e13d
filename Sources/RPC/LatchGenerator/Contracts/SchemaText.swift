// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The schema of a message as text, which the runtime parses.
///
/// It has one line for each field, in file order, one for each extension range, and one for all reserved names.
struct SchemaText {
    private(set) var lines: [String] = []
    /// The full names of the types that the lines refer to by their index.
    private(set) var types: [String] = []
    private var indices: [String: Int] = [:]

    init(_ message: MessageDescriptor, _ fields: [FieldShape]) {
        lines.reserveCapacity(fields.count)
        for shape in fields { lines.append(line(shape, name: shape.field.name)) }
        for range in message.extensionRanges {
            lines.append("extensions \(range.numbers.first) \(range.numbers.last)")
        }
        // The wire format of proto1's MessageSet.
        if message.isMessageSet { lines.append("messageset") }
        // The text format skips fields with these names, which cannot contain a space or a line break.
        let reserved = message.reservedNames.map(\.name).filter { name in
            name.unicodeScalars.allSatisfy { $0 != " " && $0 != "\t" && !$0.isHidden }
        }
        if !reserved.isEmpty { lines.append("reserved " + reserved.joined(separator: " ")) }
    }

    /// Creates the line of an extension, with its full name.
    init(extension shape: FieldShape) { lines = [line(shape, name: shape.field.fullName)] }

    private mutating func line(_ shape: FieldShape, name: String) -> String {
        let field = shape.field
        var line = "\(field.number) \(name) "
        if field.isMap, let entry = field.message, let key = entry.fields.first, let value = entry.fields.last {
            line += "map \(type(of: key)) \(type(of: value))"
        } else {
            line += type(of: field)
        }
        switch shape.presence {
        case .implicit, .map: break
        case .optional: if field.type?.isMessage != true { line += " optional" }
        case .tracked:
            if field.isRequired {
                line += " required"
            } else if field.type?.isMessage != true {
                line += " optional"
            }
        case .oneof(let index): line += " oneof \(index)"
        case .repeated: line += field.isPackable && !field.isPacked ? " expanded" : " repeated"
        }
        if shape.isSecret { line += " secret" }
        if !field.isExtension, let json = field.jsonName, json != Names.json(field.name) {
            line += " json \(Self.escapedWord(json))"
        }
        if let text = field.defaultValue, shape.presence == .tracked || field.isExtension {
            line += " default \"\(field.type == .bytes ? text : Self.escaped(text))\""
        }
        return line
    }

    private mutating func type(of field: FieldDescriptor) -> String {
        switch field.type {
        case .enum:
            let word = field.enum?.features.enumType == .closed ? "closed" : "enum"
            return "\(word) \(index(of: field.enum?.fullName))"
        case .message, .group, nil:
            return "\(field.isDelimited ? "group" : "message") \(index(of: field.message?.fullName))"
        case let type?: return type.word
        }
    }

    private mutating func index(of name: String?) -> Int {
        let name = name ?? ""
        if let index = indices[name] { return index }
        indices[name] = types.count
        types.append(name)
        return types.count - 1
    }

    /// Returns a text without spaces: a JSON name may contain any character.
    private static func escapedWord(_ text: String) -> String { escaped(text).replacing(" ", with: "\\040") }

    /// Returns a text with C escapes, which the defaults of bytes already have.
    static func escaped(_ text: String) -> String {
        SwiftNames.escaped(text) {
            UTF8.encode($0)?.map { byte in
                let octal = String(byte, radix: 8)
                return "\\" + String(repeating: "0", count: 3 - octal.count) + octal
            }.joined() ?? ""
        }
    }
}
