// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchJOSE
import TestVectors
import Testing

// RFC 7516, appendix A.3.
@Test func `The example of RFC 7516 with the AES key wrap is decrypted`() throws {
    let key = try EncryptionKey(jwk: ["kty": "oct", "k": "GawgguFyGrWKav7AX4VKUg", "alg": "A128KW"])
    let text = """
        eyJhbGciOiJBMTI4S1ciLCJlbmMiOiJBMTI4Q0JDLUhTMjU2In0.6KB707dM9YTIgHtLvtgWQ8mKwboJW3of9locizkDTHzBC2IlrT1oOQ.\
        AxY8DCtDaGlsbGljb3RoZQ.KDlTtXchhZTGufMYmOYGS4HffxPSUrfmqCHXaI9wOGY.U0m_YmjN04DJvceFICbCVQ
        """
    try expectEqual(decrypt(text, with: key).plaintext, Array("Live long and prosper.".utf8))
}

@Suite(.enabled(if: VectorSet.wycheproof.has("json_web_encryption_test.json"), Comment(rawValue: VectorSet.hint)))
struct EncryptionVectorTests {
    /// Cases where the set is not followed, on purpose: RSA1_5 and compression are refused.
    private func isMeant(_ group: JSONValue, _ test: JSONValue) -> Bool {
        test["result"] == "valid" && group["private"]?["alg"] != "RSA1_5"
            && test["flags"]?.arrayValue?.contains("CompressedPlaintext") != true
    }

    /// Decrypts with the key and the algorithms of everything that is supported; nil after a refusal.
    private func plaintext(_ group: JSONValue, _ test: JSONValue) -> [UInt8]? {
        do {
            let key = try EncryptionKey(jwk: group["private"]?.objectValue ?? [:])
            let all = generatedAlgorithms + [.dir, .pbes2HS256A128KW, .init(rawValue: "RSA1_5")]
            return try decrypt(test["jwe"]?.stringValue ?? "", with: key, all).plaintext
        } catch {
            return nil
        }
    }

    @Test func `Wycheproof's encrypted tokens are read or refused as the set says`() throws {
        let cases = try VectorSet.wycheproof.cases("json_web_encryption_test.json")
        expectEqual(cases.count, 139)
        var read = 0
        for (group, test) in cases {
            let content = plaintext(group, test)
            let id = "\(test["tcId"]?.intValue ?? 0) \(test["comment"]?.stringValue ?? "")"
            expectEqual(content != nil, isMeant(group, test), "\(id)")
            if let content { expectEqual(content, test.hex("pt"), "\(id)") }
            read += content == nil ? 0 : 1
        }
        expectEqual(read, 56)
    }

    @Test(
        .enabled(
            if: VectorSet.wycheproof.has(
                "a128cbc_hs256_test.json", "a192cbc_hs384_test.json", "a256cbc_hs512_test.json"),
            Comment(rawValue: VectorSet.hint)),
        arguments: [
            ("a128cbc_hs256_test.json", ContentCipher.cbc(bits: 128)), ("a192cbc_hs384_test.json", .cbc(bits: 192)),
            ("a256cbc_hs512_test.json", .cbc(bits: 256)),
        ])
    func `Wycheproof's encrypted tokens of AES-CBC with an HMAC are read or refused as the set says`(
        file: String, cipher: ContentCipher
    ) throws {
        let cases = try VectorSet.wycheproof.cases(file)
        expectEqual(cases.count, 94)
        for (_, test) in cases {
            let sealed = SealedContent(iv: test.hex("iv"), ciphertext: test.hex("ct"), tag: test.hex("tag"))
            let key = SymmetricKey(data: test.hex("key"))
            let id = test["tcId"]?.intValue ?? 0
            do {
                let content = try cipher.open(sealed, using: key, authenticating: test.hex("aad"))
                #expect(test["result"] == "valid" && content == test.hex("msg"), "\(id)")
            } catch {
                expectNotEqual(test["result"], "valid", "\(id)")
            }
        }
    }
}

@Suite(
    .enabled(
        if: VectorSet.joseCookbook.has("jwe/5_2.key_encryption_using_rsa-oaep_with_aes-gcm.json"),
        Comment(rawValue: VectorSet.hint)))
struct EncryptionCookbookTests {
    private static let compact = [
        "jwe/5_2.key_encryption_using_rsa-oaep_with_aes-gcm.json",
        "jwe/5_4.key_agreement_with_key_wrapping_using_ecdh-es_and_aes-keywrap_with_aes-gcm.json",
        "jwe/5_5.key_agreement_using_ecdh-es_with_aes-cbc-hmac-sha2.json",
        "jwe/5_6.direct_encryption_using_aes-gcm.json",
        "jwe/5_7.key_wrap_using_aes-gcm_keywrap_with_aes-cbc-hmac-sha2.json",
        "jwe/5_8.key_wrap_using_aes-keywrap_with_aes-gcm.json",
    ]

    private func key(_ input: JSONValue) throws -> EncryptionKey {
        try EncryptionKey(
            jwk: #require(input["key"]?.objectValue),
            algorithm: KeyManagementAlgorithm(rawValue: #require(input["alg"]?.stringValue)))
    }

    @Test(arguments: compact)
    func `RFC 7520's encrypted texts are decrypted with their keys`(file: String) throws {
        let vector = try VectorSet.joseCookbook.json(file)
        let input = try #require(vector["input"])
        let read = try decrypt(#require(vector["output"]?["compact"]?.stringValue), with: key(input))
        expectEqual(read.plaintext, Array(try #require(input["plaintext"]?.stringValue).utf8))
        expectEqual(read.header.members, vector["encrypting_content"]?["protected"]?.objectValue)
    }

    @Test func `RFC 7520's encrypted texts are decrypted with a password, whose iterations are bounded`() throws {
        let vector = try VectorSet.joseCookbook.json(
            "jwe/5_3.key_wrap_using_pbes2-aes-keywrap_with-aes-cbc-hmac-sha2.json")
        let input = try #require(vector["input"])
        let text = try #require(vector["output"]?["compact"]?.stringValue)
        let password = Array(try #require(input["pwd"]?.stringValue).utf8)
        let read = try decrypt(text, with: EncryptionKey(password: password, iterations: 8192))
        expectEqual(read.plaintext, Array(try #require(input["plaintext"]?.stringValue).utf8))
        let strict = try EncryptionKey(password: password, iterations: 8191)
        #expect(throws: JOSEError.decryptionFailed) { try decrypt(text, with: strict) }
    }

    @Test func `RFC 7520's encrypted texts are refused with RSA1_5 and with compression`() throws {
        let old = try VectorSet.joseCookbook.json("jwe/5_1.key_encryption_using_rsa_v15_and_aes-hmac-sha2.json")
        let jwk = try #require(old["input"]?["key"]?.objectValue)
        #expect { try EncryptionKey(jwk: jwk, algorithm: .init(rawValue: "RSA1_5")) } throws: {
            JOSEError.unsuitableKey ~= $0
        }
        let text = try #require(old["output"]?["compact"]?.stringValue)
        #expect(throws: JOSEError.refusedAlgorithm) {
            try decrypt(text, with: EncryptionKey(jwk: jwk, algorithm: .rsaOAEP))
        }
        let zipped = try VectorSet.joseCookbook.json("jwe/5_9.compressed_content.json")
        let packed = try #require(zipped["output"]?["compact"]?.stringValue)
        #expect(throws: JOSEError.refusedExtension) { try decrypt(packed, with: key(#require(zipped["input"]))) }
    }

    // RFC 8037, appendix A.6.
    @Test(
        .enabled(if: VectorSet.joseCookbook.has("curve25519/ecdh-es.json"), Comment(rawValue: VectorSet.hint)))
    func `RFC 7520's encrypted texts are decrypted with X25519`() throws {
        let vector = try VectorSet.joseCookbook.json("curve25519/ecdh-es.json")
        let input = try #require(vector["input"])
        let read = try decrypt(#require(vector["output"]?["compact"]?.stringValue), with: key(input))
        expectEqual(read.plaintext, Array(try #require(input["plaintext"]?.stringValue).utf8))
    }
}
