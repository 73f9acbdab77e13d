// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchFoundation
import LatchJOSE
import Testing

/// A claim about time, with the clock at which it begins or ceases to hold.
private struct Rule: Sendable, CustomTestStringConvertible {
    let claim: String
    let leeway: Double
    /// The last moment before the answer turns, and the first one after.
    let before: Double
    let after: Double
    /// Whether the token is taken before the turn; after it the opposite holds.
    let isTakenBefore: Bool
    let error: JOSEError

    var testDescription: String { "\(claim) with a leeway of \(leeway) s" }

    /// The claim says 1000; the moments are an eighth of a second apart, which a float holds exactly.
    static let all = [0, 0.5, 1, 30, 600, -10].flatMap { (leeway: Double) in
        [
            Rule(
                claim: "exp", leeway: leeway, before: 999.875 + leeway, after: 1_000 + leeway, isTakenBefore: true,
                error: .expired),
            Rule(
                claim: "nbf", leeway: leeway, before: 999.875 - leeway, after: 1_000 - leeway, isTakenBefore: false,
                error: .notYetValid),
            Rule(
                claim: "iat", leeway: leeway, before: 999.875 - leeway, after: 1_000 - leeway, isTakenBefore: false,
                error: .notYetValid),
        ]
    }
}

@Suite struct BoundaryTests {
    private let key: Key

    init() throws { key = try Key.generate(.eddsa, id: "k1") }

    private func verifier(now: Double, leeway: Double, requiresExpiry: Bool = false) -> JWTVerifier {
        JWTVerifier(
            keys: KeySet([key]), algorithms: [.eddsa], leeway: .milliseconds(Int(leeway * 1_000)),
            requiresExpiry: requiresExpiry, clock: .stopped(at: now))
    }

    @Test(arguments: Rule.all)
    private func `The end of a token's time lies exactly at the time and leeway of RFC 7519`(rule: Rule) throws {
        var claims = Claims()
        claims[rule.claim] = 1_000
        let text = try JWT.sign(claims, with: key)
        for (now, isTaken) in [(rule.before, rule.isTakenBefore), (rule.after, !rule.isTakenBefore)] {
            let verifier = verifier(now: now, leeway: rule.leeway)
            if isTaken {
                try expectEqual(verifier.verify(text), claims)
            } else {
                #expect(throws: rule.error) { try verifier.verify(text) }
            }
        }
    }

    @Test
    func `The end of a token's time is checked first: an expired token that is not yet valid is expired`() throws {
        let text = try JWT.sign(["exp": 10, "nbf": 5_000, "iat": 5_000], with: key)
        #expect(throws: JOSEError.expired) { try verifier(now: 1_000, leeway: 0).verify(text) }
        #expect(throws: JOSEError.notYetValid) { try verifier(now: 9, leeway: 0).verify(text) }
        _ = try verifier(now: 9, leeway: 4_991).verify(text)
    }

    @Test func `The end of a token's time is the same for an integer, a fraction and an exponent`() throws {
        for time: JSONValue in [1_000, .number(1_000), .number(1e3)] {
            let text = try JWT.sign(Claims(["exp": time]), with: key)
            _ = try verifier(now: 999.875, leeway: 0).verify(text)
            #expect(throws: JOSEError.expired) { try verifier(now: 1_000, leeway: 0).verify(text) }
        }
    }

    @Test func `The end of a token's time also counts for a clock before 1970`() throws {
        let text = try JWT.sign(["exp": -100, "nbf": -200], with: key)
        _ = try verifier(now: -150, leeway: 0).verify(text)
        #expect(throws: JOSEError.expired) { try verifier(now: -100, leeway: 0).verify(text) }
        #expect(throws: JOSEError.notYetValid) { try verifier(now: -201, leeway: 0).verify(text) }
    }

    @Test func `The end of a token's time lets nothing through if the expiry is not a finite date`() throws {
        for seconds in [Double.infinity, -.infinity, .nan] {
            var claims: Claims = ["sub": "u1"]
            claims.expiry = Date(timeIntervalSince1970: seconds)
            // JSON has no such number (RFC 8259 §6), so it is written as null, and null is no time.
            let text = try JWT.sign(claims, with: key)
            #expect { try verifier(now: 0, leeway: 0).verify(text) } throws: { JOSEError.malformedToken ~= $0 }
        }
    }

    @Test(arguments: ["exp", "nbf", "iat"], [JSONValue.null, "", "1000", false, [], [1_000], [:]])
    func `The end of a token's time is invalid for a time that is not a number`(claim: String, value: JSONValue)
        throws
    {
        var claims: Claims = ["exp": 5_000, "nbf": 1, "iat": 1]
        claims[claim] = value
        guard claim != "nbf" || value != .null else {
            // A start that is null is none.
            _ = try verifier(now: 1_000, leeway: 0).verify(try JWT.sign(claims, with: key))
            return
        }
        let text = try JWT.sign(claims, with: key)
        // In whatever state the other two are: a time that cannot be read is no reason to look at the next.
        #expect { try verifier(now: 1_000, leeway: 0).verify(text) } throws: { JOSEError.malformedToken ~= $0 }
        #expect { try verifier(now: 5_000, leeway: 600).verify(text) } throws: { JOSEError.malformedToken ~= $0 }
    }

    @Test
    func `The end of a token's time is required unless the verifier waives it, and nil is not waived by null`() throws {
        let without = try JWT.sign(["sub": "u1"], with: key)
        try expectEqual(verifier(now: 0, leeway: 0).verify(without).subject, "u1")
        #expect(throws: JOSEError.missingClaim("exp")) {
            try verifier(now: 0, leeway: 0, requiresExpiry: true).verify(without)
        }
        let null = try JWT.sign(["exp": .null], with: key)
        for requires in [true, false] {
            #expect { try verifier(now: 0, leeway: 0, requiresExpiry: requires).verify(null) } throws: {
                JOSEError.malformedToken ~= $0
            }
        }
    }

    @Test func `The end of a token's time equals the one of the claims without a leeway`() throws {
        for offset in stride(from: -2.0, through: 2, by: 0.25) {
            let now = 1_000 + offset
            let claims: Claims = ["exp": 1_000]
            let text = try JWT.sign(claims, with: key)
            let isExpired = claims.isExpired(at: Date(timeIntervalSince1970: now))
            if isExpired {
                #expect(throws: JOSEError.expired) { try verifier(now: now, leeway: 0).verify(text) }
            } else {
                _ = try verifier(now: now, leeway: 0).verify(text)
            }
        }
    }
}

@Suite struct VerifierOrderTests {
    private let key: Key
    private let other: Key

    init() throws {
        key = try Key.generate(.hs256, id: "k1")
        other = try Key.generate(.hs256, id: "k1")
    }

    private func verifier(_ algorithms: [SignatureAlgorithm] = [.hs256]) -> JWTVerifier {
        JWTVerifier(
            keys: KeySet([key]), algorithms: algorithms, issuer: "us", audience: "api", type: "at+jwt",
            clock: .stopped(at: 1_000))
    }

    @Test func `A verifier reports faults in the order of its checks, from the form to the audience`() throws {
        // Each token has all the faults of those after it, and the error names the first.
        let bad: Claims = ["exp": 1, "iss": "them", "aud": "else"]
        let wrongKey = try JWT.sign(bad, with: other, type: "x")
        let wrongType = try JWT.sign(bad, with: key, type: "x")
        let expired = try JWT.sign(bad, with: key, type: "at+jwt")
        let wrongIssuer = try JWT.sign(["exp": 2_000, "iss": "them", "aud": "else"], with: key, type: "at+jwt")
        let wrongAudience = try JWT.sign(["exp": 2_000, "iss": "us", "aud": "else"], with: key, type: "at+jwt")
        let right = try JWT.sign(["exp": 2_000, "iss": "us", "aud": "api"], with: key, type: "at+jwt")
        #expect(throws: JOSEError.refusedAlgorithm) { try verifier([.es256]).verify(wrongKey) }
        #expect(throws: JOSEError.badSignature) { try verifier().verify(wrongKey) }
        #expect(throws: JOSEError.wrongType) { try verifier().verify(wrongType) }
        #expect(throws: JOSEError.expired) { try verifier().verify(expired) }
        #expect(throws: JOSEError.wrongIssuer) { try verifier().verify(wrongIssuer) }
        #expect(throws: JOSEError.wrongAudience) { try verifier().verify(wrongAudience) }
        try expectEqual(verifier().verify(right).issuer, "us")
    }

    @Test func `A verifier's first fault is not softened by other valid parts of the token`() throws {
        let claims: Claims = ["exp": 2_000, "iss": "us", "aud": ["api", "api"], "nbf": 0, "iat": 0]
        _ = try verifier().verify(JWT.sign(claims, with: key, type: "AT+JWT"))
        for (name, value, error) in [
            ("iss", "us ", JOSEError.wrongIssuer), ("iss", "Us", .wrongIssuer), ("iss", .null, .wrongIssuer),
            ("aud", [], .wrongAudience), ("aud", [["api"]], .wrongAudience), ("aud", .null, .wrongAudience),
            ("aud", ["api", .null], .wrongAudience), ("exp", 970, .expired), ("nbf", 1_031, .notYetValid),
            ("iat", 1_031, .notYetValid),
        ] as [(String, JSONValue, JOSEError)] {
            var changed = claims
            changed[name] = value
            let text = try JWT.sign(changed, with: key, type: "at+jwt")
            #expect(throws: error, "\(name)") { try verifier().verify(text) }
        }
    }

    // RFC 7519 §4.1.1 and §4.1.3 compare by code points; Swift's String takes both spellings of é for equal.
    @Test func `A verifier reports another issuer or audience that differs only in the case of a letter`() throws {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        expectEqual(composed, decomposed)
        let verifier = JWTVerifier(
            keys: KeySet([key]), algorithms: [.hs256], issuer: composed, audience: composed, clock: .stopped(at: 0))
        let right: Claims = ["exp": 9, "iss": .string(composed), "aud": .string(composed)]
        _ = try verifier.verify(JWT.sign(right, with: key))
        var wrong = right
        wrong.issuer = decomposed
        let issuedElsewhere = try JWT.sign(wrong, with: key)
        #expect(throws: JOSEError.wrongIssuer) { try verifier.verify(issuedElsewhere) }
        wrong = right
        wrong.audience = [decomposed]
        let meantElsewhere = try JWT.sign(wrong, with: key)
        #expect(throws: JOSEError.wrongAudience) { try verifier.verify(meantElsewhere) }
    }
}
