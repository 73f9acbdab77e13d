// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

private func bytes(of secret: SharedSecret) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

@Suite struct KeyAgreementTests {
    private func check<Curve: NISTCurve>(_ curve: Curve.Type) throws {
        let (one, other) = (try NISTKeyAgreement<Curve>.PrivateKey(), try NISTKeyAgreement<Curve>.PrivateKey())
        let secret = try one.sharedSecretFromKeyAgreement(with: other.publicKey)
        expectEqual(secret, try other.sharedSecretFromKeyAgreement(with: one.publicKey))
        #expect(bytes(of: secret).count == Curve.coordinateByteCount && !secret.isZero)
        let restored = try NISTKeyAgreement<Curve>.PrivateKey(rawRepresentation: one.rawRepresentation)
        expectEqual(restored.publicKey, one.publicKey)
        try expectEqual(restored.sharedSecretFromKeyAgreement(with: other.publicKey), secret)
        let third = try NISTKeyAgreement<Curve>.PrivateKey()
        try expectNotEqual(third.sharedSecretFromKeyAgreement(with: one.publicKey), secret)
        let key = try NISTKeyAgreement<Curve>.PublicKey(rawRepresentation: one.publicKey.rawRepresentation)
        #expect(key == one.publicKey && Set([key, one.publicKey]).count == 1)
        for text in ["\(one)", "\(secret)", String(reflecting: one), String(reflecting: secret)] {
            #expect(text.contains("redacted"))
        }
    }

    @Test func `A key agreement has the same result for both parties, on every curve`() throws {
        try check(P256.self)
        try check(P384.self)
        try check(P521.self)
        let (one, other) = (try Curve25519.KeyAgreement.PrivateKey(), try Curve25519.KeyAgreement.PrivateKey())
        let secret = try one.sharedSecretFromKeyAgreement(with: other.publicKey)
        expectEqual(secret, try other.sharedSecretFromKeyAgreement(with: one.publicKey))
        #expect("\(one) \(secret)".contains("redacted"))
        let key = secret.hkdfDerivedSymmetricKey(
            using: SHA256.self, salt: [], sharedInfo: Array("purpose".utf8), outputByteCount: 16)
        expectEqual(key.bitCount, 128)
    }

    @Test func `A key agreement takes no point of another length, form or curve, and no secret out of range`() throws {
        let point = try P256.KeyAgreement.PrivateKey().publicKey.x963Representation
        var other = point
        other[64] ^= 1
        let compressed = [2] + point[1...32]
        let points: [[UInt8]] = [
            [], [0], [4], Array(point.dropLast()), point + [0], other, Array(compressed), [6] + point[1...],
        ]
        for wrong in points {
            #expect { try P256.KeyAgreement.PublicKey(x963Representation: wrong) } throws: {
                CryptoError.malformedKey ~= $0
            }
        }
        let order = unhexed("FFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551")
        for wrong in [[], [UInt8](repeating: 0, count: 32), order, order + [0]] as [[UInt8]] {
            #expect { try P256.KeyAgreement.PrivateKey(rawRepresentation: wrong) } throws: {
                CryptoError.malformedKey ~= $0
            }
        }
        for count in [0, 31, 33] {
            let wrong = [UInt8](repeating: 9, count: count)
            #expect { try Curve25519.KeyAgreement.PublicKey(rawRepresentation: wrong) } throws: {
                CryptoError.malformedKey ~= $0
            }
            #expect { try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: wrong) } throws: {
                CryptoError.malformedKey ~= $0
            }
        }
    }

    // RFC 7518, appendix C.
    @Test func `A key agreement derives the key of RFC 7518`() throws {
        let alice = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: unhexed("d3f3716913d4310a0026de741b3f18893afc8114f0c84682ba677e313a13988a"))
        let bob = try P256.KeyAgreement.PublicKey(
            rawRepresentation: unhexed(
                "c1e349cb61ec70248ce801034c3834e1b88ebe1161cb25af38741f785fcfc4c4"
                    + "7bc96708ef80952b53f8d2555fe72b841ed04588628b1d378a594939500ec9c9"))
        let secret = try alice.sharedSecretFromKeyAgreement(with: bob)
        let info =
            [0, 0, 0, 7] + Array("A128GCM".utf8) + [0, 0, 0, 5] + Array("Alice".utf8) + [0, 0, 0, 3]
            + Array("Bob".utf8) + [0, 0, 0, 128]
        let key = secret.concatKDFDerivedSymmetricKey(otherInfo: info, outputByteCount: 16)
        expectEqual(key.withUnsafeBytes { hexadecimal(Array($0)) }, "56aa8deaf8236d205c2228cd71a7101a")
        // More than one digest, the beginning of which is the same.
        let long = secret.concatKDFDerivedSymmetricKey(otherInfo: info, outputByteCount: 80)
        #expect(
            long.bitCount == 640
                && long.withUnsafeBytes { hexadecimal(Array($0.prefix(16))) } == "56aa8deaf8236d205c2228cd71a7101a")
    }
}

@Suite(
    .enabled(if: VectorSet.wycheproof.has("ecdh_secp256r1_ecpoint_test.json"), Comment(rawValue: VectorSet.fetchHint)))
struct KeyAgreementVectorTests {
    /// Returns the shared secret; nil if the point is refused.
    private func secret<Curve: NISTCurve>(_ curve: Curve.Type, _ test: JSONValue) throws -> [UInt8]? {
        let scalar = test.hex("private")
        let count = Curve.coordinateByteCount
        // The set writes numbers with a sign bit, or without leading zeros.
        let padded = [UInt8](repeating: 0, count: count) + scalar.drop { $0 == 0 }
        let key = try NISTKeyAgreement<Curve>.PrivateKey(rawRepresentation: padded.suffix(count))
        let point: NISTKeyAgreement<Curve>.PublicKey
        do {
            point = try NISTKeyAgreement<Curve>.PublicKey(x963Representation: test.hex("public"))
        } catch {
            #expect(CryptoError.malformedKey ~= error)
            return nil
        }
        return bytes(of: try key.sharedSecretFromKeyAgreement(with: point))
    }

    /// Compressed points, which JOSE does not have, are refused, whatever the set says of them.
    private func check<Curve: NISTCurve>(_ curve: Curve.Type, _ file: String, count: Int) throws {
        let cases = try VectorSet.wycheproof.cases(file)
        expectEqual(cases.count, count)
        var invalidCurves = 0
        for (_, test) in cases {
            let expected: [UInt8]? = test["result"] == "valid" ? test.hex("shared") : nil
            try expectEqual(secret(curve, test), expected, "\(file) \(test["tcId"]?.intValue ?? 0)")
            if test["flags"]?.arrayValue?.contains("InvalidCurveAttack") == true { invalidCurves += 1 }
        }
        expectEqual(invalidCurves, 16)
    }

    @Test func `Wycheproof's key agreements have their results, and points on another curve are refused`() throws {
        try check(P256.self, "ecdh_secp256r1_ecpoint_test.json", count: 355)
        try check(P384.self, "ecdh_secp384r1_ecpoint_test.json", count: 790)
        try check(P521.self, "ecdh_secp521r1_ecpoint_test.json", count: 661)
    }

    /// RFC 7748 §6.1: a result of zeros is refused; everything else that the set tolerates has its result.
    @Test func `Wycheproof's key agreements have its results with X25519, and those of zeros are refused`() throws {
        let cases = try VectorSet.wycheproof.cases("x25519_test.json")
        expectEqual(cases.count, 518)
        var zeros = 0
        for (_, test) in cases {
            let key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: test.hex("private"))
            let point = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: test.hex("public"))
            guard test["flags"]?.arrayValue?.contains("ZeroSharedSecret") != true else {
                zeros += 1
                #expect { try key.sharedSecretFromKeyAgreement(with: point) } throws: {
                    CryptoError.engineFailure ~= $0
                }
                continue
            }
            let secret = try key.sharedSecretFromKeyAgreement(with: point)
            expectEqual(bytes(of: secret), test.hex("shared"), "\(test["tcId"]?.intValue ?? 0)")
        }
        expectEqual(zeros, 31)
    }
}
