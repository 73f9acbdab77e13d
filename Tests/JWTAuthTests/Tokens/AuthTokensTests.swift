// SPDX-License-Identifier: Apache-2.0

import Foundation
import JWTAuthDependencies
import LatchCore
import LatchJOSE
import LatchTesting
import TestTags
import Testing

/// A token of these very bytes, signed by nobody.
private func tokens(_ payload: String, header: String = #"{"alg":"ES256","typ":"JWT"}"#) -> AuthTokens {
    let parts = [header, payload, "signature"].map { Base64URL.encode(Array($0.utf8)) }
    return AuthTokens(access: parts.joined(separator: "."), refresh: "refresh")
}

@Suite struct TokenClaimsTests {
    let rich = tokens(
        #"{"s":"Ada","b":true,"i":42,"d":1.5,"t":1800000000,"roles":["admin","user"],"mixed":["a",1],"u":"Zoë 👩‍💻","n":null}"#
    )

    @Test(.tags(.tokenClaims)) func `The claims of an access token are read by their types`() {
        #expect(rich[string: "s"] == "Ada")
        #expect(rich[boolean: "b"] == true)
        #expect(rich[int: "i"] == 42)
        #expect(rich[double: "d"] == 1.5)
        #expect(rich[double: "i"] == 42)
        #expect(rich[date: "t"] == Date(timeIntervalSince1970: 1_800_000_000))
        #expect(rich[strings: "roles"] == ["admin", "user"])
        #expect(rich[string: "u"] == "Zoë 👩‍💻")
    }

    @Test(.tags(.tokenClaims)) func `The claims of an access token are nil if they are missing or of another type`() {
        #expect(rich[string: "i"] == nil)
        #expect(rich[boolean: "i"] == nil)
        #expect(rich[int: "d"] == nil)
        #expect(rich[int: "s"] == nil)
        #expect(rich[double: "s"] == nil)
        #expect(rich[date: "s"] == nil)
        #expect(rich[strings: "s"] == nil)
        #expect(rich[strings: "mixed"] == nil)
        #expect(rich[string: "n"] == nil)
        #expect(rich[string: "none"] == nil)
    }

    @Test(.tags(.tokenClaims), arguments: [0, 1, 2, 3])
    func `The claims of an access token are read from base64url of any length without padding`(length: Int) {
        let text = String(repeating: "x", count: length)
        #expect(tokens(#"{"a":"\#(text)?>~"}"#)[string: "a"] == "\(text)?>~")
    }

    @Test(
        .tags(.tokenClaims),
        arguments: [
            "", "opaque", "a.b", "a.b.c.d", ".e30.", "e30.e30=.c2ln", "e30.bm90IGpzb24.c2ln",
            "eyJhbGciOiJFUzI1NiJ9.W10.c2ln",
        ])
    func `The claims of an access token are nil for an invalid token, which is reported as invalidToken`(text: String) {
        let broken = AuthTokens(access: text, refresh: "refresh")
        #expect(broken[string: "sub"] == nil)
        #expect(throws: AuthTokens.Error.invalidToken) { try broken.toJWT() }
    }

    @Test
    func `The claims of an access token are those of the decoded token, whose signature can be verified too`() throws {
        let key = try Key.generate(.es256)
        let signed = AuthTokens(
            access: try JWT.sign(["sub": "ada", "aud": "api", "exp": 9e9], with: key), refresh: "refresh")
        #expect(try signed.toJWT().claims.string("sub") == "ada")
        func verifier(_ key: Key, audience: String) throws -> JWTVerifier {
            let publicKey = try #require(key.publicKey)
            return JWTVerifier(keys: KeySet([publicKey]), algorithms: [.es256], audience: audience)
        }
        #expect(throws: JOSEError.wrongAudience) {
            try signed.claims(verifiedBy: verifier(key, audience: "other"))
        }
        #expect(throws: JOSEError.self) {
            try signed.claims(verifiedBy: verifier(Key.generate(.es256), audience: "api"))
        }
    }
}

@Suite struct TokenTimeTests {
    let clock = ManualClock()

    private func ending(_ seconds: Double) -> AuthTokens {
        tokens(#"{"exp":\#(clock.now.timeIntervalSince1970 + seconds)}"#)
    }

    /// The state by the test's clock.
    private func isExpired(_ tokens: AuthTokens) -> Bool {
        withDependencies {
            $0.wallClock = clock.wallClock()
        } operation: {
            tokens.isExpired
        }
    }

    @Test(.tags(.tokenExpiry), arguments: [(-3600.0, true), (-1, true), (0, true), (1, false), (3600, false)])
    func `An access token has expired from its end on`(seconds: Double, isOver: Bool) {
        #expect(isExpired(ending(seconds)) == isOver)
    }

    @Test(.tags(.tokenExpiry)) func `An access token expires by the clock of the dependencies`() {
        let soon = ending(60)
        #expect(!isExpired(soon))
        clock.advance(by: .seconds(60))
        #expect(isExpired(soon))
    }

    @Test(.tags(.tokenExpiry)) func `An access token can count as expired some time before its end`() {
        #expect(ending(29).isExpired(at: clock.now, leeway: .seconds(30)))
        #expect(!ending(31).isExpired(at: clock.now, leeway: .seconds(30)))
        #expect(!ending(1).isExpired(at: clock.now, leeway: .milliseconds(500)))
        #expect(ending(0.25).isExpired(at: clock.now, leeway: .milliseconds(500)))
    }

    @Test(.tags(.tokenExpiry))
    func `An access token without an end never expires, and one with an unreadable end has expired`() {
        #expect(!isExpired(tokens(#"{"sub":"ada"}"#)))
        #expect(isExpired(tokens(#"{"exp":"soon"}"#)))
        #expect(isExpired(tokens(#"{"exp":null}"#)))
        #expect(isExpired(tokens(#"{"exp":true}"#)))
        #expect(isExpired(AuthTokens(access: "opaque", refresh: "refresh")))
    }

    @Test(.tags(.tokenSession)) func `An expired access token is an error if a valid one is required`() throws {
        try withDependencies {
            $0.wallClock = clock.wallClock()
        } operation: {
            let jwt = try ending(60).validateAccessToken()
            #expect(jwt.claims.date("exp") == clock.now.addingTimeInterval(60))
            #expect(throws: AuthTokens.Error.expiredToken) { try ending(-60).validateAccessToken() }
            #expect(throws: AuthTokens.Error.invalidToken) {
                try AuthTokens(access: "opaque", refresh: "").validateAccessToken()
            }
        }
    }

    @Test(.tags(.tokenSession)) func `The time of an access token decides the state of a session`() {
        withDependencies {
            $0.wallClock = clock.wallClock()
        } operation: {
            let (valid, expired) = (ending(60), ending(-60))
            #expect(valid.toSession() == .valid(valid))
            #expect(expired.toSession() == .expired(expired))
            #expect(valid.toSession().tokens == valid)
            #expect(expired.toSession().tokens == expired)
            #expect(!valid.toSession().isExpired)
            #expect(expired.toSession().isExpired)
        }
        #expect(AuthSession.missing.tokens == nil)
        #expect(!AuthSession.missing.isExpired)
    }
}

@Suite struct AuthTokensTests {
    let pair = tokens(#"{"exp":1800000000}"#)

    @Test func `A pair of tokens is the same pair after it was written and read`() throws {
        let json = try JSONEncoder().encode(pair)
        let read = try JSONDecoder().decode(AuthTokens.self, from: json)
        #expect(read == pair)
        #expect(read.hashValue == pair.hashValue)
        #expect(read[date: "exp"] == pair[date: "exp"])
        let members = try JSONValue(parsing: Array(json)).objectValue?.keys.sorted()
        #expect(members == ["access", "refresh"])
    }

    @Test func `A pair of tokens differs by each of its texts`() {
        #expect(pair != AuthTokens(access: pair.access, refresh: "other"))
        #expect(pair != AuthTokens(access: "other", refresh: pair.refresh))
        #expect(Set([pair, pair, AuthTokens(access: pair.access, refresh: "other")]).count == 2)
    }

    @Test func `A pair of tokens has errors with the original's texts`() {
        #expect(AuthTokens.Error.missingToken.errorDescription == "The token seems to be missing.")
        #expect(AuthTokens.Error.invalidToken.errorDescription == "The token is invalid.")
        #expect(AuthTokens.Error.expiredToken.errorDescription == "The token is expired.")
        #expect(AuthTokens.Error.allCases.allSatisfy { $0.title == "Session Error" })
        #expect((AuthTokens.Error.expiredToken as any Error).localizedDescription == "The token is expired.")
    }
}
