// SPDX-License-Identifier: Apache-2.0

/// The error message for a request that does not satisfy a condition.
enum RuleDescription {
    /// The parts of the sentence about a field.
    private typealias Requirement = (subject: String, predicate: String)

    /// Returns the sentence for a condition; call `pushingNegationInward` on it first.
    static func text(_ expression: RuleExpression) -> String {
        switch expression {
        case .any(let parts): join(parts, by: "or")
        case .all(let parts): join(parts, by: "and")
        default: requirement(expression).map { "\($0.subject) must \($0.predicate)" } ?? ""
        }
    }

    /// Returns the field of a condition that concerns only one field.
    static func subject(_ expression: RuleExpression) -> String? {
        let parts =
            if case .any(let parts) = expression { parts } else if case .all(let parts) = expression { parts } else {
                [expression]
            }
        let subjects = Set(parts.map { requirement($0)?.subject ?? "" })
        return subjects.count == 1 ? subjects.first.flatMap { $0.isEmpty ? nil : $0 } : nil
    }

    /// Joins requirements; those of the same field share its name: `email must be empty or contain '@'`.
    private static func join(_ parts: [RuleExpression], by word: String) -> String {
        let requirements = parts.compactMap { requirement($0) }
        guard requirements.count == parts.count, let first = requirements.first else {
            return parts.map(text).joined(separator: ", \(word) ")
        }
        if requirements.allSatisfy({ $0.subject == first.subject }) {
            return "\(first.subject) must \(requirements.map(\.predicate).joined(separator: " \(word) "))"
        }
        return requirements.map { "\($0.subject) must \($0.predicate)" }.joined(separator: " \(word) ")
    }

    private static func requirement(_ expression: RuleExpression) -> Requirement? {
        guard case .not(let inner) = expression else { return requirement(expression, isNegated: false) }
        return requirement(inner, isNegated: true)
    }

    private static func requirement(_ expression: RuleExpression, isNegated: Bool) -> Requirement? {
        let not = isNegated ? "not " : ""
        return switch expression {
        case .isEmpty(let field): (field.name, not + "be empty")
        case .has(let field): (field.name, not + "be set")
        case .isTrue(let field): (field.name, isNegated ? "be false" : "be true")
        case .test(let test, let field, let argument): (field.name, "\(not)\(verb(test)) \(name(argument))")
        case .hasFormat(let field, let form): (field.name, "\(not)be a valid \(name(form))")
        case .isOneOf(let value, let values):
            (value.field?.name ?? "", "\(not)be one of \(values.map(name).joined(separator: ", "))")
        case .compare(let relation, let left, let right):
            (left.field?.name ?? "", predicate(relation, left, right))
        case .not, .all, .any: nil
        }
    }

    private static func name(_ form: FieldConstraint.Format) -> String {
        switch form {
        case .email: "email address"
        case .uuid: "UUID"
        case .url: "URL"
        }
    }

    private static func verb(_ test: RuleTest) -> String {
        switch test {
        case .contains: "contain"
        case .hasPrefix: "begin with"
        case .hasSuffix: "end with"
        case .matches: "match"
        }
    }

    private static func predicate(_ relation: ComparisonOperator, _ left: RuleValue, _ right: RuleValue) -> String {
        if case .count(let field) = left {
            let unit = field.kind == .text ? "character" : field.kind == .bytes ? "byte" : "item"
            if case .number(let digits) = right {
                return "\(amount(relation)) \(digits) \(unit)\(digits == "1" ? "" : "s")"
            }
            return "\(amount(relation)) as many \(unit)s as \(name(right))"
        }
        let isTime = left.field?.kind == .timestamp
        return switch relation {
        case .equal: right.field == nil ? "be \(name(right))" : "equal \(name(right))"
        case .unequal: right.field == nil ? "not be \(name(right))" : "differ from \(name(right))"
        case .less: "be \(isTime ? "before" : "less than") \(name(right))"
        case .atMost: "be \(isTime ? "no later than" : "at most") \(name(right))"
        case .more: "be \(isTime ? "after" : "more than") \(name(right))"
        case .atLeast: "be \(isTime ? "no earlier than" : "at least") \(name(right))"
        }
    }

    private static func amount(_ relation: ComparisonOperator) -> String {
        switch relation {
        case .equal: "have exactly"
        case .unequal: "not have"
        case .less: "have fewer than"
        case .atMost: "have at most"
        case .more: "have more than"
        case .atLeast: "have at least"
        }
    }

    private static func name(_ value: RuleValue) -> String {
        switch value {
        case .field(let field): field.name
        case .count(let field): field.name
        case .text(let text): "'\(text)'"
        case .number(let digits): digits
        case .bool(let value): "\(value)"
        case .enumeration(_, let name): name
        }
    }
}
