// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// A condition on a request, after type checking.
indirect enum RuleExpression {
    /// A string, bytes, a list or a map is empty.
    case isEmpty(RuleField)
    /// A field that tracks its presence is set.
    case has(RuleField)
    /// A Boolean field is true.
    case isTrue(RuleField)
    /// A string or a list passes a test.
    case test(RuleTest, RuleField, RuleValue)
    /// A string has a format.
    case hasFormat(RuleField, FieldConstraint.Format)
    /// A value is one of several values.
    case isOneOf(RuleValue, of: [RuleValue])
    /// A comparison of two values; at least one is a field.
    case compare(ComparisonOperator, RuleValue, RuleValue)
    case not(RuleExpression)
    case all([RuleExpression])
    case any([RuleExpression])
}

/// A test of a string or a list.
enum RuleTest: String {
    case contains
    case hasPrefix
    case hasSuffix
    case matches

    /// Creates the test for one of its names in rules.
    init?(word: String) {
        switch word {
        case "contains", "includes": self = .contains
        case "hasPrefix", "startsWith", "starts_with": self = .hasPrefix
        case "hasSuffix", "endsWith", "ends_with": self = .hasSuffix
        case "matches": self = .matches
        default: return nil
        }
    }
}

enum ComparisonOperator: String, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case atMost = "<="
    case more = ">"
    case atLeast = ">="

    /// The operator that holds exactly when this operator does not.
    var opposite: ComparisonOperator {
        switch self {
        case .equal: .unequal
        case .unequal: .equal
        case .less: .atLeast
        case .atMost: .more
        case .more: .atMost
        case .atLeast: .less
        }
    }

    /// The operator for swapped operands.
    var mirrored: ComparisonOperator {
        switch self {
        case .equal, .unequal: self
        case .less: .more
        case .atMost: .atLeast
        case .more: .less
        case .atLeast: .atMost
        }
    }

    var isOrdering: Bool { self != .equal && self != .unequal }
}

/// An operand of a comparison.
enum RuleValue {
    case field(RuleField)
    /// The number of characters, bytes or elements of a field.
    case count(RuleField)
    case text(String)
    /// The digits of a number literal.
    case number(String)
    case bool(Bool)
    /// The number and the name of an enum value.
    case enumeration(Int32, name: String)

    /// The field that the value is read from; nil for a literal.
    var field: RuleField? {
        switch self {
        case .field(let field), .count(let field): field
        default: nil
        }
    }
}

/// A field of the request or of a nested message.
struct RuleField {
    /// The kind of a field's content, with the distinctions that rules need.
    enum Kind: Equatable {
        case text, bytes, integer, decimal, bool, enumeration, timestamp, duration, message, list, map
    }

    /// The path from the request to the field, which is the last element.
    let path: [FieldDescriptor]
    /// The offset of the field in the rule.
    let offset: Int

    /// The name in error messages.
    var name: String { path.map(\.name).joined(separator: ".") }

    /// The kind of its content.
    var kind: Kind { path.last.map(Self.kind) ?? .message }

    private static func kind(of field: FieldDescriptor) -> Kind {
        if field.label == .repeated { return field.message?.isMapEntry == true ? .map : .list }
        return elementKind(of: field)
    }

    static func elementKind(of field: FieldDescriptor) -> Kind {
        switch field.type {
        case .string: .text
        case .bytes: .bytes
        case .bool: .bool
        case .enum: .enumeration
        case .float, .double: .decimal
        case .message, .group, nil:
            switch field.message?.fullName {
            case "google.protobuf.Timestamp": .timestamp
            case "google.protobuf.Duration": .duration
            default: .message
            }
        default: .integer
        }
    }
}

extension RuleExpression {
    /// Returns an equivalent condition in negation normal form, in which only leaves are negated.
    func pushingNegationInward(negated: Bool = false) -> RuleExpression {
        switch self {
        case .not(let inner): return inner.pushingNegationInward(negated: !negated)
        case .all(let parts):
            let parts = parts.map { $0.pushingNegationInward(negated: negated) }
            return negated ? .any(parts) : .all(parts)
        case .any(let parts):
            let parts = parts.map { $0.pushingNegationInward(negated: negated) }
            return negated ? .all(parts) : .any(parts)
        case .compare(let relation, let left, let right):
            return .compare(negated ? relation.opposite : relation, left, right)
        default: return negated ? .not(self) : self
        }
    }
}
