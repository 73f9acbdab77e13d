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
    /// The rules of list items, map keys and map values: one or none.
    var items: [FieldRules] = []
    var keys: [FieldRules] = []
    var values: [FieldRules] = []
}

/// A single rule about a value.
enum RuleTest: Sendable {
    case constant(RuleValue)
    case among([RuleValue], isNegated: Bool)
    case finite
    /// The length of a string, bytes, a list or a map.
    case length(RuleLength)
    case pattern(TextPattern, String)
    case prefix(RuleValue)
    case suffix(RuleValue)
    case contains(RuleValue, isNegated: Bool)
    case form(rule: String, StringFormat)
    /// The permitted byte counts of a binary format.
    case byteCounts(rule: String, name: String, [Int])
    case definedOnly
    case unique
    /// The paths of a field mask.
    case paths(rule: String, [String])
    case beforeNow
    case afterNow
    case aroundNow(RuleValue)
}

/// A length limit.
struct RuleLength: Sendable {
    enum Unit: String, Sendable { case characters, bytes, items, pairs = "entries" }
    enum Relation: String, Sendable { case exactly = "", atLeast = "at least ", atMost = "at most " }

    let unit: Unit
    let relation: Relation
    let limit: Int64
    let rule: String

    var requirement: String { "must be \(relation.rawValue)\(limit) \(unit.rawValue)" }

    func allows(_ count: Int) -> Bool {
        switch relation {
        case .exactly: count == limit
        case .atLeast: count >= limit
        case .atMost: count <= limit
        }
    }
}

/// The bounds of a value.
///
/// If the lower bound is above the upper one, the values between them are excluded.
struct RuleBounds: Sendable {
    var upper: RuleValue?
    var includesUpper = false
    var lower: RuleValue?
    var includesLower = false

    var isEmpty: Bool { upper == nil && lower == nil }

    /// The name of the rule without its type prefix.
    var name: String {
        let low = includesLower ? "gte" : "gt"
        let high = includesUpper ? "lte" : "lt"
        guard let lower, let upper else { return lower == nil ? high : low }
        return "\(low)_\(high)\((upper.order(lower) ?? 0) < 0 ? "_exclusive" : "")"
    }

    func allows(_ value: RuleValue) -> Bool {
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

extension FieldRules {
    /// Adds a rule by its name without the type prefix; returns false for an unknown one.
    mutating func add(_ name: String, _ values: [RuleValue]) throws(RuleParser.Unknown) -> Bool {
        if let value = values.first, addBound(name, value) { return true }
        if let test = test(name, values) {
            tests.append(test)
            return true
        }
        return false
    }

    private mutating func addBound(_ name: String, _ value: RuleValue) -> Bool {
        switch name {
        case "lt", "lte":
            bounds.upper = value
            bounds.includesUpper = name == "lte"
        case "gt", "gte":
            bounds.lower = value
            bounds.includesLower = name == "gte"
        default: return false
        }
        return true
    }

    private func test(_ name: String, _ values: [RuleValue]) -> RuleTest? {
        switch (family, name) {
        case ("field_mask", "const"), ("field_mask", "in"), ("field_mask", "not_in"):
            return .paths(rule: name, values.compactMap(\.text))
        case (_, "in"), (_, "not_in"): return .among(values, isNegated: name == "not_in")
        case (_, "const"): return values.first.map { .constant($0) }
        case ("float", "finite"), ("double", "finite"): return .finite
        case ("enum", "defined_only"): return .definedOnly
        case ("repeated", "unique"): return .unique
        case ("timestamp", "lt_now"): return .beforeNow
        case ("timestamp", "gt_now"): return .afterNow
        case ("timestamp", "within"): return values.first.map { .aroundNow($0) }
        case ("string", _):
            return length(name, values) ?? content(name, values) ?? form(name)
        case ("bytes", _): return length(name, values) ?? content(name, values) ?? Self.byteForm(name)
        default: return length(name, values)
        }
    }

    private func length(_ name: String, _ values: [RuleValue]) -> RuleTest? {
        guard case .unsigned(let count)? = values.first else { return nil }
        let parts = name.split(separator: "_")
        let relation: RuleLength.Relation = parts.first == "min" ? .atLeast : parts.first == "max" ? .atMost : .exactly
        let units: [Substring: RuleLength.Unit] = [
            "items": .items, "pairs": .pairs, "bytes": .bytes, "len": family == "string" ? .characters : .bytes,
        ]
        guard let unit = parts.last.flatMap({ units[$0] }) else { return nil }
        return .length(RuleLength(unit: unit, relation: relation, limit: Int64(clamping: count), rule: name))
    }

    private func form(_ name: String) -> RuleTest? {
        let rule = name.hasSuffix(".loose") ? String(name.dropLast(6)) : name
        return StringFormat.all[name].map { .form(rule: rule, $0) }
    }

    private func content(_ name: String, _ values: [RuleValue]) -> RuleTest? {
        guard let value = values.first else { return nil }
        switch name {
        case "prefix": return .prefix(value)
        case "suffix": return .suffix(value)
        case "contains": return .contains(value, isNegated: false)
        case "not_contains": return .contains(value, isNegated: true)
        case "pattern": return value.text.map { .pattern(TextPattern($0), $0) }
        default: return nil
        }
    }

    private static func byteForm(_ name: String) -> RuleTest? {
        switch name {
        case "ip": .byteCounts(rule: name, name: "IP address", [4, 16])
        case "ipv4": .byteCounts(rule: name, name: "IPv4 address", [4])
        case "ipv6": .byteCounts(rule: name, name: "IPv6 address", [16])
        case "uuid": .byteCounts(rule: name, name: "UUID", [16])
        default: nil
        }
    }
}

extension RuleValue {
    /// The text of a string value; nil for other values.
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}
