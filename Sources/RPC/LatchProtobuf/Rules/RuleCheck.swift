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
            case .length(let length): check(length, contents.count, of: "repeated", at: path)
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
        let entries = storage.entries(field.schema.slot)
        for test in rules.tests {
            guard case .length(let length) = test else {
                report("unknown", "has a rule that does not apply to maps", at: path)
                continue
            }
            check(length, entries.count, of: "map", at: path)
        }
        guard !rules.keys.isEmpty || !rules.values.isEmpty || field.nested != nil else { return }
        for (key, content) in entries {
            guard let operand = RuleValue(key) else { continue }
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
        for test in rules.tests {
            guard !holds(test, value, field) else { continue }
            let (rule, message) = Self.violation(of: test, value)
            report(rule == "unknown" ? rule : "\(rules.family).\(rule)", message, at: path)
        }
    }

    /// Returns whether a value has the property that a test requires; values of other types have it.
    private func holds(_ test: RuleTest, _ value: RuleValue, _ field: CompiledRules.Field?) -> Bool {
        switch test {
        case .constant(let constant): return value.equals(constant)
        case .among(let values, let isNegated): return values.contains(where: value.equals) != isNegated
        case .finite:
            guard case .real(let number) = value else { return true }
            return number.isFinite
        case .definedOnly:
            guard case .signed(let number) = value, let known = field?.schema.enumeration else { return true }
            return known.contains(Int32(truncatingIfNeeded: number))
        case .beforeNow: return (value.order(now) ?? 0) <= 0
        case .afterNow: return (value.order(now) ?? 0) >= 0
        case .aroundNow(let span): return value.isWithin(span, of: now)
        case .length(let length): return value.count(length.unit).map(length.allows) ?? true
        case .pattern(let pattern, _): return value.readable.map(pattern.matches) ?? false
        case .prefix(let part): return value.octets.starts(with: part.octets)
        case .suffix(let part): return value.octets.reversed().starts(with: part.octets.reversed())
        case .contains(let part, let isNegated): return value.octets.contains(part.octets) != isNegated
        case .form(_, let form):
            guard let text = value.text else { return true }
            return form.accepts(text) && !(text.isEmpty && form.refusesEmpty)
        case .byteCounts(_, _, let counts): return counts.contains(value.octets.count)
        // The others do not apply to single values.
        case .unique, .paths: return false
        }
    }

    /// Returns the name of a violated rule without its type, and the requirement.
    private static func violation(of test: RuleTest, _ value: RuleValue) -> (rule: String, message: String) {
        switch test {
        case .constant(let constant): return ("const", "must equal \(constant)")
        case .among(let values, let isNegated):
            let list = values.map(\.description).joined(separator: ", ")
            return isNegated ? ("not_in", "must not be in list [\(list)]") : ("in", "must be in list [\(list)]")
        case .finite: return ("finite", "must be finite")
        case .definedOnly: return ("defined_only", "must be one of the defined enum values")
        case .beforeNow: return ("lt_now", "must be less than now")
        case .afterNow: return ("gt_now", "must be greater than now")
        case .aroundNow(let span): return ("within", "must be within \(span) of now")
        case .length(let length): return (length.rule, length.requirement)
        case .pattern(_, let text): return ("pattern", "does not match regex pattern `\(text)`")
        case .prefix(let part): return ("prefix", "does not have prefix \(part)")
        case .suffix(let part): return ("suffix", "does not have suffix \(part)")
        case .contains(let part, true): return ("not_contains", "contains substring \(part)")
        case .contains(let part, false): return ("contains", "does not contain \(part)")
        case .form(let rule, let form): return Self.formViolation(rule, form.description, value, form.refusesEmpty)
        case .byteCounts(let rule, let name, _): return Self.formViolation(rule, name, value, true)
        case .unique, .paths: return ("unknown", "has a rule that does not apply to its type")
        }
    }

    private static func formViolation(
        _ rule: String, _ name: String, _ value: RuleValue, _ refusesEmpty: Bool
    ) -> (rule: String, message: String) {
        refusesEmpty && value.octets.isEmpty
            ? ("\(rule)_empty", "is empty, which is not a valid \(name)") : (rule, "must be a valid \(name)")
    }

    /// Validates the length of a list or a map.
    private mutating func check(_ length: RuleLength, _ count: Int, of family: String, at path: RulePath) {
        if !length.allows(count) { report("\(family).\(length.rule)", length.requirement, at: path) }
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
