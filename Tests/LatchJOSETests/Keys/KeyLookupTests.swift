// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import Testing

@Suite struct KeyLookupTests {
    private func token(_ header: JSONValue, signedBy key: Key) throws -> String {
        let content = Base64URL.encode(header.serialized()) + "." + Base64URL.encode(Array("{}".utf8))
        return content + "." + Base64URL.encode(try key.signature(for: Array(content.utf8)))
    }

    private func verify(_ text: String, _ keys: [Key], _ algorithms: [SignatureAlgorithm] = [.hs256]) throws -> JWS {
        try JWS(verifying: text, keys: KeySet(keys), algorithms: algorithms)
    }

    @Test func `A key lookup by name finds the first of that name, and none for another`() throws {
        let keys = try [Key.generate(.hs256, id: "a"), .generate(.eddsa, id: "b"), .generate(.es256, id: "a")]
        let set = KeySet(keys)
        expectEqual(set["a"]?.algorithm, .hs256)
        expectEqual(set["b"]?.algorithm, .eddsa)
        for name in ["", "A", "a ", "c"] { expectNil(set[name]) }
        expectNil(KeySet([])["a"])
        expectNil(KeySet([Key(try P256.Signing.PrivateKey())])[""])
    }

    @Test func `A key lookup for a token takes those of its name and algorithm only`() throws {
        let (a, b) = (try Key.generate(.hs256, id: "a"), try Key.generate(.hs256, id: "b"))
        _ = try verify(token(["alg": "HS256", "kid": "a"], signedBy: a), [a, b])
        let crossed = try token(["alg": "HS256", "kid": "b"], signedBy: a)
        #expect(throws: JOSEError.badSignature) { try verify(crossed, [a, b]) }
        #expect(throws: JOSEError.unknownKey) { try verify(crossed, [a]) }
        let elsewhere = try token(["alg": "HS384", "kid": "a"], signedBy: a)
        #expect(throws: JOSEError.unknownKey) { try verify(elsewhere, [a, b], [.hs256, .hs384]) }
    }

    @Test func `A key lookup for a token without a name tries every key of its algorithm`() throws {
        let keys = try (0..<10).map { try Key.generate(.hs256, id: "k\($0)") }
        let others = try [Key.generate(.eddsa), .generate(.es256), .generate(.hs512)]
        for key in keys {
            _ = try verify(token(["alg": "HS256"], signedBy: key), others + keys)
        }
        let stranger = try token(["alg": "HS256"], signedBy: Key.generate(.hs256))
        #expect(throws: JOSEError.badSignature) { try verify(stranger, others + keys) }
        #expect(throws: JOSEError.unknownKey) { try verify(stranger, others) }
    }

    @Test func `A key lookup for a token with a name also tries the keys without one`() throws {
        let nameless = Key(try Curve25519.Signing.PrivateKey())
        let text = try token(["alg": "EdDSA", "kid": "whatever"], signedBy: nameless)
        _ = try verify(text, [try Key.generate(.eddsa, id: "a"), nameless], [.eddsa])
    }

    @Test func `A key lookup tries each of two keys of one name while they are exchanged`() throws {
        let (old, new) = (try Key.generate(.eddsa, id: "k"), try Key.generate(.eddsa, id: "k"))
        for key in [old, new] {
            _ = try verify(token(["alg": "EdDSA", "kid": "k"], signedBy: key), [old, new], [.eddsa])
        }
    }

    // RFC 7517 §4.5: keys of different kinds may share a name where they are alternatives of each other.
    @Test func `A key lookup in a published set keeps keys of different kinds that share a name apart`() throws {
        let (curve, edwards) = (try Key.generate(.es256, id: "k"), try Key.generate(.eddsa, id: "k"))
        let set = try KeySet(jwks: KeySet([curve, edwards]).jwks())
        expectEqual(set.keys.map(\.algorithm), [.es256, .eddsa])
        for key in [curve, edwards] {
            let text = try token(["alg": .string(key.algorithm.rawValue), "kid": "k"], signedBy: key)
            _ = try JWS(verifying: text, keys: set, algorithms: [.es256, .eddsa])
        }
    }

    @Test func `A key lookup in a published set leaves out keys for another use`() throws {
        let good = try Key.generate(.es256, id: "k").jwk
        for (name, value) in [("use", "enc"), ("use", 1), ("use", "tls")] as [(String, JSONValue)] {
            var other = try Key.generate(.es256, id: "k").jwk
            other[name] = value
            let set = try KeySet(jwks: ["keys": [.object(other), .object(good)]])
            expectEqual(set.keys.count, 1)
            expectEqual(set["k"]?.jwk, good)
        }
    }

    @Test func `A key lookup in a published set of up to 200 entries finds the last, and 201 are refused`() throws {
        let last = try Key.generate(.eddsa, id: "last")
        let filler = [JSONValue](repeating: ["kty": "XYZ"], count: 199)
        let set = try KeySet(jwks: ["keys": .array(filler + [.object(last.jwk)])])
        expectEqual(set["last"]?.thumbprint, last.thumbprint)
        #expect { try KeySet(jwks: ["keys": .array(filler + [["kty": "a"], .object(last.jwk)])]) } throws: {
            JOSEError.unsuitableKey ~= $0
        }
    }

    @Test func `A key lookup uses the key's own description of its algorithm and operations`() throws {
        let key = try Key.generate(.es384, id: "k")
        expectEqual("\(key)", "Key(ES384, signs, redacted)")
        expectEqual(key.publicKey.map { "\($0)" }, "Key(ES384, verifies, redacted)")
        #expect(Mirror(reflecting: key).children.isEmpty)
        #expect(key.publicKey?.id == "k" && key.publicKey?.publicKey?.thumbprint == key.thumbprint)
    }

    @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512, .eddsa, .ps256, .hs384])
    func `A key lookup lets many tasks sign and verify with its results`(algorithm: SignatureAlgorithm) async throws {
        let key = try Key.generate(algorithm, id: "k")
        let set = KeySet([key.publicKey ?? key])
        let good = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let payload = [UInt8(number)]
                    let text = try JWS.sign(payload, with: key)
                    return try JWS(verifying: text, keys: set, algorithms: [algorithm]).payload == payload
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        expectEqual(good, 40)
    }
}
