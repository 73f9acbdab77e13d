// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A check of a request, as Swift code.
struct RuleCheck: Equatable {
    /// The condition that a valid request satisfies.
    let condition: String
    /// The opposite condition, which an invalid request satisfies.
    let violation: String
    /// The error message for an invalid request; it names the field.
    let message: String
    /// The field that the condition concerns; empty if it concerns several.
    let path: String

    /// The message as a Swift literal.
    var messageLiteral: String { SwiftNames.literal(message) }

    /// The part of the message after the field, as a Swift literal.
    var requirementLiteral: String {
        SwiftNames.literal(
            path.isEmpty ? message : String(decoding: message.utf8.dropFirst(path.utf8.count + 1), as: UTF8.self))
    }
}

/// A compiler of the `validation_rules` of a method to Swift.
///
/// ```swift
/// let (checks, diagnostics) = RuleCompiler().checks(for: plan.requirements)
/// for check in checks { print("if !(\(check.condition)) { errors.append(\(check.messageLiteral)) }") }
/// ```
///
/// An invalid rule is an error, so that no request is accepted because a rule was ignored.
struct RuleCompiler {
    /// Returns the name of the property of a field, as in the generated contracts.
    var property: (FieldDescriptor) -> String = { $0.reading }
    /// The name of the request within the conditions.
    var request = "request"
    /// Returns the name of a type of the runtime or of Swift, in the form for the generated file.
    var standard: (String) -> String = { $0 }

    /// Returns the checks of a method's request: first those of its rules, in order, then those of single fields.
    ///
    /// A rule with an error has a diagnostic instead of a check.
    func checks(for requirements: RequestRules) -> (checks: [RuleCheck], diagnostics: [Diagnostic]) {
        var (checks, diagnostics) = self.checks(for: requirements.rules, of: requirements.method)
        let (others, found) = self.checks(for: requirements.constraints)
        for check in others where !checks.contains(check) { checks.append(check) }
        return (checks, diagnostics + found)
    }

    /// Returns the checks of the fields of a message by their options.
    func checks(for constraints: [FieldConstraint]) -> (checks: [RuleCheck], diagnostics: [Diagnostic]) {
        var (checks, diagnostics): ([RuleCheck], [Diagnostic]) = ([], [])
        for constraint in constraints {
            do throws(RuleError) {
                for expression in try constraint.expressions {
                    checks.append(check(expression, within: constraint.owners))
                }
            } catch {
                diagnostics.append(
                    constraint.field.file.diagnostic(
                        "the options of '\(constraint.field.fullName)': \(error.message)",
                        at: constraint.place ?? constraint.field.namePosition, hint: error.hint))
            }
        }
        return (checks, diagnostics)
    }

    /// Returns the checks of a method's rules, in order, and the diagnostics for invalid rules.
    func checks(
        for rules: [RuleText], of method: MethodDescriptor
    ) -> (checks: [RuleCheck], diagnostics: [Diagnostic]) {
        guard let input = method.input else { return ([], []) }
        var checks: [RuleCheck] = []
        var diagnostics: [Diagnostic] = []
        for rule in rules {
            do throws(RuleError) {
                checks.append(check(try RuleParser.parse(rule.text, of: input)))
            } catch {
                var place = rule.place
                place?.column += Int32(error.offset) + 1
                diagnostics.append(
                    method.service.file.diagnostic(
                        "the rule '\(rule.text)' of '\(method.fullName)': \(error.message)",
                        at: place ?? method.namePosition, hint: error.hint))
            }
        }
        return (checks, diagnostics)
    }

    /// Returns the check of a condition, which applies if the last of `owners` is set.
    private func check(_ expression: RuleExpression, within owners: [FieldDescriptor] = []) -> RuleCheck {
        let expression = expression.pushingNegationInward()
        let swift = RulePrinter(property: property, request: request, standard: standard)
        let whole =
            owners.isEmpty ? expression : .any([.not(.has(RuleField(path: owners, offset: 0))), expression])
        let condition = swift.condition(whole)
        // The opposite comparison would be wrong, because NaN violates every comparison.
        let violation = if case .not(let inner) = whole { swift.condition(inner) } else { "!(\(condition))" }
        return RuleCheck(
            condition: condition, violation: violation, message: RuleDescription.text(expression),
            path: RuleDescription.subject(expression) ?? "")
    }
}
