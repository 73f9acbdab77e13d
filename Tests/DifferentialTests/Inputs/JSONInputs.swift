// SPDX-License-Identifier: Apache-2.0

import TestVectors

@testable import LatchProtobuf
@testable import LatchRPC

/// JSON texts as other writers than ours may send them: each form that ProtoJSON allows, and forms that it does not; and
/// such texts with something broken.
struct JSONInputs {
    private(set) var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// An input for one of the messages.
    mutating func make() -> Input {
        let type = random.pick(Input.types)
        var bytes = Array(object(type.schema, depth: 4).utf8)
        if random.below(3) == 0 {
            for _ in 0...random.below(2) { spoil(&bytes) }
        }
        return Input(type: type, isJSON: true, bytes: bytes)
    }

    private mutating func object(_ schema: MessageSchema, depth: Int) -> String {
        if let spelling = wellKnown(schema, depth) { return spelling }
        return braced(members(schema, depth))
    }

    private mutating func members(_ schema: MessageSchema, _ depth: Int) -> [String] {
        let extensions = Input.extensions.schemas(of: schema.name).compactMap(\.fields.first)
            .sorted { $0.number < $1.number }
        var fields = schema.fields.filter { $0.number > 0 && $0.isRequired && random.below(12) > 0 }
        let others = schema.fields.filter { $0.number > 0 && !$0.isRequired } + extensions
        for _ in 0..<random.below(6) where !others.isEmpty { fields.append(random.pick(others)) }
        // A name that stands twice is refused by both, so that it should not be in every second text.
        if random.below(20) > 0 {
            var seen: Set<String> = []
            fields = fields.filter { seen.insert($0.oneof.map { "\($0)" } ?? $0.name).inserted }
        }
        var members = fields.map { "\(name($0)):\(value($0, depth))" }
        if random.below(40) == 0 { members.append(random.pick([#""unknown":1"#, #""@type":"x""#, #""":{}"#])) }
        return members
    }

    private mutating func name(_ field: FieldSchema) -> String {
        if field.name.contains(".") { return "\"[\(field.name)]\"" }
        let name = random.below(4) == 0 ? field.name : field.jsonName
        guard random.below(30) == 0, let first = name.unicodeScalars.first else { return "\"\(name)\"" }
        let digits = String(first.value, radix: 16)
        return "\"\\u" + String(repeating: "0", count: 4 - digits.count) + digits + name.dropFirst() + "\""
    }

    private mutating func value(_ field: FieldSchema, _ depth: Int) -> String {
        if random.below(25) == 0 { return random.pick(Self.foreign) }
        switch field.cardinality {
        case .singular: return single(field.kind, field, depth)
        case .repeated: return bracketed((0..<random.below(4)).map { _ in single(field.kind, field, depth) })
        case .map:
            return braced(
                (0..<random.below(4)).map { _ in "\(key(field.key ?? .bool)):\(single(field.kind, field, depth))" })
        }
    }

    private mutating func key(_ kind: FieldKind) -> String {
        switch kind {
        case .bool: return random.pick([#""true""#, #""false""#, #""True""#, #""1""#])
        case .string: return string()
        default: return random.below(8) == 0 ? string() : "\"\(random.pick(Self.integers))\""
        }
    }

    private mutating func single(_ kind: FieldKind, _ field: FieldSchema, _ depth: Int) -> String {
        if random.below(40) == 0 { return random.pick(Self.foreign) }
        switch kind {
        case .bool: return random.pick(["true", "false"])
        case .string: return string()
        case .bytes: return "\"\(random.pick(Self.base64))\""
        case .double, .float: return number(random.pick(random.below(2) == 0 ? Self.floats : Self.integers))
        case .openEnum, .closedEnum: return enumValue(field.enumeration)
        case .message, .group: return depth > 0 ? field.child.map { object($0, depth: depth - 1) } ?? "{}" : "{}"
        default: return number(random.pick(random.below(8) == 0 ? Self.floats : Self.integers))
        }
    }

    private mutating func number(_ text: String) -> String {
        let isName = text.contains("N") || text.contains("I")
        return isName || random.below(3) == 0 ? "\"\(text)\"" : text
    }

    private mutating func enumValue(_ schema: EnumSchema?) -> String {
        let names = schema.map { schema in (-1...3).compactMap { schema.name(of: $0) } } ?? []
        if random.below(3) > 0, let name = names.randomElement(using: &random) { return "\"\(name)\"" }
        return random.pick(["0", "1", "2", "1.0", "-1", "7", "2147483647", #""COLOR_VERDANT""#, #""color_red""#, "1e0"])
    }

    private mutating func string() -> String {
        let pieces = [
            "", "a", "é", "😀", #"\n"#, #"\""#, #"\/"#, #"\u0041"#, #"\ud83d\ude00"#, "\u{7F}", "\u{2028}", "1", "@type",
        ]
        let odd = [#"\ud800"#, #"\udc00"#, #"\ude00\ud83d"#, #"\x41"#, "\u{1}", #"\u00G0"#, "\t"]
        let text = (0..<random.below(4)).map { _ in random.pick(pieces) }.joined()
        return "\"" + (random.below(40) == 0 ? text + random.pick(odd) : text) + "\""
    }

    /// The message as JSON spells it in its own way; nil where it has none.
    private mutating func wellKnown(_ schema: MessageSchema, _ depth: Int) -> String? {
        switch WellKnownType(schema.name) {
        case .none: nil
        case .timestamp: "\"\(random.pick(Self.timestamps))\""
        case .duration: "\"\(random.pick(Self.durations))\""
        case .fieldMask: "\"\(random.pick(Self.masks))\""
        case .any: any(depth)
        case .object: braced((0..<random.below(3)).map { _ in "\(string()):\(anything(depth - 1))" })
        case .list: bracketed((0..<random.below(3)).map { _ in anything(depth - 1) })
        case .value: anything(depth)
        case .scalar: single(schema.fields[0].kind, schema.fields[0], depth)
        }
    }

    private mutating func anything(_ depth: Int) -> String {
        switch random.below(depth > 0 ? 6 : 4) {
        case 0: "null"
        case 1: random.pick(["true", "false"])
        case 2: string()
        case 3: random.pick(Self.floats.filter { !$0.contains("N") && !$0.contains("I") } + ["9007199254740993"])
        case 4: bracketed((0..<random.below(3)).map { _ in anything(depth - 1) })
        default: braced((0..<random.below(3)).map { _ in "\(string()):\(anything(depth - 1))" })
        }
    }

    private mutating func any(_ depth: Int) -> String {
        guard depth > 0 else { return "{}" }
        let type = random.pick(Input.types + [Timestamp.self, ProtoStruct.self, ProtoAny.self, BoolValue.self])
        let host = random.pick(["type.googleapis.com/", "x/", "a/b/", "/", ""])
        let isShaped = WellKnownType(type.schema.name) != .none
        var inside =
            isShaped ? ["\"value\":\(object(type.schema, depth: depth - 1))"] : members(type.schema, depth - 1)
        let name = random.below(20) == 0 ? "no.Such" : type.schema.name
        if random.below(20) > 0 { inside.insert("\"@type\":\"\(host)\(name)\"", at: random.below(inside.count + 1)) }
        if random.below(30) == 0 { inside.append(#""extra":1"#) }
        return braced(inside)
    }

    private mutating func braced(_ parts: [String]) -> String { "{" + joined(parts) + "}" }
    private mutating func bracketed(_ parts: [String]) -> String { "[" + joined(parts) + "]" }

    private mutating func joined(_ parts: [String]) -> String {
        parts.joined(separator: random.pick([",", ",", ", ", "\n,\t"])) + random.pick(["", "", "", " "])
    }

    private mutating func spoil(_ bytes: inout [UInt8]) {
        let place = random.below(bytes.count + 1)
        switch random.below(5) {
        case 0: bytes.removeLast(bytes.count - place)
        case 1: if place < bytes.count { bytes.remove(at: place) }
        case 2:
            if place < bytes.count { bytes[place] = random.pick([0, 0x80, 0xFF, 0x22, 0x30, 0x5C, 0x7B, 0x2C, 0x65]) }
        case 3:
            let end = place + random.below(bytes.count - place + 1)
            bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count + 1))
        default: bytes.insert(contentsOf: Array(random.pick(Self.pieces).utf8), at: place)
        }
    }
}
