// SPDX-License-Identifier: Apache-2.0

import LatchGenerator
import Testing

@Suite struct `The digest of a file` {
    /// The same, as slowly as one writes it down.
    private func digest(of bytes: [UInt8]) -> String {
        let prime: UInt128 = 1 << 61 - 1
        var (values, turn): ([UInt128], Int) = ([1, 1], 0)
        let points: [UInt128] = [0x1E37_79B9_7F4A_7C15, 0x0A09_E667_F3BC_C908]
        var rest = bytes[...]
        while !rest.isEmpty {
            let isPair = rest.count >= 15 || turn == 1
            let lane = isPair ? turn : 0
            let word = rest.prefix(7).reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
            values[lane] = (values[lane] * points[lane] + word) % prime
            turn = isPair ? 1 - turn : 0
            rest = rest.dropFirst(7)
        }
        return values.indices.map { lane in
            let digits = String((values[lane] * points[lane] + UInt128(bytes.count)) % prime, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    @Test func `is what its definition says, for bytes and for text`() {
        var random = SystemRandomNumberGenerator()
        for count in Array(0..<64) + [1_000, 4_096] {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0..<128, using: &random) }
            #expect(FileDigest(of: bytes).text == digest(of: bytes), "\(bytes)")
            #expect(FileDigest(of: String(decoding: bytes, as: UTF8.self)) == FileDigest(of: bytes))
            let full = [UInt8](repeating: 0xFF, count: count)
            #expect(FileDigest(of: full).text == digest(of: full), "\(count) × 255")
        }
    }

    @Test func `differs for all lengths around the edges of a block, and for each byte that differs`() {
        var seen: Set<FileDigest> = []
        for count in 0..<50 {
            let zeros = [UInt8](repeating: 0, count: count)
            #expect(seen.insert(FileDigest(of: zeros)).inserted, "\(count) zeros")
            for index in zeros.indices {
                var bytes = zeros
                bytes[index] = 0x80
                #expect(seen.insert(FileDigest(of: bytes)).inserted, "byte \(index) of \(count)")
            }
        }
        #expect(seen.allSatisfy { $0.text.utf8.count == 32 })
    }
}
