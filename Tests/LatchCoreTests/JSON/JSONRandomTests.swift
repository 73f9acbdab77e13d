// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import Testing

@Suite struct JSONRandomTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `Random JSON is read back as it was written`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<300 {
            let value = dice.value(depth: 4)
            let bytes = value.serialized()
            try expectEqual(JSONValue(parsing: bytes), value, "seed \(seed)")
            try expectEqual(JSONValue(parsing: bytes).serialized(), bytes, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `Random JSON with damage is read or refused, and its values are written soundly`(seed: UInt64) {
        var dice = Dice(seed: seed &+ 1000)
        var refused = 0
        for _ in 0..<1000 {
            var bytes = dice.value(depth: 4).serialized()
            for _ in 0...dice.below(4) { dice.damage(&bytes) }
            do {
                let value = try JSONValue(parsing: bytes)
                let again = try JSONValue(parsing: value.serialized())
                expectEqual(again, value, "seed \(seed)")
            } catch {
                refused += 1
                #expect(error.offset >= 0 && error.offset <= bytes.count, "seed \(seed)")
            }
        }
        #expect(refused > 0)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `Random JSON that is cut off anywhere is refused`(seed: UInt64) {
        var dice = Dice(seed: seed &+ 2000)
        let bytes = JSONValue.array((0..<20).map { _ in dice.value(depth: 3) }).serialized()
        for length in 0..<bytes.count {
            #expect(throws: JSONError.self, "seed \(seed)") { try JSONValue(parsing: bytes[..<length]) }
        }
    }
}

/// A seeded source of values and of damage (SplitMix64).
private struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    mutating func value(depth: Int) -> JSONValue {
        switch below(depth > 0 ? 8 : 5) {
        case 0: .null
        case 1: .bool(next() & 1 == 0)
        case 2: .integer(Int64(bitPattern: next()) >> Int64(below(64)))
        case 3: .number(number())
        case 4: .string(text())
        case 5, 6: .array((0..<below(5)).map { _ in value(depth: depth - 1) })
        default: .object(JSONObject((0..<below(20)).map { _ in (key: text(), value: value(depth: depth - 1)) }))
        }
    }

    private mutating func number() -> Double {
        let number = Double(bitPattern: next())
        return number.isFinite ? number : 0.5
    }

    private mutating func text() -> String {
        let alphabet: [Character] = [
            "a", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "é", "e\u{301}", "😀", "\u{2028}", "{",
        ]
        return String((0..<below(6)).map { _ in alphabet[below(alphabet.count)] })
    }

    mutating func damage(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else { return bytes.append(UInt8(truncatingIfNeeded: next())) }
        let place = below(bytes.count)
        let interesting = Array("{}[]\",:\\u0e.-1tfn \u{0}".utf8) + [0xFF, 0xC3, 0xED, 0xF4]
        switch below(4) {
        case 0: bytes[place] = UInt8(truncatingIfNeeded: next())
        case 1: bytes.insert(interesting[below(interesting.count)], at: place)
        case 2: bytes.remove(at: place)
        default: bytes.insert(contentsOf: bytes[place...].prefix(below(8)), at: place)
        }
    }
}
