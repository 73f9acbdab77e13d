// SPDX-License-Identifier: Apache-2.0

import LatchProto

/// Reads a rule and finds the fields of the request that it names.
///
/// ```
/// any        = all { "||" all }
/// all        = comparison { "&&" comparison }
/// comparison = unary [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" | "matches" ) unary | "in" "[" literal { "," literal } "]" ]
/// unary      = "!" unary | "(" any ")" | "has" "(" field ")" | literal | field [ "." question ]
/// field      = "request" "." name { "." name }
/// ```
struct RuleParser {
    /// What stands at one place: a value that can be compared, or a condition.
    enum Operand {
        case value(RuleValue)
        case condition(RuleExpression)
        case none
    }

    let request: MessageDescriptor
    private let tokens: [RuleToken]
    private var index = 0
    private var depth = 0
    /// Whether the field that comes is asked for nothing but whether it is set.
    private(set) var asksPresence = false

    private init(_ rule: String, of request: MessageDescriptor) throws(RuleFailure) {
        self.request = request
        tokens = try RuleToken.all(of: rule)
    }

    /// The condition that a rule states about a request.
    static func parse(_ rule: String, of request: MessageDescriptor) throws(RuleFailure) -> RuleExpression {
        var parser = try RuleParser(rule, of: request)
        guard parser.token.kind != .end else { throw RuleFailure(message: "the rule is empty", offset: 0) }
        let expression = try parser.any()
        guard parser.token.kind == .end else {
            throw parser.failure("\(parser.token.description) does not belong there")
        }
        return expression
    }

    // MARK: Words

    var token: RuleToken { tokens[index] }

    func failure(_ message: String, at offset: Int? = nil, hint: String? = nil) -> RuleFailure {
        RuleFailure(message: message, offset: offset ?? token.offset, hint: hint)
    }

    mutating func advance() { index = min(index + 1, tokens.count - 1) }

    mutating func take(_ symbol: String) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    mutating func expect(_ symbol: String) throws(RuleFailure) {
        guard take(symbol) else { throw failure("'\(symbol)' is missing before \(token.description)") }
    }

    mutating func takeName() -> String? {
        guard case .name(let name) = token.kind else { return nil }
        advance()
        return name
    }

    // MARK: Conditions

    mutating func any() throws(RuleFailure) -> RuleExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= 32 else { throw failure("the rule is nested too deeply") }
        var parts = [try all()]
        while take("||") { parts.append(try all()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func all() throws(RuleFailure) -> RuleExpression {
        var parts = [try comparison()]
        while take("&&") { parts.append(try comparison()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func comparison() throws(RuleFailure) -> RuleExpression {
        let start = token.offset
        let left = try unary()
        if case .symbol(let symbol) = token.kind, let relation = RuleRelation(rawValue: symbol) {
            let place = token.offset
            advance()
            return try compare(relation, left, try unary(), at: place)
        }
        if token.kind == .name("in") {
            advance()
            return try isOne(left, at: start)
        }
        if token.kind == .name("matches"), case .value(.field(let field)) = left {
            advance()
            return try test(.matches, field, argument: try literal())
        }
        return try condition(left, at: start)
    }

    /// A value stands for a condition only where it is a boolean field.
    private func condition(_ operand: Operand, at offset: Int) throws(RuleFailure) -> RuleExpression {
        switch operand {
        case .condition(let condition): return condition
        case .value(.field(let field)) where field.kind == .bool: return .isTrue(field)
        case .value(.field(let field)), .value(.count(let field)):
            throw failure(
                "'\(field.name)' is no condition", at: field.offset, hint: "compare it, or ask whether it isEmpty")
        default: throw failure("a condition about a field of the request is missing", at: offset)
        }
    }

    private mutating func unary() throws(RuleFailure) -> Operand {
        let start = token.offset
        if take("!") {
            depth += 1
            defer { depth -= 1 }
            guard depth <= 32 else { throw failure("the rule is nested too deeply") }
            return .condition(.not(try condition(try unary(), at: start)))
        }
        if take("(") {
            let inner = try any()
            try expect(")")
            return .condition(inner)
        }
        switch token.kind {
        case .name("request"): return try field()
        case .name("has"):
            advance()
            try expect("(")
            asksPresence = true
            guard token.kind == .name("request"), case .value(.field(let field)) = try self.field() else {
                throw failure("has(…) asks for a field", at: start)
            }
            asksPresence = false
            try expect(")")
            return .condition(try presence(of: field))
        case .name("null"), .name("nil"):
            advance()
            return .none
        case .name(let name) where isFieldName(name):
            throw failure("fields are named as 'request.\(name)'")
        default: return .value(try literal())
        }
    }

    private func isFieldName(_ name: String) -> Bool {
        request.fields.contains { $0.name == name || $0.jsonName == name }
    }

    /// A text, a number, a boolean or the name of a value of an enum.
    mutating func literal() throws(RuleFailure) -> RuleValue {
        let start = token
        if take("-") {
            guard case .number(let digits) = token.kind else { throw failure("a number is missing behind '-'") }
            advance()
            return .number("-" + digits)
        }
        advance()
        switch start.kind {
        case .text(let text): return .text(text)
        case .number(let digits):
            guard Double(digits) != nil else { throw failure("'\(digits)' is no number", at: start.offset) }
            return .number(digits)
        case .name("true"): return .bool(true)
        case .name("false"): return .bool(false)
        // Which enum it is of is known where it is compared.
        case .name(let name): return .enumeration(0, name: name)
        default: throw failure("a field or a value is missing before \(start.description)", at: start.offset)
        }
    }
}
