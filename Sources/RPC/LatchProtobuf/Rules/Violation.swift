// SPDX-License-Identifier: Apache-2.0

/// A violation of a validation rule by a message.
///
/// The names of rules are protovalidate's (https://protovalidate.com/reference/rules/standard_rules/).
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// The path to the value, such as `devices[0].name` or `labels["x"]`; empty for the message itself.
    public var path: String
    /// The name of the rule, such as `string.min_len`.
    public var rule: String
    /// A description of the requirement; like the path, it contains no field values.
    public var message: String
    /// Whether the violation concerns a map entry's key instead of its value.
    public var isAboutKey = false

    /// Creates a violation.
    public init(path: String, rule: String, message: String, isAboutKey: Bool = false) {
        self.path = path
        self.rule = rule
        self.message = message
        self.isAboutKey = isAboutKey
    }

    /// The path and the message.
    public var description: String { path.isEmpty ? message : "\(path) \(message)" }
}

/// The path from a message to a value; it becomes text only for a violation.
indirect enum RulePath {
    case message
    case field(String, of: RulePath)
    case index(Int, of: RulePath)
    case key(RuleValue, of: RulePath)

    var description: String {
        switch self {
        case .message: return ""
        case .field(let name, let outer):
            let outer = outer.description
            return outer.isEmpty ? name : "\(outer).\(name)"
        case .index(let index, let outer): return "\(outer.description)[\(index)]"
        case .key(.text(let key), let outer): return "\(outer.description)[\(RuleStringLiteral.quoted(key))]"
        case .key(let key, let outer): return "\(outer.description)[\(key)]"
        }
    }
}
