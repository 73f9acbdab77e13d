// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchProtoCompiler
import LatchRegex

/// An encoder of one field's rules as words for its line in the schema.
struct StandardRuleEncoder {
    /// The subject of rules: a field, or the elements of a field.
    struct Value {
        let field: FieldDescriptor
        var isElement = false

        /// The name of the rules message that applies to it.
        var family: String {
            if !isElement, field.label == .repeated { return field.message?.isMapEntry == true ? "map" : "repeated" }
            switch field.type {
            case .message, .group, nil: return Self.families[field.message?.fullName ?? ""] ?? "message"
            case .some(let type): return type.word
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
    /// The severity of a rule that is not enforced.
    private let unenforced: Diagnostic.Severity
    private(set) var list: [String] = []
    private(set) var diagnostics: [Diagnostic] = []

    init(of field: FieldDescriptor, unenforced: Diagnostic.Severity) {
        self.field = field
        self.unenforced = unenforced
    }

    private mutating func fail(
        _ message: String, hint: String? = nil, _ severity: Diagnostic.Severity = .error
    ) {
        diagnostics.append(
            field.file.diagnostic(
                "the rules of '\(field.fullName)': \(message)", at: field.namePosition, hint: hint, as: severity))
    }

    /// Adds the words for a `FieldRules` message.
    mutating func add(_ rules: OptionMessage, _ type: MessageDescriptor, to value: Value) {
        guard value.isElement || !rules.hasRawText else { return fail("a text in them is not UTF-8") }
        if let expressions = Self.expressions(in: rules, type) { fail(expressions, hint: Self.hint, unenforced) }
        for field in type.fields where rules.has(field.number) {
            switch field.name {
            case "cel", "cel_expression", "skipped": break
            case "required": if rules.bool(field.number) == true { list.append("required") }
            case "ignore": addIgnore(field.enumValueName(rules.integer(field.number)))
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

    private mutating func addIgnore(_ name: String?) {
        switch name {
        case "IGNORE_ALWAYS": list.append("ignore=always")
        case "IGNORE_UNSPECIFIED", nil: break
        // This covers the current name and the name before version 0.11.
        default: list.append("ignore=zero")
        }
    }

    /// Adds the words for a rules message, such as `StringRules`.
    private mutating func add(_ rules: OptionMessage, _ type: MessageDescriptor, of family: String, to value: Value) {
        let known = Set(type.fields.map(\.number))
        for number in rules.fields.keys.filter({ !known.contains($0) }).sorted() {
            fail("\(predefined(number, of: type)), which is not checked", hint: Self.hint, unenforced)
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

    /// Adds the rules for the elements of a list or a map.
    private mutating func addInner(_ field: FieldDescriptor, _ rules: OptionMessage, of value: Value) {
        guard let inner = rules.message(field.number), let type = field.message else { return }
        let entry = value.field.message
        let element = field.name == "keys" ? entry?.fields.first : field.name == "values" ? entry?.fields.last : nil
        var words = StandardRuleEncoder(of: self.field, unenforced: unenforced)
        words.add(inner, type, to: Value(field: element ?? value.field, isElement: true))
        diagnostics += words.diagnostics
        list.append("\(field.name)( \(words.list.joined(separator: " ")) )")
    }

    private mutating func addHeader(_ rules: OptionMessage, _ type: MessageDescriptor, _ field: FieldDescriptor) {
        let strict = type.fields.first { $0.name == "strict" }.flatMap { rules.bool($0.number) } ?? true
        let suffix = strict ? "" : ".loose"
        switch field.enumValueName(rules.integer(field.number)) {
        case "KNOWN_REGEX_HTTP_HEADER_NAME": list.append("string.well_known_regex.header_name\(suffix)")
        case "KNOWN_REGEX_HTTP_HEADER_VALUE": list.append("string.well_known_regex.header_value\(suffix)")
        default: break
        }
    }

    private mutating func add(_ field: FieldDescriptor, _ rules: OptionMessage, of family: String) {
        guard let values = rules.fields[field.number]?.values else { return }
        let name = "\(family).\(field.name)"
        guard Self.known[family, default: Self.bounds].contains(field.name) else {
            return fail(
                "'\(name)' is a rule that this version does not know, and is not checked", hint: Self.hint, unenforced)
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
        let texts = isMask ? Self.paths(values) : values.map { Self.text($0, of: field) }
        let isList = field.label == .repeated || isMask
        list.append("\(name)=\(isList ? "[\(texts.joined(separator: ","))]" : texts.last ?? "")")
    }

    /// Returns the field `paths` of a `google.protobuf.FieldMask`.
    private static func paths(_ values: [OptionMessage.Value]) -> [String] {
        guard case .message(let mask)? = values.last else { return [] }
        return mask.strings(WellKnownField.paths).map(quoted)
    }
}

extension StandardRuleEncoder {
    /// The hint for a rule that is not enforced.
    static let hint = "State it as a standard rule, or leave it out with --allow-unenforced-rules and check it by hand."

    /// Returns the description of a predefined rule, an extension of a rules message.
    private func predefined(_ number: Int32, of type: MessageDescriptor) -> String {
        for file in field.file.withDependencies {
            let fields = file.extensions + file.messages.flatMap(\.extensions)
            if let rule = fields.first(where: { $0.number == number && $0.extendee === type }) {
                return "'\(rule.fullName)' is a predefined rule in CEL"
            }
        }
        return "a predefined rule in CEL (number \(number))"
    }

    /// Returns the description of CEL expressions; nil if there are none.
    static func expressions(in rules: OptionMessage, _ type: MessageDescriptor) -> String? {
        var names: [String] = []
        for field in type.fields {
            switch field.name {
            case "cel_expression": names += rules.strings(field.number)
            case "cel":
                let texts =
                    field.message?.fields.filter { $0.name == "id" || $0.name == "expression" }.map(\.number) ?? []
                names += rules.messages(field.number).map { rule in
                    texts.lazy.compactMap { rule.string($0) }.first { !$0.isEmpty } ?? ""
                }
            default: break
            }
        }
        guard !names.isEmpty else { return nil }
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        return names.count == 1
            ? "the rule \(list) in CEL, which is not checked" : "the rules \(list) in CEL, which are not checked"
    }

    /// The rules that the runtime checks, by family; all other families have `bounds`.
    private static let known: [String: Set<String>] = [
        "string": [
            "const", "in", "not_in", "len", "min_len", "max_len", "len_bytes", "min_bytes", "max_bytes", "pattern",
            "prefix", "suffix", "contains", "not_contains", "email", "hostname", "ip", "ipv4", "ipv6", "uri",
            "uri_ref", "address", "uuid", "tuuid", "ip_with_prefixlen", "ipv4_with_prefixlen",
            "ipv6_with_prefixlen", "ip_prefix", "ipv4_prefix", "ipv6_prefix", "host_and_port", "ulid",
            "protobuf_fqn", "protobuf_dot_fqn",
        ],
        "bytes": [
            "const", "in", "not_in", "len", "min_len", "max_len", "pattern", "prefix", "suffix", "contains", "ip",
            "ipv4", "ipv6", "uuid",
        ],
        "bool": ["const"], "enum": ["const", "in", "not_in", "defined_only"],
        "repeated": ["min_items", "max_items", "unique"], "map": ["min_pairs", "max_pairs"],
        "any": ["in", "not_in"], "field_mask": ["const", "in", "not_in"],
        "float": bounds.union(["finite"]), "double": bounds.union(["finite"]),
        "timestamp": bounds.union(["lt_now", "gt_now", "within"]),
    ]

    private static let bounds: Set<String> = ["const", "lt", "lte", "gt", "gte", "in", "not_in"]

    /// Returns a value in the notation that the runtime parses.
    private static func text(_ value: OptionMessage.Value, of field: FieldDescriptor) -> String {
        switch value {
        case .bytes(let bytes):
            guard field.type == .bytes else { return quoted(String(decoding: bytes, as: UTF8.self)) }
            let digits = bytes.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }
            return "\"\(digits.joined())\""
        case .message(let message):
            return "\(message.integer(WellKnownField.seconds) ?? 0):\(message.integer(WellKnownField.nanos) ?? 0)"
        case .number(let bits):
            switch field.type {
            case .double: return "\(Double(bitPattern: bits))"
            case .float: return "\(Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))))"
            case .uint32, .uint64, .fixed32, .fixed64: return "\(bits)"
            case .bool: return bits == 0 ? "false" : "true"
            default: return "\(Int64(bitPattern: bits))"
            }
        }
    }

    /// Returns a quoted string without bare quotes and `#`, so that any Swift literal can contain it.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\u{22}"
            case "\\": result += "\\\\"
            case "#": result += "\\u{23}"
            case _
            where scalar.properties.generalCategory == .control || scalar.properties.isWhitespace && scalar != " ":
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

/// The field numbers in types of `google.protobuf` that rules have as values.
private enum WellKnownField {
    /// The seconds of a timestamp or a duration.
    static let seconds: Int32 = 1
    static let nanos: Int32 = 2
    /// The paths of a field mask.
    static let paths: Int32 = 1
}

extension FieldDescriptor {
    /// Returns the name of a value of the field's enum; nil for an unknown number.
    func enumValueName(_ number: Int64?) -> String? { `enum`?.values.first { Int64($0.number) == number }?.name }
}
