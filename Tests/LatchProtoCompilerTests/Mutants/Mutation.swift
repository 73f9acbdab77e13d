// SPDX-License-Identifier: Apache-2.0

import LatchTesting

/// Mutates .proto files: words are removed, doubled, exchanged and inserted, numbers changed, lines moved, files
/// truncated.
struct Mutation {
    private var random: SplitMix64
    /// Words of other files.
    private let corpus: [[UInt8]]

    init(seed: UInt64, corpus files: [[UInt8]]) {
        random = SplitMix64(state: seed)
        corpus = files.flatMap { file in Self.words(of: file).map { Array(file[$0]) } }
    }

    /// A file with one to three changes.
    mutating func spoil(_ file: [UInt8]) -> [UInt8] {
        (0..<random.pick([1, 1, 1, 1, 1, 1, 2, 3])).reduce(into: file) { bytes, _ in change(&bytes) }
    }

    mutating func pick<Element>(_ choices: [Element]) -> Element { random.pick(choices) }

    private mutating func change(_ bytes: inout [UInt8]) {
        let words = Self.words(of: bytes)
        guard !words.isEmpty else { return }
        let word = random.pick(words)
        switch random.below(100) {
        case 0..<16: bytes.removeSubrange(word)
        case 16..<26: bytes.insert(contentsOf: bytes[word] + [0x20], at: word.lowerBound)
        case 26..<34: swap(word, random.pick(words), in: &bytes)
        case 34..<50: bytes.replaceSubrange(word, with: random.pick(Self.vocabulary))
        case 50..<58: bytes.insert(contentsOf: random.pick(Self.vocabulary) + [0x20], at: word.lowerBound)
        case 58..<66: bytes.replaceSubrange(word, with: random.pick(corpus))
        case 66..<76: bytes.replaceSubrange(word, with: Array(bytes[random.pick(words)]))
        case 76..<82: changeNumber(words, in: &bytes)
        case 82..<92: changeLine(&bytes)
        case 92..<95: bytes.removeSubrange(random.pick([word.lowerBound, word.upperBound])...)
        case 95..<97: bytes.insert(random.pick(Self.awkward), at: random.below(bytes.count + 1))
        default: rename(word, in: &bytes)
        }
    }

    private func swap(_ one: Range<Int>, _ other: Range<Int>, in bytes: inout [UInt8]) {
        let (first, second) = one.lowerBound < other.lowerBound ? (one, other) : (other, one)
        guard first.upperBound <= second.lowerBound else { return }
        let words = (Array(bytes[first]), Array(bytes[second]))
        bytes.replaceSubrange(second, with: words.0)
        bytes.replaceSubrange(first, with: words.1)
    }

    private mutating func changeNumber(_ words: [Range<Int>], in bytes: inout [UInt8]) {
        let numbers = words.filter { bytes[$0].allSatisfy { (0x30...0x39).contains($0) } }
        guard !numbers.isEmpty else { return }
        bytes.replaceSubrange(random.pick(numbers), with: Array(random.pick(Self.numbers).utf8))
    }

    private mutating func changeLine(_ bytes: inout [UInt8]) {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        let index = random.below(lines.count)
        switch random.below(10) {
        case 0..<3: lines.remove(at: index)
        case 3..<6: lines.insert(lines[index], at: random.below(lines.count + 1))
        case 6..<8: lines.insert(lines.remove(at: index), at: random.below(lines.count + 1))
        default: lines.insert(random.pick(Self.vocabulary), at: index)
        }
        bytes = Array(lines.joined(separator: [0x0A]))
    }

    private mutating func rename(_ word: Range<Int>, in bytes: inout [UInt8]) {
        let text = String(decoding: bytes[word], as: UTF8.self)
        let names = [text.uppercased(), text.lowercased(), text + "_1", "_" + text, text + "_"]
        bytes.replaceSubrange(word, with: Array(random.pick(names).utf8))
    }

    /// Names, numbers, strings of one line, and single characters.
    private static func words(of bytes: [UInt8]) -> [Range<Int>] {
        var (words, index) = ([Range<Int>](), 0)
        func isWord(_ byte: UInt8) -> Bool {
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
        }
        while index < bytes.count {
            let start = index
            index += 1
            if isWord(bytes[start]) {
                while index < bytes.count, isWord(bytes[index]) { index += 1 }
            } else if bytes[start] == 0x22,
                let end = bytes[index...].firstIndex(where: { $0 == 0x22 || $0 == 0x0A }), bytes[end] == 0x22
            {
                index = end + 1
            }
            if bytes[start] > 0x20 { words.append(start..<index) }
        }
        return words
    }

    private static let awkward: [UInt8] = [0, 1, 9, 10, 13, 32, 34, 39, 47, 42, 92, 128, 195, 239, 255]

    private static let numbers = [
        "0", "1", "2", "3", "100", "-1", "0x10", "19000", "536870911", "536870912", "2147483647", "2147483648",
        "99999999999999999999", "1.0", "1e3", "007",
    ]

    private static let vocabulary = (keywords + statements).map { Array($0.utf8) }

    private static let keywords = """
        int32 string message enum repeated optional required oneof map < > { } [ ] ( ) ; = 0 -1 1 2 536870911 536870912 19000 \
        19999 2147483647 2147483648 -2147483648 18446744073709551615 18446744073709551616 extensions reserved to max "x" '' \
        true false group option import package . , rpc stream default json_name extend syntax edition 1.5 1e400 -0.0 .5 0x 0x7F \
        08 017 ' " packed deprecated service returns weak public export local inf nan - / // /* */ # $ @ \\ é features lazy \
        ctype jstype retention targets verification declaration UNVERIFIED DECLARATION allow_alias map_entry float double bytes \
        message_set_wire_format bool uint64 sint32 fixed64 "a\\x" "\\u00e9" "\\xff" "proto2" "proto3" "2023" "2024" "2026"
        """.split(separator: " ").map(String.init)

    private static let statements = [
        "[default = 1]", "[default = \"a\"]", "[json_name = \"a\"]", "[packed = true]", "[deprecated = true]",
        "[lazy = true]", "[ctype = CORD]", "[features.field_presence = IMPLICIT]",
        "[features.field_presence = LEGACY_REQUIRED]", "[features.message_encoding = DELIMITED]",
        "[features.repeated_field_encoding = EXPANDED]", "[features.utf8_validation = NONE]",
        "[features = { enum_type: CLOSED }]", "[retention = RETENTION_SOURCE]", "[targets = TARGET_TYPE_FIELD]",
        "option allow_alias = true;", "option message_set_wire_format = true;", "option map_entry = true;",
        "option optimize_for = LITE_RUNTIME;", "option features.enum_type = CLOSED;", "option deprecated = true;",
        "option features.json_format = LEGACY_BEST_EFFORT;", "option features.enforce_naming_style = STYLE_LEGACY;",
        "extensions 100 to max;", "extensions 4 to max;", "reserved 1, 3 to 5;", "reserved \"a\", \"b\";",
        "reserved a, b;", "extensions 100 to 200 [verification = DECLARATION];",
        "extensions 100 to 200 [declaration = { number: 100, full_name: \".a.b\", type: \"int32\" }];",
        "import \"google/protobuf/any.proto\";", "import public \"google/protobuf/any.proto\";",
        "import option \"google/protobuf/any.proto\";", "import weak \"google/protobuf/any.proto\";", "package a.b;",
        "map<string, int32>", "map<int32, A>", "optional group A = 1 {}", "optional int32 zz = 77;", "int32 zz = 77;",
        "extend google.protobuf.FieldOptions { optional int32 zz = 7777; }", "oneof zz { int32 zy = 78; }",
        "enum ZZ { ZA = 0; }", "message ZZ {}", "service ZZ { rpc A(B) returns (C); }", "rpc A(B) returns (C) {}",
        "option (zz) = 1;", "option (zz).a = { b: 1 };", "edition = \"2024\";", "syntax = \"proto2\";",
    ]
}
