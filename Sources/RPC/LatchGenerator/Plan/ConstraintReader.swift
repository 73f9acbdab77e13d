// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// Reads the constraints on a message's fields from their options.
struct ConstraintReader {
    let options: OptionReader

    /// Returns the constraints of a message's fields; fields without options have none.
    func constraints(of message: MessageDescriptor) -> [FieldConstraint] {
        if let known = options.constraints[ObjectIdentifier(message)] { return known }
        let found = read(message)
        options.constraints[ObjectIdentifier(message)] = found
        return found
    }

    private func read(_ message: MessageDescriptor) -> [FieldConstraint] {
        message.fields.compactMap { field in
            let named = options.options(of: field)
            let list = options.string("axiom.swift_validation", of: field.options, in: field.file)
            guard named != nil || list != nil else { return nil }
            var constraint = FieldConstraint(field: field, place: list?.place ?? named?.fallback)
            if let named {
                options.checkConflicts([named] + named.others, in: field.file)
                read(named, into: &constraint)
            }
            let before = constraint
            if let list { read(list.text, at: list.place, into: &constraint) }
            if let named { checkConflicts(named, before, constraint, list?.place) }
            check(constraint)
            return constraint.isEmpty ? nil : constraint
        }
    }

    /// The maximum number of messages read in one request: a few messages can have millions of paths between them.
    private static let limit = 1_000

    /// Returns the constraints of a request's fields, and of the fields of its nested messages.
    ///
    /// A method's condition can only reach a single message. So it reports constraints on a message in a list, a map or
    /// a oneof, and on a message that contains itself.
    func constraints(ofRequest request: MessageDescriptor) -> [FieldConstraint] {
        var result = constraints(of: request)
        guard options.declaresOptions else { return result }
        var count = 0
        var pending = [(owners: [FieldDescriptor](), message: request)]
        while let (owners, message) = pending.popLast() {
            for field in message.fields {
                guard let inner = field.element, reachesConstraints(inner) else { continue }
                let isRecursive = inner === request || owners.contains { $0.message === inner }
                guard inner === field.message, field.label != .repeated, !field.isInRealOneof, !isRecursive,
                    count < Self.limit
                else {
                    options.reportUnenforced(
                        "the field rules of '\(inner.fullName)' are not checked within '\(field.fullName)'", of: field)
                    continue
                }
                count += 1
                let path = owners + [field]
                for var constraint in constraints(of: inner) {
                    constraint.owners = path
                    result.append(constraint)
                }
                pending.append((path, inner))
            }
        }
        return result
    }

    /// Whether a message or one of its nested messages has constraints.
    private func reachesConstraints(_ message: MessageDescriptor) -> Bool {
        options.constrained.reaches(message) {
            $0.fields.compactMap(\.element)
        } hasIt: {
            !constraints(of: $0).isEmpty
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

    /// Reports values of `swift_validation` that contradict the other options of the field.
    private func checkConflicts(
        _ named: NamedOptions, _ before: FieldConstraint, _ after: FieldConstraint, _ place: SourcePosition?
    ) {
        func check(_ name: String, _ one: (some CustomStringConvertible)?, _ other: (some CustomStringConvertible)?) {
            guard let one, let other else { return }
            options.checkConflict(
                name, OptionValue(value: "\(one)", place: named.place(name), spelling: named.spelling),
                OptionValue(value: "\(other)", place: place, spelling: "axiom.swift_validation"), in: after.field.file)
        }
        check("min_value", before.minimum, after.minimum)
        check("max_value", before.maximum, after.maximum)
        check("min_length", before.minLength, after.minLength)
        check("max_length", before.maxLength, after.maxLength)
    }

    /// Parses a list such as `required,min_length:8`.
    private func read(_ list: String, at place: SourcePosition?, into constraint: inout FieldConstraint) {
        for word in list.split(separator: ",").map({ $0.trimmed }) {
            let parts = word.split(separator: ":", maxSplits: 1).map { $0.trimmed }
            let value = parts.count > 1 ? parts[1] : nil
            switch (parts.first ?? "", value) {
            case ("required", nil): constraint.isRequired = true
            case ("min_length", let value?) where Int(value) != nil: constraint.minLength = Int(value)
            case ("max_length", let value?) where Int(value) != nil: constraint.maxLength = Int(value)
            case ("min", let value?) where Double(value) != nil: constraint.minimum = Double(value)
            case ("max", let value?) where Double(value) != nil: constraint.maximum = Double(value)
            case (let name, nil) where FieldConstraint.Format(rawValue: name) != nil:
                constraint.formats += [FieldConstraint.Format(rawValue: name)].compactMap(\.self)
            default:
                options.report(
                    "'\(word)' is not a field rule", at: place, in: constraint.field.file,
                    hint: "Write required, email, uuid, url, min_length:N, max_length:N, min:N or max:N.")
            }
        }
    }

    /// Reports constraints that do not fit the field's type, or contradict each other.
    private func check(_ constraint: FieldConstraint) {
        let (field, place) = (constraint.field, constraint.place)
        let isText = field.type == .string && field.label != .repeated
        let hasLength = field.type == .string || field.type == .bytes || field.label == .repeated
        if constraint.pattern != nil || !constraint.formats.isEmpty, !isText {
            options.report("'\(field.name)' is not a text field", at: place, in: field.file)
        }
        if constraint.minLength != nil || constraint.maxLength != nil, !hasLength {
            options.report("'\(field.name)' has no length", at: place, in: field.file)
        }
        if constraint.minimum != nil || constraint.maximum != nil,
            field.label == .repeated || field.scalarType?.isNumber != true
        {
            options.report("'\(field.name)' is not a number field", at: place, in: field.file)
        }
        if let least = constraint.minLength, let most = constraint.maxLength, least > most {
            options.report(
                "'\(field.name)' cannot be as long as \(least) and as short as \(most)", at: place, in: field.file)
        }
        if let least = constraint.minimum, let most = constraint.maximum, least > most {
            options.report("'\(field.name)' cannot be at least \(least) and at most \(most)", at: place, in: field.file)
        }
        if (constraint.minLength ?? 0) < 0 || (constraint.maxLength ?? 0) < 0 {
            options.report("a length is not negative", at: place, in: field.file)
        }
    }
}

extension FieldDescriptor {
    /// The message type of the field's values, or of a map's values; nil for others, and for types of
    /// `google.protobuf`.
    fileprivate var element: MessageDescriptor? {
        let message = message?.isMapEntry == true ? message?.fields.last?.message : message
        return message?.file.package == "google.protobuf" ? nil : message
    }
}

extension StringProtocol {
    /// The text without leading and trailing whitespace.
    var trimmed: String {
        var part = self[...]
        while part.first?.isWhitespace == true { part = part.dropFirst() }
        while part.last?.isWhitespace == true { part = part.dropLast() }
        return String(part)
    }
}
