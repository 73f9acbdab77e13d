// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// One check of a request, as Swift.
struct RuleCheck: Equatable {
    /// What is true of a request that is right.
    let condition: String
    /// What is said of one that is not; it names the field.
    let message: String

    /// The message as it is written in a source.
    var messageLiteral: String { SwiftNames.literal(message) }
}

/// Turns the `validation_rules` of a method into Swift.
///
/// ```swift
/// let (checks, diagnostics) = RuleWriter().checks(for: plan)
/// for check in checks { "if !(\(check.condition)) { errors.append(\(check.messageLiteral)) }" }
/// ```
///
/// A rule that is not understood is an error of the generation: a request must never pass because a rule was not read.
struct RuleWriter {
    /// The name of the property for a field: the one that the contracts have.
    var property: (FieldDescriptor) -> String = { $0.reading }
    /// What the request is called where the conditions stand.
    var request = "request"
    /// How a type of the runtime or of Swift is named there.
    var standard: (String) -> String = { $0 }

    /// All checks of a method's request: those of its rules, in their order, then those of single fields.
    ///
    /// What is wrong is in the diagnostics: a rule that is an error has given no check.
    func checks(for plan: MethodPlan) -> (checks: [RuleCheck], diagnostics: [Diagnostic]) {
        var (checks, diagnostics) = self.checks(for: plan.rules, of: plan.method)
        let (others, found) = self.checks(for: plan.constraints)
        for check in others where !checks.contains(check) { checks.append(check) }
        return (checks, diagnostics + found)
    }

    /// The checks of single fields of a message by their options.
    func checks(for constraints: [FieldConstraint]) -> (checks: [RuleCheck], diagnostics: [Diagnostic]) {
        var (checks, diagnostics): ([RuleCheck], [Diagnostic]) = ([], [])
        for constraint in constraints {
            do throws(RuleFailure) {
                for expression in try constraint.expressions { checks.append(check(expression)) }
            } catch {
                diagnostics.append(
                    constraint.field.file.diagnostic(
                        "the options of '\(constraint.field.fullName)': \(error.message)",
                        at: constraint.place ?? constraint.field.namePlace, hint: error.hint))
            }
        }
        return (checks, diagnostics)
    }

    /// The checks of a method's request by its rules, in their order, and what is wrong with rules that gave none.
    func checks(
        for rules: [RuleText], of method: MethodDescriptor
    ) -> (checks: [RuleCheck], diagnostics: [Diagnostic]) {
        guard let input = method.input else { return ([], []) }
        var checks: [RuleCheck] = []
        var diagnostics: [Diagnostic] = []
        for rule in rules {
            do throws(RuleFailure) {
                checks.append(check(try RuleParser.parse(rule.text, of: input)))
            } catch {
                var place = rule.place
                place?.column += Int32(error.offset) + 1
                diagnostics.append(
                    method.service.file.diagnostic(
                        "the rule '\(rule.text)' of '\(method.fullName)': \(error.message)",
                        at: place ?? method.namePlace, hint: error.hint))
            }
        }
        return (checks, diagnostics)
    }

    private func check(_ expression: RuleExpression) -> RuleCheck {
        let expression = expression.spread()
        let swift = RuleSwift(property: property, request: request, standard: standard)
        return RuleCheck(condition: swift.condition(expression), message: RuleMessage.text(expression))
    }
}
