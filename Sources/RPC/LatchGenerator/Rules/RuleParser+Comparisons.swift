// SPDX-License-Identifier: Apache-2.0

import LatchProto

extension RuleParser {
    /// A comparison whose field comes first, its types checked.
    func compare(
        _ relation: RuleRelation, _ left: Operand, _ right: Operand, at place: Int
    ) throws(RuleFailure) -> RuleExpression {
        switch (left, right) {
        case (.value(.field(let field)), .none), (.none, .value(.field(let field))):
            guard !relation.isOrder else { throw failure("null has no order", at: place) }
            let presence = try presence(of: field)
            return relation == .equal ? .not(presence) : presence
        case (.condition(let condition), .value(.bool(let value))),
            (.value(.bool(let value)), .condition(let condition)):
            guard !relation.isOrder else { throw failure("conditions have no order", at: place) }
            return (relation == .equal) == value ? condition : .not(condition)
        case (.value(let left), .value(let right)):
            if left.field == nil {
                guard right.field != nil else { throw failure("the rule compares no field", at: place) }
                return try compare(relation.mirrored, right, left, at: place)
            }
            return try compare(relation, left, right, at: place)
        default: throw failure("a condition cannot be compared", at: place, hint: "join conditions by && and ||")
        }
    }

    private func compare(
        _ relation: RuleRelation, _ left: RuleValue, _ right: RuleValue, at place: Int
    ) throws(RuleFailure) -> RuleExpression {
        if case .field(let field) = left, field.kind == .bool, case .bool(let value) = right, !relation.isOrder {
            return (relation == .equal) == value ? .isTrue(field) : .not(.isTrue(field))
        }
        if let other = right.field {
            try checkFields(relation, left, right, other, at: place)
            return .compare(relation, left, right)
        }
        guard let field = left.field, let last = field.path.last else { return .compare(relation, left, right) }
        if case .count = left {
            guard case .number(let digits) = right, let number = Int(digits), number >= 0 else {
                throw failure("a length is compared with a whole number that is not negative", at: place)
            }
            return .compare(relation, left, right)
        }
        let kind = field.kind
        guard kind != .list, kind != .map, kind != .message, kind != .bytes, kind != .timestamp, kind != .duration
        else {
            throw failure("'\(field.name)' is \(kind.description), which rules do not compare with that", at: place)
        }
        if relation.isOrder, kind == .text || kind == .bool {
            throw failure("'\(field.name)' is \(kind.description) and has no order", at: place)
        }
        return .compare(relation, left, try suited(right, to: last, kind, at: place))
    }

    private func checkFields(
        _ relation: RuleRelation, _ left: RuleValue, _ right: RuleValue, _ other: RuleField, at place: Int
    ) throws(RuleFailure) {
        let (one, two) = (left.comparedKind, right.comparedKind)
        let numbers: [RuleField.Kind?] = [.integer, .decimal]
        let isSame = one == two && (one != .enumeration || left.field?.path.last?.enum === other.path.last?.enum)
        guard isSame || numbers.contains(one) && numbers.contains(two) else {
            throw failure("'\(left.field?.name ?? "")' and '\(other.name)' are of different types", at: place)
        }
        let ordered: [RuleField.Kind?] = [.integer, .decimal, .timestamp, .duration]
        let equated: [RuleField.Kind?] = ordered + [.text, .bytes, .bool, .enumeration]
        guard relation.isOrder ? ordered.contains(one) : equated.contains(one) else {
            throw failure("'\(other.name)' is \(two?.description ?? ""), which is not compared so", at: place)
        }
        // Of a message in the request nobody can say which time it stands for where the message is not there.
        if one == .timestamp || one == .duration, (left.field?.path.count ?? 1) > 1 || other.path.count > 1 {
            throw failure("times are compared where they are fields of the request itself", at: place)
        }
    }

    /// Whether a value is one of those in brackets.
    mutating func isOne(_ operand: Operand, at start: Int) throws(RuleFailure) -> RuleExpression {
        guard case .value(.field(let field)) = operand, let last = field.path.last,
            [.text, .integer, .enumeration].contains(field.kind)
        else { throw failure("'in' looks for a text, a whole number or an enum", at: start) }
        try expect("[")
        var values: [RuleValue] = []
        repeat {
            let place = token.offset
            values.append(try suited(try literal(), to: last, field.kind, at: place))
        } while take(",")
        try expect("]")
        return .isOne(.field(field), of: values)
    }

    /// A literal as a field of one kind takes it.
    func suited(
        _ value: RuleValue, to field: FieldDescriptor, _ kind: RuleField.Kind, at place: Int
    ) throws(RuleFailure) -> RuleValue {
        switch (kind, value) {
        case (.text, .text), (.decimal, .number), (.bool, .bool): return value
        case (.integer, .number(let digits)):
            // A number with a point is between whole numbers, and can be compared.
            guard digits.contains(".") || field.type?.holds(digits) == true else {
                throw failure("'\(field.name)' never holds \(digits)", at: place)
            }
            return value
        case (.enumeration, .number(let digits)):
            guard let number = Int32(digits) else { throw failure("'\(digits)' is no value of an enum", at: place) }
            let found = field.enum?.values.first { $0.number == number }
            return .enumeration(number, name: found?.name ?? digits)
        case (.enumeration, .enumeration(_, let name)), (.enumeration, .text(let name)):
            guard let found = field.enum?.values.first(where: { $0.name == name }) else {
                throw failure(
                    "'\(field.enum?.fullName ?? "")' has no value '\(name)'", at: place,
                    hint: "its values are \((field.enum?.values ?? []).map(\.name).joined(separator: ", "))")
            }
            return .enumeration(found.number, name: found.name)
        case (_, .enumeration(_, let name)):
            throw failure("'\(name)' is nothing that a rule knows", at: place, hint: "a text stands between quotes")
        default: throw failure("'\(field.name)' is \(kind.description) and never equals that", at: place)
        }
    }
}

extension RuleValue {
    /// As what it is compared; nil for what is written in the rule.
    fileprivate var comparedKind: RuleField.Kind? {
        switch self {
        case .count: .integer
        case .field(let field): field.kind
        default: nil
        }
    }
}

extension FieldType {
    /// Whether a whole number is within what the type holds.
    fileprivate func holds(_ digits: String) -> Bool {
        switch self {
        case .int32, .sint32, .sfixed32: Int32(digits) != nil
        case .int64, .sint64, .sfixed64: Int64(digits) != nil
        case .uint32, .fixed32: UInt32(digits) != nil
        default: UInt64(digits) != nil
        }
    }
}
