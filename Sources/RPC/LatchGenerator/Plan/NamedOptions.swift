// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// An option whose value is a message: its fields by name, with their source positions.
///
/// Fields are looked up by name, because a program may bring a different options file with other numbers.
struct NamedOptions {
    let message: OptionMessage
    let type: MessageDescriptor
    /// The source positions of the values by path; empty if the file was not parsed from source.
    let places: [String: SourcePosition]
    /// The path of this message within the option.
    let prefix: String
    /// The source position for diagnostics that have no more precise one.
    let fallback: SourcePosition?
    /// The full name of the option.
    let spelling: String
    /// The same option in other spellings, which apply if this one is not set.
    var others: [NamedOptions] = []

    /// Returns the value from the first spelling that sets it.
    private func first<Value>(_ name: String, _ read: (OptionMessage, FieldDescriptor) -> Value?) -> Value? {
        field(name).flatMap { read(message, $0) } ?? others.compactMap { $0.first(name, read) }.first
    }

    func bool(_ name: String) -> Bool? { first(name) { $0.bool($1.number) } }

    func integer(_ name: String) -> Int64? { first(name) { $0.integer($1.number) } }

    func strings(_ name: String) -> [String] {
        first(name) { $0.has($1.number) ? $0.strings($1.number) : nil } ?? []
    }

    /// Returns a string; nil if it is not set or empty.
    func string(_ name: String) -> String? { strings(name).last.flatMap { $0.isEmpty ? nil : $0 } }

    func double(_ name: String) -> Double? {
        first(name) { message, field in
            guard case .number(let bits)? = message.fields[field.number]?.values.last else { return nil }
            return Double(bitPattern: bits)
        }
    }

    func enumValueName(_ name: String) -> String? {
        first(name) { $1.enumValueName($0.integer($1.number)) }
    }

    func messages(_ name: String) -> [NamedOptions] {
        guard let field = field(name), let type = field.message else { return [] }
        return message.messages(field.number).enumerated().map { index, message in
            NamedOptions(
                message: message, type: type, places: places, prefix: path(name, index),
                fallback: place(name, index), spelling: spelling)
        }
    }

    /// Returns a value in its shortest spelling; nil if it is not set.
    func literal(_ name: String) -> String? {
        guard let field = field(name), field.label != .repeated, message.has(field.number) else { return nil }
        switch field.type {
        case .string: return string(name).map { "\"\($0)\"" }
        case .bool: return bool(name).map { "\($0)" }
        case .double: return double(name).map { "\($0)" }
        case .enum:
            let prefix = SwiftNames.snake(field.enum?.name ?? "").uppercased() + "_"
            let value = enumValueName(name).map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
            return value == "UNSPECIFIED" ? nil : value
        case .message, .group, .bytes, nil: return nil
        default: return integer(name).map { "\($0)" }
        }
    }

    /// Returns the source position of a value, or of the option that contains it.
    func place(_ name: String, _ index: Int = 0) -> SourcePosition? {
        if let own = places[path(name, index)] { return own }
        return others.lazy.compactMap { $0.places[$0.path(name, index)] }.first ?? fallback
    }

    private func path(_ name: String, _ index: Int) -> String {
        prefix.isEmpty ? "\(name)[\(index)]" : "\(prefix).\(name)[\(index)]"
    }

    private func field(_ name: String) -> FieldDescriptor? { type.fields.first { $0.name == name } }
}

extension UninterpretedOption {
    /// Whether the statement sets the extension with that full name, or one of its fields.
    func sets(_ fullName: String) -> Bool {
        guard let first = name.first, first.isExtension else { return false }
        let written = first.name.first == "." ? String(first.name.dropFirst()) : first.name
        return written == fullName || fullName.hasSuffix(".\(written)")
    }
}
