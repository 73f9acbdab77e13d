// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchJOSE
import TestTags
import Testing

@Suite struct NestedTokenTests {
    private let signing: Key
    private let encrypting: EncryptionKey
    private let verifier: JWTVerifier
    private let decrypter: JWEDecrypter

    init() throws {
        signing = try Key.generate(.es256)
        encrypting = try EncryptionKey.generate(.ecdhESA128KW)
        verifier = JWTVerifier(keys: KeySet([signing]), algorithms: [.es256], issuer: "i", audience: "a")
        decrypter = JWEDecrypter(
            keys: KeySet(encryptionKeys: [encrypting]), algorithms: [.ecdhESA128KW], contentEncryption: [.a128CBCHS256])
    }

    private func nested(_ content: String, type: String? = "JWT") throws -> String {
        try JWE.encrypt(
            Array(content.utf8), for: encrypting, using: .a128CBCHS256,
            header: type.map { ["cty": .string($0)] } ?? [:])
    }

    private func token(issuer: String = "i") throws -> String {
        try JWT.sign(
            ["iss": .string(issuer), "aud": "a", "sub": "ada", "exp": 4_000_000_000], with: signing)
    }

    @Test(arguments: ["JWT", "jwt", "application/jwt"])
    func `A nested token is decrypted, and the token in it verified`(type: String) throws {
        let text = try nested(token(), type: type)
        try expectEqual(verifier.verify(encrypted: text, decrypter: decrypter).subject, "ada")
        try expectEqual(verifier.verifiedToken(encrypted: text, decrypter: decrypter).header.algorithm, .es256)
    }

    @Test(.tags(.encryptedToken)) func `A nested token is refused like its inner token`() throws {
        #expect(throws: JOSEError.wrongIssuer) {
            try verifier.verify(encrypted: nested(token(issuer: "j")), decrypter: decrypter)
        }
        let foreign = try JWT.sign(
            ["iss": "i", "aud": "a", "exp": 4_000_000_000], with: Key.generate(.es256, id: signing.id))
        #expect(throws: JOSEError.badSignature) {
            try verifier.verify(encrypted: nested(foreign), decrypter: decrypter)
        }
        // Everyone can encrypt for a public key: claims that nobody signed are no token.
        for content in [#"{"iss":"i","aud":"a","sub":"ada"}"#, "eyJhbGciOiJub25lIn0.e30.", "", "a.b"] {
            #expect(throws: (any Error).self) { try verifier.verify(encrypted: nested(content), decrypter: decrypter) }
        }
        let bytes = try JWE.encrypt([0xFF, 0xFE], for: encrypting, using: .a128CBCHS256, header: ["cty": "JWT"])
        #expect(throws: JOSEError.malformedToken) { try verifier.verify(encrypted: bytes, decrypter: decrypter) }
    }

    @Test(.tags(.encryptedToken))
    func `A nested token is refused without its cty, with another one, not encrypted, or encrypted twice`()
        throws
    {
        for type in [nil, "json", "JWS", ""] {
            let text = try nested(token(), type: type)
            #expect(throws: JOSEError.wrongType) { try verifier.verify(encrypted: text, decrypter: decrypter) }
        }
        let plain = try token()
        #expect(throws: JOSEError.malformedToken) { try verifier.verify(encrypted: plain, decrypter: decrypter) }
        let twice = try nested(nested(token()))
        #expect(throws: JOSEError.malformedToken) { try verifier.verify(encrypted: twice, decrypter: decrypter) }
        let once = try nested(token())
        #expect(throws: JOSEError.malformedToken) { try verifier.verify(once) }
    }
}
