// SPDX-License-Identifier: Apache-2.0

/// The names and numbers of protovalidate's options, as far as the tests use them.
///
/// The public validate.proto is not in this repository: programs bring their own by their include path. That ours says
/// the same as theirs is a test of its own (OptionNameTests).
enum ValidateProto {
    static let numeric = [
        "Float": "float", "Double": "double", "Int32": "int32", "Int64": "int64", "UInt32": "uint32",
        "UInt64": "uint64", "SInt32": "sint32", "SInt64": "sint64", "Fixed32": "fixed32", "Fixed64": "fixed64",
        "SFixed32": "sfixed32", "SFixed64": "sfixed64",
    ]

    /// The fields of `FieldRules` that hold the rules of a family, which all are of one oneof.
    static let families =
        "float 1,double 2,int32 3,int64 4,uint32 5,uint64 6,sint32 7,sint64 8,fixed32 9,fixed64 10,sfixed32 11,"
        + "sfixed64 12,bool 13,string 14,bytes 15,enum 16,repeated 18,map 19,any 20,duration 21,field_mask 28,timestamp 22"

    /// Messages by name: their fields as `type name number`, separated by commas.
    static let messages: [String: String] = [
        "Rule": "string id 1,string message 2,string expression 3",
        "MessageOneofRule": "repeated string fields 1,bool required 2",
        "MessageRules": "repeated string cel_expression 5,repeated Rule cel 3,repeated MessageOneofRule oneof 4",
        "OneofRules": "bool required 1",
        "BoolRules": "bool const 1",
        "StringRules": """
        string const 1,uint64 len 19,uint64 min_len 2,uint64 max_len 3,uint64 len_bytes 20,uint64 min_bytes 4,\
        uint64 max_bytes 5,string pattern 6,string prefix 7,string suffix 8,string contains 9,\
        string not_contains 23,repeated string in 10,repeated string not_in 11,bool email 12,bool hostname 13,\
        bool ip 14,bool ipv4 15,bool ipv6 16,bool uri 17,bool uri_ref 18,bool address 21,bool uuid 22,\
        bool tuuid 33,bool ip_with_prefixlen 26,bool ipv4_with_prefixlen 27,bool ipv6_with_prefixlen 28,\
        bool ip_prefix 29,bool ipv4_prefix 30,bool ipv6_prefix 31,bool host_and_port 32,bool ulid 35,\
        bool protobuf_fqn 37,bool protobuf_dot_fqn 38,KnownRegex well_known_regex 24,bool strict 25
        """,
        "BytesRules": """
        bytes const 1,uint64 len 13,uint64 min_len 2,uint64 max_len 3,string pattern 4,bytes prefix 5,\
        bytes suffix 6,bytes contains 7,repeated bytes in 8,repeated bytes not_in 9,bool ip 10,bool ipv4 11,\
        bool ipv6 12,bool uuid 15
        """,
        "EnumRules": "int32 const 1,bool defined_only 2,repeated int32 in 3,repeated int32 not_in 4",
        "RepeatedRules": "uint64 min_items 1,uint64 max_items 2,bool unique 3,FieldRules items 4",
        "MapRules": "uint64 min_pairs 1,uint64 max_pairs 2,FieldRules keys 4,FieldRules values 5",
        "AnyRules": "repeated string in 2,repeated string not_in 3",
        "DurationRules": times("google.protobuf.Duration")
            + ",repeated google.protobuf.Duration in 7,repeated google.protobuf.Duration not_in 8",
        "FieldMaskRules": "google.protobuf.FieldMask const 1,repeated string in 2,repeated string not_in 3",
        "TimestampRules": times("google.protobuf.Timestamp")
            + ",bool lt_now 7,bool gt_now 8,google.protobuf.Duration within 9",
    ]

    private static func times(_ type: String) -> String {
        "\(type) const 2,\(type) lt 3,\(type) lte 4,\(type) gt 5,\(type) gte 6"
    }

    /// The file.
    static let text: String = {
        var lines = [
            "syntax = \"proto2\";", "package buf.validate;", "import \"google/protobuf/descriptor.proto\";",
            "import \"google/protobuf/duration.proto\";", "import \"google/protobuf/field_mask.proto\";",
            "import \"google/protobuf/timestamp.proto\";",
            "enum Ignore { IGNORE_UNSPECIFIED = 0; IGNORE_IF_ZERO_VALUE = 1; IGNORE_ALWAYS = 3; }",
            "enum KnownRegex { KNOWN_REGEX_UNSPECIFIED = 0; KNOWN_REGEX_HTTP_HEADER_NAME = 1; "
                + "KNOWN_REGEX_HTTP_HEADER_VALUE = 2; }",
            "extend google.protobuf.FieldOptions { optional FieldRules field = 1159; }",
            "extend google.protobuf.OneofOptions { optional OneofRules oneof = 1159; }",
            "extend google.protobuf.MessageOptions { optional MessageRules message = 1159; }",
        ]
        for (name, fields) in messages.sorted(by: { $0.key < $1.key }) { lines += declaration(name, fields) }
        for (name, type) in numeric.sorted(by: { $0.key < $1.key }) {
            var fields = ["const 1", "lt 2", "lte 3", "gt 4", "gte 5"].map { "\(type) \($0)" }
            fields += ["repeated \(type) in 6", "repeated \(type) not_in 7"]
            if type == "float" || type == "double" { fields.append("bool finite 8") }
            lines += declaration("\(name)Rules", fields.joined(separator: ","))
        }
        lines += declaration(
            "FieldRules",
            "repeated string cel_expression 29,repeated Rule cel 23,bool required 25,Ignore ignore 27,"
                + families.split(separator: ",").map { "\(rulesType(of: $0)) \($0)" }.joined(separator: ","))
        return lines.joined(separator: "\n")
    }()

    private static func rulesType(of field: Substring) -> String {
        let name = field.split(separator: " ")[0]
        if let numeric = numeric.first(where: { $0.value == name }) { return "\(numeric.key)Rules" }
        return name.split(separator: "_").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined() + "Rules"
    }

    private static func declaration(_ name: String, _ fields: String) -> [String] {
        let lines = fields.split(separator: ",").map { field -> String in
            let words = field.split(separator: " ")
            let label = words[0] == "repeated" ? "" : "optional "
            return "  \(label)\(words.dropLast().joined(separator: " ")) = \(words.last ?? "");"
        }
        return ["message \(name) {"] + lines + ["}"]
    }
}
