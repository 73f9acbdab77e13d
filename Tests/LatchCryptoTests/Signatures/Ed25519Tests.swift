// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import TestVectors
import Testing

@Suite struct Ed25519Tests {
    // RFC 8032 §7.1, test 2.
    @Test func `An Ed25519 signature matches the vectors of RFC 8032`() throws {
        let vector: JSONValue = [
            "secret": "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "public": "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "signature": """
            92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da\
            085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
            """,
        ]
        let key = try Curve25519.Signing.PrivateKey(rawRepresentation: vector.hex("secret"))
        expectEqual(key.publicKey.rawRepresentation, vector.hex("public"))
        try expectEqual(key.signature(for: [0x72]), vector.hex("signature"))
        #expect(key.publicKey.isValidSignature(vector.hex("signature"), for: [0x72]))
        expectEqual(key.rawRepresentation, vector.hex("secret"))
    }

    @Test func `An Ed25519 signature verifies with its key for its text only`() throws {
        let key = try Curve25519.Signing.PrivateKey()
        let signature = try key.signature(for: "text".utf8)
        #expect(key.publicKey.isValidSignature(signature, for: "text".utf8))
        #expect(!key.publicKey.isValidSignature(signature, for: "texT".utf8))
        #expect(!key.publicKey.isValidSignature(signature.dropLast(), for: "text".utf8))
        #expect(!key.publicKey.isValidSignature(signature + [0], for: "text".utf8))
        #expect(try !Curve25519.Signing.PrivateKey().publicKey.isValidSignature(signature, for: "text".utf8))
        let empty = try key.signature(for: [])
        #expect(key.publicKey.isValidSignature(empty, for: []))
    }

    @Test func `An Ed25519 signature needs keys of 32 bytes`() {
        for count in [0, 31, 33, 64] {
            let bytes = [UInt8](repeating: 1, count: count)
            #expect { try Curve25519.Signing.PublicKey(rawRepresentation: bytes) } throws: {
                CryptoError.malformedKey ~= $0
            }
            #expect { try Curve25519.Signing.PrivateKey(rawRepresentation: bytes) } throws: {
                CryptoError.malformedKey ~= $0
            }
        }
    }

    @Test(.enabled(if: VectorSet.wycheproof.has("ed25519_test.json"), Comment(rawValue: VectorSet.hint)))
    func `An Ed25519 signature agrees with every case of Wycheproof`() throws {
        let cases = try VectorSet.wycheproof.cases("ed25519_test.json")
        expectEqual(cases.count, 151)
        for (group, test) in cases {
            let point = group["publicKey"]?.hex("pk") ?? []
            let key = try Curve25519.Signing.PublicKey(rawRepresentation: point)
            let isValid = key.isValidSignature(test.hex("sig"), for: test.hex("msg"))
            expectEqual(isValid, test["result"] == "valid", "case \(test["tcId"]?.intValue ?? 0)")
        }
    }
}
