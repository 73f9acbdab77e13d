// SPDX-License-Identifier: Apache-2.0

/// The rules for files for which code is generated; files that are only imported may violate them.
struct GeneratedFileValidator: FileStage {
    let file: FileDescriptor
    let pool: DescriptorPool

    func check() {
        if file.isUnstable {
            fail("the edition is unstable; use 2023, 2024 or 2026", at: file.syntaxPosition)
        }
        for message in file.allMessages { (message.fields + message.extensions).forEach(check) }
        file.extensions.forEach(check)
        OptionValidator(file: file, pool: pool).checkTargets()
        for dependency in file.imports where dependency.kind == .option { checkOptionImport(dependency) }
    }

    /// Reports numbers that are reserved for implementations.
    ///
    /// Protocol Buffers language specification, "Assigning field numbers".
    private func check(_ field: FieldDescriptor) {
        guard FieldNumbers.reservedForImplementations.contains(field.number) else { return }
        fail(
            "the numbers from 19000 to 19999 are reserved for implementations of Protocol Buffers",
            at: field.positions.number)
    }

    /// Reports an option import of a file whose options mark redacted values.
    ///
    /// Redaction happens at run time, but a file imported only for its options is missing then.
    private func checkOptionImport(_ dependency: Import) {
        guard let other = pool.file(named: dependency.path) else { return }
        var seen: Set<ObjectIdentifier> = []
        let extensions = other.extensions + other.allMessages.flatMap(\.extensions)
        guard let field = extensions.first(where: { $0.hasRedaction(&seen) }) else { return }
        fail(
            "'\(field.fullName)' in \(other.name) has values that are redacted at run time (debug_redact)",
            at: dependency.position, hint: "Write: import \"\(other.name)\";")
    }
}

extension FieldNumbers {
    /// The numbers that implementations reserve for themselves.
    static let reservedForImplementations: ClosedRange<Int32> = 19_000...19_999
}

extension FieldDescriptor {
    /// Whether the message contains a redacted enum value, at any depth (`EnumValueOptions.debug_redact`).
    fileprivate func hasRedaction(_ seen: inout Set<ObjectIdentifier>) -> Bool {
        var fields = [self]
        while let field = fields.popLast() {
            let values = field.enum?.values ?? []
            if values.contains(where: { $0.options.message.bool(EnumValueOptions.debugRedact) == true }) { return true }
            guard let message = field.message, seen.insert(ObjectIdentifier(message)).inserted else { continue }
            fields += message.fields
        }
        return false
    }
}
