// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchJOSE
import Testing

/// A key set as an issuer publishes it, with a token of that issuer; see Documentation/PublicReports.md.
struct PublishedKeySet: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let keys: [JSONValue]

    /// The modulus of the issuer's key.
    private static let modulus =
        "ri9rQ3od8anXtmW922UPGy4HeVQHsJKIU3r8xIusjEwq5pjiFQkP3J-hncLoiYY5aVXNceBN7jFqHOlWN-oLBLpdc50R476qEDk0"
        + "DoSxO3Q1fvtBwsmLVVzwIUwGraTS5vCbzRfUK4IPoGEEeKY_1c0yN9sgC01KLsHC72NPnVL-eLFF-7EUdpU0rwFZCbDn4CQ9P3fz"
        + "ZytDiS1v5DsPWuis2YDGYslJCNNS4fdG7wgnaFQaal2QsnMhocV5ouLqJ13SHZZoEM-NRQgr7rzrLmxzLLUxX0zLbEdyeI9Ktqm7"
        + "bNZ0BWElHhVIs-ZNsTWGjfqoIRycWJ8WyiS1U8uBTQ"

    /// A token of the issuer: RS256, and the key ID `k1`.
    static let token =
        "eyJhbGciOiAiUlMyNTYiLCAia2lkIjogImsxIiwgInR5cCI6ICJKV1QifQ."
        + "eyJzdWIiOiAiYSIsICJleHAiOiAxNzk1NzczNDcxLCAiaWF0IjogMTc5NTY4NzA3MX0."
        + "p0eMueizUPXfjl2bkFjfb4kHBWyUSSc8hJADG7BfcsdIItJwKiSZnUfszt4yVowNPeBj7u4iW-5AGIYyoq41g08DT9VJEZ352Z-r"
        + "M187CcYR1wWABJ8FWUad3dfn_PL8_GcTg6gsFTbTwQN7fNM9mLZTSKhXjGaosvv-eK17xTusc-lJxVnjIQi5CwUG2uazPVATq6DE"
        + "dr0PE3PbWBY1orIjLJ_h0envJQdiJ5suzv9Oyqdl9bk9N_kmaO0d6f0mFb9WQ06dBbgMDLTgx5mpYLulx19SgLTd6Q9u3eOJo6nU"
        + "vqb7vF56Mr3rv2iZ9om4NPWP1N-apsNzX66BR77g5Q"

    /// The key with other members; nil removes one.
    private static func rsa(_ members: [String: JSONValue?] = [:]) -> JSONValue {
        var jwk: JSONObject = [
            "kty": "RSA", "kid": "k1", "use": "sig", "alg": "RS256", "n": .string(modulus), "e": "AQAB",
        ]
        for (name, value) in members { jwk[name] = value }
        return .object(jwk)
    }

    private init(_ name: String, _ keys: [JSONValue]) { (testDescription, self.keys) = (name, keys) }

    static let all: [PublishedKeySet] = [
        .init("one key for three algorithms", [rsa(), rsa(["alg": "RS384"]), rsa(["alg": "RS512"])]),
        .init("another algorithm first", [rsa(["alg": "PS256"]), rsa()]),
        .init("a key twice", [rsa(), rsa()]),
        .init("other keys with its ID", [rsa(["n": "AQAB"]), ["kty": "EC", "kid": "k1", "use": "sig"], rsa()]),
        .init(
            "empty members",
            [
                [
                    "e": "AQAB", "key_ops": [], "kid": "k1", "kty": "RSA", "n": .string(modulus), "oth": [],
                    "use": "sig",
                    "x5c": [],
                ]
            ]),
        .init(
            "members that are null",
            [
                rsa([
                    "d": .some(.null), "p": .some(.null), "q": .some(.null), "x5u": .some(.null), "crv": .some(.null),
                    "k": .some(.null), "key_ops": .some(.null), "x5c": .some(.null), "oth": .some(.null),
                ])
            ]),
        .init("no use and no algorithm", [rsa(["use": .some(.null), "alg": .some(.null)])]),
        .init("empty texts", [rsa(["use": "", "alg": ""])]),
        .init("operations of its own", [rsa(["key_ops": ["verify", "attest"]])]),
        .init("entries that are no keys", [1, "x", .null, [], rsa(), [[:]]]),
        .init(
            "keys that are not understood",
            [
                ["kty": "AKP", "kid": "pq", "alg": "ML-DSA-44", "pub": "AA"], rsa(["alg": "RSA-OAEP", "use": "enc"]),
                rsa(["use": "tls"]), rsa(["use": 7]), rsa(["key_ops": ["encrypt"]]), rsa(["kid": 5]), rsa(),
            ]),
    ]
}

@Suite struct PublishedKeySetTests {
    private static let everyAlgorithm: [SignatureAlgorithm] = [
        .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .es256, .eddsa,
    ]

    @Test(arguments: PublishedKeySet.all)
    func `A published key set verifies a token whatever else is in it`(set: PublishedKeySet) throws {
        let bytes = JSONValue.object(["keys": .array(set.keys)]).serialized()
        for bytes in [bytes, [0xEF, 0xBB, 0xBF] + bytes] {
            let keys = try KeySet(jwks: bytes)
            let token = try JWS(verifying: PublishedKeySet.token, keys: keys, algorithms: Self.everyAlgorithm)
            expectEqual(token.header.keyID, "k1")
        }
    }

    @Test(arguments: PublishedKeySet.all)
    func `A published key set verifies nothing by an algorithm that the verifier does not accept`(set: PublishedKeySet)
        throws
    {
        let keys = try KeySet(jwks: .object(["keys": .array(set.keys)]))
        #expect(throws: JOSEError.refusedAlgorithm) {
            try JWS(verifying: PublishedKeySet.token, keys: keys, algorithms: [.ps256, .rs384])
        }
    }

    /// RFC 9864 §2.2: the name of EdDSA on this curve.
    private static let edwardsToken =
        "eyJhbGciOiAiRWQyNTUxOSIsICJraWQiOiAiZTEifQ."
        + "eyJzdWIiOiAiYSIsICJleHAiOiAxNzk1NzczNDcxLCAiaWF0IjogMTc5NTY4NzA3MX0."
        + "igQRYqCDLFHMU1cnaSWJ_XJygSOE_ll03Gv60eRtcy5QM4ZZKXF-6p_EuxMh0YeXcP4XCJRAb2Lm-YWIsqfKCg"

    @Test(arguments: [nil, "EdDSA", "Ed25519"])
    func `A published key set verifies a token by either name of Ed25519`(name: String?) throws {
        var jwk: JSONObject = [
            "kty": "OKP", "crv": "Ed25519", "kid": "e1", "x": "_8eI6WoQrbrPEje5OyiJFGEv8cBnx6ZV-ovwh3wgdCs",
        ]
        jwk["alg"] = name.map { .string($0) }
        let keys = try KeySet(jwks: .object(["keys": [.object(jwk)]]))
        for algorithm in [SignatureAlgorithm.eddsa, SignatureAlgorithm(rawValue: "Ed25519")] {
            let token = try JWS(verifying: Self.edwardsToken, keys: keys, algorithms: [algorithm])
            expectEqual(token.header.algorithm, .eddsa)
        }
        expectEqual(keys.keys.map(\.algorithm), [.eddsa])
        expectEqual(keys.jwks()["keys"]?[0]?["alg"], "EdDSA")
    }
}
