// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// A message of options, its fields by name, with the places where they are written.
///
/// By name and not by number: a program may bring along an options file of its own, whose numbers are other ones.
struct NamedOptions {
    let message: OptionMessage
    let type: MessageDescriptor
    /// Where the values stand, by their paths; empty where the file was not read as text.
    let places: [String: Place]
    /// The path of this message in the option.
    let prefix: String
    /// What a diagnostic is told at that has no better place.
    let fallback: Place?
    /// The full name of the option.
    let spelling: String
    /// The same in other spellings, which count where this one says nothing.
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

    /// A text; nil where it is not set or empty.
    func string(_ name: String) -> String? { strings(name).last.flatMap { $0.isEmpty ? nil : $0 } }

    func double(_ name: String) -> Double? {
        guard let number = number(name), case .number(let bits)? = message.fields[number]?.values.last else {
            return others.lazy.compactMap { $0.double(name) }.first
        }
        return Double(bitPattern: bits)
    }

    /// The name of a value of an enum.
    func word(_ name: String) -> String? {
        guard let value = number(name).flatMap({ message.integer($0) }) else {
            return others.lazy.compactMap { $0.word(name) }.first
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

    /// What one value is, as it would be written in the shortest spelling; nil where it is not said.
    func said(_ name: String) -> String? {
        guard let field = field(name), field.label != .repeated, message.has(field.number) else { return nil }
        switch field.type {
        case .string: return string(name).map { "\"\($0)\"" }
        case .bool: return bool(name).map { "\($0)" }
        case .double: return double(name).map { "\($0)" }
        case .enum:
            let prefix = SwiftNames.snake(field.enum?.name ?? "").uppercased() + "_"
            let word = word(name).map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
            return word == "UNSPECIFIED" ? nil : word
        case .message, .group, .bytes, nil: return nil
        default: return integer(name).map { "\($0)" }
        }
    }

    /// The names of all that it can say.
    var names: [String] { type.fields.map(\.name) }

    /// Where a value stands, or what it stands in.
    func place(_ name: String, _ index: Int = 0) -> Place? {
        if let own = places[path(name, index)] { return own }
        return others.lazy.compactMap { $0.places[$0.path(name, index)] }.first ?? fallback
    }

    private func path(_ name: String, _ index: Int) -> String {
        prefix.isEmpty ? "\(name)[\(index)]" : "\(prefix).\(name)[\(index)]"
    }

    private func field(_ name: String) -> FieldDescriptor? { type.fields.first { $0.name == name } }

    private func number(_ name: String) -> Int32? { field(name)?.number }
}

/// The options that a file can set, by the full names of their extensions.
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

    /// Whether the file can set any of them.
    var isEmpty: Bool { extensions.isEmpty }

    /// An option that is a message.
    func message(_ name: String, of options: Options) -> NamedOptions? {
        guard let field = extensions[name], let type = field.message,
            let message = options.message.message(field.number)
        else { return nil }
        let places = places(name, of: options)
        return NamedOptions(
            message: message, type: type, places: places, prefix: "", fallback: places[""], spelling: name)
    }

    /// An option that is a message, in the first of several spellings, with the others behind it.
    func message(_ names: [String], of options: Options) -> NamedOptions? {
        let found = names.compactMap { message($0, of: options) }
        guard var first = found.first else { return nil }
        first.others = Array(found.dropFirst())
        return first
    }

    /// An option that is a text, and where it stands.
    func string(_ name: String, of options: Options) -> (text: String, place: Place?)? {
        guard let field = extensions[name], let text = options.message.string(field.number) else { return nil }
        return (text, places(name, of: options)[""])
    }

    /// An option that is true or false.
    func bool(_ name: String, of options: Options) -> Bool? {
        extensions[name].flatMap { options.message.bool($0.number) }
    }

    /// Where the parts of an option stand, which may be set in one statement or in several.
    private func places(_ name: String, of options: Options) -> [String: Place] {
        var result: [String: Place] = [:]
        for statement in options.statements where statement.isMeant(by: name) {
            let parts = statement.name.dropFirst().map(\.name).joined(separator: ".")
            for (path, place) in statement.places(in: file) {
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

extension OptionStatement {
    /// Whether it sets the extension of that full name, or a part of it.
    fileprivate func isMeant(by fullName: String) -> Bool {
        guard let first = name.first, first.isExtension else { return false }
        let written = first.name.first == "." ? String(first.name.dropFirst()) : first.name
        return written == fullName || fullName.hasSuffix(".\(written)")
    }
}

extension FileDescriptor {
    /// The file and all that it imports, each once.
    var withDependencies: [FileDescriptor] {
        var (result, seen): ([FileDescriptor], Set<String>) = ([], [])
        func add(_ file: FileDescriptor) {
            guard seen.insert(file.name).inserted else { return }
            result.append(file)
            file.dependencies.forEach(add)
        }
        add(self)
        return result
    }
}
