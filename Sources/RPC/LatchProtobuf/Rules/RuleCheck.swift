// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// A validation of a message that collects violations.
struct RuleCheck {
    /// The current time for rules about past and future.
    let now: RuleValue
    private(set) var violations: [Violation] = []

    init(now: RuleValue) { self.now = now }

    mutating func report(_ rule: String, _ message: String, at path: RulePath, isAboutKey: Bool = false) {
        violations.append(
            Violation(path: path.description, rule: rule, message: message, isAboutKey: isAboutKey))
    }

    /// Validates a message and its nested messages.
    mutating func message(_ storage: MessageStorage, by plan: CompiledRules, at path: RulePath) {
        for word in plan.unknown { report("unknown", "has an unknown rule: \(word)", at: path) }
        for exclusion in plan.exclusions { check(exclusion, storage, at: path) }
        for oneof in plan.oneofs where storage[oneof: oneof.index] == 0 {
            report("required", "must have one of its fields set", at: .field(oneof.name, of: path))
        }
        for field in plan.fields { check(field, storage, at: path) }
    }

    private mutating func check(_ exclusion: CompiledRules.Exclusion, _ storage: MessageStorage, at path: RulePath) {
        let count = exclusion.slots.count { storage.has($0) }
        let names = exclusion.names.joined(separator: ", ")
        if count > 1 { report("message.oneof", "only one of \(names) can be set", at: path) }
        if count == 0, exclusion.isRequired { report("message.oneof", "one of \(names) must be set", at: path) }
    }

    private mutating func check(_ field: CompiledRules.Field, _ storage: MessageStorage, at path: RulePath) {
        let (schema, rules) = (field.schema, field.rules)
        guard rules.ignores != .always else { return }
        let path = RulePath.field(schema.name, of: path)
        let isSet = storage.has(schema.slot)
        if rules.isRequired, !isSet { return report("required", "is required", at: path) }
        // An unset field with explicit presence is valid unless it is required.
        guard isSet || schema.presence == .implicit && rules.ignores != .ifZeroValue else { return }
        switch schema.cardinality {
        case .singular:
            guard let content = storage.content(schema.slot) else { return }
            value(content, by: rules, field, at: path)
        case .repeated: list(storage.contents(schema.slot), by: rules, field, at: path)
        case .map: map(storage, by: rules, field, at: path)
        }
    }

    // MARK: Lists and maps

    private mutating func list(
        _ contents: [AnyFieldValue], by rules: FieldRules, _ field: CompiledRules.Field, at path: RulePath
    ) {
        for test in rules.tests {
            switch test {
            case .length(let length): check(length, Int64(contents.count), of: "repeated", at: path)
            case .unique:
                if hasDuplicates(contents) { report("repeated.unique", "must contain unique items", at: path) }
            default: report("unknown", "has a rule that does not apply to lists", at: path)
            }
        }
        let items = rules.items.first ?? FieldRules()
        guard rules.items.first != nil || field.nested != nil, items.ignores != .always else { return }
        for (index, content) in contents.enumerated() {
            value(content, by: items, field, at: .index(index, of: path))
        }
    }

    private func hasDuplicates(_ contents: [AnyFieldValue]) -> Bool {
        var seen: Set<AnyFieldValue> = []
        for content in contents {
            // Negative zero equals zero, and strings are compared byte by byte.
            switch content {
            case .float(let value) where value == 0: if !seen.insert(.float(0)).inserted { return true }
            case .double(let value) where value == 0: if !seen.insert(.double(0)).inserted { return true }
            case .string(let value): if !seen.insert(.bytes(Data(value.utf8))).inserted { return true }
            default: if !seen.insert(content).inserted { return true }
            }
        }
        return false
    }

    private mutating func map(
        _ storage: MessageStorage, by rules: FieldRules, _ field: CompiledRules.Field, at path: RulePath
    ) {
        for test in rules.tests {
            guard case .length(let length) = test else {
                report("unknown", "has a rule that does not apply to maps", at: path)
                continue
            }
            check(length, Int64(storage.entryCount(field.schema.slot)), of: "map", at: path)
        }
        guard !rules.keys.isEmpty || !rules.values.isEmpty || field.nested != nil else { return }
        storage.forEachEntry(field.schema.slot, sorted: true) { key, content in
            guard let operand = RuleValue(key) else { return }
            let path = RulePath.key(operand, of: path)
            if let keys = rules.keys.first, keys.ignores != .always {
                let start = violations.count
                value(key, by: keys, nil, at: path)
                for index in start..<violations.count { violations[index].isAboutKey = true }
            }
            let values = rules.values.first ?? FieldRules()
            if values.ignores != .always { value(content, by: values, field, at: path) }
        }
    }
}

extension RuleCheck {
    /// Validates one value of a field, a list or a map.
    ///
    /// - Parameter field: The field of the value; nil for a map key.
    mutating func value(
        _ content: AnyFieldValue, by rules: FieldRules, _ field: CompiledRules.Field?, at path: RulePath
    ) {
        guard case .message(let storage) = content else {
            guard let operand = RuleValue(content) else { return }
            if rules.ignores == .ifZeroValue, operand.isZero { return }
            return tests(operand, by: rules, field, at: path)
        }
        if let nested = field?.nested { message(storage, by: nested.plan, at: path) }
        guard !rules.tests.isEmpty || !rules.bounds.isEmpty else { return }
        switch rules.family {
        case "timestamp", "duration":
            tests(.time(storage[int64: 0], Int64(storage[int32: 1])), by: rules, field, at: path)
        case "any": tests(.text(storage[string: 0]), by: rules, field, at: path)
        case "field_mask": for test in rules.tests { check(test, paths: storage[strings: 0], at: path) }
        default:
            // A wrapper message, whose only field is the value.
            guard let content = storage.content(0), let operand = RuleValue(content) else { return }
            tests(operand, by: rules, field, at: path)
        }
    }

    private mutating func tests(
        _ value: RuleValue, by rules: FieldRules, _ field: CompiledRules.Field?, at path: RulePath
    ) {
        let bounds = rules.bounds
        if !bounds.isEmpty, !bounds.allows(value) {
            report("\(rules.family).\(bounds.name)", bounds.description, at: path)
        }
        for test in rules.tests { check(test, value, of: rules.family, field, at: path) }
    }

    private mutating func check(
        _ test: RuleTest, _ value: RuleValue, of family: String, _ field: CompiledRules.Field?, at path: RulePath
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
        _ test: RuleTest, text value: RuleValue, of family: String, at path: RulePath
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
                return report(
                    "string.\(form.rule)_empty", "is empty, which is not a valid \(form.description)", at: path)
            }
            if !form.accepts(text) { report("string.\(form.rule)", "must be a valid \(form.description)", at: path) }
        case .byteCounts(let rule, let name, let counts):
            let count = value.octets.count
            if count == 0 { return report("bytes.\(rule)_empty", "is empty, which is not a valid \(name)", at: path) }
            if !counts.contains(count) { report("bytes.\(rule)", "must be a valid \(name)", at: path) }
        default: report("unknown", "has a rule that does not apply to its type", at: path)
        }
    }

    /// Validates a length; callers count lists and maps.
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

extension RuleValue {
    /// The bytes of a string or bytes value.
    fileprivate var octets: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .bytes(let data): Array(data)
        default: []
        }
    }

    /// The text of a string, or of bytes in UTF-8.
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

    /// Whether a time is within a duration of another.
    fileprivate func isWithin(_ span: RuleValue, of now: RuleValue) -> Bool {
        guard case .time(let seconds, let nanoseconds) = span, case .time(let at, let fraction) = now else {
            return false
        }
        let earliest = RuleValue.time(at &- seconds, Int64(fraction) - Int64(nanoseconds))
        let latest = RuleValue.time(at &+ seconds, Int64(fraction) + Int64(nanoseconds))
        return (order(earliest) ?? 0) >= 0 && (order(latest) ?? 0) <= 0
    }
}

extension [UInt8] {
    /// Returns whether the bytes contain others.
    fileprivate func contains(_ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        guard part.count <= count else { return false }
        return (0...(count - part.count)).contains {
            self[$0] == first && self[$0..<($0 + part.count)].elementsEqual(part)
        }
    }
}
