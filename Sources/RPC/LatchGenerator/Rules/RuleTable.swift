// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProto

/// Writes the rules of `buf.validate` (protovalidate) as the text that the runtime reads.
///
/// The options are read by the descriptors that the user's validate.proto gives, so that its version does not matter.
/// Rules in CEL are not checked, which is told as a warning.
struct RuleTable {
    /// What was found in the options.
    private(set) var diagnostics: [Diagnostic] = []
    /// Whether a message or one that it holds has rules, by its descriptor.
    private var reached: [ObjectIdentifier: Bool] = [:]

    /// The rules of a message, one line for each field that has some; nil where neither it nor a message inside has any.
    mutating func lines(of message: MessageDescriptor) -> [String]? {
        guard isRuled(message) else { return nil }
        var lines: [String] = []
        guard !Self.isDisabled(message) else { return lines }
        for field in message.fields {
            guard let (rules, type) = Self.rules("field", of: field.options, in: field.file) else { continue }
            var words = RuleWords(of: field, self.diagnose)
            words.add(rules, type, to: RuleWords.Value(field))
            diagnostics += words.diagnostics
            if !words.list.isEmpty { lines.append("\(field.name) \(words.list.joined(separator: " "))") }
        }
        for oneof in message.oneofs {
            guard let (rules, _) = Self.rules("oneof", of: oneof.options, in: message.file), rules.bool(1) == true,
                let first = message.fields.first(where: {
                    $0.isInRealOneof && message.oneofs[$0.oneofIndex ?? 0] === oneof
                })
            else { continue }
            lines.append("@oneof \(oneof.name) \(first.name)")
        }
        return lines + exclusions(of: message)
    }

    /// A diagnostic about a field.
    private func diagnose(_ message: String, _ field: FieldDescriptor, _ severity: Diagnostic.Severity) -> Diagnostic {
        field.file.diagnostic(
            "the rules of '\(field.fullName)': \(message)", at: field.namePlace, as: severity)
    }

    /// Fields of which one at most is set, and what is written in CEL for the message.
    private mutating func exclusions(of message: MessageDescriptor) -> [String] {
        guard let (rules, type) = Self.rules("message", of: message.options, in: message.file) else { return [] }
        if let count = RuleWords.expressionCount(in: rules, type) {
            diagnostics.append(
                message.file.diagnostic(
                    "'\(message.fullName)' has \(count) in CEL, which \(count == "a rule" ? "is" : "are") not checked",
                    at: message.namePlace, hint: "state it as a standard rule, or check it by hand", as: .warning))
        }
        guard let number = type.fields.first(where: { $0.name == "oneof" })?.number else { return [] }
        return rules.messages(number).map { one in
            let names = one.strings(1)
            for name in names where !message.fields.contains(where: { $0.name == name }) {
                diagnostics.append(
                    message.file.diagnostic(
                        "'\(message.fullName)' has no field '\(name)' that could exclude others",
                        at: message.namePlace))
            }
            return "@one \(names.joined(separator: ","))\(one.bool(2) == true ? " required" : "")"
        }
    }

    // MARK: Where rules are

    /// The value of one of the three options, and the message that declares it.
    private static func rules(
        _ name: String, of options: Options, in file: FileDescriptor
    ) -> (OptionMessage, MessageDescriptor)? {
        // 1159 is the number of all three (https://buf.build/bufbuild/protovalidate).
        guard let message = options.message.message(1159) else { return nil }
        for one in file.withDependencies {
            for field in one.extensions where field.number == 1159 && field.fullName == "buf.validate.\(name)" {
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

    /// Whether a message has rules, or a message that it holds has.
    mutating func isRuled(_ message: MessageDescriptor) -> Bool {
        if let known = reached[ObjectIdentifier(message)] { return known }
        // All that can be reached from here, each once: a ring of messages has no first one.
        var (seen, queue): (Set<ObjectIdentifier>, [MessageDescriptor]) = ([ObjectIdentifier(message)], [message])
        var found = false
        while let next = queue.popLast(), !found {
            found = reached[ObjectIdentifier(next)] ?? Self.hasOwnRules(next)
            for field in next.fields {
                guard let inner = field.message, inner.file.package != "google.protobuf",
                    seen.insert(ObjectIdentifier(inner)).inserted
                else { continue }
                queue.append(inner)
            }
        }
        if found { reached[ObjectIdentifier(message)] = true } else { for one in seen { reached[one] = false } }
        return found
    }

    private static func hasOwnRules(_ message: MessageDescriptor) -> Bool {
        message.options.message.has(1159) || message.oneofs.contains { $0.options.message.has(1159) }
            || message.fields.contains { $0.options.message.has(1159) }
    }
}
