// SPDX-License-Identifier: Apache-2.0

import Expectations
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
        expectEqual(rich[string: "s"], "Ada")
        expectEqual(rich[boolean: "b"], true)
        expectEqual(rich[int: "i"], 42)
        expectEqual(rich[double: "d"], 1.5)
        expectEqual(rich[double: "i"], 42)
        expectEqual(rich[date: "t"], Date(timeIntervalSince1970: 1_800_000_000))
        expectEqual(rich[strings: "roles"], ["admin", "user"])
        expectEqual(rich[string: "u"], "Zoë 👩‍💻")
    }

    @Test(.tags(.tokenClaims)) func `The claims of an access token are nil if they are missing or of another type`() {
        expectNil(rich[string: "i"])
        expectNil(rich[boolean: "i"])
        expectNil(rich[int: "d"])
        expectNil(rich[int: "s"])
        expectNil(rich[double: "s"])
        expectNil(rich[date: "s"])
        expectNil(rich[strings: "s"])
        expectNil(rich[strings: "mixed"])
        expectNil(rich[string: "n"])
        expectNil(rich[string: "none"])
    }

    @Test(.tags(.tokenClaims), arguments: [0, 1, 2, 3])
    func `The claims of an access token are read from base64url of any length without padding`(length: Int) {
        let text = String(repeating: "x", count: length)
        expectEqual(tokens(#"{"a":"\#(text)?>~"}"#)[string: "a"], "\(text)?>~")
    }

    @Test(
        .tags(.tokenClaims),
        arguments: [
            "", "opaque", "a.b", "a.b.c.d", ".e30.", "e30.e30=.c2ln", "e30.bm90IGpzb24.c2ln",
            "eyJhbGciOiJFUzI1NiJ9.W10.c2ln",
        ])
    func `The claims of an access token are nil for an invalid token, which is reported as invalidToken`(text: String) {
        let broken = AuthTokens(access: text, refresh: "refresh")
        expectNil(broken[string: "sub"])
        #expect(throws: AuthTokens.Error.invalidToken) { try broken.toJWT() }
    }

    @Test
    func `The claims of an access token are those of the decoded token, whose signature can be verified too`() throws {
        let key = try Key.generate(.es256)
        let signed = AuthTokens(
            access: try JWT.sign(["sub": "ada", "aud": "api", "exp": 9e9], with: key), refresh: "refresh")
        try expectEqual(signed.toJWT().claims.string("sub"), "ada")
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
        expectEqual(isExpired(ending(seconds)), isOver)
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
            expectEqual(jwt.claims.date("exp"), clock.now.addingTimeInterval(60))
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
            expectEqual(valid.toSession(), .valid(valid))
            expectEqual(expired.toSession(), .expired(expired))
            expectEqual(valid.toSession().tokens, valid)
            expectEqual(expired.toSession().tokens, expired)
            #expect(!valid.toSession().isExpired)
            #expect(expired.toSession().isExpired)
        }
        expectNil(AuthSession.missing.tokens)
        #expect(!AuthSession.missing.isExpired)
    }
}

@Suite struct AuthTokensTests {
    let pair = tokens(#"{"exp":1800000000}"#)

    @Test func `A pair of tokens is the same pair after it was written and read`() throws {
        let json = try JSONEncoder().encode(pair)
        let read = try JSONDecoder().decode(AuthTokens.self, from: json)
        expectEqual(read, pair)
        expectEqual(read.hashValue, pair.hashValue)
        expectEqual(read[date: "exp"], pair[date: "exp"])
        let members = try JSONValue(parsing: Array(json)).objectValue?.keys.sorted()
        expectEqual(members, ["access", "refresh"])
    }

    @Test func `A pair of tokens differs by each of its texts`() {
        expectNotEqual(pair, AuthTokens(access: pair.access, refresh: "other"))
        expectNotEqual(pair, AuthTokens(access: "other", refresh: pair.refresh))
        expectEqual(Set([pair, pair, AuthTokens(access: pair.access, refresh: "other")]).count, 2)
    }

    @Test func `A pair of tokens has errors with the original's texts`() {
        expectEqual(AuthTokens.Error.missingToken.errorDescription, "The token seems to be missing.")
        expectEqual(AuthTokens.Error.invalidToken.errorDescription, "The token is invalid.")
        expectEqual(AuthTokens.Error.expiredToken.errorDescription, "The token is expired.")
        #expect(AuthTokens.Error.allCases.allSatisfy { $0.title == "Session Error" })
        expectEqual((AuthTokens.Error.expiredToken as any Error).localizedDescription, "The token is expired.")
    }
}
