// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct KeyWrapTests {
    // RFC 3394 §4.1 to §4.6.
    private static let data = "00112233445566778899AABBCCDDEEFF"
    private static let kek = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"
    private static let published = [
        (128, 0, "1FA68B0A8112B447AEF34BD8FB5A7B829D3E862371D2CFE5"),
        (192, 0, "96778B25AE6CA435F92B5B97C050AED2468AB8A17AD84E5D"),
        (256, 0, "64E8C3F9CE0F5BA263E9777905818A2A93C8191E7D6E8AE7"),
        (192, 8, "031D33264E15D33268F24EC260743EDCE1C6C7DDEE725A936BA814915C6762D2"),
        (256, 8, "A8F9BC1612C68B3FF6E6F4FBE30E71E4769C8B80A32CB8958CD5D17D6B254DA1"),
        (256, 16, "28C9F404C4B810F4CBCCB35CFB87F8263F5786E2D80ED326CBC7F0E71A99F43BFB988B9B7A02DD21"),
    ]

    @Test(arguments: published)
    func `The AES key wrap wraps and unwraps as RFC 3394 does`(bits: Int, more: Int, wrapped: String) throws {
        let kek = SymmetricKey(data: unhexed(Self.kek).prefix(bits / 8))
        let key = SymmetricKey(data: unhexed(Self.data) + unhexed(Self.kek).prefix(more))
        expectEqual(hexadecimal(try AES.KeyWrap.wrap(key, using: kek)).uppercased(), wrapped)
        try expectEqual(AES.KeyWrap.unwrap(unhexed(wrapped), using: kek), key)
    }

    @Test func `The AES key wrap refuses each change of a bit, and each other length`() throws {
        let kek = SymmetricKey(size: .bits128)
        let wrapped = try AES.KeyWrap.wrap(SymmetricKey(size: .bits256), using: kek)
        for place in wrapped.indices {
            var changed = wrapped
            changed[place] ^= 0x40
            #expect(throws: CryptoError.authenticationFailure) { try AES.KeyWrap.unwrap(changed, using: kek) }
        }
        for count in 0..<wrapped.count {
            #expect(throws: CryptoError.authenticationFailure) {
                try AES.KeyWrap.unwrap(wrapped.prefix(count), using: kek)
            }
        }
        for bits in [0, 64, 120, 136, 512] {
            let other = SymmetricKey(size: .init(bitCount: bits))
            #expect { try AES.KeyWrap.unwrap(wrapped, using: other) } throws: {
                CryptoError.unacceptableParameter ~= $0
            }
            #expect { try AES.KeyWrap.wrap(kek, using: other) } throws: { CryptoError.unacceptableParameter ~= $0 }
        }
        for bits in [0, 64, 136] {
            #expect { try AES.KeyWrap.wrap(SymmetricKey(size: .init(bitCount: bits)), using: kek) } throws: {
                CryptoError.unacceptableParameter ~= $0
            }
        }
    }

    /// The set calls a wrapped key of 64 bits acceptable, which RFC 3394 §2.2.1 does not have.
    @Test(.enabled(if: VectorSet.wycheproof.has("aes_wrap_test.json"), Comment(rawValue: VectorSet.fetchHint)))
    func `The AES key wrap accepts only Wycheproof's valid keys`() throws {
        let cases = try VectorSet.wycheproof.cases("aes_wrap_test.json")
        expectEqual(cases.count, 165)
        for (_, test) in cases {
            let kek = SymmetricKey(data: test.hex("key"))
            let (id, isValid) = (test["tcId"]?.intValue ?? 0, test["result"] == "valid")
            do {
                let key = try AES.KeyWrap.unwrap(test.hex("ct"), using: kek)
                #expect(isValid && key == SymmetricKey(data: test.hex("msg")), "\(id)")
                try expectEqual(AES.KeyWrap.wrap(key, using: kek), test.hex("ct"), "\(id)")
            } catch {
                #expect(!isValid, "\(id)")
            }
        }
    }
}

@Suite struct AESCBCTests {
    // NIST SP 800-38A, appendix F.2.1 and F.2.5: the first blocks, before the padding.
    private static let message = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
    private static let published = [
        (
            "2b7e151628aed2a6abf7158809cf4f3c",
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
        ),
        (
            "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
            "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
        ),
    ]

    @Test(arguments: published)
    func `AES-CBC chains as NIST's examples do`(key: String, ciphertext: String) throws {
        let key = SymmetricKey(data: unhexed(key))
        let (iv, message) = (Array(0..<16) as [UInt8], unhexed(Self.message))
        let made = try AES.CBC.encrypt(message, using: key, iv: iv)
        #expect(made.count == message.count + 16 && hexadecimal(Array(made.prefix(32))) == ciphertext)
        try expectEqual(AES.CBC.decrypt(made, using: key, iv: iv), message)
    }

    @Test func `AES-CBC pads every length, and refuses the wrong padding and other sizes`() throws {
        let (key, iv) = (SymmetricKey(size: .bits256), [UInt8](repeating: 7, count: 16))
        for count in 0...64 {
            let message = [UInt8](repeating: 1, count: count)
            let made = try AES.CBC.encrypt(message, using: key, iv: iv)
            expectEqual(made.count, (count / 16 + 1) * 16)
            try expectEqual(AES.CBC.decrypt(made, using: key, iv: iv), message)
            #expect(throws: CryptoError.authenticationFailure) {
                try AES.CBC.decrypt(Array(made.dropLast()), using: key, iv: iv)
            }
        }
        // A padding of nothing is never right; the vector decides the first block alone.
        let block = try AES.CBC.encrypt([], using: key, iv: iv)
        let other = iv.map { $0 ^ 0x10 }
        #expect(throws: CryptoError.authenticationFailure) { try AES.CBC.decrypt(block, using: key, iv: other) }
        #expect(throws: CryptoError.authenticationFailure) { try AES.CBC.decrypt([], using: key, iv: iv) }
        #expect { try AES.CBC.encrypt([], using: key, iv: []) } throws: { CryptoError.unacceptableParameter ~= $0 }
        let odd = SymmetricKey(size: .init(bitCount: 64))
        #expect { try AES.CBC.encrypt([], using: odd, iv: iv) } throws: { CryptoError.unacceptableParameter ~= $0 }
    }
}
