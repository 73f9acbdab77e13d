// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import TestVectors
import Testing

@Suite struct HKDFTests {
    private let secret = SymmetricKey(data: [UInt8](repeating: 0x0B, count: 22))

    private func bytes(_ key: SymmetricKey) -> [UInt8] { key.withUnsafeBytes { Array($0) } }

    // RFC 5869 appendix A.1: the pseudorandom key between the two steps.
    @Test func `A key stretched by HKDF goes through the pseudorandom key of RFC 5869`() {
        let extracted = HKDF<SHA256>.extract(inputKeyMaterial: secret, salt: Array(0x00...0x0C))
        expectEqual(hexadecimal(extracted), "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5")
        let expanded = HKDF<SHA256>.expand(
            pseudoRandomKey: extracted, info: Array(0xF0...0xF9), outputByteCount: 42)
        expectEqual(
            hexadecimal(bytes(expanded)),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
    }

    // RFC 5869 §2.2: a salt that is not provided is a string of zeros as long as the digest.
    @Test func `A key stretched by HKDF has without a salt the key of a salt of zeros`() {
        let none = HKDF<SHA384>.deriveKey(inputKeyMaterial: secret, salt: [], info: [1], outputByteCount: 64)
        let zeros = HKDF<SHA384>.deriveKey(
            inputKeyMaterial: secret, salt: [UInt8](repeating: 0, count: 48), info: [1], outputByteCount: 64)
        expectEqual(none, zeros)
    }

    @Test(arguments: [0, 1, 31, 32, 33, 63, 64, 65, 8_159, 8_160])
    func `A key stretched by HKDF begins with every shorter key of the same secret, salt and purpose`(length: Int) {
        func key(_ length: Int) -> [UInt8] {
            bytes(HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, salt: [1], info: [2], outputByteCount: length))
        }
        expectEqual(key(length).count, length)
        expectEqual(key(length), Array(key(8_160).prefix(length)))
    }

    @Test func `A key stretched by HKDF is empty for a length of zero or less, and never over 255 digests`() {
        for length in [0, -1, Int.min] {
            let key = HKDF<SHA512>.deriveKey(inputKeyMaterial: secret, salt: [], info: [], outputByteCount: length)
            expectEqual(key.bitCount, 0)
        }
        for length in [255 * 64, 255 * 64 + 1, Int.max] {
            let key = HKDF<SHA512>.deriveKey(inputKeyMaterial: secret, salt: [], info: [], outputByteCount: length)
            expectEqual(key.bitCount, 255 * 64 * 8)
        }
    }

    @Test func `A key stretched by HKDF differs for another secret, salt, purpose or digest`() {
        func key<Hash: HashFunction>(
            _ hash: Hash.Type, _ secret: SymmetricKey, salt: [UInt8] = [1], info: [UInt8] = [2]
        ) -> String {
            hexadecimal(
                bytes(HKDF<Hash>.deriveKey(inputKeyMaterial: secret, salt: salt, info: info, outputByteCount: 32)))
        }
        let keys = [
            key(SHA256.self, secret), key(SHA384.self, secret), key(SHA512.self, secret),
            key(SHA256.self, SymmetricKey(data: [1])), key(SHA256.self, SymmetricKey(data: [])),
            key(SHA256.self, secret, salt: [2]), key(SHA256.self, secret, salt: [1, 0, 1]),
            key(SHA256.self, secret, info: []), key(SHA256.self, secret, info: [2, 0]),
            // The boundary between salt and purpose counts, and not only the bytes of both.
            key(SHA256.self, secret, salt: [1, 2], info: []), key(SHA256.self, secret, salt: [], info: [1, 2]),
        ]
        expectEqual(Set(keys).count, keys.count)
    }

    @Test(
        .enabled(if: OpenSSLCommand.isPresent, Comment(rawValue: OpenSSLCommand.hint)),
        arguments: 0..<4 as Range<UInt64>)
    func `A key stretched by HKDF is OpenSSL's own for random inputs`(seed: UInt64) async throws {
        var numbers = SeededGenerator(seed: seed)
        let secret = numbers.bytes(Int.random(in: 1...100, using: &numbers))
        let salt = numbers.bytes(Int.random(in: 1...200, using: &numbers))
        let info = numbers.bytes(Int.random(in: 1...100, using: &numbers))
        let length = Int.random(in: 1...600, using: &numbers)
        let answer = try await OpenSSLCommand().run(
            "kdf", "-binary", "-keylen", "\(length)", "-kdfopt", "digest:SHA384",
            "-kdfopt", "hexkey:\(hexadecimal(secret))", "-kdfopt", "hexsalt:\(hexadecimal(salt))",
            "-kdfopt", "hexinfo:\(hexadecimal(info))", "HKDF")
        let key = HKDF<SHA384>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: secret), salt: salt, info: info, outputByteCount: length)
        expectEqual(bytes(key), answer.output, "seed \(seed)")
    }
}
