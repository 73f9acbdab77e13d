// SPDX-License-Identifier: Apache-2.0

/// What is asked of one field, or of one value in a list or a map.
struct FieldRules: Sendable {
    /// When nothing is asked.
    enum Ignoring: Sendable {
        /// Where a field that knows it is not set.
        case nothing
        /// Also where the value is what a field holds that was not set.
        case zero
        case always
    }

    var isRequired = false
    var ignores = Ignoring.nothing
    /// The family that the rules are of, which is the first part of their names: `string`.
    var family = ""
    var tests: [RuleTest] = []
    var bounds = RuleBounds()
    /// Rules of a list's values, of a map's keys and of its values: one or none.
    var items: [FieldRules] = []
    var keys: [FieldRules] = []
    var values: [FieldRules] = []
}

/// One question about a value.
enum RuleTest: Sendable {
    case constant(RuleOperand)
    case among([RuleOperand], isNegated: Bool)
    case finite
    /// How long a text, bytes, a list or a map is.
    case length(RuleLength)
    case pattern(TextPattern, String)
    case prefix(RuleOperand)
    case suffix(RuleOperand)
    case contains(RuleOperand, isNegated: Bool)
    case form(TextForm)
    /// The lengths that bytes of a kind have.
    case byteCounts(rule: String, name: String, [Int])
    case definedOnly
    case unique
    /// Paths of a field mask.
    case paths(rule: String, [String])
    case beforeNow
    case afterNow
    case aroundNow(RuleOperand)
}

/// A length and how that of a value must relate to it.
struct RuleLength: Sendable {
    enum Unit: Sendable { case characters, bytes, items, pairs }
    enum Relation: Sendable { case exactly, atLeast, atMost }

    let unit: Unit
    let relation: Relation
    let count: UInt64
    let rule: String
}

/// The least and the greatest value, and whether they belong to the range.
///
/// Where the least is above the greatest, what lies between them is excluded.
struct RuleBounds: Sendable {
    var upper: RuleOperand?
    var includesUpper = false
    var lower: RuleOperand?
    var includesLower = false

    var isEmpty: Bool { upper == nil && lower == nil }

    /// The name of the rule without its family.
    var name: String {
        let low = includesLower ? "gte" : "gt"
        let high = includesUpper ? "lte" : "lt"
        guard let lower, let upper else { return lower == nil ? high : low }
        return "\(low)_\(high)\((upper.order(lower) ?? 0) < 0 ? "_exclusive" : "")"
    }

    func allows(_ value: RuleOperand) -> Bool {
        let isBelow = upper.map { upper in value.order(upper).map { includesUpper ? $0 <= 0 : $0 < 0 } ?? false }
        let isAbove = lower.map { lower in value.order(lower).map { includesLower ? $0 >= 0 : $0 > 0 } ?? false }
        switch (isBelow, isAbove) {
        case (let isBelow?, let isAbove?):
            guard let lower, let upper, (upper.order(lower) ?? 0) < 0 else { return isBelow && isAbove }
            return isBelow || isAbove
        case (let isBelow?, nil): return isBelow
        case (nil, let isAbove?): return isAbove
        case (nil, nil): return true
        }
    }

    var description: String {
        let low = lower.map { includesLower ? "greater than or equal to \($0)" : "greater than \($0)" }
        let high = upper.map { includesUpper ? "less than or equal to \($0)" : "less than \($0)" }
        guard let low, let high else { return "must be \(low ?? high ?? "")" }
        return "must be \(low) \(name.hasSuffix("_exclusive") ? "or" : "and") \(high)"
    }
}
