// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestTags
import TestVectors
import Testing

@Suite struct ECDSATests {
    @Test func `An ECDSA signature verifies with its key for its text only`() throws {
        let key = try P256.Signing.PrivateKey()
        let signature = try key.signature(for: "text".utf8)
        expectEqual(signature.rawRepresentation.count, 64)
        #expect(key.publicKey.isValidSignature(signature, for: "text".utf8))
        #expect(!key.publicKey.isValidSignature(signature, for: "texT".utf8))
        #expect(!key.publicKey.isValidSignature(signature, for: []))
        #expect(try !P256.Signing.PrivateKey().publicKey.isValidSignature(signature, for: "text".utf8))
    }

    @Test func `An ECDSA signature verifies on every curve`() throws {
        try roundTrip(P256.self, bytes: 64)
        try roundTrip(P384.self, bytes: 96)
        try roundTrip(P521.self, bytes: 132)
    }

    private func roundTrip<Curve: NISTCurve>(_ curve: Curve.Type, bytes: Int) throws {
        let key = try NISTSigning<Curve>.PrivateKey()
        for number in 0..<20 {
            let text = SecureRandom.bytes(number)
            let signature = try key.signature(for: text)
            expectEqual(signature.rawRepresentation.count, bytes)
            #expect(key.publicKey.isValidSignature(signature, for: text))
            let again = try NISTSigning<Curve>.ECDSASignature(derRepresentation: signature.derRepresentation)
            expectEqual(again, signature)
            var changed = signature.rawRepresentation
            changed[number] ^= 1
            let wrong = try NISTSigning<Curve>.ECDSASignature(rawRepresentation: changed)
            #expect(!key.publicKey.isValidSignature(wrong, for: text))
        }
        let restored = try NISTSigning<Curve>.PrivateKey(rawRepresentation: key.rawRepresentation)
        expectEqual(restored.publicKey, key.publicKey)
        let fromPEM = try NISTSigning<Curve>.PrivateKey(pemRepresentation: key.pem())
        expectEqual(fromPEM.publicKey, key.publicKey)
        let publicPEM = try key.publicKey.pem()
        try expectEqual(NISTSigning<Curve>.PublicKey(pemRepresentation: publicPEM), key.publicKey)
        let x963 = key.publicKey.x963Representation
        try expectEqual(NISTSigning<Curve>.PublicKey(x963Representation: x963), key.publicKey)
        try expectEqual(NISTSigning<Curve>.PublicKey(rawRepresentation: key.publicKey.rawRepresentation), key.publicKey)
    }

    @Test(.tags(.signatureMalleability))
    func `An ECDSA signature with r or s zero, or not below the order, is refused`() throws {
        let key = try P256.Signing.PrivateKey()
        let good = try key.signature(for: "text".utf8).rawRepresentation
        let zero = [UInt8](repeating: 0, count: 32)
        let full = [UInt8](repeating: 0xFF, count: 32)
        for raw in [zero + zero, zero + good.suffix(32), good.prefix(32) + zero, full + full, good.prefix(32) + full] {
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
            #expect(!key.publicKey.isValidSignature(signature, for: "text".utf8))
        }
    }

    @Test(.tags(.signatureMalleability))
    func `An ECDSA signature in DER, cut short or too long is not taken for a raw one`() throws {
        let signature = try P256.Signing.PrivateKey().signature(for: "text".utf8)
        let raw = signature.rawRepresentation
        for bytes in [signature.derRepresentation, Array(raw.dropLast()), raw + [0], []] where bytes.count != 64 {
            #expect(throws: CryptoError.malformedSignature) {
                try P256.Signing.ECDSASignature(rawRepresentation: bytes)
            }
        }
    }

    @Test(
        arguments: [
            [], [0x30], [0x30, 0], [0x30, 2, 2, 0], [0x30, 6, 2, 1, 1, 2, 1], [0x30, 6, 2, 1, 1, 2, 1, 1, 0],
            [0x31, 6, 2, 1, 1, 2, 1, 1], [0x30, 6, 3, 1, 1, 2, 1, 1], [0x30, 7, 2, 2, 0, 1, 2, 1, 1],
            [0x30, 6, 2, 1, 0x81, 2, 1, 1], [0x30, 0x81, 6, 2, 1, 1, 2, 1, 1], [0x30, 0x80, 2, 1, 1, 2, 1, 1, 0, 0],
            [0x30, 9, 2, 1, 1, 2, 1, 1, 2, 1, 1],
        ] as [[UInt8]])
    func `An ECDSA signature in DER that is not strict is refused`(der: [UInt8]) {
        #expect(throws: CryptoError.malformedSignature) { try P256.Signing.ECDSASignature(derRepresentation: der) }
    }

    @Test func `An ECDSA signature keeps leading zeros and high bits between raw and DER`() throws {
        let cases: [([UInt8], [UInt8])] = [
            ([1], [0x30, 6, 2, 1, 0, 2, 1, 1]), ([0x80], [0x30, 7, 2, 1, 0, 2, 2, 0, 0x80]),
            ([1, 0], [0x30, 7, 2, 1, 0, 2, 2, 1, 0]),
        ]
        for (low, der) in cases {
            let raw = [UInt8](repeating: 0, count: 64 - low.count) + low
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
            expectEqual(signature.derRepresentation, der)
            try expectEqual(P256.Signing.ECDSASignature(derRepresentation: der), signature)
        }
    }

    @Test(
        .enabled(
            if: VectorSet.wycheproof.has("ecdsa_secp256r1_sha256_p1363_test.json"), Comment(rawValue: VectorSet.hint)))
    func `An ECDSA signature agrees with every case of Wycheproof`() throws {
        let cases = try VectorSet.wycheproof.cases("ecdsa_secp256r1_sha256_p1363_test.json")
        expectEqual(cases.count, 262)
        for (group, test) in cases {
            let key = try P256.Signing.PublicKey(derRepresentation: group.hex("publicKeyDer"))
            let isValid: Bool
            do {
                let signature = try P256.Signing.ECDSASignature(rawRepresentation: test.hex("sig"))
                isValid = key.isValidSignature(signature, for: test.hex("msg"))
            } catch {
                isValid = false
            }
            expectEqual(isValid, test["result"] == "valid", "case \(test["tcId"]?.intValue ?? 0)")
        }
    }

    @Test func `An ECDSA signature is verified by many threads at once with one key`() async throws {
        let key = try P256.Signing.PrivateKey()
        let verified = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    var good = 0
                    for number in 0..<50 {
                        let text = Array("\(worker)-\(number)".utf8)
                        let signature = try key.signature(for: text)
                        if key.publicKey.isValidSignature(signature, for: text) { good += 1 }
                        if key.publicKey.isValidSignature(signature, for: text + [0]) { good -= 100 }
                    }
                    return good
                }
            }
            return try await group.reduce(0, +)
        }
        expectEqual(verified, 400)
    }
}
