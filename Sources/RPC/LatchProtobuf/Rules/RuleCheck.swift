// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

/// A validation of a message that collects violations.
struct RuleCheck {
    /// The current time for rules about past and future.
    let now: RuleValue
    private(set) var violations: [Violation] = []

    private mutating func report(_ rule: String, _ message: String, at path: RulePath) {
        violations.append(Violation(path: path.description, rule: rule, message: message))
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
            // A zero that was set is a value (validate.proto, `Ignore`: no effect on fields that track presence).
            value(content, by: rules, field, at: path, ignoringZero: false)
        case .repeated: list(storage.contents(schema.slot), by: rules, field, at: path)
        case .map: map(storage, by: rules, field, at: path)
        }
    }

    // MARK: Lists and maps

    private mutating func list(
        _ contents: [AnyFieldValue], by rules: FieldRules, _ field: CompiledRules.Field, at path: RulePath
    ) {
        test(.list(contents), by: rules, at: path)
        let items = rules.elements["items"] ?? FieldRules()
        guard rules.elements["items"] != nil || field.nested != nil, items.ignores != .always else { return }
        for (index, content) in contents.enumerated() {
            value(content, by: items, field, at: .index(index, of: path))
        }
    }

    private mutating func map(
        _ storage: MessageStorage, by rules: FieldRules, _ field: CompiledRules.Field, at path: RulePath
    ) {
        let entries = storage.entries(field.schema.slot)
        test(.map(count: entries.count), by: rules, at: path)
        guard !rules.elements.isEmpty || field.nested != nil else { return }
        for (key, content) in entries {
            guard let operand = RuleValue(key) else { continue }
            let path = RulePath.key(operand, of: path)
            if let keys = rules.elements["keys"], keys.ignores != .always {
                let start = violations.count
                value(key, by: keys, nil, at: path)
                for index in start..<violations.count { violations[index].isAboutKey = true }
            }
            let values = rules.elements["values"] ?? FieldRules()
            if values.ignores != .always { value(content, by: values, field, at: path) }
        }
    }
}

extension RuleCheck {
    /// Validates one value of a field, a list or a map.
    ///
    /// - Parameters:
    ///   - field: The field of the value; nil for a map key.
    ///   - ignoringZero: Whether `ignore` can exempt a zero; used for elements, which have no presence.
    mutating func value(
        _ content: AnyFieldValue, by rules: FieldRules, _ field: CompiledRules.Field?, at path: RulePath,
        ignoringZero: Bool = true
    ) {
        guard case .message(let storage) = content else {
            guard let operand = RuleValue(content) else { return }
            if ignoringZero, rules.ignores == .ifZeroValue, operand.isZero { return }
            return tests(operand, by: rules, field, at: path)
        }
        if let nested = field?.nested { message(storage, by: nested.rules.plan(for: nested.schema), at: path) }
        guard !rules.tests.isEmpty || !rules.bounds.isEmpty else { return }
        switch rules.family {
        case "timestamp", "duration":
            tests(.time(storage[int64: 0], Int64(storage[int32: 1])), by: rules, field, at: path)
        case "any": tests(.text(storage[string: 0]), by: rules, field, at: path)
        case "field_mask": test(.paths(storage[strings: 0]), by: rules, at: path)
        default:
            // This is a wrapper message, whose only field is the value.
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
        test(.value(value, field?.schema.enumeration), by: rules, at: path)
    }

    private mutating func test(_ subject: RuleSubject, by rules: FieldRules, at path: RulePath) {
        for test in rules.tests {
            switch test.holds(subject, now) {
            case true?: continue
            case false?: report("\(rules.family).\(test.rule)", test.requirement, at: path)
            case nil: report("unknown", "has a rule that does not apply to its type", at: path)
            }
        }
    }
}
