// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// An option whose value is a message: its fields by name, with their places in the source.
///
/// Fields are looked up by name, since a program may bring an options file of its own with other numbers.
struct NamedOptions {
    let message: OptionMessage
    let type: MessageDescriptor
    /// The places of the values by their paths; empty where the file was not parsed from source.
    let places: [String: SourcePosition]
    /// The path of this message within the option.
    let prefix: String
    /// The place for diagnostics that have no more precise one.
    let fallback: SourcePosition?
    /// The full name of the option.
    let spelling: String
    /// The same option in other spellings, which apply where this one is not set.
    var others: [NamedOptions] = []

    func bool(_ name: String) -> Bool? {
        number(name).flatMap { message.bool($0) } ?? others.lazy.compactMap { $0.bool(name) }.first
    }

    func integer(_ name: String) -> Int64? {
        number(name).flatMap { message.integer($0) } ?? others.lazy.compactMap { $0.integer(name) }.first
    }

    func strings(_ name: String) -> [String] {
        let own = number(name).map { message.strings($0) } ?? []
        return own.isEmpty ? others.lazy.map { $0.strings(name) }.first { !$0.isEmpty } ?? [] : own
    }

    /// Returns a string; nil where it is not set or empty.
    func string(_ name: String) -> String? { strings(name).last.flatMap { $0.isEmpty ? nil : $0 } }

    func double(_ name: String) -> Double? {
        guard let number = number(name), case .number(let bits)? = message.fields[number]?.values.last else {
            return others.lazy.compactMap { $0.double(name) }.first
        }
        return Double(bitPattern: bits)
    }

    /// Returns the name of an enum value.
    func enumValueName(_ name: String) -> String? {
        guard let value = number(name).flatMap({ message.integer($0) }) else {
            return others.lazy.compactMap { $0.enumValueName(name) }.first
        }
        return field(name)?.enum?.values.first { Int64($0.number) == value }?.name
    }

    func messages(_ name: String) -> [NamedOptions] {
        guard let field = field(name), let type = field.message else { return [] }
        return message.messages(field.number).enumerated().map { index, message in
            NamedOptions(
                message: message, type: type, places: places, prefix: path(name, index),
                fallback: place(name, index), spelling: spelling)
        }
    }

    /// Returns a value as its shortest spelling writes it; nil where it is not set.
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

    /// The names of all its fields.
    var names: [String] { type.fields.map(\.name) }

    /// Returns the place of a value, or of the option that contains it.
    func place(_ name: String, _ index: Int = 0) -> SourcePosition? {
        if let own = places[path(name, index)] { return own }
        return others.lazy.compactMap { $0.places[$0.path(name, index)] }.first ?? fallback
    }

    private func path(_ name: String, _ index: Int) -> String {
        prefix.isEmpty ? "\(name)[\(index)]" : "\(prefix).\(name)[\(index)]"
    }

    private func field(_ name: String) -> FieldDescriptor? { type.fields.first { $0.name == name } }

    private func number(_ name: String) -> Int32? { field(name)?.number }
}

/// The `axiom` options that a file can set, by the full names of their extensions.
struct OptionScope {
    private let file: FileDescriptor
    private let extensions: [String: FieldDescriptor]

    init(_ file: FileDescriptor) {
        self.file = file
        var extensions: [String: FieldDescriptor] = [:]
        for one in file.withDependencies {
            for field in one.extensions where field.fullName.hasPrefix("axiom.") { extensions[field.fullName] = field }
        }
        self.extensions = extensions
    }

    /// Whether the file imports none of them.
    var isEmpty: Bool { extensions.isEmpty }

    /// Returns an option that is a message.
    func message(_ name: String, of options: Options) -> NamedOptions? {
        guard let field = extensions[name], let type = field.message,
            let message = options.message.message(field.number)
        else { return nil }
        let places = places(name, of: options)
        return NamedOptions(
            message: message, type: type, places: places, prefix: "", fallback: places[""], spelling: name)
    }

    /// Returns an option that is a message, in the first of several spellings, with the others as fallbacks.
    func message(_ names: [String], of options: Options) -> NamedOptions? {
        let found = names.compactMap { message($0, of: options) }
        guard var first = found.first else { return nil }
        first.others = Array(found.dropFirst())
        return first
    }

    /// Returns an option that is a string, and its place.
    func string(_ name: String, of options: Options) -> (text: String, place: SourcePosition?)? {
        guard let field = extensions[name], let text = options.message.string(field.number) else { return nil }
        return (text, places(name, of: options)[""])
    }

    /// Returns an option that is a Boolean.
    func bool(_ name: String, of options: Options) -> Bool? {
        extensions[name].flatMap { options.message.bool($0.number) }
    }

    /// Returns the places of an option's fields, which may be set in one statement or in several.
    private func places(_ name: String, of options: Options) -> [String: SourcePosition] {
        var result: [String: SourcePosition] = [:]
        for statement in options.uninterpreted where statement.sets(name) {
            let parts = statement.name.dropFirst().map(\.name).joined(separator: ".")
            for (path, place) in statement.valuePositions(in: file) {
                guard !parts.isEmpty else {
                    result[path] = place
                    continue
                }
                for prefix in [parts, "\(parts)[0]"] { result[path.isEmpty ? prefix : "\(prefix).\(path)"] = place }
                result[""] = result[""] ?? place
            }
        }
        return result
    }
}

extension UninterpretedOption {
    /// Whether the statement sets the extension of that full name, or a field of it.
    fileprivate func sets(_ fullName: String) -> Bool {
        guard let first = name.first, first.isExtension else { return false }
        let written = first.name.first == "." ? String(first.name.dropFirst()) : first.name
        return written == fullName || fullName.hasSuffix(".\(written)")
    }
}
