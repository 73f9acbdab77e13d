// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The context that all printers of contracts share: names, visibility and diagnostics.
struct ContractContext {
    let types: TypeTable
    let options: SwiftOptions
    let isSecret: (FieldDescriptor) -> Bool
    /// The access modifier of a declaration.
    let access: String
    /// The modifiers of a declaration that only forwards to the storage.
    let forwarding: String
    var diagnostics: [Diagnostic] = []
    /// A server's checks of the requests, by the methods' full names.
    let checks: [String: [RuleCheck]]
    /// The rules of messages (`buf.validate`).
    private var rules: StandardRules

    init(
        _ types: TypeTable, _ options: SwiftOptions, isSecret: @escaping (FieldDescriptor) -> Bool,
        checks: [String: [RuleCheck]] = [:]
    ) {
        self.types = types
        self.checks = checks
        self.options = options
        self.isSecret = isSecret
        rules = StandardRules(unenforced: options.unenforced)
        access = options.visibility.prefix
        forwarding = options.forwardingPrefix
    }

    /// Adds a diagnostic.
    mutating func fail(
        _ message: String, at place: SourcePosition?, in file: FileDescriptor, hint: String? = nil,
        as severity: Diagnostic.Severity = .error
    ) {
        diagnostics.append(file.diagnostic(message, at: place, hint: hint, as: severity))
    }

    /// Adds a warning if a name differs from the plain conversion of the original because that name was taken.
    mutating func warn(
        _ original: String, is name: String, not plain: String, at place: SourcePosition?, in file: FileDescriptor
    ) {
        guard name != plain else { return }
        fail(
            "'\(original)' is \(SwiftNames.bare(name)) in Swift, where something else is \(SwiftNames.bare(plain))",
            at: place, in: file, hint: "rename one of them; the binary format has no names", as: .warning)
    }

    /// Returns the lines of a message's rules; nil if neither it nor a nested message has rules.
    mutating func rules(of message: MessageDescriptor) -> [String]? {
        let count = rules.diagnostics.count
        defer { diagnostics += rules.diagnostics[count...] }
        return rules.lines(of: message)
    }

    func shape(_ message: MessageDescriptor, in scope: TypeScope) -> MessageShape {
        MessageShape(message, types, in: scope, isSecret: isSecret)
    }
}
