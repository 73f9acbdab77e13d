// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import LatchFoundation
import LatchJOSE
import TestTags
import Testing

@Suite struct VerifierTests {
    private let key: Key
    private let keys: KeySet

    init() throws {
        key = try Key.generate(.eddsa, id: "k1")
        keys = KeySet([key])
    }

    private func verifier(
        issuer: String? = nil, audience: String? = nil, type: String? = nil, leeway: Duration = .seconds(30),
        requiresExpiry: Bool = true, now: Double = 1_000
    ) -> JWTVerifier {
        JWTVerifier(
            keys: keys, algorithms: [.eddsa], issuer: issuer, audience: audience, type: type, leeway: leeway,
            requiresExpiry: requiresExpiry, clock: .stopped(at: now))
    }

    @Test(
        .tags(.tokenTimes),
        arguments: [
            (999.0, true), (1_000, true), (1_029.999, true), (1_030, false), (1_031, false), (5_000, false),
        ])
    func `A verifier takes a token until its expiry and the leeway are over`(now: Double, isTaken: Bool) throws {
        let text = try JWT.sign(["exp": 1_000], with: key)
        if isTaken {
            _ = try verifier(now: now).verify(text)
        } else {
            #expect(throws: JOSEError.expired) { try verifier(now: now).verify(text) }
        }
        #expect(throws: JOSEError.expired) { try verifier(leeway: .zero, now: 1_000).verify(text) }
    }

    private struct AccessClaims: Decodable, Equatable {
        let sub: String
        let roles: [String]
        let exp: Date
    }

    @Test func `A verifier decodes the claims of a token as a type`() throws {
        let text = try JWT.sign(["sub": "ada", "roles": ["admin"], "exp": 2_000], with: key)
        let claims = try verifier().verify(text, as: AccessClaims.self)
        expectEqual(claims, AccessClaims(sub: "ada", roles: ["admin"], exp: Date(timeIntervalSince1970: 2_000)))
    }

    @Test(arguments: [["sub": "ada", "exp": 2_000], ["sub": 1, "roles": [], "exp": 2_000]] as [Claims])
    func `A verifier refuses claims that do not fit the type, and quotes nothing of them`(claims: Claims) throws {
        let text = try JWT.sign(claims, with: key)
        let error = #expect(throws: JOSEError.malformedToken) { try verifier().verify(text, as: AccessClaims.self) }
        expectEqual(error?.message.contains("ada"), false)
    }

    @Test func `A verifier verifies a token before it decodes the claims`() throws {
        let text = try JWT.sign(["sub": "ada"], with: key)
        #expect(throws: JOSEError.missingClaim) { try verifier().verify(text, as: AccessClaims.self) }
    }

    @Test(.tags(.tokenTimes), arguments: ["nbf", "iat"])
    func `A verifier refuses a token from the future, beyond the leeway`(name: String) throws {
        var claims: Claims = ["exp": 5_000]
        claims[name] = 1_000
        let text = try JWT.sign(claims, with: key)
        _ = try verifier(now: 1_000).verify(text)
        _ = try verifier(now: 970).verify(text)
        #expect(throws: JOSEError.notYetValid) { try verifier(now: 969).verify(text) }
    }

    @Test(
        .tags(.tokenTimes), arguments: ["exp", "nbf", "iat"],
        [JSONValue.string("2000"), .null, .bool(true), [2000], [:], "tomorrow"])
    func `A verifier refuses a time that is not a number`(name: String, value: JSONValue) throws {
        var claims: Claims = ["exp": 2_000]
        claims[name] = value
        let text = try JWT.sign(claims, with: key)
        // A start that is null is none.
        guard name != "nbf" || value != .null else { return _ = try verifier().verify(text) }
        #expect { try verifier().verify(text) } throws: { JOSEError.malformedToken ~= $0 }
    }

    @Test(.tags(.tokenTimes)) func `A verifier takes a time with a fraction, and any that a float can hold`() throws {
        let fraction = try JWT.sign(["exp": 1_000.5], with: key)
        _ = try verifier(leeway: .zero, now: 1_000.25).verify(fraction)
        #expect(throws: JOSEError.expired) { try verifier(leeway: .zero, now: 1_000.5).verify(fraction) }
        for time: JSONValue in [.number(1e300), .integer(.max), .number(1e18)] {
            _ = try verifier().verify(JWT.sign(Claims(["exp": time]), with: key))
        }
        for time: JSONValue in [.number(-1e300), .integer(.min), 0, .number(-0.5)] {
            let text = try JWT.sign(Claims(["exp": time]), with: key)
            #expect(throws: JOSEError.expired) { try verifier().verify(text) }
        }
    }

    @Test func `A verifier refuses a token that is valid forever, unless configured`() throws {
        let text = try JWT.sign(["sub": "u1"], with: key)
        #expect { try verifier().verify(text) } throws: { JOSEError.missingClaim ~= $0 }
        try expectEqual(verifier(requiresExpiry: false).verify(text).subject, "u1")
    }

    @Test(
        .tags(.tokenTimes),
        arguments: [
            nil, "https://id.example/", "https://ID.example", "http://id.example", "", 1, ["https://id.example"],
        ] as [JSONValue?])
    func `A verifier refuses another issuer, or none`(issuer: JSONValue?) throws {
        var claims: Claims = ["exp": 2_000]
        claims["iss"] = issuer
        let text = try JWT.sign(claims, with: key)
        #expect(throws: JOSEError.wrongIssuer) { try verifier(issuer: "https://id.example").verify(text) }
        claims["iss"] = "https://id.example"
        let right = try JWT.sign(claims, with: key)
        _ = try verifier(issuer: "https://id.example").verify(right)
    }

    @Test(
        .tags(.tokenTimes),
        arguments: [nil, "other", "API", "", 1, [], ["other", "else"], ["api", 1], ["x": "api"], [["api"]]]
            as [JSONValue?])
    func `A verifier refuses a token for another audience, or for none`(audience: JSONValue?) throws {
        var claims: Claims = ["exp": 2_000]
        claims["aud"] = audience
        let text = try JWT.sign(claims, with: key)
        #expect(throws: JOSEError.wrongAudience) { try verifier(audience: "api").verify(text) }
    }

    @Test(.tags(.tokenTimes)) func `A verifier takes a token for its audience, by itself or among others`() throws {
        for audience: JSONValue in ["api", ["api"], ["other", "api"]] {
            let text = try JWT.sign(Claims(["exp": 2_000, "aud": audience]), with: key)
            _ = try verifier(audience: "api").verify(text)
            #expect(throws: JOSEError.wrongAudience) { try verifier().verify(text) }
        }
    }

    @Test(.tags(.tokenForgery))
    func `A verifier distinguishes access tokens, refresh tokens and ID tokens by their type`() throws {
        for type in ["JWT", "rt+jwt", "id+jwt", "at+jw", "at+jwt2", "", nil] {
            let text = try JWT.sign(["exp": 2_000], with: key, type: type)
            #expect(throws: JOSEError.wrongType) { try verifier(type: "at+jwt").verify(text) }
            _ = try verifier().verify(text)
        }
        for type in ["at+jwt", "AT+JWT", "application/at+jwt", "Application/AT+jwt"] {
            _ = try verifier(type: "at+jwt").verify(JWT.sign(["exp": 2_000], with: key, type: type))
        }
    }

    @Test(.tags(.keyRotation)) func `A verifier takes the tokens of an old key for as long as the set has it`() throws {
        let next = try Key.generate(.eddsa, id: "k2")
        let old = try JWT.sign(["exp": 2_000], with: key)
        let new = try JWT.sign(["exp": 2_000], with: next)
        func verifier(_ keys: [Key]) -> JWTVerifier {
            JWTVerifier(keys: KeySet(keys), algorithms: [.eddsa], clock: .stopped(at: 1_000))
        }
        for text in [old, new] { _ = try verifier([key, next]).verify(text) }
        #expect(throws: JOSEError.unknownKey) { try verifier([next]).verify(old) }
        #expect(throws: JOSEError.unknownKey) { try verifier([key]).verify(new) }
        #expect(throws: JOSEError.unknownKey) { try verifier([]).verify(new) }
    }

    @Test func `A verifier finds the key of a token that names none`() throws {
        let nameless = Key(try P256.Signing.PrivateKey(), id: nil)
        let text = try JWT.sign(["exp": 2_000], with: nameless)
        let set = KeySet([try Key.generate(.es256, id: "a"), nameless, try Key.generate(.es256, id: "b")])
        _ = try JWTVerifier(keys: set, algorithms: [.es256], clock: .stopped(at: 1_000)).verify(text)
    }

    @Test func `A verifier accepts nothing if no algorithm is listed`() throws {
        let text = try JWT.sign(["exp": 2_000], with: key)
        let verifier = JWTVerifier(keys: keys, algorithms: [], clock: .stopped(at: 1_000))
        #expect(throws: JOSEError.refusedAlgorithm) { try verifier.verify(text) }
    }

    @Test(.tags(.hugeToken)) func `A verifier takes tokens up to its limit and none beyond`() throws {
        let text = try JWT.sign(["exp": 2_000, "x": .string(String(repeating: "a", count: 1000))], with: key)
        func verifier(limit: Int) -> JWTVerifier {
            JWTVerifier(keys: keys, algorithms: [.eddsa], limit: limit, clock: .stopped(at: 1_000))
        }
        _ = try verifier(limit: text.utf8.count).verify(text)
        #expect { try verifier(limit: text.utf8.count - 1).verify(text) } throws: { JOSEError.malformedToken ~= $0 }
    }

    @Test func `A verifier remembers many headers without mixing them up`() throws {
        let keys = try (0..<40).map { try Key.generate(.eddsa, id: "key-\($0)") }
        let verifier = JWTVerifier(keys: KeySet(keys), algorithms: [.eddsa], clock: .stopped(at: 1_000))
        for round in 0..<3 {
            for (number, key) in keys.enumerated() {
                let text = try JWT.sign(["exp": 2_000, "sub": .string("\(number)-\(round)")], with: key)
                let token = try verifier.verifiedToken(text)
                expectEqual(token.claims.subject, "\(number)-\(round)")
                expectEqual(token.header.keyID, key.id)
            }
        }
    }
}
