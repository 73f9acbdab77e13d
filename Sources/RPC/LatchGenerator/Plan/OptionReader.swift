// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The options of one file in all their spellings, with diagnostics.
final class OptionReader {
    let file: FileDescriptor
    private(set) var diagnostics: [Diagnostic] = []
    /// The option extensions that the file can set, by full name.
    private var extensions: [String: FieldDescriptor] = [:]
    private var messagesByName: [String: MessageDescriptor] = [:]
    private var reported: Set<String> = []
    /// The messages that have field rules, directly or in a nested message.
    var constrained = Reachability()
    /// The field rules of the messages read so far.
    var constraints: [ObjectIdentifier: [FieldConstraint]] = [:]
    /// Whether the file can set any option of generated clients.
    var declaresOptions: Bool { !extensions.isEmpty }
    /// The severity of a rule that is not enforced.
    private let unenforced: Diagnostic.Severity

    init(_ file: FileDescriptor, unenforced: Diagnostic.Severity = .error) {
        self.file = file
        self.unenforced = unenforced
        for one in file.withDependencies {
            for field in one.extensions where field.fullName.hasPrefix("axiom.") { extensions[field.fullName] = field }
            one.eachMessage { messagesByName[$0.fullName] = $0 }
        }
    }

    /// Returns the message that a name refers to, resolved from a package outward; nil if there is none.
    func message(_ name: String, from package: String) -> MessageDescriptor? {
        if name.first == "." { return messagesByName[String(name.dropFirst())] }
        var scope = package.split(separator: ".")
        while true {
            if let found = messagesByName[(scope + [Substring(name)]).joined(separator: ".")] { return found }
            guard scope.popLast() != nil else { return nil }
        }
    }

    /// Adds a diagnostic with the source line.
    ///
    /// A repeated diagnostic is reported once, for example about a request that several methods share.
    ///
    /// - Parameter file: The file of the source position; nil for the file being read.
    func report(_ message: String, at place: SourcePosition?, in file: FileDescriptor? = nil, hint: String? = nil) {
        add((file ?? self.file).diagnostic(message, at: place, hint: hint))
    }

    /// Reports a field's rules that no check reaches.
    func reportUnenforced(_ message: String, of field: FieldDescriptor) {
        add(
            field.file.diagnostic(
                message, at: field.namePosition, hint: StandardRuleEncoder.hint, as: unenforced))
    }

    private func add(_ diagnostic: Diagnostic) {
        if reported.insert(diagnostic.description).inserted { diagnostics.append(diagnostic) }
    }

    // MARK: Spellings

    /// Returns the options of a service, one element for each spelling that is set.
    func options(of service: ServiceDescriptor) -> [NamedOptions] {
        messages(["axiom.service_options", "axiom.options.v1.axiom_service"], of: service)
    }

    /// Returns the options of a method, one element for each spelling that is set.
    func options(of method: MethodDescriptor) -> [NamedOptions] {
        messages(["axiom.method_options", "axiom.options.v1.axiom_method"], of: method)
    }

    /// Returns the options of a field, with all spellings merged.
    func options(of field: FieldDescriptor) -> NamedOptions? {
        guard !extensions.isEmpty else { return nil }
        return merged(messages(["axiom.field_options", "axiom.options.v1.axiom_field"], of: field))
    }

    /// Returns the collection options of a message, with all spellings merged.
    func options(of message: MessageDescriptor) -> NamedOptions? {
        merged(messages(["axiom.collection_options", "axiom.options.v1.axiom_collection"], of: message))
    }

    private func messages(_ names: [String], of declaration: Declaration) -> [NamedOptions] {
        names.compactMap { name in
            guard let field = extensions[name], let type = field.message,
                let message = declaration.options.message.message(field.number)
            else { return nil }
            let places = places(name, of: declaration.options, in: declaration.file)
            if message.hasRawText {
                report("a text in (\(name)) is not UTF-8", at: places[""], in: declaration.file)
            }
            return NamedOptions(
                message: message, type: type, places: places, prefix: "", fallback: places[""], spelling: name)
        }
    }

    /// Returns the first spelling, with the others as fallbacks.
    private func merged(_ spellings: [NamedOptions]) -> NamedOptions? {
        var first = spellings.first
        first?.others = Array(spellings.dropFirst())
        return first
    }

    /// Returns an option that is a single string, and its source position.
    ///
    /// - Parameter file: The file that sets it.
    func string(
        _ name: String, of options: Options, in file: FileDescriptor
    ) -> (text: String, place: SourcePosition?)? {
        guard let field = extensions[name], let text = options.message.string(field.number) else { return nil }
        let place = places(name, of: options, in: file)[""]
        guard !options.message.isRaw(field.number) else {
            report("(\(name)) is not UTF-8", at: place, in: file)
            return nil
        }
        return (text, place)
    }

    /// Returns an option that is a single Boolean.
    func bool(_ name: String, of options: Options) -> Bool? {
        extensions[name].flatMap { options.message.bool($0.number) }
    }

    /// Returns the source positions of an option's fields, which one or several statements can set.
    ///
    /// - Parameter file: The file that sets the option; the value is read from its tokens.
    private func places(
        _ name: String, of options: Options, in file: FileDescriptor
    ) -> [String: SourcePosition] {
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

    // MARK: Conflicts

    /// Reports the fields that two spellings of one option set to different values.
    ///
    /// - Parameter file: The file that sets them; nil for the file being read.
    func checkConflicts(_ spellings: [NamedOptions], in file: FileDescriptor? = nil) {
        guard let first = spellings.first else { return }
        for other in spellings.dropFirst() {
            for name in first.type.fields.map(\.name) {
                checkConflict(name, OptionValue(name, of: first), OptionValue(name, of: other), in: file)
            }
        }
    }

    /// Reports two values of one option that differ.
    func checkConflict(_ name: String, _ one: OptionValue?, _ other: OptionValue?, in file: FileDescriptor? = nil) {
        guard let one, let other, one.value != other.value else { return }
        let location = one.place.map { " at \((file ?? self.file).name):\($0.line + 1):\($0.column + 1)" } ?? ""
        report(
            "'\(name)' is \(other.value) in (\(other.spelling)), and \(one.value) in (\(one.spelling))\(location)",
            at: other.place, in: file, hint: "Keep one of the two, or set both to the same value.")
    }
}

/// The value of an option as written, with its source position and its spelling.
struct OptionValue {
    let value: String
    let place: SourcePosition?
    let spelling: String
}

extension OptionValue {
    /// Creates the value of an option that is a single string; nil if it is not set.
    init?(_ string: (text: String, place: SourcePosition?)?, _ spelling: String) {
        guard let string else { return nil }
        self.init(value: "\"\(string.text)\"", place: string.place, spelling: spelling)
    }

    /// Creates the value of an option's field; nil if it is not set.
    init?(_ name: String, of options: NamedOptions) {
        guard let value = options.literal(name) else { return nil }
        self.init(value: value, place: options.place(name), spelling: options.spelling)
    }
}

extension Sequence<String> {
    /// The names joined for a hint: `'a', 'b' or 'c'`.
    var asChoice: String {
        let quoted = map { "'\($0)'" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "nothing" }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }
}

extension FileDescriptor {
    /// The file and its transitive dependencies, each once.
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

    /// The files whose types the file may use: its dependencies and their public imports.
    var visibleFiles: [FileDescriptor] {
        var (result, seen): ([FileDescriptor], Set<String>) = ([], [name])
        func add(_ file: FileDescriptor) {
            guard seen.insert(file.name).inserted else { return }
            result.append(file)
            let exported = Set(file.imports.lazy.filter { $0.kind == .public }.map(\.path))
            for dependency in file.dependencies where exported.contains(dependency.name) { add(dependency) }
        }
        dependencies.forEach(add)
        return result
    }

    /// Calls a closure with each message that the file declares; nested messages come after their containing message.
    func eachMessage(_ body: (MessageDescriptor) -> Void) {
        func visit(_ message: MessageDescriptor) {
            body(message)
            message.messages.forEach(visit)
        }
        messages.forEach(visit)
    }
}
