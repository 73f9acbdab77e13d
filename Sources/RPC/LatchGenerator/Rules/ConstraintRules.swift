// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProtoCompiler
import LatchRegex

extension FieldConstraint {
    /// The conditions that the field's options state; each condition is reported separately.
    ///
    /// They apply if the message that contains the field is set. An empty field that is not required satisfies all of
    /// them. A number without presence is an exception, because its zero is a value.
    var expressions: [RuleExpression] {
        get throws(RuleError) {
            let field = RuleField(path: owners + [field], offset: 0)
            var result = isRequired ? [try presence(of: field)] : []
            result += try lengths(of: field) + texts(of: field) + bounds(of: field)
            return result
        }
    }

    private func failure(_ message: String) -> RuleError { RuleError(message: message, offset: 0) }

    private func presence(of field: RuleField) throws(RuleError) -> RuleExpression {
        switch field.kind {
        case .text, .bytes, .list, .map: return .not(.isEmpty(field))
        case .bool where !self.field.hasPresence: return .isTrue(field)
        case .integer where !self.field.hasPresence, .decimal where !self.field.hasPresence:
            return .compare(.unequal, .field(field), .number("0"))
        case .enumeration where !self.field.hasPresence:
            let zero = self.field.enum?.values.first { $0.number == 0 }
            return .compare(.unequal, .field(field), .enumeration(0, name: zero?.name ?? "0"))
        default: return .has(field)
        }
    }

    /// Returns the condition, weakened if the field may be absent.
    private func optional(_ field: RuleField, _ condition: RuleExpression) -> RuleExpression {
        if isRequired { return condition }
        switch field.kind {
        case .text, .bytes: return .any([.isEmpty(field), condition])
        default: return self.field.hasPresence ? .any([.not(.has(field)), condition]) : condition
        }
    }

    private func lengths(of field: RuleField) throws(RuleError) -> [RuleExpression] {
        guard minLength != nil || maxLength != nil else { return [] }
        guard field.kind.hasLength else {
            throw failure("\(field.kind.description) has no length")
        }
        var result: [RuleExpression] = []
        if let minLength {
            let condition = RuleExpression.compare(.atLeast, .count(field), .number("\(minLength)"))
            result.append(self.field.hasPresence ? optional(field, condition) : condition)
        }
        if let maxLength { result.append(.compare(.atMost, .count(field), .number("\(maxLength)"))) }
        return result
    }

    private func texts(of field: RuleField) throws(RuleError) -> [RuleExpression] {
        guard pattern != nil || !formats.isEmpty else { return [] }
        guard field.kind == .text else { throw failure("\(field.kind.description) cannot match a pattern") }
        var result = formats.map { optional(field, .hasFormat(field, $0)) }
        if let pattern {
            do {
                _ = try Pattern(pattern)
            } catch {
                throw failure("the pattern '\(pattern)' is invalid: \(error)")
            }
            result.append(optional(field, .test(.matches, field, .text(pattern))))
        }
        return result
    }

    private func bounds(of field: RuleField) throws(RuleError) -> [RuleExpression] {
        guard minimum != nil || maximum != nil else { return [] }
        guard field.kind == .integer || field.kind == .decimal else {
            throw failure("\(field.kind.description) has no minimum and no maximum")
        }
        var result: [RuleExpression] = []
        for (bound, relation) in [(minimum, ComparisonOperator.atLeast), (maximum, .atMost)] {
            guard let bound else { continue }
            guard bound.isFinite else { throw failure("a bound must be finite") }
            result.append(optional(field, .compare(relation, .field(field), .number(Self.digits(bound)))))
        }
        return result
    }

    /// Returns a Swift literal, which has a decimal point unless the number is an `Int32`.
    private static func digits(_ value: Double) -> String {
        Int32(exactly: value).map(String.init) ?? value.description
    }
}
