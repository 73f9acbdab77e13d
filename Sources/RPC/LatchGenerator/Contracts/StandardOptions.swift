// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

extension FileDescriptor {
    /// The option `swift_prefix`: the prefix of the names of the file's types.
    var swiftPrefix: String? { options.message.string(FileOptions.swiftPrefix) }
}

extension FieldDescriptor {
    /// The option `debug_redact`; nil if it is not set.
    var debugRedact: Bool? { options.message.bool(FieldOptions.debugRedact) }
}

extension MethodDescriptor {
    /// The option `idempotency_level`.
    var idempotencyLevel: IdempotencyLevel {
        options.message.integer(MethodOptions.idempotencyLevel).flatMap(IdempotencyLevel.init) ?? .unknown
    }
}

/// The values of `MethodOptions.IdempotencyLevel`.
enum IdempotencyLevel: Int64 {
    case unknown, noSideEffects, idempotent
}

/// A declaration with comments, which the option `deprecated` can mark.
protocol DeprecatableDeclaration {
    /// The field number of the option `deprecated`.
    static var deprecatedOption: Int32 { get }
    var options: Options { get }
    var comments: Comments { get }
}

extension MessageDescriptor: DeprecatableDeclaration { static let deprecatedOption = MessageOptions.deprecated }
extension FieldDescriptor: DeprecatableDeclaration { static let deprecatedOption = FieldOptions.deprecated }
extension EnumDescriptor: DeprecatableDeclaration { static let deprecatedOption = EnumOptions.deprecated }
extension EnumValueDescriptor: DeprecatableDeclaration { static let deprecatedOption = EnumValueOptions.deprecated }
extension MethodDescriptor: DeprecatableDeclaration { static let deprecatedOption = MethodOptions.deprecated }

extension DeprecatableDeclaration {
    /// The option `deprecated`.
    var isDeprecated: Bool { options.message.bool(Self.deprecatedOption) == true }

    /// The attribute of a deprecated declaration; nil for any other.
    ///
    /// The text after "Deprecated:" in the comment becomes the attribute's message.
    var deprecationAttribute: String? {
        guard isDeprecated else { return nil }
        let lines = comments.documentation?.split(separator: "\n", omittingEmptySubsequences: false) ?? []
        guard let start = lines.firstIndex(where: { $0.lowercased().hasPrefix("deprecated:") }) else {
            return "@available(*, deprecated)"
        }
        let paragraph = lines[start...].prefix { !$0.isEmpty }.joined(separator: " ")
        let text = paragraph.dropFirst("deprecated:".count).drop { $0 == " " }
        return "@available(*, deprecated, message: \(SwiftNames.literal(String(text))))"
    }

    /// The documentation of a declaration that cannot have the attribute.
    ///
    /// Generated code itself refers to the declaration, so the compiler would warn.
    var documentationWithDeprecation: String? {
        guard isDeprecated else { return comments.documentation }
        guard let text = comments.documentation else { return "Deprecated." }
        return text.lowercased().contains("deprecated") ? text : "\(text)\n\nDeprecated."
    }
}
