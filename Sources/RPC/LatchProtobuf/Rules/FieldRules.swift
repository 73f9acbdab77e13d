// SPDX-License-Identifier: Apache-2.0

/// The rules of a field, or of the values in a list or a map.
struct FieldRules: Sendable {
    /// The condition under which the rules do not apply.
    enum Ignore: Sendable {
        /// The rules apply, except to an unset field with explicit presence.
        case unspecified
        /// The rules do not apply to a default value either.
        case ifZeroValue
        /// The rules never apply.
        case always
    }

    var isRequired = false
    var ignores = Ignore.unspecified
    /// The type prefix of the rules' names, such as `string`.
    var family = ""
    var tests: [RuleTest] = []
    var bounds = RuleBounds()
    /// The rules for list items, map keys and map values, under `items`, `keys` and `values`.
    var elements: [String: FieldRules] = [:]
}

/// The bounds of a value.
///
/// If the lower bound is above the upper bound, the values between them are excluded.
struct RuleBounds: Sendable {
    struct Bound: Sendable {
        let value: RuleValue
        let isInclusive: Bool
    }

    var upper: Bound?
    var lower: Bound?

    var isEmpty: Bool { upper == nil && lower == nil }

    /// Whether the values between the bounds are excluded.
    private var isExclusive: Bool {
        guard let lower, let upper else { return false }
        return (upper.value.order(lower.value) ?? 0) < 0
    }

    /// The name of the rule without its type prefix.
    var name: String {
        let names = [lower.map { $0.isInclusive ? "gte" : "gt" }, upper.map { $0.isInclusive ? "lte" : "lt" }]
        return (names + [isExclusive ? "exclusive" : nil]).compactMap { $0 }.joined(separator: "_")
    }

    func allows(_ value: RuleValue) -> Bool {
        let isBelow = upper.map { bound in value.order(bound.value).map { $0 < (bound.isInclusive ? 1 : 0) } ?? false }
        let isAbove = lower.map { bound in value.order(bound.value).map { $0 > (bound.isInclusive ? -1 : 0) } ?? false }
        return isExclusive ? isBelow == true || isAbove == true : isBelow != false && isAbove != false
    }

    var description: String {
        let low = lower.map { "greater than \($0.isInclusive ? "or equal to " : "")\($0.value)" }
        let high = upper.map { "less than \($0.isInclusive ? "or equal to " : "")\($0.value)" }
        return "must be " + [low, high].compactMap { $0 }.joined(separator: isExclusive ? " or " : " and ")
    }
}

extension FieldRules {
    /// Adds a rule by its name without the type prefix; returns false for an unknown rule.
    mutating func add(_ name: String, _ values: [RuleValue]) -> Bool {
        switch (name, values.first) {
        case ("lt", let value?), ("lte", let value?):
            bounds.upper = RuleBounds.Bound(value: value, isInclusive: name == "lte")
            return true
        case ("gt", let value?), ("gte", let value?):
            bounds.lower = RuleBounds.Bound(value: value, isInclusive: name == "gte")
            return true
        default:
            let added = tests(name, values)
            tests += added
            return !added.isEmpty
        }
    }

    private func tests(_ name: String, _ values: [RuleValue]) -> [RuleTest] {
        switch (family, name, values.first) {
        case ("field_mask", "const", _), ("field_mask", "in", _), ("field_mask", "not_in", _):
            return [.paths(name, values.compactMap(\.text))]
        case (_, "in", _), (_, "not_in", _): return [.among(values, isNegated: name == "not_in")]
        case (_, "const", let value?): return [.constant(value)]
        case ("float", "finite", _), ("double", "finite", _): return [.finite]
        case ("enum", "defined_only", _): return [.definedOnly]
        case ("repeated", "unique", _): return [.unique]
        case ("timestamp", "lt_now", _): return [.beforeNow]
        case ("timestamp", "gt_now", _): return [.afterNow]
        case ("timestamp", "within", let value?): return [.aroundNow(value)]
        case (_, _, .unsigned(let limit)?): return RuleTest.length(name, limit, of: family).map { [$0] } ?? []
        case ("string", _, nil): return RuleTest.form(name)
        case ("bytes", _, nil): return RuleTest.byteForm(name)
        case ("string", _, let value?), ("bytes", _, let value?):
            return RuleTest.content(name, value).map { [$0] } ?? []
        default: return []
        }
    }
}
