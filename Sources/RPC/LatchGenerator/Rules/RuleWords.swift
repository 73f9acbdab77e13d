// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchRegex
import LatchProto

/// The rules of one field, as the words of its line.
struct RuleWords {
    /// Makes a diagnostic about a field.
    typealias Diagnose = (_ message: String, FieldDescriptor, Diagnostic.Severity) -> Diagnostic

    /// What rules are about: a field as a whole, or one value of it.
    struct Value {
        let field: FieldDescriptor
        var isElement = false

        init(_ field: FieldDescriptor, isElement: Bool = false) {
            self.field = field
            self.isElement = isElement
        }

        /// The families of rules that suit it.
        var family: String {
            if !isElement, field.label == .repeated { return field.message?.isMapEntry == true ? "map" : "repeated" }
            switch field.type {
            case .message, .group, nil: return Self.families[field.message?.fullName ?? ""] ?? "message"
            case .some(let type): return "\(type)"
            }
        }

        private static let families = [
            "google.protobuf.Any": "any", "google.protobuf.Duration": "duration",
            "google.protobuf.Timestamp": "timestamp", "google.protobuf.FieldMask": "field_mask",
            "google.protobuf.BoolValue": "bool", "google.protobuf.BytesValue": "bytes",
            "google.protobuf.DoubleValue": "double", "google.protobuf.FloatValue": "float",
            "google.protobuf.Int32Value": "int32", "google.protobuf.Int64Value": "int64",
            "google.protobuf.StringValue": "string", "google.protobuf.UInt32Value": "uint32",
            "google.protobuf.UInt64Value": "uint64",
        ]
    }

    private let field: FieldDescriptor
    private let diagnose: Diagnose
    private(set) var list: [String] = []
    private(set) var diagnostics: [Diagnostic] = []

    init(of field: FieldDescriptor, _ diagnose: @escaping Diagnose) {
        self.field = field
        self.diagnose = diagnose
    }

    mutating func fail(_ message: String, _ severity: Diagnostic.Severity = .error) {
        diagnostics.append(diagnose(message, field, severity))
    }

    /// Adds the words for `FieldRules`.
    mutating func add(_ rules: OptionMessage, _ type: MessageDescriptor, to value: Value) {
        if let count = Self.expressionCount(in: rules, type) {
            fail("\(count) in CEL, which \(count == "a rule" ? "is" : "are") not checked", .warning)
        }
        for field in type.fields where rules.has(field.number) {
            switch field.name {
            case "cel", "cel_expression", "skipped": break
            case "required": if rules.bool(field.number) == true { list.append("required") }
            case "ignore": addIgnore(rules.integer(field.number), field)
            case "ignore_empty": if rules.bool(field.number) == true { list.append("ignore=zero") }
            default:
                guard let inner = rules.message(field.number), let type = field.message else { continue }
                guard field.name == value.family else {
                    fail("rules for '\(field.name)' do not suit it; those for '\(value.family)' would")
                    continue
                }
                add(inner, type, of: field.name, to: value)
            }
        }
    }

    private mutating func addIgnore(_ number: Int64?, _ field: FieldDescriptor) {
        switch field.enum?.values.first(where: { Int64($0.number) == number })?.name {
        case "IGNORE_ALWAYS": list.append("ignore=always")
        case "IGNORE_UNSPECIFIED", nil: break
        // So it is called now, and so it was called before version 0.11.
        default: list.append("ignore=zero")
        }
    }

    /// Adds the words for the rules of a family, such as `StringRules`.
    private mutating func add(_ rules: OptionMessage, _ type: MessageDescriptor, of family: String, to value: Value) {
        let known = Set(type.fields.map(\.number))
        if rules.fields.keys.contains(where: { !known.contains($0) }) {
            fail("a rule that somebody else has defined in CEL, which is not checked", .warning)
        }
        for field in type.fields where rules.has(field.number) {
            switch field.name {
            case "example", "strict": break
            case "items", "keys", "values": addInner(field, rules, of: value)
            case "well_known_regex": addHeader(rules, type, field)
            default: add(field, rules, of: family)
            }
        }
    }

    /// The rules of what is in a list or a map.
    private mutating func addInner(_ field: FieldDescriptor, _ rules: OptionMessage, of value: Value) {
        guard let inner = rules.message(field.number), let type = field.message else { return }
        let entry = value.field.message
        let element = field.name == "keys" ? entry?.fields.first : field.name == "values" ? entry?.fields.last : nil
        var words = RuleWords(of: self.field, diagnose)
        words.add(inner, type, to: Value(element ?? value.field, isElement: true))
        diagnostics += words.diagnostics
        list.append("\(field.name)( \(words.list.joined(separator: " ")) )")
    }

    private mutating func addHeader(_ rules: OptionMessage, _ type: MessageDescriptor, _ field: FieldDescriptor) {
        let strict = type.fields.first { $0.name == "strict" }.flatMap { rules.bool($0.number) } ?? true
        let suffix = strict ? "" : ".loose"
        switch field.enum?.values.first(where: { Int64($0.number) == rules.integer(field.number) })?.name {
        case "KNOWN_REGEX_HTTP_HEADER_NAME": list.append("string.well_known_regex.header_name\(suffix)")
        case "KNOWN_REGEX_HTTP_HEADER_VALUE": list.append("string.well_known_regex.header_value\(suffix)")
        default: break
        }
    }

    private mutating func add(_ field: FieldDescriptor, _ rules: OptionMessage, of family: String) {
        guard let values = rules.fields[field.number]?.values else { return }
        let name = "\(family).\(field.name)"
        guard Self.isKnown(name, family) else {
            return fail("'\(name)' is a rule that this version does not know, and is not checked", .warning)
        }
        if field.name == "pattern", let pattern = rules.string(field.number) {
            do {
                _ = try Pattern(pattern)
            } catch {
                return fail("the pattern '\(pattern)' cannot be used: \(error)")
            }
        }
        if field.type == .bool, field.name != "const" {
            if rules.bool(field.number) == true { list.append(name) }
            return
        }
        let isMask = field.message?.fullName == "google.protobuf.FieldMask"
        let texts = isMask ? paths(values) : values.map { RuleWords.text($0, of: field) }
        let isList = field.label == .repeated || isMask
        list.append("\(name)=\(isList ? "[\(texts.joined(separator: ","))]" : texts.last ?? "")")
    }

    private func paths(_ values: [OptionMessage.Value]) -> [String] {
        guard case .message(let mask)? = values.last else { return [] }
        return mask.strings(1).map(Self.quoted)
    }
}
