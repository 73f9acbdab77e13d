// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProtoCompiler
import LatchRegex

/// A parser of rules that resolves the fields of the request and checks the types.
///
/// ```
/// any        = all { "||" all }
/// all        = comparison { "&&" comparison }
/// comparison = unary [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" | "matches" ) unary
///            | "in" "[" literal { "," literal } "]" ]
/// unary      = "!" unary | "(" any ")" | "has" "(" field ")" | literal | field [ "." member ]
/// field      = "request" "." name { "." name }
/// ```
struct RuleParser {
    /// An operand: a value that can be compared, or a condition.
    private enum Operand {
        case value(RuleValue)
        case condition(RuleExpression)
        case none
    }

    private let request: MessageDescriptor
    private let tokens: [RuleToken]
    private var index = 0
    private var depth = 0
    /// Whether the next field is tested only for presence.
    private var checksPresence = false

    private init(_ rule: String, of request: MessageDescriptor) throws(RuleError) {
        self.request = request
        tokens = try RuleToken.all(of: rule)
    }

    /// Parses the condition that a rule states about a request.
    static func parse(_ rule: String, of request: MessageDescriptor) throws(RuleError) -> RuleExpression {
        var parser = try RuleParser(rule, of: request)
        guard parser.token.kind != .end else { throw RuleError(message: "the rule is empty", offset: 0) }
        let expression = try parser.any()
        guard parser.token.kind == .end else {
            throw parser.failure("\(parser.token.description) does not belong there")
        }
        return expression
    }

    // MARK: Tokens

    private var token: RuleToken { tokens[index] }

    private func failure(_ message: String, at offset: Int? = nil, hint: String? = nil) -> RuleError {
        RuleError(message: message, offset: offset ?? token.offset, hint: hint)
    }

    private mutating func advance() { index = min(index + 1, tokens.count - 1) }

    private mutating func take(_ symbol: String) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        advance()
        return true
    }

    private mutating func expect(_ symbol: String) throws(RuleError) {
        guard take(symbol) else { throw failure("'\(symbol)' is missing before \(token.description)") }
    }

    private mutating func takeName() -> String? {
        guard case .name(let name) = token.kind else { return nil }
        advance()
        return name
    }

    // MARK: Conditions

    private mutating func enter() throws(RuleError) {
        guard depth < 32 else { throw failure("the rule is nested too deeply") }
        depth += 1
    }

    private mutating func any() throws(RuleError) -> RuleExpression {
        try enter()
        defer { depth -= 1 }
        var parts = [try all()]
        while take("||") { parts.append(try all()) }
        return parts.count == 1 ? parts[0] : .any(parts)
    }

    private mutating func all() throws(RuleError) -> RuleExpression {
        var parts = [try comparison()]
        while take("&&") { parts.append(try comparison()) }
        return parts.count == 1 ? parts[0] : .all(parts)
    }

    private mutating func comparison() throws(RuleError) -> RuleExpression {
        let start = token.offset
        let left = try unary()
        if case .symbol(let symbol) = token.kind, let relation = ComparisonOperator(rawValue: symbol) {
            let offset = token.offset
            advance()
            return try compare(relation, left, try unary(), at: offset)
        }
        if token.kind == .name("in") {
            advance()
            return try isOneOf(left, at: start)
        }
        if token.kind == .name("matches"), case .value(.field(let field)) = left {
            advance()
            return try test(.matches, field, argument: try literal())
        }
        return try condition(left, at: start)
    }

    /// Returns an operand as a condition; a value is a condition only if it is a Boolean field.
    private func condition(_ operand: Operand, at offset: Int) throws(RuleError) -> RuleExpression {
        switch operand {
        case .condition(let condition): return condition
        case .value(.field(let field)) where field.kind == .bool: return .isTrue(field)
        case .value(.field(let field)), .value(.count(let field)):
            throw failure(
                "'\(field.name)' is not a condition", at: field.offset, hint: "compare it, or use isEmpty")
        default: throw failure("a condition about a field of the request is missing", at: offset)
        }
    }

    private mutating func unary() throws(RuleError) -> Operand {
        let start = token.offset
        if take("!") {
            try enter()
            defer { depth -= 1 }
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
            checksPresence = true
            guard token.kind == .name("request"), case .value(.field(let field)) = try self.field() else {
                throw failure("has(…) requires a field", at: start)
            }
            checksPresence = false
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

    /// Parses a string, a number, a Boolean or the name of an enum value.
    private mutating func literal() throws(RuleError) -> RuleValue {
        let start = token
        if take("-") {
            guard case .number(let digits) = token.kind else { throw failure("a number is missing after '-'") }
            advance()
            return .number("-" + digits)
        }
        advance()
        switch start.kind {
        case .text(let text): return .text(text)
        case .number(let digits):
            guard Double(digits) != nil else { throw failure("'\(digits)' is not a number", at: start.offset) }
            return .number(digits)
        case .name("true"): return .bool(true)
        case .name("false"): return .bool(false)
        // The comparison determines the enum.
        case .name(let name): return .enumeration(0, name: name)
        default: throw failure("a field or a value is missing before \(start.description)", at: start.offset)
        }
    }
}

// MARK: Fields

extension RuleParser {
    /// Parses a field that begins with `request`, and the member after it.
    private mutating func field() throws(RuleError) -> Operand {
        let start = token.offset
        advance()
        var path: [FieldDescriptor] = []
        var message: MessageDescriptor? = request
        while take(".") {
            let offset = token.offset
            guard let name = takeName() else { throw failure("a name is missing before \(token.description)") }
            // A field takes precedence over a member with the same name, such as 'count'.
            if let found = message?.fields.first(where: { $0.name == name || $0.jsonName == name }) {
                path.append(found)
                try checkReadable(found, at: offset)
                let isOne = found.label != .repeated && RuleField.elementKind(of: found) == .message
                message = isOne ? found.message : nil
                continue
            }
            guard !path.isEmpty, let operand = try member(name, RuleField(path: path, offset: start), at: offset)
            else { throw unknown(name, in: message, after: path, at: offset) }
            return operand
        }
        guard !path.isEmpty else { throw failure("a field is missing after 'request'", hint: "request.email") }
        return .value(.field(RuleField(path: path, offset: start)))
    }

    /// Rejects members of a oneof that cannot be read as a scalar from the message's storage.
    private func checkReadable(_ field: FieldDescriptor, at offset: Int) throws(RuleError) {
        let kind = RuleField.elementKind(of: field)
        guard field.isInRealOneof, !checksPresence, ![.text, .bytes, .integer, .decimal, .bool].contains(kind) else {
            return
        }
        throw failure(
            "'\(field.name)' is in a oneof, where \(kind.description) cannot be compared", at: offset,
            hint: "use has(request.\(field.name)) to test whether it is set")
    }

    private func unknown(
        _ name: String, in message: MessageDescriptor?, after path: [FieldDescriptor], at offset: Int
    ) -> RuleError {
        if let message {
            let known = message.fields.map(\.name)
            let near = known.first { $0.lowercased().filter { $0 != "_" } == name.lowercased().filter { $0 != "_" } }
            return failure(
                "'\(message.fullName)' has no field '\(name)'", at: offset,
                hint: near.map { "there is '\($0)'" } ?? "its fields are \(known.joined(separator: ", "))")
        }
        return failure(
            "'\(path.last?.name ?? "")' has no member '\(name)'", at: offset,
            hint: "the members are isEmpty, length, count, contains, hasPrefix, hasSuffix and matches")
    }

    /// Parses the member after a field: a property, with or without parentheses, or a test.
    private mutating func member(
        _ word: String, _ field: RuleField, at offset: Int
    ) throws(RuleError) -> Operand? {
        if let test = RuleTest(word: word) {
            try expect("(")
            let argument = try literal()
            try expect(")")
            return .condition(try self.test(test, field, argument: argument))
        }
        let isEmpty = ["isEmpty", "is_empty", "empty"].contains(word)
        guard isEmpty || ["length", "count", "size"].contains(word) else { return nil }
        if take("(") { try expect(")") }
        guard field.kind.hasLength else {
            throw failure("'\(field.name)' has no '\(word)', it is \(field.kind.description)", at: offset)
        }
        return isEmpty ? .condition(.isEmpty(field)) : .value(.count(field))
    }

    /// Returns the test of a string or a list.
    private func test(_ test: RuleTest, _ field: RuleField, argument: RuleValue) throws(RuleError) -> RuleExpression {
        if test == .contains, field.kind == .list, let element = field.path.last {
            let kind = RuleField.elementKind(of: element)
            guard kind == .text || kind == .integer || kind == .enumeration else {
                throw failure("'\(field.name)' is a list that rules cannot search", at: field.offset)
            }
            return .test(test, field, try converted(argument, to: element, kind, at: field.offset))
        }
        guard field.kind == .text else {
            throw failure("'\(field.name)' is \(field.kind.description) and not a text", at: field.offset)
        }
        guard case .text = argument else {
            throw failure("'\(test.rawValue)' requires a text in quotes", at: field.offset)
        }
        if test == .matches, case .text(let pattern) = argument {
            do {
                _ = try Pattern(pattern)
            } catch {
                throw failure("the pattern '\(pattern)' is invalid: \(error)", at: field.offset)
            }
        }
        return .test(test, field, argument)
    }

    /// Returns the condition that a field is set; the field must track its presence.
    private func presence(of field: RuleField) throws(RuleError) -> RuleExpression {
        guard let last = field.path.last, field.kind != .list, field.kind != .map, last.hasPresence else {
            throw failure(
                "'\(field.name)' does not track its presence", at: field.offset,
                hint: "mark it optional, or use isEmpty")
        }
        return .has(field)
    }
}

extension RuleField.Kind {
    /// Whether `isEmpty` and `count` apply.
    var hasLength: Bool { [.text, .bytes, .list, .map].contains(self) }

    /// The kind with its article.
    var description: String {
        switch self {
        case .text: "a text"
        case .bytes: "bytes"
        case .integer: "a whole number"
        case .decimal: "a number"
        case .bool: "a boolean"
        case .enumeration: "an enum"
        case .timestamp: "a timestamp"
        case .duration: "a duration"
        case .message: "a message"
        case .list: "a list"
        case .map: "a map"
        }
    }
}

// MARK: Comparisons

extension RuleParser {
    /// Returns a comparison with the field as its first operand, after checking the types.
    private func compare(
        _ relation: ComparisonOperator, _ left: Operand, _ right: Operand, at offset: Int
    ) throws(RuleError) -> RuleExpression {
        switch (left, right) {
        case (.value(.field(let field)), .none), (.none, .value(.field(let field))):
            guard !relation.isOrdering else { throw failure("null has no order", at: offset) }
            let presence = try presence(of: field)
            return relation == .equal ? .not(presence) : presence
        case (.condition(let condition), .value(.bool(let value))),
            (.value(.bool(let value)), .condition(let condition)):
            guard !relation.isOrdering else { throw failure("conditions have no order", at: offset) }
            return (relation == .equal) == value ? condition : .not(condition)
        case (.value(let left), .value(let right)):
            if left.field == nil {
                guard right.field != nil else { throw failure("the rule compares no field", at: offset) }
                return try compare(relation.mirrored, right, left, at: offset)
            }
            return try compare(relation, left, right, at: offset)
        default: throw failure("a condition cannot be compared", at: offset, hint: "join conditions by && and ||")
        }
    }

    private func compare(
        _ relation: ComparisonOperator, _ left: RuleValue, _ right: RuleValue, at offset: Int
    ) throws(RuleError) -> RuleExpression {
        if case .field(let field) = left, field.kind == .bool, case .bool(let value) = right, !relation.isOrdering {
            return (relation == .equal) == value ? .isTrue(field) : .not(.isTrue(field))
        }
        if let other = right.field {
            try checkFields(relation, left, right, other, at: offset)
            return .compare(relation, left, right)
        }
        guard let field = left.field, let last = field.path.last else { return .compare(relation, left, right) }
        if case .count = left {
            guard case .number(let digits) = right, let number = Int(digits), number >= 0 else {
                throw failure("a length can be compared only with a whole number that is not negative", at: offset)
            }
            return .compare(relation, left, right)
        }
        let kind = field.kind
        guard ![.list, .map, .message, .bytes, .timestamp, .duration].contains(kind) else {
            throw failure(
                "'\(field.name)' is \(kind.description), which cannot be compared with this value", at: offset)
        }
        if relation.isOrdering, kind == .text || kind == .bool {
            throw failure("'\(field.name)' is \(kind.description) and has no order", at: offset)
        }
        return .compare(relation, left, try converted(right, to: last, kind, at: offset))
    }

    private func checkFields(
        _ relation: ComparisonOperator, _ left: RuleValue, _ right: RuleValue, _ other: RuleField, at offset: Int
    ) throws(RuleError) {
        let (one, two) = (left.comparedKind, right.comparedKind)
        let numbers: [RuleField.Kind?] = [.integer, .decimal]
        let isSame = one == two && (one != .enumeration || left.field?.path.last?.enum === other.path.last?.enum)
        guard isSame || numbers.contains(one) && numbers.contains(two) else {
            throw failure("'\(left.field?.name ?? "")' and '\(other.name)' are of different types", at: offset)
        }
        let ordered: [RuleField.Kind?] = [.integer, .decimal, .timestamp, .duration]
        let equated: [RuleField.Kind?] = ordered + [.text, .bytes, .bool, .enumeration]
        guard relation.isOrdering ? ordered.contains(one) : equated.contains(one) else {
            throw failure("'\(other.name)' is \(two?.description ?? ""), which cannot be compared this way", at: offset)
        }
        // A time in a nested message would need a default if that message is not set.
        if one == .timestamp || one == .duration, (left.field?.path.count ?? 1) > 1 || other.path.count > 1 {
            throw failure("only times that are fields of the request itself can be compared", at: offset)
        }
    }

    /// Parses the list of values that an operand must be one of.
    private mutating func isOneOf(_ operand: Operand, at start: Int) throws(RuleError) -> RuleExpression {
        guard case .value(.field(let field)) = operand, let last = field.path.last,
            [.text, .integer, .enumeration].contains(field.kind)
        else { throw failure("'in' requires a text, a whole number or an enum", at: start) }
        try expect("[")
        var values: [RuleValue] = []
        repeat {
            let offset = token.offset
            values.append(try converted(try literal(), to: last, field.kind, at: offset))
        } while take(",")
        try expect("]")
        return .isOneOf(.field(field), of: values)
    }

    /// Returns a literal as a value of a field's kind.
    private func converted(
        _ value: RuleValue, to field: FieldDescriptor, _ kind: RuleField.Kind, at offset: Int
    ) throws(RuleError) -> RuleValue {
        switch (kind, value) {
        case (.text, .text), (.decimal, .number), (.bool, .bool): return value
        case (.integer, .number(let digits)):
            // A number with a decimal point can be compared with integers.
            guard digits.contains(".") || field.holds(digits) else {
                throw failure("\(digits) is out of the range of '\(field.name)'", at: offset)
            }
            return value
        case (.enumeration, .number(let digits)):
            guard let number = Int32(digits) else {
                throw failure("'\(digits)' is not the number of an enum value", at: offset)
            }
            let found = field.enum?.values.first { $0.number == number }
            return .enumeration(number, name: found?.name ?? digits)
        case (.enumeration, .enumeration(_, let name)), (.enumeration, .text(let name)):
            guard let found = field.enum?.values.first(where: { $0.name == name }) else {
                throw failure(
                    "'\(field.enum?.fullName ?? "")' has no value '\(name)'", at: offset,
                    hint: "its values are \((field.enum?.values ?? []).map(\.name).joined(separator: ", "))")
            }
            return .enumeration(found.number, name: found.name)
        case (_, .enumeration(_, let name)):
            throw failure("'\(name)' is unknown", at: offset, hint: "write a text in quotes")
        default: throw failure("'\(field.name)' is \(kind.description) and cannot equal this value", at: offset)
        }
    }
}

extension RuleValue {
    /// The kind in a comparison; nil for a literal.
    fileprivate var comparedKind: RuleField.Kind? {
        switch self {
        case .count: .integer
        case .field(let field): field.kind
        default: nil
        }
    }
}

extension FieldDescriptor {
    /// Whether the integer is in the range of the field's type.
    fileprivate func holds(_ digits: String) -> Bool {
        switch scalarType?.type {
        case "Int32": Int32(digits) != nil
        case "Int64": Int64(digits) != nil
        case "UInt32": UInt32(digits) != nil
        default: UInt64(digits) != nil
        }
    }
}
