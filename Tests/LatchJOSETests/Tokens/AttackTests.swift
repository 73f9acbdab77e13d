// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchFoundation
import LatchJOSE
import TestTags
import Testing

@Suite struct AttackTests {
    private let key: Key
    private let verifier: JWTVerifier
    private let claims: JSONValue = ["sub": "u1", "exp": 2_000]

    init() throws {
        key = try Key.generate(.es256, id: "k1")
        verifier = JWTVerifier(
            keys: KeySet([try #require(key.publicKey)]), algorithms: [.es256], clock: WallClock.stopped(at: 1_000))
    }

    /// A token of any header and claims, signed however `sign` does.
    private func forge(
        _ header: JSONValue, _ claims: JSONValue? = nil, signedBy sign: ([UInt8]) throws -> [UInt8]
    ) throws -> String {
        let content =
            Base64URL.encode(header.serialized()) + "." + Base64URL.encode((claims ?? self.claims).serialized())
        return content + "." + Base64URL.encode(try sign(Array(content.utf8)))
    }

    @Test func `A forged token is refused, while an honest one of the same making is not`() throws {
        let text = try forge(["alg": "ES256", "kid": "k1"]) { try key.signature(for: $0) }
        try expectEqual(verifier.verify(text).subject, "u1")
    }

    @Test(
        .tags(.tokenForgery),
        arguments: ["none", "None", "NONE", "nOnE", "", "HS256", "RS256", "ES384", "es256", "ES256 ", "EdDSA"])
    func `A forged token with another algorithm than the pinned one is refused`(name: String) throws {
        for signature: [UInt8] in [[], [0], [UInt8](repeating: 0, count: 64)] {
            let text = try forge(["alg": .string(name), "kid": "k1"]) { _ in signature }
            #expect(throws: JOSEError.refusedAlgorithm) { try verifier.verify(text) }
        }
        let signed = try forge(["alg": .string(name), "kid": "k1"]) { try key.signature(for: $0) }
        #expect(throws: JOSEError.refusedAlgorithm) { try verifier.verify(signed) }
    }

    @Test(.tags(.tokenForgery))
    func `A forged token with no algorithm, or one that is not a string, is refused`() throws {
        for algorithm: JSONValue? in [nil, .null, 1, true, ["ES256"], [:]] {
            var header: JSONObject = ["kid": "k1"]
            header["alg"] = algorithm
            let text = try forge(.object(header)) { try key.signature(for: $0) }
            #expect { try verifier.verify(text) } throws: { JOSEError.malformedToken ~= $0 }
        }
    }

    @Test(.tags(.tokenForgery))
    func `A forged token by HMAC with the public key as the secret is refused, even if HS256 is accepted`()
        throws
    {
        let generous = JWTVerifier(
            keys: KeySet([key]), algorithms: [.es256, .hs256, .rs256], clock: WallClock.stopped(at: 1_000))
        let publicKey = try #require(key.publicKey)
        let ec = try P256.Signing.PublicKey(
            rawRepresentation: Base64URL.decode(publicKey.jwk["x"]?.stringValue ?? "")
                + Base64URL.decode(publicKey.jwk["y"]?.stringValue ?? ""))
        let secrets = [
            Array(try ec.pem().utf8), ec.x963Representation, ec.rawRepresentation,
            JSONValue.object(publicKey.jwk).serialized(),
        ]
        for secret in secrets {
            let text = try forge(["alg": "HS256", "kid": "k1"]) {
                Array(HMAC<SHA256>.authenticationCode(for: $0, using: SymmetricKey(data: secret)))
            }
            #expect(throws: JOSEError.refusedAlgorithm) { try verifier.verify(text) }
            #expect(throws: JOSEError.unknownKey) { try generous.verify(text) }
        }
    }

    @Test(.tags(.tokenForgery)) func `A forged token that brings or points to its own key is refused`() throws {
        let own = try Key.generate(.es256, id: "own")
        let jwk = JSONValue.object(own.jwk)
        let headers: [JSONValue] = [
            ["alg": "ES256", "jwk": jwk], ["alg": "ES256", "kid": "own", "jwk": jwk],
            ["alg": "ES256", "kid": "k1", "jwk": jwk],
            ["alg": "ES256", "jku": "https://evil.example/jwks"], ["alg": "ES256", "x5u": "https://evil.example/cert"],
            ["alg": "ES256", "x5c": ["MIIB"]], ["alg": "ES256", "kid": "k1", "jku": "http://127.0.0.1/"],
        ]
        for header in headers {
            let text = try forge(header) { try own.signature(for: $0) }
            #expect(throws: JOSEError.self) { try verifier.verify(text) }
        }
        let ignored = try forge(["alg": "ES256", "kid": "k1", "jwk": jwk, "jku": "https://evil.example"]) {
            try key.signature(for: $0)
        }
        try expectEqual(verifier.verify(ignored).subject, "u1")
    }

    @Test(
        .tags(.tokenForgery),
        arguments: [
            "../../dev/null", "k1' OR '1'='1", "k1; DROP TABLE keys", "/etc/passwd", "K1", "k1 ", "k1\u{0}", "",
            "\u{6B}\u{301}1",
        ])
    func `A forged token with a crafted key name finds no key`(name: String) throws {
        let text = try forge(["alg": "ES256", "kid": .string(name)]) { try key.signature(for: $0) }
        #expect(throws: JOSEError.unknownKey) { try verifier.verify(text) }
    }

    @Test(.tags(.tokenForgery))
    func `A forged token with a critical header is refused, also with one that would be understood elsewhere`()
        throws
    {
        let headers: [JSONValue] = [
            ["alg": "ES256", "crit": ["b64"], "b64": false], ["alg": "ES256", "crit": ["exp"], "exp": 1],
            ["alg": "ES256", "crit": []], ["alg": "ES256", "crit": "b64"], ["alg": "ES256", "crit": .null],
            ["alg": "ES256", "b64": false], ["alg": "ES256", "crit": ["x"], "x": 1, "kid": "k1"],
        ]
        for header in headers {
            let text = try forge(header) { try key.signature(for: $0) }
            #expect(throws: JOSEError.refusedExtension) { try verifier.verify(text) }
        }
    }

    @Test(.tags(.tokenForgery)) func `A forged token with a claim or a header that stands twice is refused`() throws {
        func sign(_ header: String, _ claims: String) throws -> String {
            let content = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
            return content + "." + Base64URL.encode(try key.signature(for: Array(content.utf8)))
        }
        let twice = try sign(#"{"alg":"ES256"}"#, #"{"sub":"u1","sub":"admin","exp":2000}"#)
        #expect { try verifier.verify(twice) } throws: { JOSEError.malformedToken ~= $0 }
        let twoAlgorithms = try sign(#"{"alg":"none","alg":"ES256"}"#, #"{"exp":2000}"#)
        #expect { try verifier.verify(twoAlgorithms) } throws: { JOSEError.malformedToken ~= $0 }
    }

    @Test(.tags(.tokenForgery))
    func `A forged token on another curve or with another kind of key of the same name is refused`() throws {
        for algorithm in [SignatureAlgorithm.es384, .es512, .eddsa, .rs256, .hs256] {
            let other = try Key.generate(algorithm, id: "k1")
            let text = try forge(["alg": "ES256", "kid": "k1"]) { try other.signature(for: $0) }
            #expect(throws: JOSEError.badSignature) { try verifier.verify(text) }
            let set = JWTVerifier(keys: KeySet([other]), algorithms: [.es256], clock: WallClock.stopped(at: 1_000))
            #expect(throws: JOSEError.unknownKey) { try set.verify(text) }
        }
    }

    @Test(.tags(.signatureMalleability))
    func `A forged token with a signature in DER, empty, short, long, or of zeros is refused`() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        let changes: [@Sendable ([UInt8]) throws -> [UInt8]] = [
            { try P256.Signing.ECDSASignature(rawRepresentation: $0).derRepresentation }, { _ in [] },
            { $0.dropLast() },
            { $0 + [0] }, { _ in zero + zero }, { $0.prefix(32) + zero }, { zero + $0.suffix(32) }, { [0] + $0 },
        ]
        for change in changes {
            let text = try forge(["alg": "ES256", "kid": "k1"]) { try change(try key.signature(for: $0)) }
            #expect(throws: JOSEError.badSignature) { try verifier.verify(text) }
        }
    }

    @Test(arguments: [
        "", ".", "..", "...", "a.b", "a.b.c.d", "a..c", ".b.c", "e30.e30.", "e30.e30.e30", " ", "Bearer a.b.c", "é.é.é",
        "a.b.c\n",
        "W10.e30.AA", "bnVsbA.e30.AA", "IiI.e30.AA",
    ])
    func `A forged token without a token's form is refused`(text: String) {
        #expect(throws: JOSEError.self) { try verifier.verify(text) }
        #expect { try JWT(unverified: text) } throws: { JOSEError.malformedToken ~= $0 }
    }

    @Test(arguments: ["[]", "null", "1", "\"x\"", "{", "", "{\"exp\":2000}x", "{\"exp\":1e400}", "{\"a\":\"\\ud800\"}"])
    func `A forged token with claims that are not JSON object is refused`(payload: String) throws {
        let content = Base64URL.encode(Array(#"{"alg":"ES256"}"#.utf8)) + "." + Base64URL.encode(Array(payload.utf8))
        let text = content + "." + Base64URL.encode(try key.signature(for: Array(content.utf8)))
        #expect { try verifier.verify(text) } throws: { JOSEError.malformedToken ~= $0 }
    }

    @Test(.tags(.hugeToken)) func `A forged token of 10 MB, or with claims nested without end, is refused`() throws {
        let huge = String(repeating: "A", count: 10 << 20)
        for text in [huge, "\(huge).e30.AA", "e30.\(huge).AA", "e30.e30.\(huge)"] {
            #expect { try verifier.verify(text) } throws: { JOSEError.malformedToken ~= $0 }
            #expect { try JWT(unverified: text) } throws: { JOSEError.malformedToken ~= $0 }
        }
        var nested: JSONValue = 1
        for _ in 0..<40 { nested = ["a": nested] }
        let deep = try forge(["alg": "ES256"], nested) { try key.signature(for: $0) }
        #expect { try verifier.verify(deep) } throws: { JOSEError.malformedToken ~= $0 }
    }

    @Test func `A forged token is also refused after honest tokens have made its header known`() throws {
        let header: JSONValue = ["alg": "ES256", "kid": "k1"]
        for _ in 0..<3 { _ = try verifier.verify(forge(header) { try key.signature(for: $0) }) }
        let other = try Key.generate(.es256, id: "k1")
        let forged = try forge(header) { try other.signature(for: $0) }
        #expect(throws: JOSEError.badSignature) { try verifier.verify(forged) }
        let none = try forge(["alg": "none", "kid": "k1"]) { _ in [] }
        #expect(throws: JOSEError.refusedAlgorithm) { try verifier.verify(none) }
    }

    @Test func `A forged token leaves no trace of itself in the error`() throws {
        let text = try forge(["alg": "CANARY", "kid": "CANARY", "typ": "CANARY"], ["sub": "CANARY"]) { _ in [1] }
        for broken in [text, "CANARY.CANARY.CANARY", "CANARY"] {
            do {
                _ = try verifier.verify(broken)
                Issue.record("it was believed")
            } catch {
                var dumped = "\(error)"
                dump(error, to: &dumped)
                #expect(!dumped.contains("CANARY") && !dumped.contains(broken.prefix(12)))
            }
        }
    }
}

extension WallClock {
    /// A clock that always shows the same time.
    static func stopped(at seconds: Double) -> WallClock {
        WallClock(now: { Date(timeIntervalSince1970: seconds) }, sleep: { _ in })
    }
}
