// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import Testing

@Suite struct SymmetricKeyTests {
    private func bytes(_ key: SymmetricKey) -> [UInt8] { key.withUnsafeBytes { Array($0) } }

    @Test func `A symmetric key has the size that was asked for, in whole bytes`() {
        for (bits, expected) in [(128, 128), (192, 192), (256, 256), (0, 0), (7, 0), (8, 8), (15, 8), (-8, 0)] {
            let key = SymmetricKey(size: SymmetricKeySize(bitCount: bits))
            expectEqual(key.bitCount, expected, "\(bits) bits")
            expectEqual(bytes(key).count, expected / 8)
        }
        expectEqual(SymmetricKeySize.bits128.bitCount, 128)
        expectEqual(SymmetricKeySize.bits192.bitCount, 192)
        expectEqual(SymmetricKeySize.bits256, SymmetricKeySize(bitCount: 256))
        expectEqual(SymmetricKeySize(bitCount: -1), SymmetricKeySize(bitCount: 0))
    }

    @Test func `A symmetric key keeps the bytes that it was made of, from any collection`() {
        let content: [UInt8] = [0, 1, 2, 0xFF]
        expectEqual(bytes(SymmetricKey(data: content)), content)
        expectEqual(bytes(SymmetricKey(data: content[1...])), [1, 2, 0xFF])
        expectEqual(bytes(SymmetricKey(data: AnyCollection(content))), content)
        expectEqual(bytes(SymmetricKey(data: "é".utf8)), [0xC3, 0xA9])
        #expect(bytes(SymmetricKey(data: EmptyCollection())).isEmpty)
    }

    @Test func `A symmetric key outlives the value that it was made of, and is shared by its copies`() {
        var content: [UInt8] = [1, 2, 3]
        let key = SymmetricKey(data: content)
        let copies = [SymmetricKey](repeating: key, count: 10)
        content = [9, 9, 9]
        expectNotEqual(content, bytes(key))
        #expect(copies.allSatisfy { bytes($0) == [1, 2, 3] })
    }

    @Test func `A symmetric key passes on the borrower's errors and results`() {
        struct Refusal: Error {}
        let key = SymmetricKey(data: [1])
        #expect(throws: Refusal.self) { try key.withUnsafeBytes { _ in throw Refusal() } }
        expectEqual(key.withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } }, 1)
    }

    @Test func `A symmetric key is fresh each time, with every bit set now and then`() {
        var everSet = [UInt8](repeating: 0, count: 32)
        var alwaysSet = [UInt8](repeating: 0xFF, count: 32)
        for _ in 0..<200 {
            for (place, byte) in bytes(SymmetricKey(size: .bits256)).enumerated() {
                everSet[place] |= byte
                alwaysSet[place] &= byte
            }
        }
        // A sound generator leaves one of 256 bits the same in 200 keys with a chance of 2^-191.
        #expect(everSet.allSatisfy { $0 == 0xFF })
        #expect(alwaysSet.allSatisfy { $0 == 0 })
    }

    @Test func `A symmetric key serves many tasks at once`() async {
        let key = SymmetricKey(data: (0..<64).map { UInt8($0) })
        let sums = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<64 { group.addTask { key.withUnsafeBytes { $0.reduce(0) { $0 + Int($1) } } } }
            return await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        expectEqual(sums, [63 * 32])
    }
}

@Suite struct ConstantTimeTests {
    @Test func `Comparing in constant time finds a difference in any bit of any byte`() {
        let content = (0..<40).map { UInt8(truncatingIfNeeded: $0 &* 37) }
        for bit in 0..<content.count * 8 {
            var changed = content
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!constantTimeEquals(content, changed), "bit \(bit)")
            #expect(!constantTimeEquals(AnyCollection(content), AnyCollection(changed)), "bit \(bit)")
        }
    }

    @Test func `Comparing in constant time never takes a prefix or a continuation for the whole`() {
        let content = [UInt8](repeating: 0, count: 20)
        for length in 0...25 {
            let other = [UInt8](repeating: 0, count: length)
            expectEqual(constantTimeEquals(content, other), length == 20)
            expectEqual(constantTimeEquals(other, content), length == 20)
        }
    }

    @Test func `Comparing in constant time answers the same for every pair of kinds of collections`() {
        let content: [UInt8] = [1, 2, 3]
        let kinds: [AnyCollection<UInt8>] = [
            AnyCollection(content), AnyCollection(([0] + content)[1...]), AnyCollection(content.lazy.map { $0 }),
            AnyCollection([3, 2, 1].reversed()), AnyCollection(ContiguousArray(content)),
        ]
        for one in kinds {
            for other in kinds { #expect(constantTimeEquals(one, other)) }
            #expect(constantTimeEquals(one, content) && constantTimeEquals(content, one))
            #expect(!constantTimeEquals(one, [1, 2, 4]) && !constantTimeEquals([1, 2], one))
        }
    }

    @Test func `Comparing in constant time takes empty ones of every kind for equal`() {
        let none: [UInt8] = []
        #expect(constantTimeEquals(none, none))
        #expect(constantTimeEquals(none, "".utf8))
        #expect(constantTimeEquals(EmptyCollection(), [1][1...]))
        #expect(constantTimeEquals(UnsafeBufferPointer<UInt8>(start: nil, count: 0), none))
        #expect(!constantTimeEquals(UnsafeBufferPointer<UInt8>(start: nil, count: 0), [0]))
    }
}
