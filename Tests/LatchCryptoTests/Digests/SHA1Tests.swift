// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCrypto
import Testing

@Suite struct SHA1Tests {
    /// The examples of FIPS 180 (RFC 3174 §7.3, tests 1 and 2) and the digest of nothing.
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
    ])
    func `SHA-1 matches the standard's examples`(text: String, digest: String) {
        expectEqual("\(Insecure.SHA1.hash(data: text.utf8))", digest)
    }

    @Test func `SHA-1 of a million letters matches RFC 3174, in any pieces`() {
        for size in [1000, 1, 63, 64, 65] {
            var state = Insecure.SHA1()
            let piece = [UInt8](repeating: UInt8(ascii: "a"), count: size)
            for _ in 0..<(1_000_000 / size) { state.update(data: piece) }
            state.update(data: piece.prefix(1_000_000 % size))
            expectEqual("\(state.finalize())", "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
        }
    }

    @Test func `SHA-1 leaves memory that is too short for it unchanged`() {
        var memory = [UInt8](repeating: 0xEE, count: 19)
        memory.withUnsafeMutableBufferPointer { Insecure.SHA1().finalize(into: $0) }
        expectEqual(memory, [UInt8](repeating: 0xEE, count: 19))
    }

    /// RFC 2202 §3, cases 1, 2, 3 and 6.
    @Test func `SHA-1 makes the codes of RFC 2202`() {
        let code = { (key: [UInt8], data: [UInt8]) in
            "\(HMAC<Insecure.SHA1>.authenticationCode(for: data, using: SymmetricKey(data: key)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())"
        }
        expectEqual(
            code([UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8)),
            "b617318655057264e28bc0b6fb378c8ef146be00")
        expectEqual(
            code(Array("Jefe".utf8), Array("what do ya want for nothing?".utf8)),
            "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
        expectEqual(
            code([UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50)),
            "125d7342b9ac11cd91a39af48aa17b4f63f175d3")
        expectEqual(
            code(
                [UInt8](repeating: 0xAA, count: 80),
                Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)),
            "aa4ae5e15272d00e95705637ce8a3b55ed402112")
    }
}
