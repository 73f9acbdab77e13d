// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchJOSE
import TestVectors
import Testing

/// The algorithms that a verifier of the published examples accepts.
private let all: [SignatureAlgorithm] = [
    .es256, .es384, .es512, .eddsa, .rs256, .rs384, .rs512, .ps256, .ps384, .ps512, .hs256, .hs384, .hs512,
]

/// One example of the cookbook, with its parts read.
private struct Example {
    let file: String
    let vector: JSONValue
    let keys: [Key]
    let payload: [UInt8]

    init(_ file: String) throws {
        self.file = file
        vector = try VectorSet.joseCookbook.json(file)
        let input = try #require(vector["input"])
        let (key, name) = (try #require(input["key"]), try #require(input["alg"]))
        let (jwks, names) = (key.arrayValue ?? [key], name.arrayValue ?? [name])
        keys = try zip(jwks, names).map { (jwk, name) in
            try Key(
                jwk: #require(jwk.objectValue), algorithm: SignatureAlgorithm(rawValue: #require(name.stringValue)))
        }
        payload = Array(try #require(input["payload"]?.stringValue).utf8)
    }

    var isDetached: Bool { file.contains("detached") }
    var compact: String? { vector["output"]?["compact"]?.stringValue }
    /// The forms in JSON that the example has, the general one first.
    var documents: [JSONValue] { ["json", "json_flat"].compactMap { vector["output"]?[$0] } }

    /// The signers that make this example again, member for member.
    func signers() throws -> [JWSDocument.Signer] {
        let parts = try #require(vector["signing"])
        return zip(keys, parts.arrayValue ?? [parts]).map { key, part in
            var signer = JWSDocument.Signer(key)
            for member in part["protected"]?.objectValue ?? [:] { signer.protected[member.key] = member.value }
            for member in part["unprotected"]?.objectValue ?? [:] { signer.unprotected[member.key] = member.value }
            return signer
        }
    }
}

@Suite(.enabled(if: VectorSet.joseCookbook.isPresent, Comment(rawValue: VectorSet.hint)))
struct CookbookTests {
    private static let files = [
        "jws/4_1.rsa_v15_signature.json", "jws/4_2.rsa-pss_signature.json", "jws/4_3.ecdsa_signature.json",
        "jws/4_4.hmac-sha2_integrity_protection.json", "jws/4_5.signature_with_detached_content.json",
        "jws/4_6.protecting_specific_header_fields.json", "jws/4_7.protecting_content_only.json",
        "jws/4_8.multiple_signatures.json", "curve25519/jws.json",
    ]

    @Test func `RFC 7520's signed texts are complete`() {
        let present = VectorSet.joseCookbook.files(endingWith: ".json")
            .filter { $0.hasPrefix("jws/") || $0 == "curve25519/jws.json" }
        expectEqual(present, Self.files.sorted())
    }

    @Test(arguments: files)
    func `RFC 7520's signed texts verify in compact form, by their algorithm only`(file: String) throws {
        let example = try Example(file)
        // What has unprotected members, or several signatures, has no compact form.
        guard let compact = example.compact else {
            return #expect(["4_6", "4_7", "4_8"].contains(file.dropFirst(4).prefix(3)))
        }
        let keys = KeySet(example.keys)
        let algorithm = example.keys[0].algorithm
        func verify(_ algorithms: [SignatureAlgorithm]) throws -> JWS {
            guard example.isDetached else { return try JWS(verifying: compact, keys: keys, algorithms: algorithms) }
            return try JWS(
                verifying: compact, detachedPayload: example.payload, keys: keys, algorithms: algorithms)
        }
        try expectEqual(verify([algorithm]).payload, example.payload)
        #expect(throws: JOSEError.refusedAlgorithm) { try verify(all.filter { $0 != algorithm }) }
        let again =
            example.isDetached
            ? try JWS.signDetached(example.payload, with: example.keys[0])
            : try JWS.sign(example.payload, with: example.keys[0])
        if example.vector["reproducible"] == true { expectEqual(again, compact) }
    }

    @Test(arguments: files)
    func `RFC 7520's signed texts verify in JSON, in both of its forms`(file: String) throws {
        let example = try Example(file)
        #expect(!example.documents.isEmpty)
        for text in example.documents {
            let document = try JWSDocument(
                verifying: text.serialized(), keys: KeySet(example.keys), algorithms: all,
                detachedPayload: example.isDetached ? example.payload : nil)
            expectEqual(document.payload, example.payload)
            expectEqual(document.signatures.map(\.key.algorithm), example.keys.map(\.algorithm))
        }
    }

    @Test(arguments: files)
    func `RFC 7520's signed texts are made again in JSON if the signature is reproducible`(file: String) throws {
        let example = try Example(file)
        for (text, form) in zip(example.documents, [JWSDocument.Form.general, .flattened]) {
            let again = try JWSDocument.sign(
                example.payload, by: example.signers(), form: form, isDetached: example.isDetached)
            if example.vector["reproducible"] == true { expectEqual(again, text) }
            let document = try JWSDocument(
                verifying: again.serialized(), keys: KeySet(example.keys), algorithms: all,
                detachedPayload: example.isDetached ? example.payload : nil)
            expectEqual(document.signatures.count, example.keys.count)
        }
    }
}

@Suite(.enabled(if: VectorSet.joseCookbook.isPresent, Comment(rawValue: VectorSet.hint)))
struct CookbookKeyTests {
    @Test(arguments: [
        ("jwk/3_1.ec_public_key.json", SignatureAlgorithm.es512, false), ("jwk/3_2.ec_private_key.json", .es512, true),
        ("jwk/3_3.rsa_public_key.json", .rs256, false), ("jwk/3_4.rsa_private_key.json", .rs256, true),
        ("jwk/3_5.symmetric_key_mac_computation.json", .hs256, true),
    ])
    func `RFC 7520's keys are read, and written again with the same numbers`(
        file: String, algorithm: SignatureAlgorithm, isPrivate: Bool
    ) throws {
        let jwk = try #require(try VectorSet.joseCookbook.json(file).objectValue)
        let key = try Key(jwk: jwk)
        #expect(key.algorithm == algorithm && key.canSign == isPrivate)
        let written = isPrivate ? try key.jwkWithSecretsForStorage() : key.jwk
        for member in jwk { expectEqual(written[member.key], member.value, "\(member.key)") }
        guard let pem = try? key.pem() else { return expectEqual(jwk["kty"], "oct") }
        try expectEqual(Key(pem: pem).thumbprint, key.thumbprint)
    }

    @Test func `RFC 7520's keys of an encryption algorithm are refused for signatures`() throws {
        let jwk = try #require(
            try VectorSet.joseCookbook.json("jwk/3_6.symmetric_key_encryption.json").objectValue)
        #expect { try Key(jwk: jwk) } throws: { JOSEError.unsuitableKey ~= $0 }
        expectEqual(VectorSet.joseCookbook.files(endingWith: ".json").filter { $0.hasPrefix("jwk/") }.count, 6)
    }
}

@Suite(.enabled(if: VectorSet.joseCookbook.isPresent, Comment(rawValue: VectorSet.hint)))
struct UnencodedPayloadTests {
    @Test func `The cookbook's unencoded payloads verify in every form`() throws {
        let example = try Example("rfc7797/hmac-sha2_b64_false.json")
        let keys = KeySet(example.keys)
        let compact = try #require(example.compact)
        try expectEqual(JWS(verifying: compact, keys: keys, algorithms: [.hs256]).payload, example.payload)
        try expectEqual(JWS.sign(example.payload, with: example.keys[0], encoding: .unencoded), compact)
        for (text, form) in zip(example.documents, [JWSDocument.Form.general, .flattened]) {
            let document = try JWSDocument(verifying: text.serialized(), keys: keys, algorithms: [.hs256])
            expectEqual(document.payload, example.payload)
            let again = try JWSDocument.sign(
                example.payload, by: [.init(example.keys[0])], form: form, encoding: .unencoded)
            expectEqual(again, text)
        }
    }

    /// The set's second file was taken from a draft: its header has `b64` and no `crit`, which RFC 7797 §6 demands.
    @Test func `The cookbook's unencoded payloads are refused if b64 is not critical, as in the draft`() throws {
        let example = try Example("rfc7797/4.2.hmac-sha2_b64_false.json")
        expectEqual(example.documents.count, 2)
        for text in example.documents {
            #expect(throws: JOSEError.refusedExtension) {
                try JWSDocument(verifying: text.serialized(), keys: KeySet(example.keys), algorithms: [.hs256])
            }
        }
    }
}
