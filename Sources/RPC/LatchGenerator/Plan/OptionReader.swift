// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The options of one file in all their spellings, and the diagnostics about them.
final class OptionReader {
    let file: FileDescriptor
    private(set) var diagnostics: [Diagnostic] = []
    private let scope: OptionScope
    private let messagesByName: [String: MessageDescriptor]
    private var reported: Set<String> = []

    init(_ file: FileDescriptor) {
        self.file = file
        scope = OptionScope(file)
        var messages: [String: MessageDescriptor] = [:]
        for one in file.withDependencies { one.eachMessage { messages[$0.fullName] = $0 } }
        messagesByName = messages
    }

    /// Returns the message that a name refers to, resolved from a package outwards; nil where there is none.
    func message(_ name: String, from package: String) -> MessageDescriptor? {
        if name.first == "." { return messagesByName[String(name.dropFirst())] }
        var scope = package.split(separator: ".")
        while true {
            if let found = messagesByName[(scope + [Substring(name)]).joined(separator: ".")] { return found }
            guard scope.popLast() != nil else { return nil }
        }
    }

    /// Adds a diagnostic with the source line; a repeated one, such as that of a request which several methods share, is
    /// reported once.
    func report(
        _ message: String, at place: SourcePosition?, hint: String? = nil, as severity: Diagnostic.Severity = .error
    ) {
        var diagnostic = Diagnostic(severity, file: file.source.name, position: place, message: message, hint: hint)
        if let place { diagnostic.show(file.source.line(Int(place.line)), at: place) }
        guard reported.insert(diagnostic.description).inserted else { return }
        diagnostics.append(diagnostic)
    }

    // MARK: Spellings

    /// Returns the options of a service, one element for each spelling that is set.
    func options(of service: ServiceDescriptor) -> [NamedOptions] {
        ["axiom.service_options", "axiom.options.v1.axiom_service"].compactMap {
            scope.message($0, of: service.options)
        }
    }

    /// Returns the options of a method, one element for each spelling that is set.
    func options(of method: MethodDescriptor) -> [NamedOptions] {
        ["axiom.method_options", "axiom.options.v1.axiom_method"].compactMap { scope.message($0, of: method.options) }
    }

    /// Returns the options of a field, with all spellings merged.
    func options(of field: FieldDescriptor) -> NamedOptions? {
        guard !scope.isEmpty else { return nil }
        return scope.message(["axiom.field_options", "axiom.options.v1.axiom_field"], of: field.options)
    }

    /// Returns the collection options of a message, with all spellings merged.
    func options(of message: MessageDescriptor) -> NamedOptions? {
        scope.message(["axiom.collection_options", "axiom.options.v1.axiom_collection"], of: message.options)
    }

    /// Returns an option that is a single string, and its place.
    func string(_ name: String, of options: Options) -> (text: String, place: SourcePosition?)? {
        scope.string(name, of: options)
    }

    /// Returns an option that is a single Boolean.
    func bool(_ name: String, of options: Options) -> Bool? { scope.bool(name, of: options) }

    // MARK: Conflicts

    /// Reports the fields that two spellings of one option set to different values.
    func checkConflicts(_ spellings: [NamedOptions]) {
        guard let first = spellings.first else { return }
        for other in spellings.dropFirst() {
            for name in first.names {
                checkConflict(name, OptionValue(name, of: first), OptionValue(name, of: other))
            }
        }
    }

    /// Reports two values of one option that differ.
    func checkConflict(_ name: String, _ one: OptionValue?, _ other: OptionValue?) {
        guard let one, let other, one.value != other.value else { return }
        let location = one.place.map { " at \(file.name):\($0.line + 1):\($0.column + 1)" } ?? ""
        report(
            "'\(name)' is \(other.value) in (\(other.spelling)), and \(one.value) in (\(one.spelling))\(location)",
            at: other.place, hint: "Keep one of the two, or set both to the same value.")
    }
}

/// The value of an option as it is written, with its place and the spelling that sets it.
struct OptionValue {
    let value: String
    let place: SourcePosition?
    let spelling: String

    init(_ value: String, _ place: SourcePosition?, _ spelling: String) {
        (self.value, self.place, self.spelling) = (value, place, spelling)
    }

    /// Creates the value of an option that is a single string; nil where it is not set.
    init?(_ string: (text: String, place: SourcePosition?)?, _ spelling: String) {
        guard let string else { return nil }
        self.init("\"\(string.text)\"", string.place, spelling)
    }

    /// Creates the value of a field of an option; nil where it is not set.
    init?(_ name: String, of options: NamedOptions) {
        guard let value = options.literal(name) else { return nil }
        self.init(value, options.place(name), options.spelling)
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

    /// Calls a closure with each message that the file declares, nested ones after the message that contains them.
    func eachMessage(_ body: (MessageDescriptor) -> Void) {
        func visit(_ message: MessageDescriptor) {
            body(message)
            message.messages.forEach(visit)
        }
        messages.forEach(visit)
    }
}
