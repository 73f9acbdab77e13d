// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

// The options that descriptor.proto declares, by their field numbers there.

extension FileDescriptor {
    /// The option `swift_prefix`: the prefix of the names of the file's types.
    var swiftPrefix: String? { options.message.string(FileOptions.swiftPrefix) }
}

extension MessageDescriptor {
    /// The option `deprecated`.
    var isDeprecated: Bool { options.message.bool(FieldOptions.deprecated) == true }

    /// The option `message_set_wire_format`.
    var usesMessageSetWireFormat: Bool { options.message.bool(1) == true }
}

extension FieldDescriptor {
    /// The option `deprecated`.
    var isDeprecated: Bool { options.message.bool(FieldOptions.deprecated) == true }

    /// The option `debug_redact`; nil where it is not set.
    var debugRedact: Bool? { options.message.bool(16) }
}

extension EnumDescriptor {
    /// The option `deprecated`.
    var isDeprecated: Bool { options.message.bool(FieldOptions.deprecated) == true }
}

extension EnumValueDescriptor {
    /// The option `deprecated`.
    var isDeprecated: Bool { options.message.bool(1) == true }
}

/// The values of `MethodOptions.IdempotencyLevel`.
enum IdempotencyLevel: Int64 {
    case unknown, noSideEffects, idempotent
}

extension MethodDescriptor {
    /// The option `deprecated`.
    var isDeprecated: Bool { options.message.bool(33) == true }

    /// The option `idempotency_level`.
    var idempotencyLevel: IdempotencyLevel {
        options.message.integer(MethodOptions.idempotencyLevel).flatMap(IdempotencyLevel.init) ?? .unknown
    }
}

/// The attribute and the documentation of deprecated declarations.
enum Deprecation {
    /// Returns the attribute of a deprecated declaration; nil for any other.
    ///
    /// The text after "Deprecated:" in the comment becomes the attribute's message.
    static func attribute(_ isDeprecated: Bool, _ comments: Comments) -> String? {
        guard isDeprecated else { return nil }
        let lines = comments.documentation?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        guard let start = lines.firstIndex(where: { $0.lowercased().hasPrefix("deprecated:") }) else {
            return "@available(*, deprecated)"
        }
        let paragraph = lines[start...].prefix { !$0.isEmpty }.joined(separator: " ")
        let text = paragraph.dropFirst("deprecated:".count).drop { $0 == " " }
        return "@available(*, deprecated, message: \(SwiftNames.literal(String(text))))"
    }

    /// Returns the comment of a declaration that cannot have the attribute, since the generated code itself refers to it
    /// and the compiler would warn.
    static func documentation(_ isDeprecated: Bool, _ comments: Comments) -> String? {
        guard isDeprecated else { return comments.documentation }
        guard let text = comments.documentation else { return "Deprecated." }
        return text.lowercased().contains("deprecated") ? text : "\(text)\n\nDeprecated."
    }
}
