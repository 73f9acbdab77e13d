// SPDX-License-Identifier: Apache-2.0

/// A rule of a message's .proto file that a message breaks.
///
/// The names of rules are protovalidate's (https://protovalidate.com/reference/rules/standard_rules/).
public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// Where the value is: `devices[0].name`, `labels["x"]`; empty for the message itself.
    public var path: String
    /// The name of the rule, such as `string.min_len`.
    public var rule: String
    /// What the value must be; neither it nor the path shows the value of a field.
    public var message: String
    /// Whether the key of a map's entry is meant, and not its value.
    public var isAboutKey = false

    /// A violation.
    public init(path: String, rule: String, message: String, isAboutKey: Bool = false) {
        self.path = path
        self.rule = rule
        self.message = message
        self.isAboutKey = isAboutKey
    }

    /// The path and the message.
    public var description: String { path.isEmpty ? message : "\(path) \(message)" }
}

/// The way from a message to a value in it, which becomes a text only where a rule is broken.
indirect enum RulePath {
    case message
    case field(String, of: RulePath)
    case index(Int, of: RulePath)
    case key(RuleOperand, of: RulePath)

    var description: String {
        switch self {
        case .message: return ""
        case .field(let name, let outer):
            let outer = outer.description
            return outer.isEmpty ? name : "\(outer).\(name)"
        case .index(let index, let outer): return "\(outer.description)[\(index)]"
        case .key(.text(let key), let outer): return "\(outer.description)[\(EscapedRuleText.quoted(key))]"
        case .key(let key, let outer): return "\(outer.description)[\(key)]"
        }
    }
}
