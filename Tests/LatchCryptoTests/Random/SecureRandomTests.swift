// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import Testing

@Suite struct SecureRandomTests {
    @Test func `Secure random bytes are as many as asked for`() {
        for count in [0, 1, 7, 8, 9, 16, 33, 4096] { expectEqual(SecureRandom.bytes(count).count, count) }
        #expect(SecureRandom.bytes(-1).isEmpty)
    }

    @Test func `Secure random bytes do not repeat`() {
        expectEqual(Set((0..<1000).map { _ in SecureRandom.bytes(16) }).count, 1000)
    }

    @Test func `Secure random bytes come from the generator that the caller brings`() {
        struct Counter: RandomNumberGenerator {
            var word: UInt64 = 0x0706_0504_0302_0100
            mutating func next() -> UInt64 {
                defer { word &+= 0x0808_0808_0808_0808 }
                return word
            }
        }
        var counter = Counter()
        expectEqual(SecureRandom.bytes(13, using: &counter), Array(0...12))
    }
}
