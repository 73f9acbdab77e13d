// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchTesting
import Testing

/// Foundation's reader is another program for the same grammar: what both take must mean the same to both.
@Suite struct JSONOracleTests {
    @Test(arguments: 0..<8 as Range<UInt64>)
    func `JSON is written so that Foundation reads the same`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        for _ in 0..<200 {
            let value = random.json(depth: 4)
            let theirs = try JSONSerialization.jsonObject(with: Data(value.serialized()), options: .fragmentsAllowed)
            #expect(value.means(theirs), "seed \(seed): \(String(decoding: value.serialized(), as: UTF8.self))")
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `JSON is read from Foundation's output`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let options: [JSONSerialization.WritingOptions] = [
            .fragmentsAllowed, [.fragmentsAllowed, .prettyPrinted], [.fragmentsAllowed, .sortedKeys],
            [.fragmentsAllowed, .withoutEscapingSlashes],
        ]
        for _ in 0..<100 {
            let value = random.json(depth: 4)
            let theirs = try JSONSerialization.jsonObject(with: Data(value.serialized()), options: .fragmentsAllowed)
            let text = try JSONSerialization.data(withJSONObject: theirs, options: random.pick(options))
            #expect(try JSONValue(parsing: text).means(theirs), "seed \(seed)")
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func `JSON means the same to us and to Foundation if damage leaves it readable to both`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        let pieces = Array(#"{}[],:"\u0eE+-.1tfn /"#.utf8)
        var compared = 0
        for _ in 0..<1_500 {
            var bytes = random.json(depth: 2).serialized()
            let place = random.below(bytes.count)
            switch random.below(3) {
            case 0: bytes[place] = random.pick(pieces)
            case 1: bytes.insert(random.pick(pieces), at: place)
            default: bytes.remove(at: place)
            }
            guard let ours = Result(catching: { try JSONValue(parsing: bytes) }).value else { continue }
            // Foundation must take whatever we take: ours is the stricter reader.
            let theirs = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
            #expect(ours.means(theirs), "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
            compared += 1
        }
        #expect(compared > 100)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `JSON reads a number to the same float as Swift does, digit for digit`(seed: UInt64) throws {
        var random = SplitMix64(state: seed)
        for _ in 0..<2_000 {
            let digits = (0...random.below(25)).map { _ in String(random.below(10)) }.joined()
            let exponent = random.below(3) == 0 ? "" : "e\(random.below(700) - 350)"
            let text = "\(random.pick(["", "-"]))\(random.below(10)).\(digits)\(exponent)"
            let expected = try #require(Double(text))
            if expected.isFinite {
                try expectEqual(JSONValue(parsing: text), .number(expected), "\(text)")
            } else {
                #expect(throws: JSONError.numberOutOfRange) { try JSONValue(parsing: text) }
            }
        }
    }

    @Test func `JSON reads every scalar in every spelling`() throws {
        for code in stride(from: UInt32(0), through: 0x10_FFFF, by: 97) {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let units = Array(String(scalar).utf16)
            let escaped = units.map { "\\u" + String(repeating: "0", count: 4 - String($0, radix: 16).count) }
            let lower = zip(escaped, units).map { $0 + String($1, radix: 16) }.joined()
            let upper = zip(escaped, units).map { $0 + String($1, radix: 16, uppercase: true) }.joined()
            for text in [lower, upper] {
                try expectEqual(
                    JSONValue(parsing: "\"\(text)\"").stringValue?.unicodeScalars.elementsEqual([scalar]), true)
            }
            let written = JSONValue.string(String(scalar)).serialized()
            try expectEqual(JSONValue(parsing: written).stringValue?.unicodeScalars.elementsEqual([scalar]), true)
        }
    }
}

extension Result {
    fileprivate var value: Success? {
        guard case .success(let value) = self else { return nil }
        return value
    }
}

extension SplitMix64 {
    /// A value without what Foundation cannot show: −0, members whose names are canonically alike, and byte order
    /// marks, which it drops.
    fileprivate mutating func json(depth: Int) -> JSONValue {
        switch below(depth > 0 ? 8 : 5) {
        case 0: return .null
        case 1: return .bool(next() & 1 == 0)
        case 2: return .integer(Int64(bitPattern: next()) >> Int64(below(64)))
        case 3:
            let number = Double(bitPattern: next())
            return .number(number.isFinite && number != 0 ? number : 0.5)
        case 4: return .string(String(text(upTo: 6).unicodeScalars.filter { $0 != "\u{FEFF}" }.map(Character.init)))
        case 5, 6: return .array((0..<below(5)).map { _ in json(depth: depth - 1) })
        default:
            return .object(
                JSONObject((0..<below(20)).map { (key: "\($0)\(pick(["", "é", "\n", "\""]))", json(depth: depth - 1)) })
            )
        }
    }
}

extension JSONValue {
    /// Whether what Foundation has read is this value.
    fileprivate func means(_ theirs: Any) -> Bool {
        switch self {
        case .null: return theirs is NSNull
        case .bool(let value): return (theirs as? NSNumber)?.boolValue == value
        case .integer(let value): return (theirs as? NSNumber)?.int64Value == value
        case .number(let value):
            // Foundation goes by way of decimals, which have no such exponents and lose the last digit of a float; our
            // own reading is held to Swift's, digit for digit, above.
            guard let theirs = (theirs as? NSNumber)?.doubleValue else { return false }
            guard (1e-90...1e90).contains(abs(value)) else { return true }
            return abs(theirs - value) <= abs(value) * 1e-12
        case .string(let value):
            return (theirs as? String)?.unicodeScalars.elementsEqual(value.unicodeScalars) == true
        case .array(let elements):
            guard let theirs = theirs as? [Any], theirs.count == elements.count else { return false }
            return zip(elements, theirs).allSatisfy { $0.means($1) }
        case .object(let members):
            guard let theirs = theirs as? [String: Any], theirs.count == members.count else { return false }
            return members.allSatisfy { member in theirs[member.key].map(member.value.means) == true }
        }
    }
}
