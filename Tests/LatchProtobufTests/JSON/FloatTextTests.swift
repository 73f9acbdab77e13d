// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchFoundation
import LatchProtobuf
import LatchTesting
import Testing

@Suite struct FloatTextTests {
    /// Patterns with every exponent and the edges of the fraction, and random ones.
    private static func patterns(width: Int, fraction: Int, random count: Int) -> [UInt64] {
        let mask = (UInt64(1) << fraction) - 1
        let fractions: [UInt64] = [0, 1, 2, mask, mask - 1, mask >> 1, mask ^ mask >> 1, 0x5555_5555_5555_5555 & mask]
        let exponents = UInt64(0)..<UInt64(1) << (width - fraction - 1)
        var patterns = exponents.flatMap { exponent in fractions.map { exponent << fraction | $0 } }
        patterns += patterns.map { $0 | UInt64(1) << (width - 1) }
        var random = SplitMix64(state: 11)
        for _ in 0..<count { patterns.append(random.next() >> UInt64(64 - width)) }
        return patterns
    }

    @Test func `A float of any bits round-trips through JSON and the text format bit for bit, in 64 bits`() throws {
        let values = Self.patterns(width: 64, fraction: 52, random: 3_000).map { Double(bitPattern: $0) }
        var message = Everything()
        message.manyDouble = values
        for back in [try Everything(json: message.jsonBytes()), try Everything(text: message.text())] {
            expectEqual(back.manyDouble.count, values.count)
            for (value, read) in zip(values, back.manyDouble) {
                #expect(value.isNaN ? read.isNaN : value.bitPattern == read.bitPattern, "\(value.bitPattern)")
            }
        }
        // The bits of a NaN come back from bytes alone.
        let read = try Everything(serialized: message.serialized())
        expectEqual(read.manyDouble.map(\.bitPattern), values.map(\.bitPattern))
    }

    @Test func `A float of any bits round-trips through JSON and the text format bit for bit, in 32 bits`() throws {
        let values = Self.patterns(width: 32, fraction: 23, random: 3_000).map {
            Float(bitPattern: UInt32(truncatingIfNeeded: $0))
        }
        var message = Everything()
        message.manyFloat = values
        for back in [try Everything(json: message.jsonBytes()), try Everything(text: message.text())] {
            expectEqual(back.manyFloat.count, values.count)
            for (value, read) in zip(values, back.manyFloat) {
                #expect(value.isNaN ? read.isNaN : value.bitPattern == read.bitPattern, "\(value.bitPattern)")
            }
        }
        let read = try Everything(serialized: message.serialized())
        expectEqual(read.manyFloat.map(\.bitPattern), values.map(\.bitPattern))
    }

    @Test func `A float of any bits is read as Swift reads it, in any notation`() throws {
        var random = SplitMix64(state: 5)
        for _ in 0..<1_000 {
            let whole = String(random.next() >> UInt64(random.below(64)))
            let fraction = random.below(2) == 0 ? "" : "." + String(random.next() >> UInt64(random.below(60)))
            let exponent = ["", "e0", "e\(random.below(40) - 20)", "E+\(random.below(300))", "e-\(random.below(340))"]
            let text = (random.below(2) == 0 ? "-" : "") + whole + fraction + random.pick(exponent)
            let expected = try #require(Double(text))
            guard expected.isFinite else { continue }
            try expectEqual(Everything(json: "{\"oneDouble\":\(text)}").oneDouble, expected, "\(text)")
            try expectEqual(Everything(json: "{\"oneDouble\":\"\(text)\"}").oneDouble, expected, "\(text)")
            try expectEqual(Everything(text: "one_double: \(text)").oneDouble, expected, "\(text)")
            let single = try #require(Float(text))
            guard single.isFinite else { continue }
            try expectEqual(Everything(json: "{\"oneFloat\":\(text)}").oneFloat, single, "\(text)")
            try expectEqual(Everything(text: "one_float: \(text)").oneFloat, single, "\(text)")
        }
    }

    @Test(arguments: [1_000, 100_000])
    func `A float of any bits of endless digits is read in one pass`(count: Int) throws {
        let zeros = String(repeating: "0", count: count)
        try expectEqual(Everything(json: "{\"oneDouble\":1\(zeros)e-\(count)}").oneDouble, 1)
        try expectEqual(Everything(json: "{\"oneDouble\":0.\(zeros)1e\(count)}").oneDouble, 0.1)
        try expectEqual(Everything(json: "{\"oneInt64\":\"7\(zeros)e-\(count)\"}").oneInt64, 7)
        try expectEqual(Everything(json: "{\"oneInt32\":0.\(zeros)7e\(count + 1)}").oneInt32, 7)
        try expectEqual(Everything(json: "{\"oneInt32\":0e\(zeros)1}").oneInt32, 0)
        #expect(throws: ProtoError.malformedJSON) { try Everything(json: "{\"oneInt32\":7\(zeros)}") }
        #expect(throws: ProtoError.malformedJSON) { try Everything(json: "{\"oneInt32\":0.\(zeros)7}") }
    }
}
