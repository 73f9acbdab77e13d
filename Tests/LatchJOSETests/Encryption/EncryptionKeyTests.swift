// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import Testing

@Suite struct EncryptionKeyTests {
    @Test func `An encryption key is stored and restored as a JSON Web Key, of each kind`() throws {
        var keys = try generatedAlgorithms.map { try EncryptionKey.generate($0) }
        keys += try EncryptionKey.Curve.allCases.map { try EncryptionKey.generate(.ecdhES, curve: $0) }
        keys.append(try EncryptionKey(secret: SymmetricKey(size: .bits256), algorithm: .dir, id: "d"))
        for key in keys {
            let stored = try key.jwkWithSecretsForStorage()
            let restored = try EncryptionKey(jwk: stored)
            #expect(restored.algorithm == key.algorithm && restored.id == key.id && restored.canDecrypt)
            try expectEqual(restored.jwkWithSecretsForStorage(), stored)
            #expect(key.jwk["use"] == "enc" && key.jwk["d"] == nil && key.jwk["k"] == nil)
            let text = try JWE.encrypt([1], for: key, using: .a256GCM)
            try expectEqual(decrypt(text, with: restored).plaintext, [1])
            #expect("\(key) \(String(reflecting: key))".contains("redacted"))
            guard let half = key.publicKey else { continue }
            #expect(half.canEncrypt && !half.canDecrypt && half.jwk == key.jwk)
            try expectEqual(EncryptionKey(jwk: half.jwk).jwk, key.jwk)
            #expect { try half.jwkWithSecretsForStorage() } throws: { JOSEError.unsuitableKey ~= $0 }
            #expect(throws: JOSEError.unknownKey) { try decrypt(text, with: half) }
        }
    }

    @Test func `An encryption key has the thumbprint as its ID, which a signature key would have`() throws {
        let key = try EncryptionKey.generate(.ecdhES)
        var jwk = key.jwk
        jwk["use"] = nil
        jwk["alg"] = nil
        try expectEqual(Key(jwk: jwk).thumbprint, key.id)
    }

    @Test
    func `An encryption key is refused without an algorithm, with another one, or with one for signatures`() throws {
        let stored = try EncryptionKey.generate(.rsaOAEP).jwkWithSecretsForStorage()
        func changed(_ name: String, _ value: JSONValue?) -> JSONObject {
            var jwk = stored
            jwk[name] = value
            return jwk
        }
        try expectEqual(EncryptionKey(jwk: changed("alg", nil), algorithm: .rsaOAEP256).algorithm, .rsaOAEP256)
        for (name, value) in [("use", nil), ("use", .null), ("use", ""), ("key_ops", []), ("key_ops", .null)]
            as [(String, JSONValue?)]
        {
            #expect(try EncryptionKey(jwk: changed(name, value)).canDecrypt)
        }
        let wrong: [JSONObject] = [
            changed("alg", nil), changed("alg", "RS256"), changed("alg", "ECDH-ES"), changed("alg", "A128KW"),
            changed("alg", "RSA1_5"), changed("alg", "A128GCM"), changed("alg", 1), changed("use", "sig"),
            changed("use", 1), changed("kty", "EC"), changed("kty", nil), changed("n", "AQAB"), changed("p", nil),
            changed("d", ""), changed("key_ops", ["sign"]), changed("key_ops", ["deriveKey"]),
            changed("key_ops", ["unwrapKey", "unwrapKey"]), changed("key_ops", ["unwrapKey", "sign"]),
            changed("key_ops", "unwrapKey"),
        ]
        for jwk in wrong {
            #expect { try EncryptionKey(jwk: jwk) } throws: { JOSEError.unsuitableKey ~= $0 }
        }
        #expect { try EncryptionKey(jwk: stored, algorithm: .rsaOAEP256) } throws: { JOSEError.unsuitableKey ~= $0 }
        #expect { try Key(jwk: stored) } throws: { JOSEError.unsuitableKey ~= $0 }
    }

    @Test
    func `An encryption key on a curve is refused if its halves do not match, or its point is elsewhere`() throws {
        for curve in EncryptionKey.Curve.allCases {
            let stored = try EncryptionKey.generate(.ecdhES, curve: curve).jwkWithSecretsForStorage()
            let other = try EncryptionKey.generate(.ecdhES, curve: curve).jwkWithSecretsForStorage()
            for (name, value) in [("d", other["d"]), ("x", other["x"]), ("x", "AA"), ("x", nil), ("crv", "P-192")] {
                var jwk = stored
                jwk[name] = value
                #expect { try EncryptionKey(jwk: jwk) } throws: { JOSEError.unsuitableKey ~= $0 }
            }
        }
    }

    @Test func `An encryption key of a secret has the size that its algorithm requires`() throws {
        for bits in [0, 64, 127, 128, 192, 256, 512] {
            let secret = SymmetricKey(size: .init(bitCount: bits))
            for (algorithm, size) in [(KeyManagementAlgorithm.a128KW, 128), (.a256KW, 256), (.a256GCMKW, 256)]
            where secret.bitCount != size {
                #expect { try EncryptionKey(secret: secret, algorithm: algorithm) } throws: {
                    JOSEError.unsuitableKey ~= $0
                }
            }
            for algorithm in [KeyManagementAlgorithm.rsaOAEP, .ecdhES, .pbes2HS256A128KW, .init(rawValue: "x")] {
                #expect { try EncryptionKey(secret: secret, algorithm: algorithm) } throws: {
                    JOSEError.unsuitableKey ~= $0
                }
            }
        }
        let direct = try EncryptionKey(secret: SymmetricKey(size: .bits128), algorithm: .dir)
        #expect { try JWE.encrypt([], for: direct, using: .a256GCM) } throws: { JOSEError.unsuitableKey ~= $0 }
        // The alg of the key names the only content encryption for which it serves.
        let k: JSONValue = "GawgguFyGrWKav7AX4VKUg"
        let fixed = try EncryptionKey(jwk: ["kty": "oct", "k": k, "alg": "A128GCM"])
        #expect(fixed.algorithm == .dir && fixed.jwk["alg"] == "A128GCM")
        #expect { try EncryptionKey(jwk: ["kty": "oct", "k": k, "alg": "A256GCM"]) } throws: {
            JOSEError.unsuitableKey ~= $0
        }
    }

    @Test func `An encryption key of a password has a bound, which a JSON Web Key cannot state`() throws {
        for (password, iterations, algorithm) in [
            ([], 1000, KeyManagementAlgorithm.pbes2HS256A128KW), ([1], 999, .pbes2HS256A128KW),
            ([1], 1 << 31, .pbes2HS256A128KW), ([1], 1000, .a128KW), ([1], 1000, .dir),
        ] as [([UInt8], Int, KeyManagementAlgorithm)] {
            #expect { try EncryptionKey(password: password, iterations: iterations, algorithm: algorithm) } throws: {
                JOSEError.unsuitableKey ~= $0
            }
        }
        let key = try EncryptionKey(password: [1], iterations: 1000)
        #expect(key.publicKey == nil && key.jwk["k"] == nil)
        #expect { try key.jwkWithSecretsForStorage() } throws: { JOSEError.unsuitableKey ~= $0 }
        #expect { try EncryptionKey(jwk: ["kty": "oct", "k": "AA", "alg": "PBES2-HS256+A128KW"]) } throws: {
            JOSEError.unsuitableKey ~= $0
        }
        #expect { try EncryptionKey.generate(.pbes2HS256A128KW) } throws: { JOSEError.unsuitableKey ~= $0 }
        #expect { try EncryptionKey.generate(.dir) } throws: { JOSEError.unsuitableKey ~= $0 }
    }
}

@Suite struct EncryptionKeyUseTests {
    private static let names: [(KeyManagementAlgorithm, String, String)] = [
        (.rsaOAEP, "wrapKey", "unwrapKey"), (.rsaOAEP, "encrypt", "decrypt"), (.a128KW, "wrapKey", "unwrapKey"),
        (.a256GCMKW, "wrapKey", "unwrapKey"),
    ]

    private func key(_ algorithm: KeyManagementAlgorithm, _ operations: JSONValue) throws -> EncryptionKey {
        var jwk = try EncryptionKey.generate(algorithm, id: "k").jwkWithSecretsForStorage()
        jwk["key_ops"] = operations
        return try EncryptionKey(jwk: jwk)
    }

    @Test(arguments: names)
    func `The permitted operations of an encryption key can be one of both`(
        algorithm: KeyManagementAlgorithm, encrypting: String, decrypting: String
    ) throws {
        let whole = try key(algorithm, [.string(encrypting), .string(decrypting)])
        #expect(whole.canEncrypt && whole.canDecrypt)
        let reader = try key(algorithm, [.string(decrypting)])
        #expect(!reader.canEncrypt && reader.canDecrypt)
        #expect { try JWE.encrypt([], for: reader, using: .a128GCM) } throws: { JOSEError.unsuitableKey ~= $0 }
        expectNotEqual(reader.publicKey?.canEncrypt, false)
        let writer = try key(algorithm, [.string(encrypting)])
        let text = try JWE.encrypt([], for: writer, using: .a128GCM)
        #expect(writer.canEncrypt && !writer.canDecrypt)
        #expect(throws: JOSEError.unknownKey) { try decrypt(text, with: writer) }
        let restored = try EncryptionKey(jwk: writer.jwkWithSecretsForStorage())
        #expect(restored.canEncrypt && !restored.canDecrypt)
    }

    @Test(arguments: ["deriveKey", "deriveBits"])
    func `The permitted operations of an encryption key are one for a key agreement`(name: String) throws {
        let whole = try key(.ecdhES, [.string(name)])
        #expect(whole.canEncrypt && whole.canDecrypt)
        #expect { try key(.ecdhES, ["unwrapKey"]) } throws: { JOSEError.unsuitableKey ~= $0 }
        #expect { try key(.a128KW, [.string(name)]) } throws: { JOSEError.unsuitableKey ~= $0 }
    }
}

@Suite struct EncryptionKeySetTests {
    @Test
    func `A key set with keys for encryption keeps them apart from those for signatures, even with the same ID`() throws
    {
        let signing = try Key.generate(.es256, id: "k")
        let encrypting = try EncryptionKey.generate(.ecdhES, id: "k")
        let set = KeySet([signing], encryptionKeys: [encrypting, try .generate(.a128KW)])
        let published = set.jwks()
        expectEqual(published["keys"]?.arrayValue?.count, 2)
        let read = try KeySet(jwks: published)
        #expect(read.keys.map(\.id) == ["k"] && read.encryptionKeys.map(\.id) == ["k"])
        #expect(read.encryptionKeys[0].jwk == encrypting.jwk && !read.encryptionKeys[0].canDecrypt)
        let text = try JWE.encrypt([1], for: read.encryptionKeys[0], using: .a128GCM)
        try expectEqual(decrypt(text, with: encrypting).plaintext, [1])
        expectEqual(read["k"]?.algorithm, .es256)
    }

    @Test
    func `A key set with keys for encryption distinguishes them by use or alg, and ignores unusable ones`() throws {
        var keys = try [EncryptionKey.generate(.ecdhES, id: "a"), .generate(.rsaOAEP, id: "b")].map(\.jwk)
        keys[1]["use"] = nil
        var unnamed = keys[0]
        unnamed["alg"] = nil
        var curve = keys[0]
        curve["crv"] = "X448"
        let signing = try Key.generate(.es256, id: "c").jwk
        let all = (keys + [keys[0], unnamed, curve, signing]).map { JSONValue.object($0) }
        let set = try KeySet(jwks: ["keys": .array(all)])
        #expect(set.keys.map(\.id) == ["c"] && set.encryptionKeys.map(\.id) == ["a", "b", "a"])
    }
}
