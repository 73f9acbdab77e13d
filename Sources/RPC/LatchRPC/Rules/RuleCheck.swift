// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// Goes through a message by its plan, and collects what is broken.
struct RuleCheck {
    /// The time that rules about past and future compare with.
    let now: RuleOperand
    private(set) var violations: [Violation] = []

    init(now: RuleOperand) { self.now = now }

    mutating func report(_ rule: String, _ message: String, at path: RulePath, isAboutKey: Bool = false) {
        violations.append(
            Violation(path: path.description, rule: rule, message: message, isAboutKey: isAboutKey))
    }

    /// A message and all that is in it.
    mutating func message(_ storage: MessageStorage, by plan: RulePlan, at path: RulePath) {
        for word in plan.unknown { report("unknown", "has a rule that is not known: \(word)", at: path) }
        for exclusion in plan.exclusions { check(exclusion, storage, at: path) }
        for oneof in plan.oneofs where storage[oneof: oneof.index] == 0 {
            report("required", "needs one of its fields", at: .field(oneof.name, of: path))
        }
        for field in plan.fields { check(field, storage, at: path) }
    }

    private mutating func check(_ exclusion: RulePlan.Exclusion, _ storage: MessageStorage, at path: RulePath) {
        let count = exclusion.slots.count { storage.has($0) }
        let names = exclusion.names.joined(separator: ", ")
        if count > 1 { report("message.oneof", "only one of \(names) can be set", at: path) }
        if count == 0, exclusion.isRequired { report("message.oneof", "one of \(names) must be set", at: path) }
    }

    private mutating func check(_ field: RulePlan.Field, _ storage: MessageStorage, at path: RulePath) {
        let (schema, rules) = (field.schema, field.rules)
        guard rules.ignores != .always else { return }
        let path = RulePath.field(schema.name, of: path)
        let isSet = storage.has(schema.slot)
        if rules.isRequired, !isSet { return report("required", "is required", at: path) }
        // What knows that it is not set, and is not required, is right.
        guard isSet || schema.presence == .implicit && rules.ignores != .zero else { return }
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
        _ contents: [FieldContent], by rules: FieldRules, _ field: RulePlan.Field, at path: RulePath
    ) {
        for test in rules.tests {
            switch test {
            case .length(let length): check(length, Int64(contents.count), of: "repeated", at: path)
            case .unique:
                if hasTwice(contents) { report("repeated.unique", "must contain unique items", at: path) }
            default: report("unknown", "has a rule that is not for lists", at: path)
            }
        }
        let items = rules.items.first ?? FieldRules()
        guard rules.items.first != nil || field.inner != nil, items.ignores != .always else { return }
        for (index, content) in contents.enumerated() {
            value(content, by: items, field, at: .index(index, of: path))
        }
    }

    private func hasTwice(_ contents: [FieldContent]) -> Bool {
        var seen: Set<FieldContent> = []
        for content in contents {
            // Minus zero equals zero, and texts are compared byte by byte.
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
        _ storage: MessageStorage, by rules: FieldRules, _ field: RulePlan.Field, at path: RulePath
    ) {
        for test in rules.tests {
            guard case .length(let length) = test else {
                report("unknown", "has a rule that is not for maps", at: path)
                continue
            }
            check(length, Int64(storage.entryCount(field.schema.slot)), of: "map", at: path)
        }
        guard !rules.keys.isEmpty || !rules.values.isEmpty || field.inner != nil else { return }
        storage.forEachEntry(field.schema.slot, sorted: true) { key, content in
            guard let operand = RuleOperand(key) else { return }
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
