// SPDX-License-Identifier: Apache-2.0

/// Messages with every standard rule, made in loops so that no type of number is forgotten.
///
/// What the generator makes of them is in Generated/; `LATCH_REGENERATE` in the environment writes it anew.
enum CheckedProto {
    static let text: String = {
        var messages = [head, strings, bytes, others, times, presence, nested]
        for type in ValidateProto.numeric.values.sorted() { messages.append(numbers(type)) }
        return messages.joined(separator: "\n")
    }()

    private static let head = """
        syntax = "proto3";
        package checked.v1;
        import "buf/validate/validate.proto";
        import "google/protobuf/any.proto";
        import "google/protobuf/duration.proto";
        import "google/protobuf/field_mask.proto";
        import "google/protobuf/timestamp.proto";
        import "google/protobuf/wrappers.proto";
        enum Color { COLOR_UNSPECIFIED = 0; COLOR_RED = 1; COLOR_BLUE = 5; }
        """

    private static func message(_ name: String, _ fields: [(type: String, rules: String)]) -> String {
        let lines = fields.enumerated().map { index, field in
            let options = field.rules.split(separator: ";").map { "(buf.validate.field).\($0)" }
            return "  \(field.type) f\(index + 1) = \(index + 1) [\(options.joined(separator: ", "))];"
        }
        return "message \(name) {\n\(lines.joined(separator: "\n"))\n}"
    }

    private static func numbers(_ type: String) -> String {
        let rules = [
            "const = 5", "lt = 5", "lte = 5", "gt = 5", "gte = 5", "gt = 1;lt = 5", "gt = 1;lte = 5", "gte = 1;lt = 5",
            "gte = 1;lte = 5", "gt = 5;lt = 1", "gt = 5;lte = 1", "gte = 5;lt = 1", "gte = 5;lte = 1",
            "in = 1;in = 3", "not_in = 1;not_in = 3",
        ]
        let special = type == "float" || type == "double" ? ["finite = true", "lt = 0.5", "in = 0.1"] : []
        let fields = (rules + special).map { rule in
            (type, rule.split(separator: ";").map { "\(type).\($0)" }.joined(separator: ";"))
        }
        return message("\(type.prefix(1).uppercased())\(type.dropFirst())s", fields)
    }

    private static let strings: String = {
        let plain = [
            "const = 'abc'", "len = 3", "min_len = 2", "max_len = 3", "min_len = 1;max_len = 2", "len_bytes = 3",
            "min_bytes = 2", "max_bytes = 3", "pattern = '^[a-z]+$'", #"pattern = '\\w\\d?$'"#, "prefix = 'ab'",
            "suffix = 'ab'", "contains = 'ab'", "not_contains = 'ab'", "in = 'abc';in = 'x#\\\"'", "not_in = 'abc'",
            "well_known_regex = KNOWN_REGEX_HTTP_HEADER_NAME", "well_known_regex = KNOWN_REGEX_HTTP_HEADER_VALUE",
            "well_known_regex = KNOWN_REGEX_HTTP_HEADER_NAME;strict = false",
            "well_known_regex = KNOWN_REGEX_HTTP_HEADER_VALUE;strict = false",
        ]
        let forms = [
            "email", "hostname", "ip", "ipv4", "ipv6", "uri", "uri_ref", "address", "uuid", "tuuid",
            "ip_with_prefixlen", "ipv4_with_prefixlen", "ipv6_with_prefixlen", "ip_prefix", "ipv4_prefix",
            "ipv6_prefix", "host_and_port", "ulid", "protobuf_fqn", "protobuf_dot_fqn",
        ]
        let rules = plain + forms.map { "\($0) = true" }
        return message(
            "Strings",
            rules.map { rule in
                ("string", rule.split(separator: ";").map { "string.\($0)" }.joined(separator: ";"))
            })
    }()

    private static let bytes = message(
        "Bytes",
        [
            "const = 'abc'", "len = 3", "min_len = 2", "max_len = 3", "pattern = '^[a-z]+$'", "prefix = 'a\\377'",
            "suffix = 'ab'", "contains = 'ab'", "in = 'abc'", "not_in = 'abc'", "ip = true", "ipv4 = true",
            "ipv6 = true", "uuid = true",
        ].map { ("bytes", "bytes.\($0)") })

    private static let others =
        message(
            "Others",
            [
                ("bool", "bool.const = true"), ("Color", "enum.const = 1"), ("Color", "enum.defined_only = true"),
                ("Color", "enum.in = 1;enum.in = 5"), ("Color", "enum.not_in = 1"),
                ("repeated int32", "repeated.min_items = 2"), ("repeated int32", "repeated.max_items = 2"),
                ("repeated int32", "repeated.unique = true"), ("repeated string", "repeated.unique = true"),
                ("repeated double", "repeated.unique = true"), ("repeated string", "repeated.items.string.min_len = 2"),
                ("repeated Color", "repeated.items.enum.defined_only = true"),
                ("repeated string", "repeated.items.string.len = 2;repeated.items.ignore = IGNORE_IF_ZERO_VALUE"),
                ("map<string, int32>", "map.min_pairs = 1;map.max_pairs = 2"),
                ("map<string, int32>", "map.keys.string.min_len = 2;map.values.int32.gt = 3"),
                ("map<int64, string>", "map.keys.int64.lt = 3;map.values.string.email = true"),
                ("map<bool, Color>", "map.keys.bool.const = true;map.values.enum.defined_only = true"),
            ].map { type, rules in (type, rules) })

    private static let times: String = {
        let duration = [
            "const = {seconds: 5}", "lt = {seconds: 5}", "lte = {seconds: 5, nanos: 1}",
            "gt = {seconds: -2, nanos: -5}",
            "gte = {seconds: 5}", "gt = {seconds: 1};lt = {seconds: 5}", "gte = {seconds: 5};lte = {seconds: 1}",
            "in = {seconds: 1};in = {seconds: 3}", "not_in = {seconds: 1}",
        ]
        let timestamp = [
            "const = {seconds: 5}", "lt = {seconds: 5}", "lte = {seconds: 5, nanos: 1}", "gt = {seconds: -2}",
            "gte = {seconds: 5}", "gt = {seconds: 1};lt = {seconds: 5}", "lt_now = true", "gt_now = true",
            "within = {seconds: 3600}",
        ]
        func fields(_ family: String, _ type: String, _ rules: [String]) -> [(String, String)] {
            rules.map { rule in
                (
                    "google.protobuf.\(type)",
                    rule.split(separator: ";").map { "\(family).\($0)" }.joined(separator: ";")
                )
            }
        }
        return message("Durations", fields("duration", "Duration", duration)) + "\n"
            + message("Timestamps", fields("timestamp", "Timestamp", timestamp)) + "\n"
            + message(
                "Known",
                [
                    ("google.protobuf.Any", "any.in = 'type.googleapis.com/a'"),
                    ("google.protobuf.Any", "any.not_in = 'type.googleapis.com/a'"),
                    ("google.protobuf.FieldMask", "field_mask.const = {paths: ['a', 'b']}"),
                    ("google.protobuf.FieldMask", "field_mask.in = 'a'"),
                    ("google.protobuf.FieldMask", "field_mask.not_in = 'a'"),
                    ("google.protobuf.Int32Value", "int32.gt = 3"), ("google.protobuf.StringValue", "string.len = 2"),
                    ("google.protobuf.BoolValue", "bool.const = true"),
                    ("google.protobuf.DoubleValue", "double.finite = true"),
                    ("google.protobuf.BytesValue", "bytes.min_len = 1"),
                    ("repeated google.protobuf.Duration", "repeated.items.duration.gt = {seconds: 1}"),
                    ("map<string, google.protobuf.Int64Value>", "map.values.int64.gte = 1"),
                ])
    }()

    private static let presence = """
        message Presence {
          string implicit = 1 [(buf.validate.field).required = true];
          optional string explicit = 2 [(buf.validate.field).required = true];
          optional string lax = 3 [(buf.validate.field).string.min_len = 2];
          Other message = 4 [(buf.validate.field).required = true];
          repeated int32 list = 5 [(buf.validate.field).required = true];
          map<string, int32> pairs = 6 [(buf.validate.field).required = true];
          Color color = 7 [(buf.validate.field).required = true];
          string unless_empty = 8 [(buf.validate.field).ignore = IGNORE_IF_ZERO_VALUE, (buf.validate.field).string.len = 3];
          int32 unless_zero = 9 [(buf.validate.field).ignore = IGNORE_IF_ZERO_VALUE, (buf.validate.field).int32.gt = 3];
          repeated int32 unless_none = 10
            [(buf.validate.field).ignore = IGNORE_IF_ZERO_VALUE, (buf.validate.field).repeated.min_items = 2];
          string never = 11 [(buf.validate.field).ignore = IGNORE_ALWAYS, (buf.validate.field).required = true];
          oneof contact {
            option (buf.validate.oneof).required = true;
            string email = 12 [(buf.validate.field).string.email = true];
            int32 phone = 13 [(buf.validate.field).int32.gt = 99];
          }
          oneof free { string left = 14; string right = 15 [(buf.validate.field).required = true]; }
        }
        message Exclusive {
          option (buf.validate.message).oneof = { fields: ["a", "b"] };
          option (buf.validate.message).oneof = { fields: ["c", "d", "e"], required: true };
          string a = 1 [(buf.validate.field).string.min_len = 3];
          repeated int32 b = 2;
          int32 c = 3;
          optional int32 d = 4;
          Other e = 5;
        }
        """

    private static let nested = """
        message Other { int32 number = 1 [(buf.validate.field).int32.lt = 10]; }
        message Plain { Other inner = 1; string text = 2; }
        message Node {
          string name = 1 [(buf.validate.field).string.min_len = 1];
          Node next = 2;
          repeated Node children = 3 [(buf.validate.field).repeated.max_items = 2];
          map<string, Node> named = 4;
          Node unchecked = 5 [(buf.validate.field).ignore = IGNORE_ALWAYS];
          Plain plain = 6;
          oneof kind { Other other = 7; Plain second = 8; }
        }
        """
}
