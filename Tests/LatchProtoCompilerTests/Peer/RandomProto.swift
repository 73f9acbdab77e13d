// SPDX-License-Identifier: Apache-2.0

import LatchTesting

/// A valid file that uses all constructs of the language.
struct RandomProto {
    enum Syntax: String, CaseIterable {
        case proto2, proto3, editions
    }

    private var random: SplitMix64
    private let syntax: Syntax
    private let package: String
    private var lines: [String] = []
    private var count = 0

    init(seed: UInt64, syntax: Syntax) {
        random = SplitMix64(state: seed &* 7919 &+ UInt64(syntax.rawValue.utf8.count))
        self.syntax = syntax
        package = "p\(seed).\(syntax.rawValue)"
    }

    /// The file.
    mutating func text() -> String {
        lines = ["// A file's own comment.", ""]
        lines.append(syntax == .editions ? "edition = \"2023\";" : "syntax = '\(syntax.rawValue)';")
        lines += ["package \(package); // behind it", "import \"google/protobuf/descriptor.proto\";"]
        lines.append("import public \"google/protobuf/timestamp.proto\";")
        if syntax == .editions, random.below(2) == 0 { lines.append("option features.field_presence = IMPLICIT;") }
        lines += ["option java_package = \"a.b\" \"c\\x41\\101\\n\";", "option optimize_for = SPEED;"]
        customOptions()
        for _ in 0..<(1 + random.below(3)) { enumeration(indent: "") }
        for _ in 0..<(1 + random.below(3)) { message(depth: 0, indent: "") }
        extendable()
        service()
        return lines.joined(separator: "\n") + "\n"
    }

    private mutating func name(_ stem: String) -> String {
        count += 1
        return "\(stem)\(count)"
    }

    private mutating func comment(_ indent: String) {
        switch random.below(6) {
        case 0: lines += ["\(indent)// One line.", "\(indent)//  two."]
        case 1: lines += ["", "\(indent)/* detached */", "", "\(indent)/* a", "\(indent) * block */"]
        default: break
        }
    }

    // MARK: Options

    private mutating func customOptions() {
        let label = syntax == .proto2 ? "optional " : ""
        let optional = syntax == .editions ? "" : "optional "
        lines += [
            "message Opt {", "  \(label)int32 number = 1;", "  repeated string texts = 2;", "  \(label)Opt inner = 3;",
            "  \(label)double real = 4;", "  \(label)bytes data = 5;", "  repeated Opt many = 6;",
            "  repeated int32 packed = 7;", "}",
        ]
        for (index, owner) in ["File", "Message", "Field", "Enum", "EnumValue", "Service", "Method", "Oneof"]
            .enumerated()
        {
            lines.append(
                "extend google.protobuf.\(owner)Options { \(optional)Opt o\(index) = \(50_000 + index); "
                    + "repeated sint64 n\(index) = \(51_000 + index); }")
        }
        lines += [
            "option (o0).number = -5;", "option (.\(package).o0).inner.inner.number = 0x1F;", "option (n0) = -1;",
        ]
    }

    private mutating func aggregate() -> String {
        random.pick([
            "{}", "{ number: 5 }", "{ number: -017, texts: \"a\" texts: 'b\\n' real: 1.5e3 }",
            "{ texts: [\"x\", 'y' \"z\"]; inner { number: 1 real: -inf } }",
            "{ inner: < number: 3 >, many { number: 1 } many: { } data: \"\\377\\xfe\" real: nan }",
            "{ packed: [1, 2, 3] packed: 4 # a comment\n many: [{ number: 1 }, { real: .5 }] }",
        ])
    }

    private mutating func options(_ owner: Int, _ indent: String) {
        switch random.below(5) {
        case 0: lines.append("\(indent)option (o\(owner)) = \(aggregate());")
        case 1: lines += ["\(indent)option (o\(owner)).number = 7;", "\(indent)option (n\(owner)) = 1;"]
        // A oneof is the only declaration that has no such option.
        case 2 where owner != 7: lines.append("\(indent)option deprecated = true;")
        default: break
        }
    }

    private mutating func brackets(_ owner: Int, _ first: [String] = []) -> String {
        var options = first
        if random.below(4) == 0 { options.append("deprecated = \(random.below(2) == 0)") }
        if random.below(4) == 0 { options.append("(o\(owner)) = \(aggregate())") }
        if random.below(5) == 0 { options += ["(n\(owner)) = 5", "(n\(owner)) = -9223372036854775808"] }
        return options.isEmpty ? "" : " [\(options.joined(separator: ", "))]"
    }

    // MARK: Enums

    private mutating func enumeration(indent: String) {
        comment(indent)
        let name = name("E")
        lines.append("\(indent)enum \(name) {")
        options(3, indent + "  ")
        let hasAlias = random.below(3) == 0
        if hasAlias { lines.append("\(indent)  option allow_alias = true;") }
        lines.append("\(indent)  \(name)_ZERO = 0\(brackets(4));")
        for number in 1...(1 + random.below(4)) {
            comment(indent + "  ")
            lines.append("\(indent)  \(name)_V\(number) = \(number * 3)\(brackets(4)); // \(number)")
        }
        if hasAlias { lines.append("\(indent)  \(name)_AGAIN = 3;") }
        lines.append("\(indent)  \(name)_NEGATIVE = -0x10;")
        if random.below(2) == 0 { lines.append("\(indent)  reserved 100, 200 to 300, 1000 to max, -50 to -40;") }
        if random.below(2) == 0 {
            lines.append("\(indent)  reserved \(syntax == .editions ? "OLD, older" : "\"OLD\", \"older\"");")
        }
        lines.append("\(indent)}")
    }

    // MARK: Messages

    private static let scalars = [
        "double", "float", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64", "sfixed32",
        "sfixed64", "bool", "string", "bytes",
    ]

    private mutating func message(depth: Int, indent: String) {
        comment(indent)
        let name = name("M")
        let inner = indent + "  "
        lines.append("\(indent)message \(name) {")
        options(1, inner)
        var number = 0
        let label = syntax == .proto2 ? "optional " : ""
        for scalar in Self.scalars where random.below(2) == 0 {
            number += 1
            comment(inner)
            lines.append("\(inner)\(fieldLabel())\(scalar) f\(number) = \(number)\(fieldOptions(scalar));")
        }
        lines.append("\(inner)\(label)\(name) itself = 50; \(label).google.protobuf.Timestamp at = 51;")
        let (key, value) = (random.pick(["string", "int32", "bool", "sfixed64"]), random.pick(["bytes", name]))
        lines.append("\(inner)map<\(key), \(value)> pairs = 0x35;")
        let packed =
            syntax == .editions ? "features.repeated_field_encoding = EXPANDED" : "packed = \(random.below(2) == 0)"
        lines.append(
            "\(inner)repeated \(random.pick(["int32", "sint64", "bool", "double"])) packed = 0100 [\(packed)];")
        lines += ["\(inner)oneof choice {"]
        options(7, inner + "  ")
        lines += ["\(inner)  string left = 60\(brackets(2));", "\(inner)  \(name) right = 61;"]
        if syntax == .proto2 { lines.append("\(inner)  group Both = 62 { optional int32 a = 1; }") }
        lines.append("\(inner)}")
        if syntax == .proto2 {
            lines.append("\(inner)repeated group Many = 63 { required int32 a = 1; extensions 5 to 9; }")
        }
        if syntax != .proto3 {
            lines.append("\(inner)extensions 1000 to 1999, 5000\(random.below(2) == 0 ? " to max" : "");")
        }
        if random.below(2) == 0 { lines.append("\(inner)reserved 2000 to 2010, 3000;") }
        if random.below(2) == 0 {
            lines.append("\(inner)reserved \(syntax == .editions ? "gone, lost" : "\"gone\", \"lost\"");")
        }
        if depth < 2, random.below(2) == 0 { message(depth: depth + 1, indent: inner) }
        if random.below(2) == 0 { enumeration(indent: inner) }
        lines.append("\(inner);")
        lines.append("\(indent)}")
    }

    private mutating func fieldLabel() -> String {
        switch syntax {
        case .proto2: random.pick(["optional ", "required ", "optional ", "repeated "])
        case .proto3: random.pick(["", "optional ", "repeated "])
        case .editions: random.pick(["", "repeated "])
        }
    }

    private mutating func fieldOptions(_ scalar: String) -> String {
        var options: [String] = []
        if random.below(5) == 0 { options.append("json_name = \"j\(count)_\(random.below(1_000_000))\"") }
        if scalar == "string", random.below(3) == 0 { options.append("ctype = CORD") }
        if scalar.hasSuffix("64"), random.below(3) == 0 { options.append("jstype = JS_STRING") }
        return brackets(2, options)
    }

    // MARK: Extensions and services

    private mutating func extendable() {
        guard syntax != .proto3 else { return }
        let label = syntax == .proto2 ? "optional " : ""
        lines += [
            "message Extendable {", "  extensions 100 to 200 [(o1x) = 3, verification = UNVERIFIED];",
            "  extensions 300 to max;",
        ]
        lines += ["  extend Extendable { \(label)string inside = 150; repeated Extendable more = 151; }", "}"]
        lines.append("extend google.protobuf.ExtensionRangeOptions { \(label)int32 o1x = 50100; }")
        let defaults = [
            ("int32", "-0x7F"), ("uint64", "18446744073709551615"), ("float", "-1.5e-3"), ("double", "inf"),
            ("float", "nan"), ("bool", "true"), ("string", "\"a\\t\\\"\\u00e9\" 'b'"), ("bytes", "\"\\000\\377\\?\""),
            ("sint64", "-9223372036854775808"), ("double", "1"), ("float", "16777217"),
        ]
        let implicit = lines.contains { $0.contains("field_presence = IMPLICIT") }
        for (index, (type, value)) in defaults.enumerated() {
            // An extension knows its presence whatever the file says.
            let option = implicit ? "" : " [default = \(value)]"
            lines.append("extend Extendable { \(label)\(type) x\(index) = \(110 + index)\(option); }")
        }
        if syntax == .proto2 {
            lines.append("extend Extendable { optional group XGroup = 140 { optional int32 a = 1; } }")
        }
    }

    private mutating func service() {
        comment("")
        lines.append("service S {")
        options(5, "  ")
        for index in 0..<(1 + random.below(4)) {
            comment("  ")
            let (input, output) = (random.pick(["", "stream "]), random.pick(["", "stream "]))
            let head = "  rpc Call\(index) (\(input)Opt) returns (\(output).\(package).Opt)"
            switch random.below(3) {
            case 0: lines.append("\(head);")
            case 1: lines.append("\(head) {}")
            default:
                lines.append("\(head) { option idempotency_level = NO_SIDE_EFFECTS; option (o6) = \(aggregate()); }")
            }
        }
        lines.append("}")
    }
}
