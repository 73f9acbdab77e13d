// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchProtobuf
import TestTags
import Testing

@Suite struct HostileTests {
    private func refused(_ bytes: [UInt8], _ error: ProtoError, _ limits: DecodingLimits = .standard) -> Bool {
        do {
            _ = try Everything(serialized: bytes, limits: limits)
            return false
        } catch let thrown {
            return thrown == error
        }
    }

    @Test func `Untrusted bytes are rejected if they are truncated anywhere`() throws {
        // Cut between two fields of the outermost message they are whole; anywhere else they are not.
        var message = Everything()
        message.inner = Everything.filled(depth: 1)
        let bytes = try message.serialized()
        for count in stride(from: 1, to: bytes.count, by: 3) {
            let isRefused = refused(Array(bytes[..<count]), .truncated)
            #expect(isRefused, "\(count) of \(bytes.count) bytes")
        }
    }

    @Test(
        .tags(.decompressionBomb),
        arguments: [
            ("empty messages", Wire.delimited(201, []), 500), ("empty strings", Wire.delimited(54, []), 16),
            ("empty bytes", Wire.delimited(55, []), 16), ("numbers", Wire.varints(44, [1]), 8),
            ("groups", Wire.tag(203, 3) + Wire.tag(203, 4), 500), ("a map's entries", Wire.delimited(210, []), 500),
            ("unknown fields in messages", Wire.delimited(201, Wire.tag(5000, 0) + [1]), 600),
        ])
    func `Untrusted bytes are charged for their decoded size, and not for their encoded one`(
        name: String, element: [UInt8], cost: Int
    ) throws {
        let count = 2000
        let bomb = Array(repeating: element, count: count).flatMap(\.self)
        #expect(refused(bomb, .tooLarge, DecodingLimits(allocatedBytes: count * cost)))
        var budget = Int.max
        _ = try Everything(serialized: bomb, budget: &budget)
        #expect(.max - budget >= count * cost)
    }

    @Test(.tags(.decompressionBomb), arguments: [("inners", "{}"), ("manyString", "\"\""), ("manyInt32", "1")])
    func `Untrusted bytes in JSON are also charged for their decoded size`(field: String, element: String) throws {
        let elements = Array(repeating: element, count: 2000).joined(separator: ",")
        let bomb = "{\"\(field)\":[\(elements)]}"
        #expect(throws: ProtoError.tooLarge) {
            try Everything(json: bomb, options: JSONDecodingOptions(allocatedBytes: 2000 * 4))
        }
        #expect(throws: Never.self) { try Everything(json: bomb) }
    }

    @Test func `Untrusted bytes that are honest are charged no more than a server allows`() throws {
        var message = Everything()
        message.manyString = Array(repeating: "a short text", count: 1000)
        message.inner = Everything.filled(depth: 1)
        let bytes = try message.serialized()
        var budget = 12 * bytes.count
        _ = try Everything(serialized: bytes, budget: &budget)
        #expect(budget > 0)
    }

    @Test func `Untrusted bytes are rejected for a false length, without allocating memory for it`() {
        let gigabyte = Wire.varint(1 << 30)
        for number: UInt64 in [14, 15, 43, 41, 54, 55, 103, 200, 201, 998] {
            #expect(refused(Wire.tag(number, 2) + gigabyte, .truncated))
            #expect(refused(Wire.tag(number, 2) + gigabyte + [1, 2, 3], .truncated))
            #expect(refused(Wire.tag(number, 2) + Wire.varint(.max) + [1, 2, 3], .truncated))
            #expect(refused(Wire.tag(number, 2) + Wire.varint(1 << 63) + [1, 2, 3], .truncated))
        }
        // A length inside that reaches beyond the message around it.
        #expect(refused(Wire.delimited(200, Wire.tag(14, 2) + [5]) + [1, 2, 3, 4, 5], .truncated))
        // Packed numbers that do not fill their run.
        #expect(refused(Wire.delimited(41, [1, 2, 3]), .malformed))
        #expect(refused(Wire.delimited(43, [0x80]), .truncated))
    }

    @Test func `Untrusted bytes are rejected if messages are nested too deeply`() throws {
        func nested(_ depth: Int, in number: UInt64) -> [UInt8] {
            (0..<depth).reduce(into: []) { bytes, _ in bytes = Wire.delimited(number, bytes) }
        }
        _ = try Everything(serialized: nested(100, in: 200))
        #expect(refused(nested(101, in: 200), .tooDeep))
        #expect(refused(nested(3, in: 200), .tooDeep, DecodingLimits(depth: 2)))
        #expect(refused(nested(101, in: 201), .tooDeep))
        for number: UInt64 in [202, 203, 997] {
            let begin = Array(repeating: Wire.tag(number, 3), count: 100_000).flatMap { $0 }
            #expect(refused(begin, .tooDeep))
        }
        let entries = (0..<51).reduce(into: [UInt8]()) { bytes, _ in
            bytes = Wire.delimited(210, Wire.delimited(2, bytes))
        }
        #expect(refused(entries, .tooDeep))
    }

    @Test func `Untrusted bytes are rejected for an invalid tag`() {
        #expect(refused([0x00], .malformed))
        #expect(refused([0x02, 0x00], .malformed))
        #expect(refused([0x80, 0x00], .malformed))
        #expect(refused(Wire.tag(3, 6), .malformed))
        #expect(refused(Wire.tag(3, 7), .malformed))
        #expect(refused(Wire.tag(1 << 29, 0) + [1], .malformed))
        #expect(refused(Wire.tag(1 << 32, 0) + [1], .malformed))
        #expect(refused([0x98, 0x80, 0x80, 0x80, 0x80, 0x00, 1], .malformed))
        #expect(refused(Wire.tag(3, 4), .malformed))
    }

    @Test func `Untrusted bytes are rejected if a group ends with another number`() {
        #expect(refused(Wire.tag(202, 3), .truncated))
        #expect(refused(Wire.tag(202, 3) + Wire.tag(203, 4), .malformed))
        #expect(refused(Wire.tag(999, 3) + Wire.tag(998, 4), .malformed))
        #expect(refused(Wire.delimited(200, Wire.tag(202, 4)), .malformed))
        #expect(refused(Wire.tag(202, 3) + Wire.delimited(200, Wire.tag(202, 4)), .malformed))
    }

    @Test func `Untrusted bytes are rejected for a number of more than ten bytes`() throws {
        let endless = [UInt8](repeating: 0x80, count: 10) + [0x00]
        #expect(refused(Wire.tag(3, 0) + endless, .malformed))
        #expect(refused(Wire.tag(999, 0) + endless, .malformed))
        let long = Wire.tag(3, 0) + [UInt8](repeating: 0x81, count: 9) + [0x01]
        try expectEqual(Everything(serialized: long).oneInt32, 0x1020_4081)
        let padded = Wire.tag(3, 0) + [0x85, 0x80, 0x80, 0x00]
        try expectEqual(Everything(serialized: padded).oneInt32, 5)
    }

    @Test func `Untrusted bytes are rejected for a length of more than five bytes, as by other decoders`() throws {
        let five: [UInt8] = [0x81, 0x80, 0x80, 0x80, 0x00]
        try expectEqual(Everything(serialized: Wire.tag(14, 2) + five + [0x61]).oneString, "a")
        let six: [UInt8] = [0x81, 0x80, 0x80, 0x80, 0x80, 0x00]
        #expect(refused(Wire.tag(14, 2) + six + [0x61], .malformed))
        #expect(refused(Wire.tag(15, 2) + six + [0x61], .malformed))
        #expect(refused(Wire.tag(999, 2) + six + [0x61], .malformed))
        #expect(refused(Wire.tag(200, 2) + [0x80, 0x80, 0x80, 0x80, 0x80, 0x00], .malformed))
    }

    @Test func `Untrusted bytes are rejected for a string that is not UTF-8`() throws {
        let bad: [[UInt8]] = [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x61, 0x80],
            [UInt8](repeating: 0x61, count: 40) + [0xC3],
        ]
        for text in bad {
            #expect(refused(Wire.delimited(14, text), .invalidText))
            #expect(refused(Wire.delimited(54, text), .invalidText))
            #expect(refused(Wire.delimited(103, Wire.delimited(1, text)), .invalidText))
        }
        try expectEqual(Everything(serialized: Wire.delimited(15, [0xFF])).oneBytes, Data([0xFF]))
    }

    @Test func `Untrusted bytes are rejected above the size limit`() {
        #expect(refused(Wire.delimited(14, [1, 2, 3]), .tooLarge, DecodingLimits(bytes: 4)))
    }

    @Test func `Untrusted bytes are rejected with the field's path, without its value`() {
        let bytes = Wire.delimited(200, Wire.delimited(201, Wire.delimited(14, [0x70, 0x77, 0xFF])))
        #expect(throws: ProtoError.invalidText) { try Everything(serialized: bytes) }
        do {
            _ = try Everything(serialized: bytes)
        } catch {
            #expect(error.message.contains("test.v1.Everything.inner.inners.one_string"))
            #expect(!error.description.contains("pw"))
        }
    }

    @Test func `Untrusted bytes leave a message unchanged if they are rejected`() {
        var message = Everything.filled(depth: 1)
        #expect(throws: ProtoError.truncated) { try message.merge(serialized: Wire.varints(3, [9]) + [0x18]) }
        expectEqual(message, Everything.filled(depth: 1))
    }

    /// Each change is made by a generator with a seed, so that a failure can be seen again.
    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `Untrusted bytes never do harm after any change`(seed: UInt64) throws {
        var random = Xorshift(state: seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        let original = try Everything.filled(depth: 1).serialized()
        var read = 0
        for _ in 0..<400 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...6, using: &random) { bytes.mutate(using: &random) }
            guard let message = try? Everything(serialized: bytes) else { continue }
            read += 1
            let again = try message.serialized(deterministic: true)
            let second = try Everything(serialized: again)
            let isSame = try second.serialized(deterministic: true) == again
            #expect(isSame, "seed \(seed)")
            #expect(!message.description.isEmpty)
        }
        #expect(read > 0)
    }
}

private struct Xorshift: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}

extension [UInt8] {
    fileprivate mutating func mutate(using random: inout Xorshift) {
        let place = Int.random(in: 0..<count, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: self[place] = UInt8.random(in: 0...255, using: &random)
        case 1: self[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 2: insert(UInt8.random(in: 0...255, using: &random), at: place)
        case 3: remove(at: place)
        default: insert(contentsOf: self[place..<Swift.min(count, place + 9)], at: place / 2)
        }
    }
}
