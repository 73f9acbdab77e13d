// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct RSATests {
    @Test(arguments: RSA.Signing.Padding.allCases, RSA.Signing.Hash.allCases)
    func `An RSA signature verifies with its key, text, padding and digest only`(
        padding: RSA.Signing.Padding, hash: RSA.Signing.Hash
    )
        throws
    {
        let key = try SharedRSAKey.one.get()
        let text = Array("text".utf8)
        let signature = try key.signature(for: text, padding: padding, hash: hash)
        expectEqual(signature.count, 256)
        for otherPadding in RSA.Signing.Padding.allCases {
            for otherHash in RSA.Signing.Hash.allCases {
                let isSame = otherPadding == padding && otherHash == hash
                expectEqual(
                    key.publicKey.isValidSignature(signature, for: text, padding: otherPadding, hash: otherHash), isSame
                )
            }
        }
        #expect(!key.publicKey.isValidSignature(signature, for: text + [0], padding: padding, hash: hash))
        #expect(!key.publicKey.isValidSignature(signature.dropLast(), for: text, padding: padding, hash: hash))
        #expect(!key.publicKey.isValidSignature([0] + signature, for: text, padding: padding, hash: hash))
        #expect(!key.publicKey.isValidSignature([], for: text, padding: padding, hash: hash))
    }

    @Test(
        .enabled(if: VectorSet.wycheproof.has("rsa_signature_2048_sha256_test.json"), Comment(rawValue: VectorSet.hint))
    )
    func `An RSA signature agrees with every PKCS #1 case of Wycheproof`() throws {
        let cases = try VectorSet.wycheproof.cases("rsa_signature_2048_sha256_test.json")
        expectEqual(cases.count, 259)
        for (group, test) in cases {
            let key = try RSA.Signing.PublicKey(derRepresentation: group.hex("publicKeyDer"))
            let isValid = key.isValidSignature(test.hex("sig"), for: test.hex("msg"))
            // "acceptable" is a signature whose DigestInfo lacks the NULL; RFC 8017 appendix A.2.4 lets a verifier choose.
            guard test["result"] != "acceptable" else { continue }
            expectEqual(isValid, test["result"] == "valid", "case \(test["tcId"]?.intValue ?? 0)")
        }
    }

    @Test(
        .enabled(
            if: VectorSet.wycheproof.has("rsa_pss_2048_sha256_mgf1_32_test.json"), Comment(rawValue: VectorSet.hint)))
    func `An RSA signature agrees with every PSS case of Wycheproof`() throws {
        let cases = try VectorSet.wycheproof.cases("rsa_pss_2048_sha256_mgf1_32_test.json")
        expectEqual(cases.count, 108)
        for (group, test) in cases {
            let key = try RSA.Signing.PublicKey(derRepresentation: group.hex("publicKeyDer"))
            let isValid = key.isValidSignature(test.hex("sig"), for: test.hex("msg"), padding: .pss)
            expectEqual(isValid, test["result"] == "valid", "case \(test["tcId"]?.intValue ?? 0)")
        }
    }
}

@Suite struct RSAKeyTests {
    @Test func `An RSA key is restored from its numbers and from PEM`() throws {
        let key = try SharedRSAKey.one.get()
        expectEqual(key.publicKey.exponent, [1, 0, 1])
        expectEqual(key.publicKey.keySizeInBits, 2048)
        let restored = try RSA.Signing.PrivateKey(key.numbers)
        let signature = try restored.signature(for: "text".utf8)
        #expect(key.publicKey.isValidSignature(signature, for: "text".utf8))
        try expectEqual(RSA.Signing.PrivateKey(pemRepresentation: key.pem()).publicKey, key.publicKey)
        try expectEqual(RSA.Signing.PublicKey(pemRepresentation: key.publicKey.pem()), key.publicKey)
        let padded = try RSA.Signing.PublicKey(modulus: [0] + key.publicKey.modulus, exponent: [0, 1, 0, 1])
        expectEqual(padded, key.publicKey)
    }

    @Test func `An RSA key is refused if it is small, huge, even, or has an unfit exponent`() {
        let odd = [UInt8](repeating: 0xFF, count: 256)
        let tooSmall = [UInt8](repeating: 0xFF, count: 128)
        let tooLarge = [UInt8](repeating: 0xFF, count: 1025)
        let even = Array(odd.dropLast()) + [0xFE]
        let cases: [([UInt8], [UInt8])] = [
            (tooSmall, [1, 0, 1]), (tooLarge, [1, 0, 1]), (even, [1, 0, 1]), ([], [3]), (odd, []), (odd, [1]),
            (odd, [2]),
            (odd, [1, 0, 0, 0, 1]), (odd, [0]),
        ]
        for (modulus, exponent) in cases {
            #expect { try RSA.Signing.PublicKey(modulus: modulus, exponent: exponent) } throws: {
                CryptoError.malformedKey ~= $0
            }
        }
    }

    @Test func `An RSA key is refused if its numbers do not belong together`() throws {
        var numbers = try SharedRSAKey.one.get().numbers
        numbers.privateExponent[40] ^= 4
        #expect { try RSA.Signing.PrivateKey(numbers) } throws: { CryptoError.malformedKey ~= $0 }
    }

    @Test func `An RSA key is not made weaker than 2048 bits`() {
        #expect { try RSA.Signing.PrivateKey(keySizeInBits: 1024) } throws: { CryptoError.unacceptableParameter ~= $0 }
    }
}

/// One key for all tests here, since making one takes a while.
private enum SharedRSAKey {
    static let one = Result { try RSA.Signing.PrivateKey() }
}
