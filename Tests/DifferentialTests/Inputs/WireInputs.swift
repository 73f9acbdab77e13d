// SPDX-License-Identifier: Apache-2.0

import TestVectors

@testable import LatchProtobuf
@testable import LatchRPC

/// Bytes as other writers than ours may send them: fields in any order and more than once, packed or not, numbers longer
/// than they need be, fields that nobody knows; and such bytes with something broken.
struct WireInputs {
    private(set) var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// An input for one of the messages.
    mutating func make() -> Input {
        let type = random.pick(Input.types)
        var bytes = message(type.schema, depth: 4)
        if random.below(2) == 0 {
            for _ in 0...random.below(3) { spoil(&bytes) }
        }
        return Input(type: type, isJSON: false, bytes: bytes)
    }

    private mutating func message(_ schema: MessageSchema, depth: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        let extensions = Input.extensions.schemas(of: schema.name).compactMap(\.fields.first)
        let fields = schema.fields.filter { $0.number > 0 } + extensions.sorted { $0.number < $1.number }
        for field in fields where field.isRequired && random.below(10) > 0 { bytes += self.field(field, depth) }
        for _ in 0..<random.below(7) where !fields.isEmpty { bytes += self.field(random.pick(fields), depth) }
        if random.below(8) == 0 { bytes += unknown(depth) }
        return bytes
    }

    private mutating func field(_ field: FieldSchema, _ depth: Int) -> [UInt8] {
        if field.kind.isMessage, depth == 0 { return [] }
        let number = UInt64(field.number) << 3
        if field.cardinality == .map { return varint(number | 2) + framed(entry(field, depth)) }
        let isNumber = field.kind.wire != .delimited && !field.kind.isMessage
        if isNumber, field.cardinality == .repeated, random.below(2) == 0 {
            let run = (0..<random.below(6)).flatMap { _ in value(field.kind, field, depth) }
            return varint(number | 2) + framed(run)
        }
        return varint(number | UInt64(field.kind.wire.rawValue)) + value(field.kind, field, depth)
    }

    private mutating func entry(_ field: FieldSchema, _ depth: Int) -> [UInt8] {
        let key = field.key ?? .bool
        var parts = [
            varint(8 | UInt64(key.wire.rawValue)) + value(key, nil, depth),
            varint(16 | UInt64(field.kind.wire.rawValue)) + value(field.kind, field, depth),
        ]
        if random.below(6) == 0 { parts.remove(at: random.below(2)) }
        if random.below(6) == 0 { parts.append(random.pick(parts)) }
        if random.below(8) == 0 { parts.append(unknown(depth)) }
        if random.below(3) == 0 { parts.reverse() }
        return parts.flatMap { $0 }
    }

    private mutating func value(_ kind: FieldKind, _ field: FieldSchema?, _ depth: Int) -> [UInt8] {
        switch kind {
        case .double, .fixed64, .sfixed64: return random.bytes(8)
        case .float, .fixed32, .sfixed32: return random.bytes(4)
        case .string: return framed(text())
        case .bytes: return framed(random.bytes(random.below(9)))
        case .bool: return varint(random.pick([0, 1, 1, 2, .max]))
        case .openEnum, .closedEnum:
            return varint(random.pick([0, 1, 2, 3, 4, 0x7FFF_FFFF, UInt64(bitPattern: -1), 1 << 32 | 1]))
        case .message: return framed(field?.child.map { message($0, depth: depth - 1) } ?? [])
        case .group:
            let inside = field?.child.map { message($0, depth: depth - 1) } ?? []
            return inside + varint(UInt64(field?.number ?? 1) << 3 | 4)
        default: return varint(number())
        }
    }

    private mutating func number() -> UInt64 {
        let any = random.next()
        let (large, small): (UInt64, UInt64) = (any >> 33, any >> 50)
        // Typed, and without operators on literals, which the compiler tries for half a second.
        let choices: [UInt64] = [
            0, 1, 127, 128, any, large, small, .max, 0x8000_0000, 0x8000_0000_0000_0000, 0x1_0000_0000,
            0xFFFF_FFFF_8000_0000,
        ]
        return random.pick(choices)
    }

    private mutating func text() -> [UInt8] {
        let broken: [[UInt8]] = [[0xC0, 0x80], [0xED, 0xA0, 0x80], [0xFF], [0xE2, 0x82], [0xF4, 0x90, 0x80, 0x80]]
        let sound = ["", "a", "key", "é", "😀", "\u{0}", "\u{FFFD}", "a longer text of ASCII", "\u{FEFF}"]
        let text = (0..<random.below(3)).flatMap { _ in Array(random.pick(sound).utf8) }
        return random.below(40) == 0 ? text + random.pick(broken) : text
    }

    /// A field of any number, which may be one that the message has with another type.
    private mutating func unknown(_ depth: Int) -> [UInt8] {
        let number = random.pick([1, 2, 3, 14, 17, 100, 106, 999, 19_000, 536_870_911, 536_870_912, 0] as [UInt64])
        switch random.below(depth > 0 ? 6 : 4) {
        case 0: return varint(number << 3) + varint(self.number())
        case 1: return varint(number << 3 | 1) + random.bytes(8)
        case 2: return varint(number << 3 | 2) + framed(random.bytes(random.below(6)))
        case 3: return varint(number << 3 | 5) + random.bytes(4)
        default:
            let end = random.below(12) == 0 ? random.pick([1, 2, 3, 100] as [UInt64]) : number
            return varint(number << 3 | 3) + (random.below(2) == 0 ? unknown(depth - 1) : []) + varint(end << 3 | 4)
        }
    }

    private mutating func framed(_ bytes: [UInt8]) -> [UInt8] { varint(UInt64(bytes.count)) + bytes }

    /// A number, now and then with more bytes than it needs, and seldom with more than there may be.
    private mutating func varint(_ number: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
        guard random.below(60) == 0 else { return bytes }
        let count = random.pick([bytes.count + 1, 5, 6, 9, 10, 10, 11])
        guard count > bytes.count else { return bytes }
        bytes[bytes.count - 1] |= 0x80
        return bytes + Array(repeating: 0x80, count: count - bytes.count - 1) + [random.pick([0, 0, 0, 1, 2, 0x7F])]
    }

    private mutating func spoil(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes = random.bytes(random.below(5)) }
        let place = random.below(bytes.count)
        switch random.below(9) {
        case 0: bytes[place] ^= 1 << UInt8(random.below(8))
        case 1: bytes[place] ^= UInt8(random.below(8))
        case 2: bytes.removeLast(bytes.count - place)
        case 3: bytes.remove(at: place)
        case 4: bytes.insert(random.pick([0, 0x80, 0xFF, 0x7F, 4, 0x0B, 0x0C]), at: place)
        case 5: bytes[place] = random.pick([0, 0x80, 0xFF, 0x7F])
        case 6:
            let end = place + random.below(bytes.count - place) + 1
            bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count + 1))
        case 7: bytes.insert(contentsOf: message(random.pick(Input.types).schema, depth: 2), at: place)
        default: bytes.insert(contentsOf: unknown(2), at: place)
        }
    }
}

extension SeededGenerator {
    mutating func below(_ bound: Int) -> Int { bound <= 1 ? 0 : Int(next() % UInt64(bound)) }

    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[below(choices.count)] }
}
