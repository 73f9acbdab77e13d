// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import Testing

@Suite struct AESGCMTests {
    private let key = SymmetricKey(size: .bits256)

    // Test cases 2 and 14 of McGrew and Viega, The Galois/Counter Mode of Operation.
    @Test func `A box sealed by AES-GCM matches the published test cases`() throws {
        let zeros = [UInt8](repeating: 0, count: 32)
        let nonce = try AES.GCM.Nonce(data: zeros.prefix(12))
        let small = try AES.GCM.seal(zeros.prefix(16), using: SymmetricKey(data: zeros.prefix(16)), nonce: nonce)
        expectEqual(hexadecimal(small.ciphertext), "0388dace60b6a392f328c2b971b2fe78")
        expectEqual(hexadecimal(small.tag), "ab6e47d42cec13bdf53a67b21257bddf")
        let large = try AES.GCM.seal(zeros.prefix(16), using: SymmetricKey(data: zeros), nonce: nonce)
        expectEqual(hexadecimal(large.ciphertext), "cea7403d4d606b6e074ec5d3baf39d18")
        expectEqual(hexadecimal(large.tag), "d0d1c8a799996bf0265b98b5d48ab919")
    }

    @Test(arguments: [0, 1, 15, 16, 17, 100_000], [0, 1, 40])
    func `A box sealed by AES-GCM opens to the sealed text`(length: Int, authenticated: Int) throws {
        let message = SecureRandom.bytes(length)
        let data = SecureRandom.bytes(authenticated)
        let box = try AES.GCM.seal(message, using: key, authenticating: data)
        expectEqual(box.ciphertext.count, length)
        let combined = try #require(box.combined)
        let again = try AES.GCM.SealedBox(combined: combined)
        try expectEqual(AES.GCM.open(again, using: key, authenticating: data), message)
    }

    @Test func `A box sealed by AES-GCM does not open after any bit of it was changed`() throws {
        let box = try AES.GCM.seal("attack at dawn".utf8, using: key, authenticating: "v1".utf8)
        let combined = try #require(box.combined)
        for bit in 0..<combined.count * 8 {
            var changed = combined
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect {
                try AES.GCM.open(AES.GCM.SealedBox(combined: changed), using: key, authenticating: "v1".utf8)
            } throws: {
                CryptoError.authenticationFailure ~= $0
            }
        }
    }

    @Test func `A box sealed by AES-GCM does not open under another key or with other authenticated data`() throws {
        let box = try AES.GCM.seal("text".utf8, using: key, authenticating: "v1".utf8)
        #expect(throws: CryptoError.authenticationFailure) {
            try AES.GCM.open(box, using: SymmetricKey(size: .bits256), authenticating: "v1".utf8)
        }
        #expect(throws: CryptoError.authenticationFailure) {
            try AES.GCM.open(box, using: key, authenticating: "v2".utf8)
        }
        #expect(throws: CryptoError.authenticationFailure) { try AES.GCM.open(box, using: key) }
    }

    @Test func `A box sealed by AES-GCM is never sealed twice with one nonce unless the caller says so`() throws {
        let nonces = try (0..<500).map { _ in try AES.GCM.seal([], using: key).nonce }
        expectEqual(Set(nonces).count, 500)
    }

    @Test func `A box sealed by AES-GCM takes keys, nonces and tags of the right size only`() throws {
        for bits in [0, 8, 64, 120, 136, 512] {
            #expect { try AES.GCM.seal([1], using: SymmetricKey(size: .init(bitCount: bits))) } throws: {
                CryptoError.unacceptableParameter ~= $0
            }
        }
        for bits in [128, 192, 256] {
            let key = SymmetricKey(size: .init(bitCount: bits))
            try expectEqual(AES.GCM.open(AES.GCM.seal([1], using: key), using: key), [1])
        }
        #expect(throws: CryptoError.self) { try AES.GCM.Nonce(data: [1, 2, 3]) }
        #expect(throws: CryptoError.self) { try AES.GCM.SealedBox(combined: [UInt8](repeating: 0, count: 27)) }
        #expect(throws: CryptoError.self) { try AES.GCM.SealedBox(nonce: .init(), ciphertext: [1], tag: [1, 2, 3, 4]) }
    }
}
