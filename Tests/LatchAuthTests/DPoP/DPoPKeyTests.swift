// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import Testing

@testable import LatchAuth

@Suite struct DPoPKeyTests {
    let clock = WallClock.standing(at: 1_800_000_000.75)

    private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

    @Test func `A key for proofs proves method, address and time, with its public half in the header`() throws {
        let key = try DPoPKey.generate(clock: clock)
        let text = try key.proof(.post, url("https://id.example.com:443/token?a=b#c")).text
        let token = try JWT(unverified: text)
        expectEqual(Set(token.header.members.keys), ["alg", "typ", "jwk"])
        expectEqual(token.header.members["typ"], "dpop+jwt")
        expectEqual(token.header.algorithm, .es256)
        let jwk = try #require(token.header.members["jwk"]?.objectValue)
        expectEqual(Set(jwk.keys), ["kty", "crv", "x", "y"])
        try expectEqual(Key(jwk: jwk).thumbprint, key.thumbprint)
        expectEqual(Set(token.claims.members.keys), ["jti", "htm", "htu", "iat"])
        expectEqual(token.claims.string("htm"), "POST")
        expectEqual(token.claims.string("htu"), "https://id.example.com/token")
        expectEqual(token.claims.int("iat"), 1_800_000_000)
        let keys = KeySet([try Key(jwk: jwk)])
        #expect(throws: Never.self) { try JWS(verifying: text, keys: keys, algorithms: [.es256]) }
    }

    @Test func `A key for proofs covers the token by its hash, and the nonce`() throws {
        let key = try DPoPKey.generate(clock: clock)
        let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
        let proof = try key.proof(.get, url("https://api.example.com/"), accessToken: token, nonce: "eyJ7S_zG")
        expectEqual(proof.accessTokenHash, "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
        expectEqual(proof.nonce, "eyJ7S_zG")
        expectEqual(proof.thumbprint, key.thumbprint)
        let claims = try JWT(unverified: proof.text).claims
        expectEqual(claims.string("ath"), proof.accessTokenHash)
        expectEqual(claims.string("nonce"), "eyJ7S_zG")
    }

    @Test func `A key for proofs gives each proof a unique name`() throws {
        let key = try DPoPKey.generate()
        let target = try url("https://api.example.com/")
        let names = try (0..<200).map { _ in try key.proof(.get, target).id }
        expectEqual(Set(names).count, 200)
    }

    @Test(arguments: [SignatureAlgorithm.es256, .es384, .es512, .eddsa, .ps256, .rs256])
    func `A key for proofs can be of any asymmetric algorithm, and both sides agree`(
        algorithm: SignatureAlgorithm
    ) throws {
        let verifier = DPoPVerifier(algorithms: [algorithm], memory: { _, _ in true })
        let key = try DPoPKey.generate(algorithm)
        let proof = try key.proof(.get, url("https://api.example.com/a"))
        let request = HTTPRequest.example(.get, "/a?q", fields: ["DPoP": proof.text])
        try expectEqual(verifier.verify(request).thumbprint, key.thumbprint)
    }

    @Test func `A key for proofs is refused if the key cannot sign, or is shared`() throws {
        let half = try #require(try Key.generate(.es256).publicKey)
        #expect(throws: AuthError.invalidCredential) { try DPoPKey(half) }
        #expect(throws: AuthError.invalidCredential) { try DPoPKey(Key.generate(.hs256)) }
        #expect(throws: AuthError.invalidCredential) { try DPoPKey.generate(.hs512) }
    }

    @Test func `A key for proofs comes back from a store as the same key`() throws {
        let key = try DPoPKey.generate()
        let copy = try JSONDecoder().decode(DPoPKey.self, from: JSONEncoder().encode(key))
        expectEqual(copy, key)
        expectEqual(copy.thumbprint, key.thumbprint)
        let verifier = DPoPVerifier(memory: { _, _ in true })
        let proof = try copy.proof(.get, url("https://api.example.com/"))
        let request = HTTPRequest.example(fields: ["DPoP": proof.text])
        try expectEqual(verifier.verify(request).thumbprint, key.thumbprint)
    }

    @Test(arguments: [#"{}"#, #""text""#, #"{"kty":"EC","crv":"P-256"}"#, #"{"kty":"oct","k":"AAAA","alg":"HS256"}"#])
    func `A key for proofs is not read from an invalid record`(json: String) {
        #expect(throws: AuthError.invalidCredential) {
            try JSONDecoder().decode(DPoPKey.self, from: Data(json.utf8))
        }
    }

    @Test func `A key for proofs shows its secret in no description, reflection, dump or error`() throws {
        let key = try DPoPKey.generate()
        let secret = try #require(try JSONValue(parsing: Array(JSONEncoder().encode(key)))["d"]?.stringValue)
        let tokens = Tokens(access: "token", tokenType: .dpop, key: key)
        for value in [key, tokens, SessionState.signedIn(tokens), TokenRecord(credential: tokens)] as [Any] {
            #expect(!dumped(value).contains(secret))
        }
        #expect(dumped(key).contains(key.thumbprint))
        let proof = try key.proof(.get, url("https://api.example.com/"))
        #expect(!dumped(proof).contains(proof.text))
    }
}
