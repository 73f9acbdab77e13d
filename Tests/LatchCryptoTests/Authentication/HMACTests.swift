// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct HMACTests {
    // RFC 4231 §4.3 and §4.7: a short key, and one longer than a block.
    @Test func `An HMAC matches the vectors of RFC 4231`() {
        let short = SymmetricKey(data: "Jefe".utf8)
        let text = "what do ya want for nothing?".utf8
        expectEqual(
            hexadecimal(HMAC<SHA256>.authenticationCode(for: text, using: short)),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        expectEqual(
            hexadecimal(HMAC<SHA384>.authenticationCode(for: text, using: short)),
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649")
        let long = SymmetricKey(data: [UInt8](repeating: 0xAA, count: 131))
        expectEqual(
            hexadecimal(
                HMAC<SHA256>.authenticationCode(
                    for: "Test Using Larger Than Block-Size Key - Hash Key First".utf8, using: long)),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    }

    @Test func `An HMAC of a prepared key serves any number of messages`() {
        let key = SymmetricKey(size: .bits256)
        let prepared = HMAC<SHA256>(key: key)
        for text in ["one", "two", ""] {
            var code = prepared
            code.update(data: text.utf8)
            expectEqual(code.finalize(), HMAC<SHA256>.authenticationCode(for: text.utf8, using: key))
        }
    }

    @Test func `An HMAC is refused when a bit, the length, the key or the message differs`() {
        let key = SymmetricKey(size: .bits256)
        let code = Array(HMAC<SHA256>.authenticationCode(for: "text".utf8, using: key))
        func accepts(_ code: [UInt8], _ text: String, _ key: SymmetricKey) -> Bool {
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: text.utf8, using: key)
        }
        #expect(accepts(code, "text", key))
        for bit in 0..<256 {
            var changed = code
            changed[bit / 8] ^= 1 << (bit % 8)
            #expect(!accepts(changed, "text", key))
        }
        #expect(!accepts(Array(code.dropLast()), "text", key))
        #expect(!accepts(code + [0], "text", key))
        #expect(!accepts([], "text", key))
        #expect(!accepts(code, "texT", key))
        #expect(!accepts(code, "text", SymmetricKey(size: .bits256)))
    }

    @Test(.enabled(if: VectorSet.wycheproof.has("hmac_sha256_test.json"), Comment(rawValue: VectorSet.hint)))
    func `An HMAC agrees with every case of Wycheproof`() throws {
        let cases = try VectorSet.wycheproof.cases("hmac_sha256_test.json")
        expectEqual(cases.count, 174)
        for (group, test) in cases {
            let code = HMAC<SHA256>.authenticationCode(
                for: test.hex("msg"), using: SymmetricKey(data: test.hex("key")))
            let length = (group["tagSize"]?.intValue ?? 0) / 8
            let agrees = constantTimeEquals(code.prefix(length), test.hex("tag"))
            expectEqual(agrees, test["result"] == "valid", "case \(test["tcId"]?.intValue ?? 0)")
        }
    }
}

@Suite struct HKDFVectorTests {
    // RFC 5869 appendix A.1 to A.3.
    @Test func `A key derived by HKDF matches the vectors of RFC 5869`() {
        let secret = SymmetricKey(data: [UInt8](repeating: 0x0B, count: 22))
        let first = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: secret, salt: Array(0...12), info: Array(0xF0...0xF9), outputByteCount: 42)
        expectEqual(
            first.withUnsafeBytes(hexadecimal),
            "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865")
        let long = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Array(0x00...0x4F)), salt: Array(0x60...0xAF),
            info: Array(0xB0...0xFF),
            outputByteCount: 82)
        expectEqual(
            long.withUnsafeBytes(hexadecimal),
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
                + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87")
        let bare = HKDF<SHA256>.deriveKey(inputKeyMaterial: secret, salt: [], info: [], outputByteCount: 42)
        expectEqual(
            bare.withUnsafeBytes(hexadecimal),
            "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8")
    }

    @Test func `A key derived by HKDF never gets longer than the algorithm can stretch`() {
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(size: .bits256), salt: [], info: [], outputByteCount: 10_000)
        expectEqual(key.bitCount, 255 * 32 * 8)
    }
}

func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
