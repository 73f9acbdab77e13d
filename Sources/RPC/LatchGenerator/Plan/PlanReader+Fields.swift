// SPDX-License-Identifier: Apache-2.0

import LatchProto

extension PlanReader {
    /// The options of a field, whichever spelling they have.
    func fieldOptions(of field: FieldDescriptor) -> NamedOptions? {
        guard !scope.isEmpty else { return nil }
        return scope.message(["axiom.field_options", "axiom.options.v1.axiom_field"], of: field.options)
    }

    /// What the fields of a message must hold; fields without options are not among them.
    func constraints(of message: MessageDescriptor) -> [FieldConstraint] {
        guard !scope.isEmpty else { return [] }
        return message.fields.compactMap { field in
            let options = fieldOptions(of: field)
            let words = scope.string("axiom.swift_validation", of: field.options)
            guard options != nil || words != nil else { return nil }
            var constraint = FieldConstraint(field: field, place: words?.place ?? options?.fallback)
            if let options {
                checkConflicts([options] + options.others)
                read(options, into: &constraint)
            }
            let before = constraint
            if let words { read(words.text, at: words.place, into: &constraint) }
            if let options { checkConflicts(options, before, constraint, words?.place) }
            check(constraint)
            return constraint.isEmpty ? nil : constraint
        }
    }

    private func read(_ options: NamedOptions, into constraint: inout FieldConstraint) {
        constraint.isRequired = options.bool("required") ?? false
        constraint.pattern = options.string("validation_pattern")
        constraint.minimum = options.double("min_value")
        constraint.maximum = options.double("max_value")
        constraint.minLength = options.integer("min_length").map { Int($0) }
        constraint.maxLength = options.integer("max_length").map { Int($0) }
    }

    /// Finds what words say otherwise than the options in front of them.
    private func checkConflicts(
        _ options: NamedOptions, _ before: FieldConstraint, _ after: FieldConstraint, _ place: Place?
    ) {
        func check(_ name: String, _ one: (some CustomStringConvertible)?, _ other: (some CustomStringConvertible)?) {
            guard let one, let other else { return }
            conflict(
                name, Saying("\(one)", options.place(name), options.spelling),
                Saying("\(other)", place, "axiom.swift_validation"))
        }
        check("min_value", before.minimum, after.minimum)
        check("max_value", before.maximum, after.maximum)
        check("min_length", before.minLength, after.minLength)
        check("max_length", before.maxLength, after.maxLength)
    }

    /// `required,min_length:8`.
    private func read(_ words: String, at place: Place?, into constraint: inout FieldConstraint) {
        for word in words.split(separator: ",").map({ $0.trimmed }) {
            let parts = word.split(separator: ":", maxSplits: 1).map { $0.trimmed }
            let value = parts.count > 1 ? parts[1] : nil
            switch (parts.first ?? "", value) {
            case ("required", nil): constraint.isRequired = true
            case ("min_length", let value?) where Int(value) != nil: constraint.minLength = Int(value)
            case ("max_length", let value?) where Int(value) != nil: constraint.maxLength = Int(value)
            case ("min", let value?) where Double(value) != nil: constraint.minimum = Double(value)
            case ("max", let value?) where Double(value) != nil: constraint.maximum = Double(value)
            case (let name, nil) where FieldConstraint.Format(rawValue: name) != nil:
                constraint.formats += [FieldConstraint.Format(rawValue: name)].compactMap { $0 }
            default:
                diagnostics.add(
                    "'\(word)' is no rule for a field", at: place,
                    hint: "Write required, email, uuid, url, min_length:N, max_length:N, min:N or max:N.")
            }
        }
    }

    /// Whether the field can hold what is asked of it.
    private func check(_ constraint: FieldConstraint) {
        let (field, place) = (constraint.field, constraint.place)
        let isText = field.type == .string && field.label != .repeated
        let hasLength = field.type == .string || field.type == .bytes || field.label == .repeated
        if constraint.pattern != nil || !constraint.formats.isEmpty, !isText {
            diagnostics.add("'\(field.name)' is no text", at: place)
        }
        if constraint.minLength != nil || constraint.maxLength != nil, !hasLength {
            diagnostics.add("'\(field.name)' has no length", at: place)
        }
        if constraint.minimum != nil || constraint.maximum != nil, !field.isNumber {
            diagnostics.add("'\(field.name)' is no number", at: place)
        }
        if let least = constraint.minLength, let most = constraint.maxLength, least > most {
            diagnostics.add("'\(field.name)' cannot be as long as \(least) and as short as \(most)", at: place)
        }
        if let least = constraint.minimum, let most = constraint.maximum, least > most {
            diagnostics.add("'\(field.name)' cannot be at least \(least) and at most \(most)", at: place)
        }
        if (constraint.minLength ?? 0) < 0 || (constraint.maxLength ?? 0) < 0 {
            diagnostics.add("a length is not negative", at: place)
        }
    }
}

extension FieldDescriptor {
    /// Whether it holds one number.
    fileprivate var isNumber: Bool {
        guard label != .repeated else { return false }
        switch type {
        case .string, .bytes, .bool, .enum, .message, .group, nil: return false
        default: return true
        }
    }
}

extension StringProtocol {
    /// Without white space in front and behind.
    var trimmed: String {
        var part = self[...]
        while part.first?.isWhitespace == true { part = part.dropFirst() }
        while part.last?.isWhitespace == true { part = part.dropLast() }
        return String(part)
    }
}
