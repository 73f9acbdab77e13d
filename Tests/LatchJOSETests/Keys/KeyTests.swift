// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import TestTags
import TestVectors
import Testing

@Suite struct KeyTests {
    static let algorithms: [SignatureAlgorithm] = [
        .es256, .es384, .es512, .eddsa, .rs256, .ps512, .hs256, .hs512,
    ]

    @Test(arguments: algorithms)
    func `A key comes back whole from a store`(algorithm: SignatureAlgorithm) throws {
        let key = try Key.generate(algorithm, id: "k1")
        let stored = JSONValue.object(try key.jwkWithSecretsForStorage()).serialized()
        let restored = try Key(jwk: #require(JSONValue(parsing: stored).objectValue))
        expectEqual(restored.id, "k1")
        expectEqual(restored.algorithm, algorithm)
        #expect(restored.canSign)
        expectEqual(restored.thumbprint, key.thumbprint)
        let signature = try restored.signature(for: [1, 2, 3])
        #expect(key.isValidSignature(signature, for: [1, 2, 3]))
        #expect(!key.isValidSignature(signature, for: [1, 2, 4]))
    }

    @Test(arguments: algorithms)
    func `A key shows nothing secret in its public form`(algorithm: SignatureAlgorithm) throws {
        let key = try Key.generate(algorithm)
        let whole = try key.jwkWithSecretsForStorage()
        let published = Set(key.jwk.keys)
        #expect(published.isDisjoint(with: ["d", "p", "q", "dp", "dq", "qi", "k"]))
        #expect(!published.isSuperset(of: Set(whole.keys)))
        guard let half = key.publicKey else { return }
        expectEqual(half.jwk, key.jwk)
        #expect(!half.canSign)
        #expect(throws: JOSEError.self) { try half.jwkWithSecretsForStorage() }
        #expect(throws: JOSEError.self) { try half.signature(for: [1]) }
        let signature = try key.signature(for: [1])
        #expect(half.isValidSignature(signature, for: [1]))
    }

    @Test(arguments: algorithms)
    func `A key prints nothing of its secret`(algorithm: SignatureAlgorithm) throws {
        let key = try Key.generate(algorithm)
        let whole = try key.jwkWithSecretsForStorage()
        var dumped = "\(key) \(String(reflecting: key))"
        dump(key, to: &dumped)
        dump(KeySet([key]), to: &dumped)
        for name in ["d", "p", "q", "k"] {
            guard let secret = whole[name]?.stringValue else { continue }
            #expect(!dumped.contains(secret.prefix(8)))
            let bytes = try Base64URL.decode(secret)
            #expect(!dumped.contains(bytes[4..<10].map(String.init).joined(separator: ", ")))
        }
    }

    @Test func `A key is named by its thumbprint unless it gets a name`() throws {
        let key = try Key.generate(.es256)
        expectEqual(key.id, key.thumbprint)
        try expectEqual(Key.generate(.es256, id: "mine").id, "mine")
        let secret = try Key.generate(.hs256)
        expectNotEqual(secret.id, secret.thumbprint)
        expectNil(secret.publicKey)
    }

    @Test func `A key has the thumbprint of RFC 7638 and of RFC 8037`() throws {
        let modulus =
            "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknj"
            + "hMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQ"
            + "vRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzK"
            + "nqDKgw"
        let rsa = try Key(jwk: [
            "kty": "RSA", "n": .string(modulus), "e": "AQAB", "alg": "RS256", "kid": "2011-04-29",
        ])
        expectEqual(rsa.thumbprint, "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        let ed = try Key(jwk: [
            "kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        ])
        expectEqual(ed.thumbprint, "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
        expectEqual(ed.algorithm, .eddsa)
    }

    @Test(
        .tags(.tokenForgery),
        arguments: [
            ("kty", "RSA"), ("kty", "oct"), ("kty", "ec"), ("kty", nil), ("crv", "P-384"), ("crv", "secp256k1"),
            ("crv", nil),
            ("x", "AA"), ("x", ""), ("x", nil), ("y", nil), ("x", 7), ("alg", "ES384"), ("alg", "HS256"),
            ("alg", "none"),
            ("alg", "RS256"), ("alg", 1), ("use", "enc"), ("use", true), ("key_ops", ["encrypt"]),
            ("key_ops", "verify"),
            ("kid", 5), ("d", "AAAA"), ("d", 3), ("d", "not base64!"),
        ] as [(String, JSONValue?)])
    func `A key is refused if a member is missing, wrong or contradicts another`(name: String, value: JSONValue?)
        throws
    {
        var jwk = try Key.generate(.es256).jwk
        _ = try Key(jwk: jwk)
        jwk[name] = value
        #expect { try Key(jwk: jwk) } throws: { JOSEError.unsuitableKey ~= $0 }
    }

    @Test func `A key is refused if its secret belongs to another public half`() throws {
        for algorithm in [SignatureAlgorithm.es256, .es384, .es512, .eddsa, .rs256] {
            var jwk = try Key.generate(algorithm).jwkWithSecretsForStorage()
            jwk["d"] = try Key.generate(algorithm).jwkWithSecretsForStorage()["d"]
            #expect { try Key(jwk: jwk) } throws: { JOSEError.unsuitableKey ~= $0 }
        }
    }

    @Test func `A key is refused if a shared secret is shorter than the digest`() throws {
        for (algorithm, bytes) in [(SignatureAlgorithm.hs256, 31), (.hs384, 47), (.hs512, 63), (.hs256, 0)] {
            #expect {
                try Key(secret: SymmetricKey(data: [UInt8](repeating: 1, count: bytes)), algorithm: algorithm)
            } throws: {
                JOSEError.unsuitableKey ~= $0
            }
        }
        #expect(throws: JOSEError.self) { try Key(secret: SymmetricKey(size: .bits256), algorithm: .es256) }
        #expect(throws: JOSEError.self) { try Key.generate(SignatureAlgorithm(rawValue: "none")) }
        #expect(throws: JOSEError.self) {
            try Key(jwk: ["kty": "oct", "k": .string(String(repeating: "A", count: 43))])
        }
    }

    @Test func `A key of RSA without an algorithm is for RS256, or for the caller's choice`() throws {
        var jwk = try Key.generate(.rs256).jwk
        jwk["alg"] = nil
        try expectEqual(Key(jwk: jwk).algorithm, .rs256)
        try expectEqual(Key(jwk: jwk, algorithm: .ps384).algorithm, .ps384)
        #expect(throws: JOSEError.self) { try Key(jwk: jwk, algorithm: .es256) }
        jwk["alg"] = "RS256"
        #expect(throws: JOSEError.self) { try Key(jwk: jwk, algorithm: .ps256) }
    }

    @Test func `A key of Ed25519 can name its algorithm as in RFC 9864`() throws {
        var jwk = try Key.generate(.eddsa).jwk
        jwk["alg"] = "Ed25519"
        try expectEqual(Key(jwk: jwk).algorithm, .eddsa)
    }

    @Test func `A key made of a signing key of LatchCrypto signs with it`() throws {
        let ec = try P256.Signing.PrivateKey()
        try expectEqual(
            Key(ec, id: "a").thumbprint, Key(P256.Signing.PrivateKey(pemRepresentation: ec.pem())).thumbprint)
        let ed = try Curve25519.Signing.PrivateKey()
        let signature = try Key(ed).signature(for: [1])
        #expect(ed.publicKey.isValidSignature(signature, for: [1]))
    }

    @Test(.enabled(if: VectorSet.joseCookbook.isPresent, Comment(rawValue: VectorSet.hint)))
    func `A key is read from the JSON of RFC 7520`() throws {
        for (file, algorithm, canSign) in [
            ("jwk/3_1.ec_public_key.json", SignatureAlgorithm.es512, false),
            ("jwk/3_2.ec_private_key.json", .es512, true),
            ("jwk/3_3.rsa_public_key.json", .rs256, false), ("jwk/3_4.rsa_private_key.json", .rs256, true),
            ("jwk/3_5.symmetric_key_mac_computation.json", .hs256, true),
        ] {
            let jwk = try #require(try VectorSet.joseCookbook.json(file).objectValue)
            let key = try Key(jwk: jwk)
            expectEqual(key.algorithm, algorithm)
            expectEqual(key.canSign, canSign)
            expectEqual(key.id, jwk["kid"]?.stringValue)
        }
        let encryption = try VectorSet.joseCookbook.json("jwk/3_6.symmetric_key_encryption.json").objectValue
        #expect(throws: JOSEError.self) { try Key(jwk: #require(encryption)) }
    }
}
