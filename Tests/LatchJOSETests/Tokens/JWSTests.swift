// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import Testing

@Suite struct JWSTests {
    private let key: Key
    private let keys: KeySet

    init() throws {
        key = try Key.generate(.eddsa, id: "k1")
        keys = KeySet([try #require(key.publicKey)])
    }

    @Test func `Signed bytes come back unchanged`() throws {
        for payload in [[], [0], Array("text".utf8), SecureRandom.bytes(10_000)] {
            let text = try JWS.sign(payload, with: key)
            try expectEqual(JWS(verifying: text, keys: keys, algorithms: [.eddsa]).payload, payload)
        }
    }

    @Test func `Signed bytes carry the header that the caller adds, but never another algorithm or key name`() throws {
        let text = try JWS.sign(
            [1], with: key, header: ["typ": "x", "alg": "none", "kid": "other", "cty": "y", "n": [1, 2]])
        let header = try JWS(verifying: text, keys: keys, algorithms: [.eddsa]).header
        expectEqual(header.algorithm, .eddsa)
        expectEqual(header.keyID, "k1")
        expectEqual(header.type, "x")
        expectEqual(header.members["cty"], "y")
        expectEqual(header.members["n"], [1, 2])
    }

    @Test func `Signed bytes have no key name if the key has none`() throws {
        let nameless = Key(try P256.Signing.PrivateKey())
        let text = try JWS.sign([1], with: nameless)
        let signed = try JWS(verifying: text, keys: KeySet([nameless]), algorithms: [.es256])
        expectNil(signed.header.keyID)
        expectEqual(signed.header.members, ["alg": "ES256"])
    }

    @Test func `Signed bytes are refused from a payload that is not base64url, though its signature is valid`() throws {
        let content = Array((Base64URL.encode(Array(#"{"alg":"EdDSA"}"#.utf8)) + ".A").utf8)
        let text = String(decoding: content, as: UTF8.self) + "." + Base64URL.encode(try key.signature(for: content))
        #expect { try JWS(verifying: text, keys: keys, algorithms: [.eddsa]) } throws: {
            JOSEError.malformedToken ~= $0
        }
    }

    @Test func `Signed bytes are limited in length`() throws {
        let text = try JWS.sign(SecureRandom.bytes(60 << 10), with: key)
        #expect { try JWS(verifying: text, keys: keys, algorithms: [.eddsa]) } throws: {
            JOSEError.malformedToken ~= $0
        }
        try expectEqual(JWS(verifying: text, keys: keys, algorithms: [.eddsa], limit: 1 << 20).payload.count, 60 << 10)
    }

    @Test(arguments: ["kid", "typ"], [JSONValue.null, 1, true, [], [:]])
    func `Signed bytes are refused if the header's names have another type`(name: String, value: JSONValue) throws {
        let header = JSONValue.object(["alg": "EdDSA", name: value] as JSONObject)
        let content = Array((Base64URL.encode(header.serialized()) + ".AA").utf8)
        let text = String(decoding: content, as: UTF8.self) + "." + Base64URL.encode(try key.signature(for: content))
        #expect { try JWS(verifying: text, keys: keys, algorithms: [.eddsa]) } throws: {
            JOSEError.malformedToken ~= $0
        }
    }

    @Test func `Signed bytes without a key name find their key among several of one algorithm`() throws {
        let others = try (0..<5).map { try Key.generate(.eddsa, id: "other-\($0)") }
        let content = Array((Base64URL.encode(Array(#"{"alg":"EdDSA"}"#.utf8)) + ".AAAA").utf8)
        let text = String(decoding: content, as: UTF8.self) + "." + Base64URL.encode(try key.signature(for: content))
        let set = KeySet(others + [key])
        try expectEqual(JWS(verifying: text, keys: set, algorithms: [.eddsa]).payload, [0, 0, 0])
        #expect(throws: JOSEError.badSignature) {
            try JWS(verifying: text, keys: KeySet(others), algorithms: [.eddsa])
        }
    }
}
