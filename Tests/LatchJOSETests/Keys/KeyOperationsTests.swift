// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchJOSE
import Testing

@Suite struct KeyOperationsTests {
    private static let algorithms: [SignatureAlgorithm] = [.es256, .eddsa, .hs256]

    private func key(_ algorithm: SignatureAlgorithm, _ operations: JSONValue) throws -> Key {
        var jwk = try Key.generate(algorithm, id: "k").jwkWithSecretsForStorage()
        jwk["key_ops"] = operations
        return try Key(jwk: jwk)
    }

    @Test(arguments: algorithms)
    func `The permitted operations of a key are both if it states none, or both`(algorithm: SignatureAlgorithm) throws {
        for key in [
            try Key.generate(algorithm), try key(algorithm, ["verify", "sign"]), try key(algorithm, []),
            try key(algorithm, nil), try key(algorithm, ["sign", "attest", "verify"]),
        ] {
            #expect(key.canSign && key.canVerify)
            let text = try JWS.sign([1], with: key)
            try expectEqual(JWS(verifying: text, keys: KeySet([key]), algorithms: [algorithm]).payload, [1])
        }
    }

    @Test(arguments: algorithms)
    func `The permitted operations of a key can be to sign and not to verify`(algorithm: SignatureAlgorithm) throws {
        let signer = try key(algorithm, ["sign"])
        #expect(signer.canSign && !signer.canVerify)
        let signature = try signer.signature(for: [1])
        #expect(!signer.isValidSignature(signature, for: [1]))
        let text = try JWS.sign([1], with: signer)
        #expect(throws: JOSEError.unknownKey) {
            try JWS(verifying: text, keys: KeySet([signer]), algorithms: [algorithm])
        }
        guard let half = signer.publicKey else { return expectEqual(algorithm, .hs256) }
        #expect(half.canVerify && half.isValidSignature(signature, for: [1]))
    }

    @Test(arguments: algorithms)
    func `The permitted operations of a key can be to verify and not to sign, though the secret is there`(
        algorithm: SignatureAlgorithm
    ) throws {
        let verifier = try key(algorithm, ["verify"])
        #expect(!verifier.canSign && verifier.canVerify)
        #expect { try verifier.signature(for: [1]) } throws: { JOSEError.unsuitableKey ~= $0 }
        #expect { try JWS.sign([1], with: verifier) } throws: { JOSEError.unsuitableKey ~= $0 }
    }

    @Test(arguments: algorithms, [["sign"], ["verify"]] as [JSONValue])
    func `The permitted operations of a key is stored with the key`(
        algorithm: SignatureAlgorithm, operations: JSONValue
    ) throws {
        let limited = try key(algorithm, operations)
        let stored = try limited.jwkWithSecretsForStorage()
        expectEqual(stored["key_ops"], operations)
        let restored = try Key(jwk: stored)
        #expect(restored.canSign == limited.canSign && restored.canVerify == limited.canVerify)
    }

    // RFC 7517 §4.3.
    @Test(
        arguments: [
            ["encrypt"], ["sign", "sign"], ["verify", "encrypt"], "verify", ["verify", 1], ["SIGN"], [["sign"]],
            ["attest"],
        ] as [JSONValue])
    func `The permitted operations of a key are refused if malformed or in contradiction to its use`(
        operations: JSONValue
    ) throws {
        #expect { try key(.es256, operations) } throws: { JOSEError.unsuitableKey ~= $0 }
    }

    @Test func `The permitted operations of a public key do not include signing`() throws {
        var jwk = try Key.generate(.es256).jwk
        jwk["key_ops"] = ["sign"]
        #expect { try Key(jwk: jwk) } throws: { JOSEError.unsuitableKey ~= $0 }
        jwk["key_ops"] = ["verify"]
        #expect(try Key(jwk: jwk).canVerify)
    }

    @Test func `The permitted operations of a key can go beyond signatures without a use`() throws {
        var jwk = try Key.generate(.es256).jwkWithSecretsForStorage()
        (jwk["use"], jwk["key_ops"]) = (nil, ["deriveBits", "verify"])
        let key = try Key(jwk: jwk)
        #expect(key.canVerify && !key.canSign)
    }
}
