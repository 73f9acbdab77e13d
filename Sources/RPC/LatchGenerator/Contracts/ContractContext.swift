// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// What all printers of contracts share: names, visibility, and what was found wrong.
struct ContractContext {
    let types: TypeTable
    let options: SwiftOptions
    let isSecret: (FieldDescriptor) -> Bool
    /// What stands before a declaration.
    let access: String
    /// What stands before a declaration that only forwards to the storage.
    let forwarding: String
    var diagnostics: [Diagnostic] = []
    /// The rules of messages (`buf.validate`).
    private var rules = RuleTable()

    init(_ types: TypeTable, _ options: SwiftOptions, isSecret: @escaping (FieldDescriptor) -> Bool) {
        self.types = types
        self.options = options
        self.isSecret = isSecret
        access = options.visibility.prefix
        forwarding = options.forwardingPrefix
    }

    /// Notes that something cannot be written in Swift.
    mutating func fail(
        _ message: String, at place: Place?, in file: FileDescriptor, hint: String? = nil,
        as severity: Diagnostic.Severity = .error
    ) {
        var diagnostic = Diagnostic(severity, file: file.name, place: place, message: message, hint: hint)
        if let place { diagnostic.show(file.source.line(Int(place.line)), at: place) }
        diagnostics.append(diagnostic)
    }

    /// Tells that a name is not what it would be, if it is not.
    mutating func note(
        _ original: String, is name: String, not plain: String, at place: Place?, in file: FileDescriptor
    ) {
        guard name != plain else { return }
        fail(
            "'\(original)' is \(SwiftNames.bare(name)) in Swift, where something else is \(SwiftNames.bare(plain))",
            at: place, in: file, hint: "rename one of them; the wire knows numbers only", as: .warning)
    }

    /// The lines of a message's rules; nil where neither it nor a message inside has any.
    mutating func rules(of message: MessageDescriptor) -> [String]? {
        let count = rules.diagnostics.count
        defer { diagnostics += rules.diagnostics[count...] }
        return rules.lines(of: message)
    }

    /// The shape of a message.
    func shape(_ message: MessageDescriptor, in scope: TypeScope) -> MessageShape {
        MessageShape(message, types, in: scope, isSecret: isSecret)
    }
}

extension FieldDescriptor {
    /// Whether who uses it is warned.
    var isDeprecated: Bool { options.message.bool(3) == true }
}

/// What a declaration says about its own end.
enum Deprecation {
    /// The attribute for a declaration that is deprecated; nil for one that is not.
    ///
    /// What a comment says after "Deprecated:" becomes the attribute's message.
    static func attribute(_ isDeprecated: Bool?, _ comments: Comments) -> String? {
        guard isDeprecated == true else { return nil }
        let lines = comments.documentation?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        guard let start = lines.firstIndex(where: { $0.lowercased().hasPrefix("deprecated:") }) else {
            return "@available(*, deprecated)"
        }
        let said = lines[start...].prefix { !$0.isEmpty }.joined(separator: " ")
        let text = said.dropFirst("deprecated:".count).drop { $0 == " " }
        return "@available(*, deprecated, message: \(SwiftNames.literal(String(text))))"
    }

    /// The comment of a deprecated declaration that cannot have the attribute: the generated text names it itself, and
    /// would be warned of it.
    static func documentation(_ isDeprecated: Bool?, _ comments: Comments) -> String? {
        guard isDeprecated == true else { return comments.documentation }
        guard let text = comments.documentation else { return "Deprecated." }
        return text.lowercased().contains("deprecated") ? text : "\(text)\n\nDeprecated."
    }
}
