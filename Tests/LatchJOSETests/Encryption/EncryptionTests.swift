// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import TestTags
import TestVectors
import Testing

/// The content encryption algorithms, with the sizes of their keys in bits.
let contentAlgorithms: [(ContentEncryptionAlgorithm, Int)] = [
    (.a128GCM, 128), (.a192GCM, 192), (.a256GCM, 256), (.a128CBCHS256, 256), (.a192CBCHS384, 384), (.a256CBCHS512, 512),
]

/// The key management algorithms for which a key can be generated.
let generatedAlgorithms: [KeyManagementAlgorithm] = [
    .rsaOAEP, .rsaOAEP256, .ecdhES, .ecdhESA128KW, .ecdhESA192KW, .ecdhESA256KW, .a128KW, .a192KW, .a256KW, .a128GCMKW,
    .a192GCMKW, .a256GCMKW,
]

/// Decrypts a text with one key, by the algorithms that it names.
func decrypt(
    _ text: String, with key: EncryptionKey, _ algorithms: [KeyManagementAlgorithm]? = nil,
    _ content: [ContentEncryptionAlgorithm] = contentAlgorithms.map(\.0), understanding: Set<String> = []
) throws -> JWE {
    let decrypter = JWEDecrypter(
        keys: KeySet(encryptionKeys: [key]), algorithms: algorithms ?? [key.algorithm], contentEncryption: content,
        understanding: understanding)
    return try decrypter.decrypt(text)
}

/// Returns a text with another header, which is JSON.
func replaced(_ text: String, header: String) -> String {
    let rest = text.drop { $0 != "." }
    return Base64URL.encode(header.utf8) + rest
}

private let plaintext = Array("The true sign of intelligence is not knowledge but imagination.".utf8)

@Suite struct EncryptionTests {
    private static let rsa = Result { try EncryptionKey.generate(.rsaOAEP256) }

    private func check(_ key: EncryptionKey, _ content: ContentEncryptionAlgorithm) throws {
        let text = try JWE.encrypt(
            plaintext, for: key.publicKey ?? key, using: content, header: ["typ": "x", "cty": "y"])
        let read = try decrypt(text, with: key)
        expectEqual(read.plaintext, plaintext)
        #expect(read.header.algorithm == key.algorithm && read.header.contentEncryption == content)
        #expect(read.header.keyID == key.id && read.header.type == "x" && read.header.contentType == "y")
        #expect("\(read)".contains("redacted"))
        try expectNotEqual(JWE.encrypt(plaintext, for: key, using: content), text)
        #expect(try decrypt(try JWE.encrypt([], for: key, using: content), with: key).plaintext.isEmpty)
    }

    @Test func `An encrypted text is read with the key for which it was made, by each algorithm`() throws {
        for algorithm in generatedAlgorithms {
            let key = try EncryptionKey.generate(algorithm)
            for (content, _) in contentAlgorithms { try check(key, content) }
        }
        for curve in EncryptionKey.Curve.allCases {
            for algorithm in [KeyManagementAlgorithm.ecdhES, .ecdhESA256KW] {
                let key = try EncryptionKey.generate(algorithm, curve: curve)
                for (content, _) in contentAlgorithms { try check(key, content) }
            }
        }
        for (content, bits) in contentAlgorithms {
            try check(try EncryptionKey(secret: SymmetricKey(size: .init(bitCount: bits)), algorithm: .dir), content)
        }
        for algorithm in [KeyManagementAlgorithm.pbes2HS256A128KW, .pbes2HS512A256KW] {
            try check(try EncryptionKey(password: [1, 2], iterations: 1000, algorithm: algorithm), .a128GCM)
        }
    }

    @Test(.tags(.encryptedToken)) func `An encrypted text is refused with one error after any change`() throws {
        let keys = try [
            Self.rsa.get(), .generate(.ecdhES), .generate(.ecdhESA128KW, curve: .x25519), .generate(.a256KW),
            .generate(.a128GCMKW), EncryptionKey(secret: SymmetricKey(size: .bits256), algorithm: .dir),
            EncryptionKey(password: [7], iterations: 1000),
        ]
        for key in keys {
            for content in [ContentEncryptionAlgorithm.a256GCM, .a128CBCHS256] {
                let text = try JWE.encrypt(plaintext, for: key, using: content)
                let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
                for part in 1..<5 {
                    let bytes = try Base64URL.decode(parts[part])
                    guard !bytes.isEmpty else { continue }
                    var wrong = bytes.indices.filter { $0 % 7 == 0 }.map { place in
                        var changed = bytes
                        changed[place] ^= 1
                        return changed
                    }
                    wrong += [Array(bytes.dropLast()), Array(bytes.dropFirst()), bytes + [0], []]
                    for wrong in wrong {
                        var parts = parts
                        parts[part] = Base64URL.encode(wrong)
                        #expect(throws: JOSEError.decryptionFailed, "\(key.algorithm) \(content) \(part)") {
                            try decrypt(parts.joined(separator: "."), with: key)
                        }
                    }
                }
            }
        }
    }

    /// Bleichenbacher's and Manger's attacks need an answer that differs.
    @Test(.tags(.encryptedToken))
    func `An encrypted text with RSA is refused in the same words, whatever is wrong with its key`() throws {
        let key = try Self.rsa.get()
        let text = try JWE.encrypt(plaintext, for: key, using: .a128CBCHS256)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let own = try RSA.Encryption.PublicKey(
            modulus: Base64URL.decode(#require(key.jwk["n"]?.stringValue)),
            exponent: Base64URL.decode(#require(key.jwk["e"]?.stringValue)))
        let wrongKeys: [[UInt8]] = [
            [], [1], [UInt8](repeating: 0, count: 256), [UInt8](repeating: 0xFF, count: 256),
            try own.encrypt([UInt8](repeating: 1, count: 32)), try own.encrypt([UInt8](repeating: 1, count: 16)),
            try own.encrypt([]), try own.encrypt([UInt8](repeating: 1, count: 32), hash: .sha1),
        ]
        var texts: [String] = []
        for wrong in wrongKeys {
            var parts = parts
            parts[1] = Base64URL.encode(wrong)
            texts.append(parts.joined(separator: "."))
        }
        // A wrong tag of a right key: the last of its bytes differs.
        var tag = try Base64URL.decode(parts[4])
        tag[15] ^= 1
        texts.append((parts.dropLast() + [Base64URL.encode(tag)]).joined(separator: "."))
        var said: Set<String> = []
        for text in texts {
            do {
                _ = try decrypt(text, with: key)
                Issue.record("it was decrypted")
            } catch let error as JOSEError {
                said.insert("\(error.code) \(error.message) \(error.hint ?? "")")
            }
        }
        #expect(said.count == 1 && said.first?.hasPrefix("decryptionFailed") == true)
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `An encrypted text is never read as something else after random changes`(seed: UInt64) throws {
        var numbers = SeededGenerator(seed: seed)
        let keys = try [EncryptionKey.generate(.ecdhES, curve: .x25519), .generate(.a128KW), .generate(.a256GCMKW)]
        for key in keys {
            let bytes = Array(try JWE.encrypt(plaintext, for: key, using: .a128CBCHS256).utf8)
            for _ in 0..<300 {
                var changed = bytes
                for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                    let place = Int.random(in: 0..<changed.count, using: &numbers)
                    switch Int.random(in: 0..<3, using: &numbers) {
                    case 0: changed[place] = UInt8.random(in: 0x2D...0x7A, using: &numbers)
                    case 1: changed.remove(at: place)
                    default: changed.insert(UInt8.random(in: 0x2D...0x7A, using: &numbers), at: place)
                    }
                }
                do {
                    let read = try decrypt(String(decoding: changed, as: UTF8.self), with: key)
                    #expect(changed == bytes && read.plaintext == plaintext, "seed \(seed)")
                } catch {
                    #expect(error is JOSEError, "seed \(seed)")
                }
            }
        }
    }

    @Test func `An encrypted text is refused when its header was changed, which the tag covers`() throws {
        let key = try EncryptionKey.generate(.a128KW, id: "k")
        let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM, header: ["typ": "a"])
        let header = #"{"alg":"A128KW","enc":"A128GCM","kid":"k","typ":"a"}"#
        try expectEqual(decrypt(replaced(text, header: header), with: key).plaintext, plaintext)
        for other in [
            #"{"alg":"A128KW","enc":"A128GCM","kid":"k","typ":"b"}"#, #"{"alg":"A128KW","enc":"A128GCM","kid":"k"}"#,
            #"{"enc":"A128GCM","alg":"A128KW","kid":"k","typ":"a"}"#,
            #"{"alg":"A128KW","enc":"A256GCM","kid":"k","typ":"a"}"#,
        ] {
            #expect(throws: JOSEError.decryptionFailed) { try decrypt(replaced(text, header: other), with: key) }
        }
    }

    @Test func `An encrypted text is refused with another key of the same kind`() throws {
        for algorithm in generatedAlgorithms {
            let text = try JWE.encrypt(plaintext, for: EncryptionKey.generate(algorithm, id: "k"), using: .a256GCM)
            #expect(throws: JOSEError.decryptionFailed) {
                try decrypt(text, with: EncryptionKey.generate(algorithm, id: "k"))
            }
        }
        let text = try JWE.encrypt(
            plaintext, for: EncryptionKey.generate(.ecdhES, curve: .p256, id: "k"), using: .a256GCM)
        for curve in [EncryptionKey.Curve.p384, .p521, .x25519] {
            #expect(throws: JOSEError.decryptionFailed) {
                try decrypt(text, with: EncryptionKey.generate(.ecdhES, curve: curve, id: "k"))
            }
        }
    }

    @Test
    func `An encrypted text is refused unless it is five parts of base64url with a JSON header, in bounds`() throws {
        let key = try EncryptionKey.generate(.a128KW)
        let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM)
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        for wrong in [
            "", ".", "....", ".....", text + ".", "." + text, text + "=", text + "\n", " " + text,
            parts.dropLast().joined(separator: "."), (parts.dropLast() + ["A"]).joined(separator: "."),
            replaced(text, header: "[]"), replaced(text, header: "{"), replaced(text, header: "{}"),
            replaced(text, header: #"{"alg":"A128KW"}"#), replaced(text, header: #"{"enc":"A128GCM"}"#),
            replaced(text, header: #"{"alg":"A128KW","alg":"A128KW","enc":"A128GCM"}"#),
            replaced(text, header: #"{"alg":1,"enc":"A128GCM"}"#),
            replaced(text, header: #"{"alg":"A128KW","enc":"A128GCM","kid":1}"#),
            replaced(text, header: #"{"alg":"A128KW","enc":"A128GCM","cty":null}"#),
        ] {
            #expect(throws: JOSEError.malformedToken, "\(wrong)") { try decrypt(wrong, with: key) }
        }
        func limited(_ limit: Int) -> JWEDecrypter {
            JWEDecrypter(
                keys: KeySet(encryptionKeys: [key]), algorithms: [.a128KW], contentEncryption: [.a128GCM], limit: limit)
        }
        try expectEqual(limited(text.utf8.count).decrypt(text).plaintext, plaintext)
        #expect(throws: JOSEError.malformedToken) { try limited(text.utf8.count - 1).decrypt(text) }
        let long = JWE.self
        let big = try long.encrypt(
            plaintext, for: key, using: .a128GCM, header: ["x": .string(String(repeating: "x", count: 17 << 10))])
        #expect(throws: JOSEError.malformedToken) { try decrypt(big, with: key) }
    }
}

@Suite struct DecrypterTests {
    @Test(.tags(.encryptedToken))
    func `A decrypter accepts only its listed algorithms, and of those the key's own`() throws {
        let key = try EncryptionKey.generate(.a128KW, id: "k")
        let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM)
        try expectEqual(decrypt(text, with: key, [.a256KW, .a128KW], [.a128GCM]).plaintext, plaintext)
        for algorithms in [[], [KeyManagementAlgorithm.a256KW], [.dir], [.init(rawValue: "a128kw")]] {
            #expect(throws: JOSEError.refusedAlgorithm) { try decrypt(text, with: key, algorithms) }
        }
        for content in [[], [ContentEncryptionAlgorithm.a256GCM], [.a128CBCHS256]] {
            #expect(throws: JOSEError.refusedAlgorithm) { try decrypt(text, with: key, nil, content) }
        }
        // The secret of one algorithm does not serve another one, though both are listed.
        let other = try EncryptionKey.generate(.a128GCMKW, id: "k")
        #expect(throws: JOSEError.unknownKey) { try decrypt(text, with: other, [.a128KW, .a128GCMKW]) }
        let asymmetric = try EncryptionKey.generate(.ecdhES, id: "k")
        #expect(throws: JOSEError.unknownKey) { try decrypt(text, with: asymmetric, [.a128KW, .ecdhES]) }
    }

    @Test(.tags(.encryptedToken)) func `A decrypter never accepts RSA1_5, none, or an unregistered name`() throws {
        let key = try EncryptionKey.generate(.rsaOAEP)
        let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM)
        for name in ["RSA1_5", "none", "", "RSA-OAEP-512", "HS256"] {
            let other = replaced(text, header: #"{"alg":"\#(name)","enc":"A128GCM"}"#)
            let algorithm = KeyManagementAlgorithm(rawValue: name)
            #expect(throws: JOSEError.refusedAlgorithm) { try decrypt(other, with: key) }
            #expect(throws: JOSEError.unknownKey) { try decrypt(other, with: key, [.rsaOAEP, algorithm]) }
            #expect { try EncryptionKey.generate(algorithm) } throws: { JOSEError.unsuitableKey ~= $0 }
            let content = ContentEncryptionAlgorithm(rawValue: name)
            #expect(throws: JOSEError.refusedAlgorithm) { try JWE.encrypt(plaintext, for: key, using: content) }
            let unknown = replaced(text, header: #"{"alg":"RSA-OAEP","enc":"\#(name)"}"#)
            #expect(throws: JOSEError.refusedAlgorithm) { try decrypt(unknown, with: key, nil, [content]) }
        }
    }

    /// RFC 7516 §4.1.1 compares code points, and String equates the Kelvin sign with a K.
    @Test(.tags(.encryptedToken)) func `A decrypter compares algorithms by code points`() throws {
        let key = try EncryptionKey.generate(.a128KW)
        let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM)
        let name = "A128\u{212A}W"
        #expect(name == "A128KW" && KeyManagementAlgorithm(rawValue: name) != .a128KW)
        let kelvin = replaced(text, header: #"{"alg":"\#(name)","enc":"A128GCM"}"#)
        #expect(throws: JOSEError.refusedAlgorithm) { try decrypt(kelvin, with: key) }
        expectNotEqual(SignatureAlgorithm(rawValue: "ES256\u{212A}"), SignatureAlgorithm(rawValue: "ES256K"))
        expectNotEqual(ContentEncryptionAlgorithm(rawValue: "\u{212A}"), ContentEncryptionAlgorithm(rawValue: "K"))
    }

    @Test(.tags(.encryptedToken)) func `A decrypter accepts no compression, in either direction`() throws {
        let key = try EncryptionKey.generate(.a128KW)
        #expect(throws: JOSEError.refusedExtension) {
            try JWE.encrypt(plaintext, for: key, using: .a128GCM, header: ["zip": "DEF"])
        }
        let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM)
        for zip in [#""DEF""#, "null", "1"] {
            let other = replaced(text, header: #"{"alg":"A128KW","enc":"A128GCM","zip":\#(zip)}"#)
            #expect(throws: JOSEError.refusedExtension) { try decrypt(other, with: key) }
        }
    }

    @Test func `A decrypter accepts the critical parameters that the caller understands, and no b64`() throws {
        let key = try EncryptionKey.generate(.a128KW)
        let header: JSONObject = ["exp": 1, "crit": ["exp"]]
        let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM, header: header)
        #expect(throws: JOSEError.refusedExtension) { try decrypt(text, with: key) }
        try expectEqual(decrypt(text, with: key, understanding: ["exp"]).plaintext, plaintext)
        for wrong in [["crit": []], ["crit": ["exp"]], ["crit": ["enc"]], ["crit": "exp", "exp": 1], ["b64": true]]
            as [JSONObject]
        {
            #expect(throws: JOSEError.unencryptable) {
                try JWE.encrypt(plaintext, for: key, using: .a128GCM, header: wrong)
            }
            var members: JSONObject = ["alg": "A128KW", "enc": "A128GCM"]
            for member in wrong { members[member.key] = member.value }
            let other = replaced(text, header: String(decoding: JSONValue.object(members).serialized(), as: UTF8.self))
            #expect(throws: JOSEError.refusedExtension) {
                try decrypt(other, with: key, understanding: ["exp", "b64", "enc"])
            }
        }
    }

    @Test func `A decrypter accepts no encrypted key if the recipient's key determines the content's`() throws {
        let direct = try EncryptionKey(secret: SymmetricKey(size: .bits128), algorithm: .dir)
        for key in [direct, try .generate(.ecdhES)] {
            let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM)
            #expect(text.contains(".."))
            #expect(throws: JOSEError.malformedToken) {
                try decrypt(text.replacing("..", with: ".AAAA."), with: key)
            }
        }
    }

    @Test func `A decrypter chooses a key by the ID, or tries the keys without one`() throws {
        let keys = try (0..<3).map { try EncryptionKey.generate(.a128KW, id: "\($0)") }
        let nameless = try EncryptionKey(secret: SymmetricKey(size: .bits128), algorithm: .a128KW)
        let decrypter = JWEDecrypter(
            keys: KeySet(encryptionKeys: keys + [nameless]), algorithms: [.a128KW], contentEncryption: [.a128GCM])
        for key in keys + [nameless] {
            let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM)
            try expectEqual(decrypter.decrypt(text).plaintext, plaintext)
        }
        let stranger = try EncryptionKey.generate(.a128KW, id: "stranger")
        let text = try JWE.encrypt(plaintext, for: stranger, using: .a128GCM)
        #expect(throws: JOSEError.decryptionFailed) { try decrypter.decrypt(text) }
        let named = JWEDecrypter(
            keys: KeySet(encryptionKeys: keys), algorithms: [.a128KW], contentEncryption: [.a128GCM])
        #expect(throws: JOSEError.unknownKey) { try named.decrypt(text) }
    }
}

@Suite struct AlgorithmParameterTests {
    private func changed(_ text: String, _ change: (inout JSONObject) -> Void) throws -> String {
        let head = try Base64URL.decode(text.prefix { $0 != "." })
        var members = try #require(try JSONValue(parsing: head).objectValue)
        change(&members)
        return replaced(text, header: String(decoding: JSONValue.object(members).serialized(), as: UTF8.self))
    }

    @Test(.tags(.encryptedToken))
    func `The parameters of an algorithm are refused if the ephemeral key is missing, foreign or on no curve`() throws {
        let key = try EncryptionKey.generate(.ecdhES, curve: .p256)
        let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM)
        let other = try EncryptionKey.generate(.ecdhES, curve: .p384).jwk
        for epk in [
            nil, "text", [:], .object(other), ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"],
            [
                "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode([UInt8](repeating: 1, count: 32))),
                "y": .string(Base64URL.encode([UInt8](repeating: 1, count: 32))),
            ],
            ["kty": "oct", "k": "AA"],
        ] as [JSONValue?] {
            #expect(throws: JOSEError.decryptionFailed) {
                try decrypt(try changed(text) { $0["epk"] = epk }, with: key)
            }
        }
        for name in ["apu", "apv"] {
            for value in ["AA", "A", "=", 1] as [JSONValue] {
                #expect(throws: JOSEError.decryptionFailed) {
                    try decrypt(try changed(text) { $0[name] = value }, with: key)
                }
            }
        }
        let parties: JSONObject = ["apu": "QWxpY2U", "apv": "Qm9i"]
        let named = try JWE.encrypt(plaintext, for: key, using: .a128GCM, header: parties)
        try expectEqual(decrypt(named, with: key).plaintext, plaintext)
        #expect { try JWE.encrypt(plaintext, for: key, using: .a128GCM, header: ["apu": "="]) } throws: {
            $0 is JOSEError
        }
    }

    // RFC 7748 §6.1: the secret with these is zero, whatever the private key.
    @Test(.tags(.encryptedToken))
    func `The parameters of an algorithm are refused if the ephemeral key has a small order`() throws {
        let key = try EncryptionKey.generate(.ecdhES, curve: .x25519)
        let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM)
        var one = [UInt8](repeating: 0, count: 32)
        for first in [0, 1] as [UInt8] {
            one[0] = first
            let epk: JSONValue = ["kty": "OKP", "crv": "X25519", "x": .string(Base64URL.encode(one))]
            #expect(throws: JOSEError.decryptionFailed) {
                try decrypt(try changed(text) { $0["epk"] = epk }, with: key)
            }
        }
    }

    @Test(.tags(.encryptedToken))
    func `The parameters of an algorithm bound the iterations of a password on both sides`() throws {
        let generous = try EncryptionKey(password: [1], iterations: 2000)
        let text = try JWE.encrypt(plaintext, for: generous, using: .a128GCM)
        try expectEqual(decrypt(text, with: generous).plaintext, plaintext)
        try expectEqual(decrypt(text, with: EncryptionKey(password: [1], iterations: 4000)).plaintext, plaintext)
        let strict = try EncryptionKey(password: [1], iterations: 1999)
        #expect(throws: JOSEError.decryptionFailed) { try decrypt(text, with: strict) }
        // 2^31 − 1 of them would take a quarter of an hour.
        for count in [0, -1, 1, 999, 2_147_483_647, 9_007_199_254_740_991, "1000", nil, 1000.5] as [JSONValue?] {
            #expect(throws: JOSEError.decryptionFailed) {
                try decrypt(try changed(text) { $0["p2c"] = count }, with: generous)
            }
        }
        for salt in [nil, "", "AAAAAAAAAA", 1, "="] as [JSONValue?] {
            #expect(throws: JOSEError.decryptionFailed) {
                try decrypt(try changed(text) { $0["p2s"] = salt }, with: generous)
            }
        }
    }

    @Test func `The parameters of an algorithm belong to the key and not to the caller`() throws {
        let key = try EncryptionKey.generate(.a128GCMKW, id: "k")
        let header: JSONObject = [
            "alg": "dir", "enc": "A256GCM", "kid": "x", "iv": "x", "tag": "x", "epk": "x", "p2s": "x", "p2c": 1,
        ]
        let text = try JWE.encrypt(plaintext, for: key, using: .a128GCM, header: header)
        let read = try decrypt(text, with: key)
        #expect(read.plaintext == plaintext && read.header.keyID == "k")
        #expect(read.header.members["p2c"] == nil && read.header.members["iv"] != "x")
    }
}
