// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProtoCompiler

/// The rules of `buf.validate` (protovalidate), encoded for the runtime.
///
/// Options are read with the declarations of the user's validate.proto, so its version does not matter. Rules in CEL
/// and rules that this version does not know are not checked. They are errors, or warnings on request.
struct StandardRules {
    /// The severity of a rule that is not enforced.
    let unenforced: Diagnostic.Severity
    /// The diagnostics for all options read so far.
    private(set) var diagnostics: [Diagnostic] = []
    /// Whether a message or one of its nested messages has rules.
    private var reached = Reachability()

    init(unenforced: Diagnostic.Severity = .error) { self.unenforced = unenforced }

    /// Returns the rules of a message, one line for each field with rules.
    ///
    /// Returns nil if neither the message nor a nested message has rules.
    mutating func lines(of message: MessageDescriptor) -> [String]? {
        guard hasRules(message) else { return nil }
        var lines: [String] = []
        guard !Self.isDisabled(message) else { return lines }
        for field in message.fields {
            guard let (rules, type) = Self.rules("field", of: field.options, in: field.file) else { continue }
            var words = StandardRuleEncoder(of: field, unenforced: unenforced)
            words.add(rules, type, to: StandardRuleEncoder.Value(field: field))
            diagnostics += words.diagnostics
            if !words.list.isEmpty { lines.append("\(field.name) \(words.list.joined(separator: " "))") }
        }
        for oneof in message.oneofs {
            guard let (rules, _) = Self.rules("oneof", of: oneof.options, in: message.file),
                rules.bool(ValidateField.oneofRequired) == true,
                let first = message.fields.first(where: {
                    $0.isInRealOneof && message.oneofs[$0.oneofIndex ?? 0] === oneof
                })
            else { continue }
            lines.append("@oneof \(oneof.name) \(first.name)")
        }
        return lines + exclusions(of: message)
    }

    /// Returns the rules of the message itself, and reports its CEL expressions.
    private mutating func exclusions(of message: MessageDescriptor) -> [String] {
        guard let (rules, type) = Self.rules("message", of: message.options, in: message.file) else { return [] }
        if let expressions = StandardRuleEncoder.expressions(in: rules, type) {
            diagnostics.append(
                message.file.diagnostic(
                    "'\(message.fullName)' has \(expressions)", at: message.namePosition,
                    hint: StandardRuleEncoder.hint, as: unenforced))
        }
        guard let number = type.fields.first(where: { $0.name == "oneof" })?.number else { return [] }
        return rules.messages(number).map { one in
            let names = one.strings(ValidateField.exclusive)
            for name in names where !message.fields.contains(where: { $0.name == name }) {
                diagnostics.append(
                    message.file.diagnostic(
                        "'\(message.fullName)' has no field '\(name)' that could exclude others",
                        at: message.namePosition))
            }
            return
                "@one \(names.joined(separator: ","))\(one.bool(ValidateField.exclusiveRequired) == true ? " required" : "")"
        }
    }

    // MARK: Options

    /// Returns the value of one of the three options, and the message that declares it.
    private static func rules(
        _ name: String, of options: Options, in file: FileDescriptor
    ) -> (OptionMessage, MessageDescriptor)? {
        guard let message = options.message.message(ValidateField.option) else { return nil }
        for one in file.withDependencies {
            for field in one.extensions
            where field.number == ValidateField.option && field.fullName == "buf.validate.\(name)" {
                return field.message.map { (message, $0) }
            }
        }
        return nil
    }

    private static func isDisabled(_ message: MessageDescriptor) -> Bool {
        guard let (rules, type) = rules("message", of: message.options, in: message.file) else { return false }
        let disabled = type.fields.first { $0.name == "disabled" }
        return disabled.flatMap { rules.bool($0.number) } ?? false
    }

    /// Whether a message or one of its nested messages has rules.
    mutating func hasRules(_ message: MessageDescriptor) -> Bool {
        reached.reaches(message) { message in
            message.fields.compactMap(\.message).filter { $0.file.package != "google.protobuf" }
        } hasIt: {
            Self.hasOwnRules($0)
        }
    }

    private static func hasOwnRules(_ message: MessageDescriptor) -> Bool {
        message.options.message.has(ValidateField.option)
            || message.oneofs.contains { $0.options.message.has(ValidateField.option) }
            || message.fields.contains { $0.options.message.has(ValidateField.option) }
    }
}

/// The field numbers in `buf/validate/validate.proto` (https://buf.build/bufbuild/protovalidate).
private enum ValidateField {
    /// The options `field`, `oneof` and `message`.
    static let option: Int32 = 1159
    /// The field of `OneofRules`.
    static let oneofRequired: Int32 = 1
    /// The fields of `MessageOneofRule`.
    static let exclusive: Int32 = 1
    static let exclusiveRequired: Int32 = 2
}
