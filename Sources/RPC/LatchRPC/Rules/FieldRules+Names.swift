// SPDX-License-Identifier: Apache-2.0

extension FieldRules {
    /// Adds a rule by its name within its family; false for one that is not known.
    mutating func add(_ name: String, _ values: [RuleOperand]) throws(RuleReader.Unknown) -> Bool {
        if let value = values.first, addBound(name, value) { return true }
        if let test = test(name, values) {
            tests.append(test)
            return true
        }
        return false
    }

    private mutating func addBound(_ name: String, _ value: RuleOperand) -> Bool {
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

    private func test(_ name: String, _ values: [RuleOperand]) -> RuleTest? {
        switch (family, name) {
        case ("any", "in"), ("any", "not_in"): return .among(values, isNegated: name == "not_in")
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
            return length(name, values) ?? content(name, values) ?? TextForm(rawValue: name).map { .form($0) }
        case ("bytes", _): return length(name, values) ?? content(name, values) ?? Self.byteForm(name)
        default: return length(name, values)
        }
    }

    private func length(_ name: String, _ values: [RuleOperand]) -> RuleTest? {
        guard case .unsigned(let count)? = values.first else { return nil }
        let parts = name.split(separator: "_")
        let relation: RuleLength.Relation = parts.first == "min" ? .atLeast : parts.first == "max" ? .atMost : .exactly
        let unit: RuleLength.Unit
        switch parts.last {
        case "items": unit = .items
        case "pairs": unit = .pairs
        case "bytes": unit = .bytes
        case "len": unit = family == "string" ? .characters : .bytes
        default: return nil
        }
        return .length(RuleLength(unit: unit, relation: relation, count: count, rule: name))
    }

    private func content(_ name: String, _ values: [RuleOperand]) -> RuleTest? {
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

extension RuleOperand {
    /// The text that it is; nil for anything else.
    var text: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}
