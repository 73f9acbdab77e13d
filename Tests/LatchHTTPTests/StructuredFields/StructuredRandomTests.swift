// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import TestVectors
import Testing

/// Values at random, with what may stand in them.
private struct StructuredSource {
    var random: SeededGenerator

    mutating func count(_ most: Int) -> Int { Int.random(in: 0...most, using: &random) }

    mutating func text(of alphabet: String, first: String, _ most: Int) -> String {
        let (rest, first) = (Array(alphabet), Array(first))
        let count = count(most)
        return String(first.randomElement(using: &random) ?? "a")
            + String((0..<count).compactMap { _ in rest.randomElement(using: &random) })
    }

    mutating func key() -> String {
        let letters = "abcdefghijklmnopqrstuvwxyz*"
        return text(of: letters + "0123456789_-.", first: letters, 6)
    }

    mutating func value() -> StructuredValue {
        switch count(7) {
        case 0: return .integer(Int64.random(in: -999_999_999_999_999...999_999_999_999_999, using: &random))
        case 1:
            let bounds: ClosedRange<Int64> = -999_999_999_999_999...999_999_999_999_999
            return .decimal(StructuredDecimal(thousandths: Int64.random(in: bounds, using: &random)))
        case 2: return .string(String((0..<count(9)).map { _ in Character(Unicode.Scalar(UInt8(count(94)) + 32)) }))
        case 3:
            let letters = "abcXYZ*"
            return .token(text(of: letters + "0189!#$%&'+-.^_`|~:/", first: letters, 9))
        case 4: return .bytes(random.bytes(count(9)))
        case 5: return .boolean(Bool.random(using: &random))
        case 6: return .date(Int64.random(in: -10_000_000_000...10_000_000_000, using: &random))
        default:
            return .displayString(
                String((0..<count(6)).compactMap { _ in "aü€🔑\"%\u{0}\n \\".randomElement(using: &random) }))
        }
    }

    mutating func parameters() -> StructuredParameters {
        var parameters = StructuredParameters()
        for _ in 0..<count(3) { parameters[key()] = value() }
        return parameters
    }

    mutating func item() -> StructuredItem { StructuredItem(value(), parameters()) }

    mutating func member() -> StructuredMember {
        guard count(2) == 0 else { return .item(item()) }
        return .innerList(StructuredInnerList((0..<count(4)).map { _ in item() }, parameters()))
    }
}

@Suite struct StructuredRandomTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `Random structured fields read back as they were written`(seed: UInt64) throws {
        var source = StructuredSource(random: SeededGenerator(seed: seed))
        for _ in 0..<500 {
            let item = source.item()
            try expectEqual(StructuredItem(parsing: item.serialized()), item, "seed \(seed)")
            let list = StructuredList((0..<source.count(6)).map { _ in source.member() })
            try expectEqual(StructuredList(parsing: list.serialized()), list, "seed \(seed)")
            var dictionary = StructuredDictionary()
            for _ in 0..<source.count(20) { dictionary[source.key()] = source.member() }
            try expectEqual(StructuredDictionary(parsing: dictionary.serialized()), dictionary, "seed \(seed)")
        }
    }

    @Test(arguments: [4, 5] as [UInt64])
    func `Random structured fields that are damaged are refused or have one spelling`(seed: UInt64) throws {
        var source = StructuredSource(random: SeededGenerator(seed: seed))
        for _ in 0..<1_500 {
            let list = StructuredList((0...source.count(3)).map { _ in source.member() })
            var bytes = Array(try list.serialized().utf8)
            for _ in 0...source.count(2) where !bytes.isEmpty {
                bytes[source.count(bytes.count - 1)] = UInt8(source.count(255))
            }
            let text = String(decoding: bytes, as: UTF8.self)
            do throws(HTTPError) {
                let read = try StructuredList(parsing: text)
                let canonical = try read.serialized()
                try expectEqual(StructuredList(parsing: canonical).serialized(), canonical, "seed \(seed)")
            } catch {
                expectEqual(error, .malformedStructuredField, "seed \(seed)")
            }
        }
    }

    @Test func `Random structured fields are the same over one line and over many`() throws {
        var source = StructuredSource(random: SeededGenerator(seed: 6))
        for _ in 0..<200 {
            let members = (0...source.count(6)).map { _ in source.member() }
            var fields = HTTPFields()
            for member in members { fields.append(try member.serialized(), for: "X-List") }
            try expectEqual(fields.structuredList("x-list").members, members)
        }
    }
}
