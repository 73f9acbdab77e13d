// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension RuleCheck {
    /// One value: of a field, in a list or in a map.
    ///
    /// - Parameter field: The field that it is of; nil for a map's key.
    mutating func value(
        _ content: FieldContent, by rules: FieldRules, _ field: RulePlan.Field?, at path: RulePath
    ) {
        guard case .message(let storage) = content else {
            guard let operand = RuleOperand(content) else { return }
            if rules.ignores == .zero, operand.isZero { return }
            return tests(operand, by: rules, field, at: path)
        }
        if let inner = field?.inner { message(storage, by: inner.plan, at: path) }
        guard !rules.tests.isEmpty || !rules.bounds.isEmpty else { return }
        switch rules.family {
        case "timestamp", "duration":
            tests(.moment(storage[int64: 0], Int64(storage[int32: 1])), by: rules, field, at: path)
        case "any": tests(.text(storage[string: 0]), by: rules, field, at: path)
        case "field_mask": for test in rules.tests { check(test, paths: storage[strings: 0], at: path) }
        default:
            // A wrapper, whose one field is the value.
            guard let content = storage.content(0), let operand = RuleOperand(content) else { return }
            tests(operand, by: rules, field, at: path)
        }
    }

    private mutating func tests(
        _ value: RuleOperand, by rules: FieldRules, _ field: RulePlan.Field?, at path: RulePath
    ) {
        let bounds = rules.bounds
        if !bounds.isEmpty, !bounds.allows(value) {
            report("\(rules.family).\(bounds.name)", bounds.description, at: path)
        }
        for test in rules.tests { check(test, value, of: rules.family, field, at: path) }
    }

    private mutating func check(
        _ test: RuleTest, _ value: RuleOperand, of family: String, _ field: RulePlan.Field?, at path: RulePath
    ) {
        switch test {
        case .constant(let constant):
            guard !value.equals(constant) else { return }
            report("\(family).const", "must equal \(constant)", at: path)
        case .among(let values, let isNegated):
            guard values.contains(where: value.equals) == isNegated else { return }
            let list = values.map(\.description).joined(separator: ", ")
            report(
                "\(family).\(isNegated ? "not_in" : "in")", "must \(isNegated ? "not " : "")be in list [\(list)]",
                at: path)
        case .finite:
            guard case .real(let number) = value, !number.isFinite else { return }
            report("\(family).finite", "must be finite", at: path)
        case .definedOnly:
            guard case .signed(let number) = value, let known = field?.schema.enumeration,
                !known.contains(Int32(truncatingIfNeeded: number))
            else { return }
            report("enum.defined_only", "must be one of the defined enum values", at: path)
        case .beforeNow:
            if (value.order(now) ?? 0) > 0 { report("timestamp.lt_now", "must be less than now", at: path) }
        case .afterNow:
            if (value.order(now) ?? 0) < 0 { report("timestamp.gt_now", "must be greater than now", at: path) }
        case .aroundNow(let span):
            guard !value.isWithin(span, of: now) else { return }
            report("timestamp.within", "must be within \(span) of now", at: path)
        default: check(test, text: value, of: family, at: path)
        }
    }

    // MARK: Texts and bytes

    private mutating func check(
        _ test: RuleTest, text value: RuleOperand, of family: String, at path: RulePath
    ) {
        switch test {
        case .length(let length):
            guard let count = value.count(length.unit) else { return }
            check(length, Int64(count), of: family, at: path)
        case .pattern(let pattern, let text):
            if let value = value.readable, pattern.matches(value) { return }
            report("\(family).pattern", "does not match regex pattern `\(text)`", at: path)
        case .prefix(let part):
            guard !value.octets.starts(with: part.octets) else { return }
            report("\(family).prefix", "does not have prefix \(part)", at: path)
        case .suffix(let part):
            guard !value.octets.reversed().starts(with: part.octets.reversed()) else { return }
            report("\(family).suffix", "does not have suffix \(part)", at: path)
        case .contains(let part, let isNegated):
            guard value.octets.contains(part.octets) == isNegated else { return }
            if isNegated { return report("\(family).not_contains", "contains substring \(part)", at: path) }
            report("\(family).contains", "does not contain \(part)", at: path)
        case .form(let form):
            guard let text = value.text else { return }
            if text.isEmpty, form.refusesEmpty {
                return report("string.\(form.rule)_empty", "is empty, which is no valid \(form.description)", at: path)
            }
            if !form.accepts(text) { report("string.\(form.rule)", "must be a valid \(form.description)", at: path) }
        case .byteCounts(let rule, let name, let counts):
            let count = value.octets.count
            if count == 0 { return report("bytes.\(rule)_empty", "is empty, which is no valid \(name)", at: path) }
            if !counts.contains(count) { report("bytes.\(rule)", "must be a valid \(name)", at: path) }
        default: report("unknown", "has a rule that is not for it", at: path)
        }
    }

    /// A length; of lists and maps it is counted by the caller.
    mutating func check(_ length: RuleLength, _ count: Int64, of family: String, at path: RulePath) {
        let limit = Int64(clamping: length.count)
        let unit: String
        switch length.unit {
        case .characters: unit = "characters"
        case .bytes: unit = "bytes"
        case .items: unit = "items"
        case .pairs: unit = "entries"
        }
        switch length.relation {
        case .exactly where count != limit: report("\(family).\(length.rule)", "must be \(limit) \(unit)", at: path)
        case .atLeast where count < limit:
            report("\(family).\(length.rule)", "must be at least \(limit) \(unit)", at: path)
        case .atMost where count > limit:
            report("\(family).\(length.rule)", "must be at most \(limit) \(unit)", at: path)
        default: return
        }
    }

    // MARK: Field masks

    private mutating func check(_ test: RuleTest, paths: [String], at path: RulePath) {
        guard case .paths(let rule, let wanted) = test else { return }
        let covers = { (path: String) in wanted.contains { path == $0 || path.hasPrefix("\($0).") } }
        let list = wanted.joined(separator: ", ")
        switch rule {
        case "const" where paths != wanted: report("field_mask.const", "must equal paths [\(list)]", at: path)
        case "in" where !paths.allSatisfy(covers):
            report("field_mask.in", "must only contain paths in [\(list)]", at: path)
        case "not_in" where paths.contains(where: covers):
            report("field_mask.not_in", "must not contain any paths in [\(list)]", at: path)
        default: return
        }
    }
}

extension RuleOperand {
    /// The bytes of a text or of bytes.
    fileprivate var octets: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .bytes(let data): Array(data)
        default: []
        }
    }

    /// The text of a text, or of bytes that are UTF-8.
    fileprivate var readable: String? {
        switch self {
        case .text(let text): text
        case .bytes(let data): String(validating: data, as: UTF8.self)
        default: nil
        }
    }

    fileprivate func count(_ unit: RuleLength.Unit) -> Int? {
        switch self {
        case .text(let text): unit == .characters ? text.unicodeScalars.count : text.utf8.count
        case .bytes(let data): data.count
        default: nil
        }
    }

    /// Whether a time is no further from another than a span.
    fileprivate func isWithin(_ span: RuleOperand, of now: RuleOperand) -> Bool {
        guard case .moment(let seconds, let nanoseconds) = span, case .moment(let at, let fraction) = now else {
            return false
        }
        let earliest = RuleOperand.moment(at &- seconds, Int64(fraction) - Int64(nanoseconds))
        let latest = RuleOperand.moment(at &+ seconds, Int64(fraction) + Int64(nanoseconds))
        return (order(earliest) ?? 0) >= 0 && (order(latest) ?? 0) <= 0
    }
}

extension [UInt8] {
    /// Whether other bytes stand somewhere in these.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        guard part.count <= count else { return false }
        return (0...(count - part.count)).contains {
            self[$0] == first && self[$0..<($0 + part.count)].elementsEqual(part)
        }
    }
}
