// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@Suite(.tags(.proofReplay)) struct DPoPVerifierTests {
    let clock = ManualClock()
    let key: Key
    let verifier: DPoPVerifier

    init() throws {
        key = try Key.generate(.es256)
        verifier = DPoPVerifier(clock: clock.wallClock())
        // Before, proofs need a nonce.
        clock.advance(by: 61)
    }

    private var publicJWK: JSONObject { JSONObject(key.jwk.filter { !["kid", "alg", "use"].contains($0.key) }) }

    private var claims: JSONObject {
        [
            "jti": "proof-1", "htm": "GET", "htu": "https://api.example.com/notes",
            "iat": .integer(Int64(clock.now.timeIntervalSince1970)),
        ]
    }

    /// A proof of any shape, signed by the key.
    private func proof(
        _ claims: JSONObject? = nil, header: JSONObject = [:], with signing: Key? = nil
    ) throws -> String {
        var members: JSONObject = ["typ": "dpop+jwt", "jwk": .object(publicJWK)]
        for member in header { members[member.key] = member.value == .null ? JSONValue?.none : member.value }
        let payload = JSONValue.object(claims ?? self.claims).serialized()
        return try JWS.sign(payload, with: signing ?? key, header: members)
    }

    private func changed(_ name: String, to value: JSONValue?) -> JSONObject {
        var claims = claims
        claims[name] = value
        return claims
    }

    @discardableResult
    private func verify(
        _ proof: String, method: HTTPMethod = .get, path: String = "/notes", by verifier: DPoPVerifier? = nil
    ) throws -> DPoPProof {
        try (verifier ?? self.verifier).verify(.example(method, path, fields: ["DPoP": proof]))
    }

    @Test func `A verifier of proofs accepts a proof that any implementation makes by the rules`() throws {
        let thumbprint = try verify(proof()).thumbprint
        expectEqual(thumbprint, key.thumbprint)
    }

    @Test func `A verifier of proofs requires exactly one field with one token`() throws {
        let text = try proof()
        #expect(throws: AuthError.refusedProof) { try verifier.verify(.example(.get, "/notes")) }
        #expect(throws: AuthError.refusedProof) {
            try verifier.verify(.example(.get, "/notes", fields: ["DPoP": text, "dpop": try proof()]))
        }
        for malformed in ["", text + ", " + text, text + ".", "a.b.c", String(repeating: "a", count: 10_000)] {
            #expect(throws: AuthError.refusedProof) { try verify(malformed) }
        }
    }

    @Test(arguments: ["jti", "htm", "htu", "iat"])
    func `A verifier of proofs requires every claim with its type`(name: String) throws {
        #expect(throws: AuthError.refusedProof) { try verify(proof(changed(name, to: nil))) }
        #expect(throws: AuthError.refusedProof) { try verify(proof(changed(name, to: ["x"]))) }
        #expect(throws: AuthError.refusedProof) { try verify(proof(changed(name, to: ""))) }
    }

    @Test(arguments: [JSONValue.null, "JWT", "application/dpop+jwt", "at+jwt", "DPOP+JWT"])
    func `A verifier of proofs requires the type of a proof, so no other token passes for one`(type: JSONValue) throws {
        #expect(throws: AuthError.refusedProof) { try verify(proof(header: ["typ": type])) }
    }

    @Test func `A verifier of proofs refuses a key that is private, absent or another one`() throws {
        let other = try Key.generate(.es256)
        let whole = try key.jwkWithSecretsForStorage()
        for jwk in [.null, "text", .object(whole), .object(["kty": "oct", "k": "AAAA"]), .object(other.jwk)]
            as [JSONValue]
        {
            #expect(throws: AuthError.refusedProof) { try verify(proof(header: ["jwk": jwk])) }
        }
        #expect(throws: AuthError.refusedProof) { try verify(proof(with: other)) }
    }

    @Test func `A verifier of proofs refuses a shared secret as a key, even if it is allowed`() throws {
        let secret = try Key.generate(.hs256)
        var jwk = try secret.jwkWithSecretsForStorage()
        jwk["kid"] = nil
        let verifier = DPoPVerifier(algorithms: [.hs256, .es256], clock: clock.wallClock(), memory: allNew)
        let text = try proof(header: ["jwk": .object(jwk)], with: secret)
        #expect(throws: AuthError.refusedProof) { try verify(text, by: verifier) }
    }

    @Test func `A verifier of proofs refuses an algorithm that it does not list`() throws {
        let rsa = try Key.generate(.rs256)
        let text = try proof(header: ["jwk": .object(JSONObject(rsa.jwk.filter { $0.key != "kid" }))], with: rsa)
        #expect(throws: AuthError.refusedProof) { try verify(text) }
        let lenient = DPoPVerifier(algorithms: [.rs256], clock: clock.wallClock(), memory: allNew)
        #expect(throws: Never.self) { try verify(text, by: lenient) }
        #expect(throws: AuthError.refusedProof) { try verify(proof(), by: lenient) }
    }

    @Test(arguments: [
        ("POST", "/notes"), ("get", "/notes"), ("GET", "/notes/"), ("GET", "/Notes"), ("GET", "/"),
        ("GET", "/notes%2F"),
    ])
    func `A verifier of proofs refuses a proof for another message`(method: String, path: String) throws {
        #expect(throws: AuthError.refusedProof) {
            try verify(proof(), method: HTTPMethod(rawValue: method), path: path)
        }
    }

    @Test(arguments: [
        ("https://api.example.com/notes", "/notes?page=2"), ("https://API.example.com:443/notes", "/notes"),
        ("HTTPS://api.example.com/notes?x#y", "/notes"), ("https://api.example.com/%6Eotes", "/notes"),
        ("https://api.example.com/a%2fb", "/a%2Fb"), ("https://api.example.com", "/"),
        ("https://api.example.com/a%ZZ%", "/a%ZZ%"),
    ])
    func `A verifier of proofs compares addresses in one spelling, without query and fragment`(
        target: String, path: String
    ) throws {
        #expect(throws: Never.self) { try verify(proof(changed("htu", to: .string(target))), path: path) }
    }

    @Test(arguments: [
        "http://api.example.com/notes", "https://api.example.com:8443/notes", "https://evil.com/notes", "/notes",
        "https://api.example.com@evil.com/notes", "https://u@api.example.com/notes", "api.example.com/notes",
    ])
    func `A verifier of proofs refuses a proof for another place`(target: String) throws {
        #expect(throws: AuthError.refusedProof) { try verify(proof(changed("htu", to: .string(target)))) }
    }

    @Test func `A verifier of proofs uses the configured origin behind a proxy`() throws {
        var request = HTTPRequest(scheme: "http", authority: "10.0.0.7:8080", path: "/notes")
        request.fields["DPoP"] = try proof()
        #expect(throws: AuthError.refusedProof) { try verifier.verify(request) }
        let origin = HTTPOrigin(scheme: "https", authority: "api.example.com")
        #expect(throws: Never.self) { try verifier.verify(request, at: origin) }
    }

    @Test(arguments: [(-61.0, false), (-59, true), (0, true), (59, true), (61, false), (1e300, false)])
    func `A verifier of proofs accepts a proof within a minute of its date`(seconds: Double, isTaken: Bool) throws {
        // Here also the earliest one is dated after the start.
        clock.advance(by: 60)
        let made = clock.now.timeIntervalSince1970 + seconds
        let text = try proof(changed("iat", to: .number(made)))
        if isTaken {
            #expect(throws: Never.self) { try verify(text) }
        } else {
            #expect(throws: AuthError.refusedProof) { try verify(text) }
        }
    }

    @Test func `A verifier of proofs requires the hash of the token, and the key that it is bound to`() throws {
        let hash = Base64URL.encode(Array(SHA256.hash(data: Array("token".utf8))))
        let request = HTTPRequest.example(
            .get, "/notes", fields: ["DPoP": try proof(changed("ath", to: .string(hash)))])
        let bare = HTTPRequest.example(.get, "/notes", fields: ["DPoP": try proof()])
        let print = key.thumbprint
        #expect(throws: AuthError.refusedProof) { try verifier.verify(bare, accessToken: "token", boundTo: print) }
        #expect(throws: AuthError.refusedProof) { try verifier.verify(request, accessToken: "other", boundTo: print) }
        #expect(throws: AuthError.refusedProof) { try verifier.verify(request, accessToken: "token", boundTo: "") }
        // None of these refusals has used the proof up.
        #expect(throws: Never.self) { try verifier.verify(request, accessToken: "token", boundTo: print) }
    }

    @Test func `A verifier of proofs takes no proof or name twice, but the same name of another key`() throws {
        let text = try proof()
        try verify(text)
        #expect(throws: AuthError.refusedProof) { try verify(text) }
        #expect(throws: AuthError.refusedProof) { try verify(proof(changed("ath", to: "x"))) }
        let other = try Key.generate(.es256)
        let jwk = JSONObject(other.jwk.filter { $0.key != "kid" })
        #expect(throws: Never.self) { try verify(proof(header: ["jwk": .object(jwk)], with: other)) }
    }

    @Test func `A verifier of proofs takes no proof twice although its memory is small`() throws {
        let small = DPoPVerifier(capacity: 10, clock: clock.wallClock(), memory: allNew)
        var texts: [String] = []
        for number in 0..<40 {
            if number % 4 == 0 { clock.advance(by: 1) }
            texts.append(try proof(changed("jti", to: .string("\(number)"))))
            try verify(texts[number], by: small)
        }
        for text in texts { #expect(throws: AuthError.refusedProof) { try verify(text, by: small) } }
    }

    @Test func `A verifier of proofs serves others while a client fills its memory with proofs of the future`() throws {
        let small = DPoPVerifier(capacity: 10, clock: clock.wallClock(), memory: allNew)
        let later = Int64(clock.now.timeIntervalSince1970) + 50
        for number in 0..<30 {
            var claims = changed("jti", to: .string("flood-\(number)"))
            claims["iat"] = .integer(later)
            do { try verify(proof(claims), by: small) } catch AuthError.refusedProof {
                // The second is full, and refused from then on.
            }
        }
        for number in 0..<3 {
            try verify(proof(changed("jti", to: .string("honest-\(number)"))), by: small)
            clock.advance(by: 1)
        }
    }

    @Test
    func `A verifier of proofs refuses, when its memory is full, only proofs of the key that has filled it`() throws {
        let small = DPoPVerifier(capacity: 100, clock: clock.wallClock(), memory: allNew)
        let flooder = try DPoPKey.generate(clock: clock.wallClock())
        let target = try url("https://api.example.com/notes")
        func flood() throws -> [String] {
            try (0..<40).map { _ in
                let text = try flooder.proof(.get, target).text
                do { try verify(text, by: small) } catch AuthError.refusedProof {
                    // The key is over its share in this second.
                }
                return text
            }
        }
        var (floods, honest): ([String], [String]) = ([], [])
        for second in 0..<30 {
            floods += try flood()
            let text = try proof(changed("jti", to: .string("honest-\(second)")))
            try verify(text, by: small)
            honest.append(text)
            clock.advance(by: 1)
        }
        for text in floods + honest { #expect(throws: AuthError.refusedProof) { try verify(text, by: small) } }
    }

    @Test func `A verifier of proofs takes no proof twice although many keys fill its memory`() throws {
        let small = DPoPVerifier(capacity: 40, clock: clock.wallClock(), memory: allNew)
        let target = try url("https://api.example.com/notes")
        var texts: [String] = []
        for _ in 0..<100 {
            let text = try DPoPKey.generate(clock: clock.wallClock()).proof(.get, target).text
            do { try verify(text, by: small) } catch AuthError.refusedProof {
                // The second is full, and refused from then on.
            }
            texts.append(text)
        }
        for text in texts { #expect(throws: AuthError.refusedProof) { try verify(text, by: small) } }
        clock.advance(by: 1)
        try verify(proof(), by: small)
    }

    @Test(arguments: [-59.0, 0, 1, 30, 59])
    func `A verifier of proofs takes no proof again after a restart, however far ahead it is dated`(seconds: Double)
        throws
    {
        clock.advance(by: 60)
        let text = try proof(changed("iat", to: .number(clock.now.timeIntervalSince1970 + seconds)))
        try verify(text)
        let restarted = DPoPVerifier(clock: clock.wallClock())
        for _ in 0..<125 {
            #expect(throws: AuthError.self) { try verify(text, by: restarted) }
            clock.advance(by: 1)
        }
    }

    @Test func `A verifier of proofs asks for a nonce after a start until no earlier proof can be valid`() throws {
        let restarted = DPoPVerifier(clock: clock.wallClock())
        #expect(throws: AuthError.staleProofNonce) { try verify(proof(), by: restarted) }
        let nonce = try #require(restarted.currentNonce)
        let text = try proof(changed("nonce", to: .string(nonce)))
        try verify(text, by: restarted)
        #expect(throws: AuthError.refusedProof) { try verify(text, by: restarted) }
        clock.advance(by: 61)
        try verify(proof(changed("jti", to: "proof-2")), by: restarted)
        clock.advance(by: 60)
        expectNil(restarted.currentNonce)
    }

    @Test func `A verifier of proofs with nonces of a shared secret refuses a proof older than itself`() throws {
        let nonces = try DPoPNonces(secret: [UInt8](repeating: 7, count: 16), clock: clock.wallClock())
        let text = try proof(changed("nonce", to: .string(nonces.current)))
        try verify(text, by: DPoPVerifier(nonces: nonces, clock: clock.wallClock()))
        clock.advance(by: 1)
        let restarted = DPoPVerifier(nonces: nonces, clock: clock.wallClock())
        #expect(throws: AuthError.refusedProof) { try verify(text, by: restarted) }
    }

    @Test(arguments: [("exp", 0.0, false), ("exp", 1, true), ("nbf", 61, false), ("nbf", 59, true), ("nbf", -9, true)])
    func `A verifier of proofs obeys an expiry that a proof has beside its date`(
        name: String, seconds: Double, isTaken: Bool
    ) throws {
        let text = try proof(changed(name, to: .number(clock.now.timeIntervalSince1970 + seconds)))
        if isTaken {
            #expect(throws: Never.self) { try verify(text) }
        } else {
            #expect(throws: AuthError.refusedProof) { try verify(text) }
        }
        #expect(throws: AuthError.refusedProof) { try verify(proof(changed(name, to: "soon"))) }
    }

    @Test func `A verifier of proofs takes no proof again after its own clock was set back`() throws {
        let text = try proof()
        try verify(text)
        clock.advance(by: 300)
        try verify(proof(changed("jti", to: "proof-2")))
        clock.jump(by: -300)
        #expect(throws: AuthError.refusedProof) { try verify(text) }
    }
}

/// The memory of processes that have accepted nothing so far.
private let allNew: @Sendable (String, Date) async throws -> Bool = { _, _ in true }

@Suite struct DPoPNonceTests {
    let clock = ManualClock()

    @Test func `The nonces of a server are accepted for a while, and never again`() {
        let nonces = DPoPNonces(lifetime: .seconds(300), clock: clock.wallClock())
        let first = nonces.current
        #expect(nonces.accepts(first))
        clock.advance(by: 150)
        #expect(nonces.accepts(first))
        expectNotEqual(nonces.current, first)
        clock.advance(by: 150)
        #expect(!nonces.accepts(first))
        #expect(!nonces.accepts(nil))
        #expect(!nonces.accepts(""))
    }

    @Test(arguments: [0, 1, 15]) func `The nonces of a server need a secret of 128 bits`(count: Int) throws {
        #expect(throws: CryptoError.unacceptableParameter) {
            try DPoPNonces(secret: [UInt8](repeating: 7, count: count))
        }
        #expect(throws: Never.self) { try DPoPNonces(secret: [UInt8](repeating: 7, count: 16)) }
    }

    @Test func `The nonces of a server are accepted by all servers that share the secret, and by no other`() throws {
        let secret = Array("0123456789abcdef".utf8)
        let (one, other) = (
            try DPoPNonces(secret: secret, clock: clock.wallClock()),
            try DPoPNonces(secret: secret, clock: clock.wallClock())
        )
        #expect(one.accepts(other.current))
        #expect(!DPoPNonces(clock: clock.wallClock()).accepts(one.current))
        expectNotEqual(DPoPNonces(clock: clock.wallClock()).current, DPoPNonces(clock: clock.wallClock()).current)
    }

    @Test func `The nonces of a server are requested if a proof lacks them, without using the proof up`() throws {
        let nonces = DPoPNonces(clock: clock.wallClock())
        let verifier = DPoPVerifier(nonces: nonces, clock: clock.wallClock())
        let key = try DPoPKey.generate(clock: clock.wallClock())
        let url = try #require(URL(string: "https://api.example.com/notes"))
        for nonce in [nil, "old"] {
            let proof = try key.proof(.get, url, nonce: nonce)
            #expect(throws: AuthError.staleProofNonce) {
                try verifier.verify(.example(.get, "/notes", fields: ["DPoP": proof.text]))
            }
        }
        let proof = try key.proof(.get, url, nonce: nonces.current)
        try expectEqual(verifier.verify(.example(.get, "/notes", fields: ["DPoP": proof.text])).nonce, nonces.current)
    }
}
