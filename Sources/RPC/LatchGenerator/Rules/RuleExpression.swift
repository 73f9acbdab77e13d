// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// A condition that a request fulfils, its types known.
indirect enum RuleExpression {
    /// Whether nothing is in a text, in bytes, in a list or in a map.
    case isEmpty(RuleField)
    /// Whether a field that knows it is set.
    case has(RuleField)
    /// Whether a boolean field is true.
    case isTrue(RuleField)
    /// Whether a text or a list has something in it.
    case test(RuleTest, RuleField, RuleValue)
    /// Whether a text is of a kind.
    case hasForm(RuleField, FieldConstraint.Format)
    /// Whether a value is one of several.
    case isOne(RuleValue, of: [RuleValue])
    /// Whether two values are in a relation; one of them at least is a field.
    case compare(RuleRelation, RuleValue, RuleValue)
    case not(RuleExpression)
    case all([RuleExpression])
    case any([RuleExpression])
}

/// What a text or a list is asked for.
enum RuleTest: String {
    case contains
    case hasPrefix
    case hasSuffix
    case matches

    /// The test that a word of a rule names.
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

/// A relation of two values.
enum RuleRelation: String, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case less = "<"
    case atMost = "<="
    case more = ">"
    case atLeast = ">="

    /// The relation that holds where this one does not.
    var opposite: RuleRelation {
        switch self {
        case .equal: .unequal
        case .unequal: .equal
        case .less: .atLeast
        case .atMost: .more
        case .more: .atMost
        case .atLeast: .less
        }
    }

    /// The relation of the second value to the first.
    var mirrored: RuleRelation {
        switch self {
        case .equal, .unequal: self
        case .less: .more
        case .atMost: .atLeast
        case .more: .less
        case .atLeast: .atMost
        }
    }

    var isOrder: Bool { self != .equal && self != .unequal }
}

/// A value in a comparison.
enum RuleValue {
    case field(RuleField)
    /// How many characters, bytes or entries a field has.
    case count(RuleField)
    case text(String)
    /// A number as it is written.
    case number(String)
    case bool(Bool)
    /// The number of a value of an enum, and its name.
    case enumeration(Int32, name: String)

    /// The field that it is read from.
    var field: RuleField? {
        switch self {
        case .field(let field), .count(let field): field
        default: nil
        }
    }
}

/// A field of the request, or of a message in it.
struct RuleField {
    /// What a field holds, as far as rules are concerned.
    enum Kind: Equatable {
        case text, bytes, integer, decimal, bool, enumeration, timestamp, duration, message, list, map
    }

    /// The fields that lead to it, itself the last.
    let path: [FieldDescriptor]
    /// Where in the rule it is named.
    let offset: Int

    /// The name by which people know it.
    var name: String { path.map(\.name).joined(separator: ".") }

    /// What it holds.
    var kind: Kind { path.last.map(Self.kind) ?? .message }

    private static func kind(of field: FieldDescriptor) -> Kind {
        if field.label == .repeated { return field.message?.isMapEntry == true ? .map : .list }
        return elementKind(of: field)
    }

    /// What one entry of the field holds.
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
    /// The same condition with every `not` at a single question, so that it reads as people would say it.
    func spread(negated: Bool = false) -> RuleExpression {
        switch self {
        case .not(let inner): return inner.spread(negated: !negated)
        case .all(let parts):
            let parts = parts.map { $0.spread(negated: negated) }
            return negated ? .any(parts) : .all(parts)
        case .any(let parts):
            let parts = parts.map { $0.spread(negated: negated) }
            return negated ? .all(parts) : .any(parts)
        case .compare(let relation, let left, let right):
            return .compare(negated ? relation.opposite : relation, left, right)
        default: return negated ? .not(self) : self
        }
    }
}
