// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchTesting
import Synchronization
import Testing

@Suite struct RandomSourceTests {
    private func source(_ numbers: [UInt64]) -> RandomSource {
        let rest = Mutex(numbers)
        return RandomSource { rest.withLock { $0.isEmpty ? 0 : $0.removeFirst() } }
    }

    @Test(arguments: [0, 1, 7, 8, 9, 15, 16, 17, 32, 1_000])
    func `A source of randomness gives as many bytes as were asked for`(count: Int) {
        expectEqual(RandomSource.system.bytes(count).count, count)
    }

    @Test func `A source of randomness takes whole words in order and a part of the last`() {
        let words: [UInt64] = [0x0807_0605_0403_0201, 0x1817_1615_1413_1211]
        let bytes = source(words.map(UInt64.init(littleEndian:))).bytes(11)
        expectEqual(bytes, [1, 2, 3, 4, 5, 6, 7, 8, 0x11, 0x12, 0x13])
    }

    @Test func `A source of randomness never gives 1 for a bound of 1`() {
        expectEqual(source([0]).unit(), 0)
        expectEqual(source([.max]).unit(), 1 - 0x1p-53)
        expectEqual(source([1 << 63]).unit(), 0.5)
        expectEqual(source([0x7FF]).unit(), 0)
        expectEqual(source([0x800]).unit(), 0x1p-53)
    }

    @Test
    func `A source of randomness writes an identifier in lower-case hexadecimal digits, from the first byte on`() {
        let words: [UInt64] = [0xEFCD_AB89_6745_2301, 0x1032_5476_98BA_DCFE]
        expectEqual(source(words.map(UInt64.init(littleEndian:))).identifier(), "0123456789abcdeffedcba9876543210")
        expectEqual(source([]).identifier(), String(repeating: "0", count: 32))
    }

    @Test func `A source of randomness of the system names nothing twice`() {
        let names = (0..<20_000).map { _ in RandomSource.system.identifier() }
        expectEqual(Set(names).count, names.count)
        #expect(names.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy { $0.isHexDigit && !$0.isUppercase } })
    }

    /// The bounds are eight standard deviations wide: they fail by chance once in 10¹⁴ runs, and immediately when a
    /// byte is left out or a bit is stuck.
    @Test func `A source of randomness of the system uses every value of a byte alike`() {
        let count = 256 * 1_024
        var seen = [Int](repeating: 0, count: 256)
        for byte in RandomSource.system.bytes(count) { seen[Int(byte)] += 1 }
        #expect(seen.allSatisfy { (1_024 - 8 * 32...1_024 + 8 * 32).contains($0) }, "\(seen)")
    }

    @Test func `A source of randomness of the system spreads its numbers over all of the range`() {
        var seen = [Int](repeating: 0, count: 10)
        for _ in 0..<20_000 { seen[Int(RandomSource.system.unit() * 10)] += 1 }
        #expect(seen.allSatisfy { (1_650...2_350).contains($0) }, "\(seen)")
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `A source of randomness with a seed is the same again`(seed: UInt64) {
        func seeded() -> RandomSource {
            let generator = Mutex(SplitMix64(state: seed))
            return RandomSource { generator.withLock { $0.next() } }
        }
        expectEqual(seeded().bytes(100), seeded().bytes(100), "seed \(seed)")
        expectEqual(seeded().bytes(99), Array(seeded().bytes(100).dropLast()), "seed \(seed)")
    }
}
