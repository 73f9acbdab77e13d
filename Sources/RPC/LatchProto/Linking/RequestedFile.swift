// SPDX-License-Identifier: Apache-2.0

/// The rules for files that something is made of, which files that are only imported may break.
struct RequestedFile {
    private let file: FileDescriptor
    private let pool: FilePool

    init(_ file: FileDescriptor, in pool: FilePool) {
        self.file = file
        self.pool = pool
    }

    func check() {
        if file.isExperimental {
            fail("the edition is an experiment; 2023, 2024 and 2026 are not", at: file.syntaxPlace)
        }
        for message in file.messages { check(message) }
        file.extensions.forEach(check)
        OptionRules(file, in: pool).checkTargets()
        for dependency in file.imports where dependency.kind == .option { checkOptionImport(dependency) }
    }

    private func check(_ message: MessageDescriptor) {
        message.fields.forEach(check)
        message.extensions.forEach(check)
        for inner in message.messages { check(inner) }
    }

    /// Some numbers are for the implementations (Protocol Buffers language specification, "Assigning field numbers").
    private func check(_ field: FieldDescriptor) {
        guard FieldNumbers.forImplementations.contains(field.number) else { return }
        fail(
            "the numbers from 19000 to 19999 are for implementations of Protocol Buffers", at: field.places.number)
    }

    /// An option that marks what is kept out of logs must be there when a program runs: an import that is for the options
    /// alone would leave it out.
    private func checkOptionImport(_ dependency: Import) {
        guard let other = pool.file(named: dependency.path) else { return }
        var seen: Set<ObjectIdentifier> = []
        guard let field = other.allExtensions.first(where: { $0.hasRedaction(&seen) }) else { return }
        fail(
            "'\(field.fullName)' in \(other.name) has values that are kept out of logs (debug_redact)",
            at: dependency.place, hint: "Write: import \"\(other.name)\";")
    }

    private func fail(_ message: String, at place: Place?, hint: String? = nil) {
        pool.diagnostics.add(message, at: place, in: file.source, hint: hint)
    }
}

extension FieldNumbers {
    /// What implementations use for themselves.
    static let forImplementations: ClosedRange<Int32> = 19_000...19_999
}

extension FileDescriptor {
    /// All extensions in it, at any depth.
    fileprivate var allExtensions: [FieldDescriptor] {
        func all(_ message: MessageDescriptor) -> [FieldDescriptor] {
            message.extensions + message.messages.flatMap(all)
        }
        return extensions + messages.flatMap(all)
    }
}

extension FieldDescriptor {
    /// Whether one of its values, at any depth, is kept out of logs (`EnumValueOptions.debug_redact`).
    fileprivate func hasRedaction(_ seen: inout Set<ObjectIdentifier>) -> Bool {
        if let values = `enum`?.values, values.contains(where: { $0.options.message.bool(3) == true }) { return true }
        guard let message, seen.insert(ObjectIdentifier(message)).inserted else { return false }
        return message.fields.contains { $0.hasRedaction(&seen) }
    }
}
