// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The rules of a file that would not be enforced, because the generator cannot read them or no check reaches them.
///
/// protoc does not pass on the files of `import option` (edition 2024), so options can arrive without their
/// declarations.
struct LostRules {
    /// The severity of a rule that is not enforced.
    let unenforced: Diagnostic.Severity
    private(set) var diagnostics: [Diagnostic] = []
    private let file: FileDescriptor
    /// The options that the file can set: the name of the extended message, and the number.
    private lazy var declared = Set(
        options.filter { $0.number != Self.standardNumber || Self.isStandard($0) }.map(Self.key))
    /// The options with a name of buf.validate but another number, which no check reads.
    private lazy var impostors = options.filter { $0.number != Self.standardNumber && Self.looksStandard($0) }
    private lazy var options = file.withDependencies.flatMap(Self.extensions).filter(ExtensionPrinter.isOption)

    /// Reads the rules of a file.
    init(of file: FileDescriptor, unenforced: Diagnostic.Severity) {
        self.unenforced = unenforced
        self.file = file
        var messages: [MessageDescriptor] = []
        file.eachMessage { messages.append($0) }
        for message in messages {
            check(message, "MessageOptions")
            message.fields.forEach { check($0, "FieldOptions") }
            message.oneofs.forEach { check($0, "OneofOptions") }
        }
        Self.extensions(of: file).forEach { checkExtension($0) }
        for method in file.services.flatMap(\.methods) { check(method, "MethodOptions") }
    }

    /// The numbers of the options that contain rules, by options message.
    ///
    /// Number 1159 is buf.validate in the global registry of extensions; the others are those of `OptionFiles`.
    private static let numbers: [String: [Int32]] = [
        "MessageOptions": [standardNumber], "OneofOptions": [standardNumber],
        "FieldOptions": [standardNumber, 50003, 50013, 50020],
        "MethodOptions": [50002, 50012],
    ]

    /// Returns all extensions that a file declares, including those in messages.
    private static func extensions(of file: FileDescriptor) -> [FieldDescriptor] {
        var result = file.extensions
        file.eachMessage { result += $0.extensions }
        return result
    }

    private static func key(_ type: String, _ number: Int32) -> String { "\(type) \(number)" }

    private static func key(_ option: FieldDescriptor) -> String { key(option.extendee?.name ?? "", option.number) }

    /// The number of the three options of buf.validate.
    private static let standardNumber: Int32 = 1159
    private static let standardNames = ["message", "field", "oneof"].map { "buf.validate.\($0)" }

    private static func isStandard(_ option: FieldDescriptor) -> Bool { standardNames.contains(option.fullName) }

    /// Whether an option has such a name, even inside another package, whose scope is searched first.
    private static func looksStandard(_ option: FieldDescriptor) -> Bool {
        standardNames.contains { option.fullName == $0 || option.fullName.hasSuffix(".\($0)") }
    }

    /// Reports options that no file declares, or whose declaration lacks the fields that they set.
    private mutating func check(_ declaration: Declaration, _ type: String) {
        let options = declaration.options.message
        for option in impostors where option.extendee?.name == type && options.has(option.number) {
            fail(
                "'\(declaration.fullName)' sets '\(option.fullName)', which has the number \(option.number) and not "
                    + "\(Self.standardNumber): its rules are not checked", declaration)
        }
        for number in Self.numbers[type] ?? [] {
            let isUnknown = options.undeclared.contains(number)
            if isUnknown || options.has(number) && !declared.contains(Self.key(type, number)) {
                fail(
                    "'\(declaration.fullName)' sets the option \(number) of \(type), and no imported file declares it: "
                        + "its rules are not checked", declaration)
            } else if options.hasUndeclared(in: number) {
                fail(
                    "'\(declaration.fullName)' sets fields of the option \(number) of \(type) that its declaration does "
                        + "not have: these rules are not checked", declaration)
            }
        }
    }

    /// Reports the rules of an extension field, which no message's list of fields contains.
    private mutating func checkExtension(_ field: FieldDescriptor) {
        guard !ExtensionPrinter.isOption(field) else { return }
        let options = field.options.message
        let isRuled = Self.numbers["FieldOptions", default: []].contains {
            options.undeclared.contains($0) || options.has($0)
        }
        guard isRuled else { return }
        fail("the rules of the extension '\(field.fullName)' are not checked", field, hint: StandardRuleEncoder.hint)
    }

    private mutating func fail(_ message: String, _ declaration: Declaration, hint: String? = nil) {
        let hint =
            hint
            ?? "Import the file of the option with `import` instead of `import option`, or leave the rules out with "
            + "--allow-unenforced-rules."
        diagnostics.append(
            declaration.file.diagnostic(message, at: declaration.namePosition, hint: hint, as: unenforced))
    }
}
