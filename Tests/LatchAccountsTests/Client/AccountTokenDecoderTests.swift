// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import Testing

@testable import LatchAccounts

@Suite struct AccountTokenDecoderTests {
    let clock = ManualClock()

    func tokens(
        _ body: String, fields: HTTPFields = [:], usesCookie: Bool = true, refreshing previous: Tokens? = nil
    ) throws -> Tokens {
        let answer = AccountTokenDecoder(
            endpoints: AccountEndpoints(), usesCookie: usesCookie, clock: clock.wallClock())
        let response = HTTPResponse(status: .ok, fields: fields, body: HTTPBody(body))
        return try answer.tokens(in: response, refreshing: previous)
    }

    func cookie(_ lines: [String], refreshing previous: Tokens? = nil) throws -> String? {
        var fields = HTTPFields()
        for line in lines { fields.append(line, for: .setCookie) }
        return try tokens(#"{"accessToken":"a"}"#, fields: fields, refreshing: previous).cookie
    }

    @Test(
        arguments: [
            ("900", 900), ("1.5", 1.5), ("0.5", nil), ("1e3", 1_000), ("0", nil), ("-1", nil), (#""900""#, 900),
            ("null", nil),
            ("true", nil), ("[]", nil),
        ] as [(String, Double?)])
    func `An answer with tokens lives as long as it says, and for an unknown time without a usable value`(
        life: String, seconds: Double?
    ) throws {
        let tokens = try tokens(#"{"accessToken":"a","expiresIn":\#(life)}"#)
        expectEqual(tokens.expiry, seconds.map { clock.now.addingTimeInterval($0) })
        expectEqual(tokens.issued, clock.now)
    }

    @Test func `An answer with tokens lives from the date of the answer, not from ours`() throws {
        let tokens = try tokens(
            #"{"access_token":"a","expires_in":60}"#, fields: [.date: "Sun, 06 Nov 1994 08:49:37 GMT"])
        expectEqual(tokens.issued, Date(timeIntervalSince1970: 784_111_777))
        expectEqual(tokens.expiry, Date(timeIntervalSince1970: 784_111_837))
    }

    /// The tokens with a JWT whose dates are so many seconds from now.
    private func tokens(iat: Double, exp: Double, fields: HTTPFields = [:]) throws -> Tokens {
        var claims = Claims()
        (claims.issuedAt, claims.expiry) = (clock.now.addingTimeInterval(iat), clock.now.addingTimeInterval(exp))
        let access = try JWT.sign(claims, with: Key.generate(.es256, id: "backend"))
        return try tokens(#"{"accessToken":"\#(access)"}"#, fields: fields)
    }

    @Test func `An answer with tokens expires with its JWT, by the clock of the answer's date`() throws {
        let date = clock.now.addingTimeInterval(-7200)
        let tokens = try tokens(iat: -9000, exp: -6300, fields: [.date: HTTPDate(date).description])
        expectEqual(tokens.expiry, clock.now.addingTimeInterval(-6300))
        expectEqual(tokens.issued, HTTPDate(date).date)
    }

    @Test(
        arguments: [
            // A backend that repeats the date of the sign-in.
            (-3600, 4, 0), (-3600, 900, 0),
            // This device is ahead, and behind.
            (-7200, -6300, -7200), (7200, 8100, 7200),
        ] as [(Double, Double, Double)])
    func `An answer with tokens without a date shows the backend's clock only if this one must be wrong`(
        iat: Double, exp: Double, issued: Double
    ) throws {
        let tokens = try tokens(iat: iat, exp: exp)
        expectEqual(tokens.issued, clock.now.addingTimeInterval(issued))
        expectEqual(tokens.expiry, clock.now.addingTimeInterval(exp))
    }

    @Test func `An answer with tokens brings the cookie that only this device's clock takes for expired`() throws {
        let date = clock.now.addingTimeInterval(-7200)
        let expiry = HTTPDate(clock.now.addingTimeInterval(-3600))
        let fields: HTTPFields = [
            .date: HTTPDate(date).description, .setCookie: "refreshToken=v; Expires=\(expiry)",
        ]
        try expectEqual(tokens(#"{"accessToken":"a"}"#, fields: fields).cookie, "refreshToken=v")
    }

    @Test(arguments: [
        "", "null", "7", "[]", "{}", #"{"accessToken":""}"#, #"{"accessToken":7}"#, #"{"accessToken":null}"#,
        #"{"accessToken":"a""#, #"{"AccessToken":"a"}"#,
    ])
    func `An answer with tokens without an access token is refused`(body: String) {
        #expect(throws: AccountError.invalidResponse) { try tokens(body) }
    }

    @Test func `An answer with tokens takes the spelling that has a value`() throws {
        try expectEqual(tokens(#"{"accessToken":"","access_token":"a"}"#).access, "a")
        try expectEqual(tokens(#"{"accessToken":"a","refreshToken":null,"refresh_token":"r"}"#).refresh, "r")
    }

    @Test(arguments: [
        "refreshToken=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "refreshToken=", "refreshToken=;",
        "refreshToken=deleted; Max-Age=0", "refreshToken=deleted; Path=/; max-age=-1",
        "refreshToken=deleted; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "other=v", "refreshTokens=v", "xrefreshToken=v",
        "refreshtoken=v", "refreshToken",
    ])
    func `An answer with tokens brings no cookie if it deletes it or sets another`(line: String) throws {
        try expectNil(cookie([line]))
    }

    @Test(arguments: [
        "refreshToken=v", "refreshToken=v; HttpOnly; Secure; SameSite=Strict", "refreshToken=v;Path=/;Max-Age=60",
        "refreshToken=v; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT",
        "refreshToken=v; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60",
        "refreshToken=v; Expires=Wed, 01 Jan 2098 00:00:00 GMT", "refreshToken=v; Expires=whenever",
        "refreshToken=v; Max-Age=soon",
    ])
    func `An answer with tokens brings the cookie without its attributes`(line: String) throws {
        try expectEqual(cookie([line]), "refreshToken=v")
    }

    @Test func `An answer with tokens keeps a value with equals signs whole`() throws {
        try expectEqual(cookie(["refreshToken=a=b==; Path=/"]), "refreshToken=a=b==")
    }

    @Test func `An answer with tokens brings the cookie it sets last, wherever it deletes an old one`() throws {
        let deletion = "refreshToken=; Path=/old; Max-Age=0"
        try expectEqual(cookie([deletion, "refreshToken=new; Path=/"]), "refreshToken=new")
        try expectEqual(cookie(["refreshToken=new; Path=/", deletion]), "refreshToken=new")
        try expectEqual(cookie(["session=1", "refreshToken=one", "refreshToken=two"]), "refreshToken=two")
    }

    @Test func `An answer with tokens keeps the refresh token if it brings no other`() throws {
        try expectEqual(cookie([], refreshing: Tokens(access: "o", cookie: "refreshToken=old")), "refreshToken=old")
        let refreshed = try tokens(#"{"accessToken":"a"}"#, refreshing: Tokens(access: "o", refresh: "r0"))
        expectEqual(refreshed.refresh, "r0")
        expectNil(refreshed.cookie)
    }

    @Test func `An answer with tokens brings no cookie if none is wanted`() throws {
        let tokens = try tokens(
            #"{"accessToken":"a"}"#, fields: [.setCookie: "refreshToken=v"], usesCookie: false)
        expectEqual(tokens, Tokens(access: "a", issued: clock.now))
    }
}
