// SPDX-License-Identifier: Apache-2.0

import LatchProto

extension RuleWords {
    /// How many rules in CEL there are, in words; nil for none.
    static func expressionCount(in rules: OptionMessage, _ type: MessageDescriptor) -> String? {
        let numbers = type.fields.filter { $0.name == "cel" || $0.name == "cel_expression" }.map(\.number)
        let count = numbers.reduce(0) { $0 + (rules.fields[$1]?.values.count ?? 0) }
        return count == 0 ? nil : count == 1 ? "a rule" : "\(count) rules"
    }

    /// Whether the runtime checks a rule.
    static func isKnown(_ rule: String, _ family: String) -> Bool {
        let name = String(rule.dropFirst(family.utf8.count + 1))
        let bounds = ["const", "lt", "lte", "gt", "gte", "in", "not_in"]
        switch family {
        case "string":
            return [
                "const", "in", "not_in", "len", "min_len", "max_len", "len_bytes", "min_bytes", "max_bytes", "pattern",
                "prefix", "suffix", "contains", "not_contains", "email", "hostname", "ip", "ipv4", "ipv6", "uri",
                "uri_ref", "address", "uuid", "tuuid", "ip_with_prefixlen", "ipv4_with_prefixlen",
                "ipv6_with_prefixlen", "ip_prefix", "ipv4_prefix", "ipv6_prefix", "host_and_port", "ulid",
                "protobuf_fqn", "protobuf_dot_fqn",
            ].contains(name)
        case "bytes":
            return [
                "const", "in", "not_in", "len", "min_len", "max_len", "pattern", "prefix", "suffix", "contains", "ip",
                "ipv4", "ipv6", "uuid",
            ].contains(name)
        case "bool": return name == "const"
        case "enum": return ["const", "in", "not_in", "defined_only"].contains(name)
        case "repeated": return ["min_items", "max_items", "unique"].contains(name)
        case "map": return ["min_pairs", "max_pairs"].contains(name)
        case "any": return ["in", "not_in"].contains(name)
        case "field_mask": return ["const", "in", "not_in"].contains(name)
        case "float", "double": return (bounds + ["finite"]).contains(name)
        case "timestamp": return (bounds + ["lt_now", "gt_now", "within"]).contains(name)
        default: return bounds.contains(name)
        }
    }

    /// A value as the runtime reads it.
    static func text(_ value: OptionMessage.Value, of field: FieldDescriptor) -> String {
        switch value {
        case .bytes(let bytes):
            guard field.type == .bytes else { return quoted(String(decoding: bytes, as: UTF8.self)) }
            let digits = bytes.map { $0 < 16 ? "0\(String($0, radix: 16))" : String($0, radix: 16) }
            return "\"\(digits.joined())\""
        case .message(let message):
            // Durations and timestamps have the same two fields.
            return "\(message.integer(1) ?? 0):\(message.integer(2) ?? 0)"
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

    /// A text between quotes; neither quotes nor `#` are bare in it, so that it can stand in any literal of Swift.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\u{22}"
            case "\\": result += "\\\\"
            case "#": result += "\\u{23}"
            case _
            where scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
                || scalar.properties.isWhitespace
                    && scalar != " ":
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
