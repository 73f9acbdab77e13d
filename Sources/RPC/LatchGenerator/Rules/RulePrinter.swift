// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A printer of conditions as Swift code.
///
/// As everywhere in protobuf, a field that is not set has its default value: an absent string is empty.
struct RulePrinter {
    /// Returns the name of a field's property.
    let property: (FieldDescriptor) -> String
    /// The name of the request within the condition.
    let request: String
    /// Returns the name of a type of the runtime or of Swift, in the form for the generated file.
    let standard: (String) -> String

    /// Returns the Swift code of a condition; call `pushingNegationInward` on it first.
    func condition(_ expression: RuleExpression) -> String { text(expression, isPart: false) }

    private func text(_ expression: RuleExpression, isPart: Bool) -> String {
        switch expression {
        case .all(let parts): return join(parts, "&&", isPart: isPart)
        case .any(let parts): return join(parts, "||", isPart: isPart)
        case .not(let inner): return "!" + text(inner, isPart: true)
        case .isEmpty(let field): return read(field, "isEmpty", otherwise: "true")
        case .has(let field): return presence(field)
        case .isTrue(let field): return value(.field(field))
        case .test(let test, let field, let argument): return self.test(test, field, argument)
        case .hasFormat(let field, let form):
            return "\(standard("TextForms")).\(Self.function(form))(\(value(.field(field))))"
        case .isOneOf(let value, let values):
            return "[\(values.map(self.value).joined(separator: ", "))].contains(\(self.value(value)))"
        case .compare(let relation, let left, let right): return compare(relation, left, right, isPart: isPart)
        }
    }

    private func join(_ parts: [RuleExpression], _ symbol: String, isPart: Bool) -> String {
        let text = parts.map { self.text($0, isPart: true) }.joined(separator: " \(symbol) ")
        return isPart ? "(\(text))" : text
    }

    // MARK: Fields

    /// The code that reads a field.
    private struct Reading {
        var text: String
        /// Whether the value can be nil because the field, or a message on its path, is not set.
        var isOptional = false
        /// Whether the field itself can be nil, so that `?.` must precede its members.
        var endsOptional = false
    }

    private func read(_ path: some Sequence<FieldDescriptor>) -> Reading {
        var reading = Reading(text: request)
        for step in path {
            reading.text += (reading.endsOptional ? "?." : ".") + property(step)
            reading.endsOptional = step.isOptionalInSwift
            reading.isOptional = reading.isOptional || reading.endsOptional
        }
        return reading
    }

    private func read(_ field: RuleField, _ property: String, otherwise: String) -> String {
        let reading = read(field.path)
        let text = reading.text + (reading.endsOptional ? "?." : ".") + property
        return reading.isOptional ? "(\(text) ?? \(otherwise))" : text
    }

    private func presence(_ field: RuleField) -> String {
        guard let last = field.path.last else { return "true" }
        if last.isOptionalInSwift { return "(\(read(field.path).text) != nil)" }
        let owner = read(field.path.dropLast())
        let question: String
        if last.isInRealOneof || last.isDeprecated, let slot = last.slotInParent {
            question = "storage.has(\(slot))"
        } else {
            question = "has\(SwiftNames.capitalized(property(last)))"
        }
        let text = owner.text + (owner.endsOptional ? "?." : ".") + question
        return owner.isOptional ? "(\(text) ?? false)" : text
    }

    // MARK: Tests and comparisons

    private func test(_ test: RuleTest, _ field: RuleField, _ argument: RuleValue) -> String {
        if test == .matches, case .text(let pattern) = argument {
            return "\(standard("TextPattern"))(\(SwiftNames.literal(pattern))).matches(\(value(.field(field))))"
        }
        if case .enumeration(let number, _) = argument {
            return read(field, "contains { $0.rawValue == \(number) }", otherwise: "false")
        }
        guard field.kind == .text else {
            return read(field, "\(test.rawValue)(\(value(argument)))", otherwise: "false")
        }
        // Bytes are compared: a combining mark after `<` would make it another Character.
        let bytes = "\(value(argument)).utf8"
        let call =
            switch test {
            case .contains, .matches: "contains(\(bytes))"
            case .hasPrefix: "starts(with: \(bytes))"
            case .hasSuffix: "reversed().starts(with: \(bytes).reversed())"
            }
        return read(field, "utf8.\(call)", otherwise: "false")
    }

    /// Returns the name of the runtime's function that checks a format.
    private static func function(_ form: FieldConstraint.Format) -> String {
        switch form {
        case .email: "isEmail"
        case .uuid: "isUUID"
        case .url: "isURI"
        }
    }

    private func compare(_ relation: ComparisonOperator, _ left: RuleValue, _ right: RuleValue, isPart: Bool) -> String
    {
        let isDecimal = left.isDecimal || right.isDecimal
        let text = "\(number(left, isDecimal)) \(relation.rawValue) \(number(right, isDecimal))"
        if let one = left.field, let other = right.field, [.timestamp, .duration].contains(one.kind) {
            // The condition holds if one of the two times is not set.
            return "(!\(presence(one)) || !\(presence(other)) || \(text))"
        }
        return isPart ? "(\(text))" : text
    }

    /// Returns the code of an operand; numbers of different types are compared as `Double`.
    private func number(_ value: RuleValue, _ isDecimal: Bool) -> String {
        guard isDecimal, let field = value.field else { return self.value(value) }
        return field.path.last?.type == .double ? self.value(value) : "\(standard("Double"))(\(self.value(value)))"
    }

    private func value(_ value: RuleValue) -> String {
        switch value {
        case .text(let text): return SwiftNames.literal(text)
        case .number(let digits): return digits
        case .bool(let value): return "\(value)"
        case .enumeration(let number, _): return "\(number)"
        case .count(let field):
            // NIST SP 800-63B §3.1.1.2: each Unicode code point counts as one character.
            return read(field, field.kind == .text ? "unicodeScalars.count" : "count", otherwise: "0")
        case .field(let field):
            if field.kind == .enumeration { return read(field, "rawValue", otherwise: "0") }
            let reading = read(field.path)
            guard reading.isOptional else { return reading.text }
            return switch field.kind {
            case .text: "(\(reading.text) ?? \"\")"
            case .integer, .decimal: "(\(reading.text) ?? 0)"
            case .bool: "(\(reading.text) ?? false)"
            case .timestamp: "(\(reading.text) ?? .distantPast)"
            case .duration: "(\(reading.text) ?? .zero)"
            default: reading.text
            }
        }
    }
}

extension RuleValue {
    /// Whether the value can have a fractional part.
    fileprivate var isDecimal: Bool {
        switch self {
        case .number(let digits): digits.contains(".")
        case .field(let field): field.kind == .decimal
        default: false
        }
    }
}

extension FieldDescriptor {
    /// Whether the field is a member of a oneof that is not synthetic.
    var isInRealOneof: Bool { oneofIndex != nil && !isProto3Optional }

    /// Whether the field's property can be nil.
    fileprivate var isOptionalInSwift: Bool { FieldShape.presence(of: self) == .optional }
}
