// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import TestTags
import Testing

@Suite struct KeySetTests {
    @Test func `A key set is read back as it was published, without secrets`() throws {
        let keys = try [Key.generate(.es256, id: "a"), .generate(.eddsa, id: "b"), .generate(.rs256, id: "c")]
        let published = KeySet(keys).jwks().serialized()
        #expect(!String(decoding: published, as: UTF8.self).contains("\"d\""))
        let read = try KeySet(jwks: published)
        expectEqual(read.keys.map(\.id), ["a", "b", "c"])
        expectEqual(read.keys.map(\.algorithm), [.es256, .eddsa, .rs256])
        #expect(read.keys.allSatisfy { !$0.canSign })
        expectEqual(read["b"]?.thumbprint, keys[1].thumbprint)
        expectNil(read["x"])
    }

    @Test func `A key set publishes nothing of shared secrets`() throws {
        let set = KeySet([try Key.generate(.hs256)])
        expectEqual(set.jwks(), ["keys": []])
    }

    @Test func `A key set leaves out keys that it does not understand`() throws {
        let good = try Key.generate(.es256, id: "good").jwk
        var foreign = try Key.generate(.es256).jwk
        foreign["use"] = "enc"
        let set = try KeySet(jwks: [
            "keys": [["kty": "XYZ"], [:], .object(foreign), ["kty": "EC", "crv": "P-999"], .object(good)], "extra": 1,
        ])
        expectEqual(set.keys.map(\.id), ["good"])
    }

    @Test(arguments: [
        "", "[]", "null", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[],"keys":[]}"#,
        "{\"keys\":[]} x",
    ])
    func `A key set is refused if it is invalid`(text: String) {
        #expect { try KeySet(jwks: Array(text.utf8)) } throws: { JOSEError.unsuitableKey ~= $0 }
    }

    @Test func `A key set has several keys of one name, and verifies by each`() throws {
        let keys = try [Key.generate(.es256, id: "a"), .generate(.es256, id: "a"), .generate(.es384, id: "a")]
        let set = try KeySet(jwks: KeySet(keys).jwks())
        expectEqual(set.keys.count, 3)
        expectEqual(set["a"]?.thumbprint, keys[0].thumbprint)
        for key in keys {
            let text = try JWS.sign([1], with: key)
            try expectEqual(JWS(verifying: text, keys: set, algorithms: [.es256, .es384]).payload, [1])
        }
    }

    @Test func `A key set is refused if two shared secrets have one name`() throws {
        let secrets = try [Key.generate(.hs256, id: "a"), .generate(.hs256, id: "a")]
        let jwks: JSONValue = ["keys": .array(try secrets.map { .object(try $0.jwkWithSecretsForStorage()) })]
        #expect { try KeySet(jwks: jwks) } throws: { JOSEError.unsuitableKey ~= $0 }
    }

    @Test(.tags(.tokenForgery)) func `A key set is refused if it mixes secrets and public keys`() throws {
        let secret = try Key.generate(.hs256).jwkWithSecretsForStorage()
        let jwks: JSONValue = ["keys": [.object(secret), .object(try Key.generate(.es256).jwk)]]
        #expect { try KeySet(jwks: jwks) } throws: { JOSEError.unsuitableKey ~= $0 }
        try expectEqual(KeySet(jwks: ["keys": [.object(secret)]]).keys.count, 1)
    }

    @Test(.tags(.hugeToken)) func `A key set is refused if it is endless`() throws {
        let many = JSONValue.array([JSONValue](repeating: ["kty": "XYZ"], count: 201))
        #expect { try KeySet(jwks: ["keys": many]) } throws: { JOSEError.unsuitableKey ~= $0 }
        let long = Array(#"{"keys":[],"x":"\#(String(repeating: "a", count: 1 << 20))"}"#.utf8)
        #expect { try KeySet(jwks: long) } throws: { JOSEError.unsuitableKey ~= $0 }
    }
}
