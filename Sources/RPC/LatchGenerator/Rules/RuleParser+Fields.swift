// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchRegex
import LatchProto

extension RuleParser {
    /// A field from `request` on, and what it is asked for.
    mutating func field() throws(RuleFailure) -> Operand {
        let start = token.offset
        advance()
        var path: [FieldDescriptor] = []
        var message: MessageDescriptor? = request
        while take(".") {
            let place = token.offset
            guard let name = takeName() else { throw failure("a name is missing before \(token.description)") }
            // A field of that name comes first: it may well be called 'count'.
            if let found = message?.fields.first(where: { $0.name == name || $0.jsonName == name }) {
                path.append(found)
                try demandReadable(found, at: place)
                let isOne = found.label != .repeated && RuleField.elementKind(of: found) == .message
                message = isOne ? found.message : nil
                continue
            }
            guard !path.isEmpty, let operand = try question(name, RuleField(path: path, offset: start), at: place)
            else { throw unknown(name, in: message, behind: path, at: place) }
            return operand
        }
        guard !path.isEmpty else { throw failure("a field is missing behind 'request'", hint: "request.email") }
        return .value(.field(RuleField(path: path, offset: start)))
    }

    /// The members of a oneof are read from the storage, which takes plain values for that.
    private func demandReadable(_ field: FieldDescriptor, at place: Int) throws(RuleFailure) {
        let kind = RuleField.elementKind(of: field)
        guard field.isInRealOneof, !asksPresence, ![.text, .bytes, .integer, .decimal, .bool].contains(kind) else {
            return
        }
        throw failure(
            "'\(field.name)' is one of several, and \(kind.description) among them cannot be compared", at: place,
            hint: "has(request.\(field.name)) asks whether it is the one that is set")
    }

    private func unknown(
        _ name: String, in message: MessageDescriptor?, behind path: [FieldDescriptor], at place: Int
    ) -> RuleFailure {
        if let message {
            let known = message.fields.map(\.name)
            let near = known.first { $0.lowercased().filter { $0 != "_" } == name.lowercased().filter { $0 != "_" } }
            return failure(
                "'\(message.fullName)' has no field '\(name)'", at: place,
                hint: near.map { "there is '\($0)'" } ?? "its fields are \(known.joined(separator: ", "))")
        }
        return failure(
            "'\(path.last?.name ?? "")' cannot be asked for '\(name)'", at: place,
            hint: "isEmpty, length, count, contains, hasPrefix, hasSuffix and matches are known")
    }

    /// What is behind the last field: a property with or without parentheses, or a test.
    private mutating func question(
        _ word: String, _ field: RuleField, at place: Int
    ) throws(RuleFailure) -> Operand? {
        switch word {
        case "isEmpty", "is_empty", "empty":
            try parentheses()
            try demand(.text, .bytes, .list, .map, of: field, for: word, at: place)
            return .condition(.isEmpty(field))
        case "length", "count", "size":
            try parentheses()
            try demand(.text, .bytes, .list, .map, of: field, for: word, at: place)
            return .value(.count(field))
        default:
            guard let test = RuleTest(word: word) else { return nil }
            try expect("(")
            let argument = try literal()
            try expect(")")
            return .condition(try self.test(test, field, argument: argument))
        }
    }

    /// A property may be written as a call.
    private mutating func parentheses() throws(RuleFailure) {
        if take("(") { try expect(")") }
    }

    private func demand(
        _ kinds: RuleField.Kind..., of field: RuleField, for word: String, at place: Int
    ) throws(RuleFailure) {
        guard kinds.contains(field.kind) else {
            throw failure("'\(field.name)' has no '\(word)', it is \(field.kind.description)", at: place)
        }
    }

    /// Whether a text or a list has something in it.
    func test(_ test: RuleTest, _ field: RuleField, argument: RuleValue) throws(RuleFailure) -> RuleExpression {
        if test == .contains, field.kind == .list, let element = field.path.last {
            let kind = RuleField.elementKind(of: element)
            guard kind == .text || kind == .integer || kind == .enumeration else {
                throw failure("'\(field.name)' is a list that rules cannot search", at: field.offset)
            }
            return .test(test, field, try suited(argument, to: element, kind, at: field.offset))
        }
        guard field.kind == .text else {
            throw failure("'\(field.name)' is \(field.kind.description) and not a text", at: field.offset)
        }
        guard case .text = argument else {
            throw failure("'\(test.rawValue)' looks for a text between quotes", at: field.offset)
        }
        if test == .matches, case .text(let pattern) = argument {
            do {
                _ = try Pattern(pattern)
            } catch {
                throw failure("the pattern '\(pattern)' is none: \(error)", at: field.offset)
            }
        }
        return .test(test, field, argument)
    }

    /// Whether a field that knows it is set.
    func presence(of field: RuleField) throws(RuleFailure) -> RuleExpression {
        guard let last = field.path.last, field.kind != .list, field.kind != .map, last.knowsPresence else {
            throw failure(
                "'\(field.name)' does not know whether it is set", at: field.offset,
                hint: "mark it optional, or ask whether it isEmpty")
        }
        return .has(field)
    }
}

extension FieldDescriptor {
    /// Whether one can ask the field if it is set.
    var knowsPresence: Bool {
        label != .repeated
            && (type?.isMessage == true || oneofIndex != nil || features.fieldPresence != .implicit)
    }
}

extension RuleField.Kind: CustomStringConvertible {
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
