// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchTesting
import TestTags
import Testing

@Suite struct TokenResponseTests {
    let issuer = ScriptedIssuer()

    private func response(
        _ body: String, scopes: Scopes = [], fields: HTTPFields = [:], status: HTTPStatus = .ok
    ) async throws -> TokenResponse {
        issuer.on(status, body, fields: fields)
        return try await issuer.endpoint().tokens(
            for: PasswordGrant(username: "u", password: "p", scopes: scopes))
    }

    @Test(.tags(.loginResponses)) func `A token response holds all of the issuer's members`() async throws {
        let response = try await response(
            #"{"access_token":"eyJ.a.b","refresh_token":"r","token_type":"Bearer","expires_in":3600,"#
                + #""scope":"widgets:read widgets:write projects:read","user_id":"usr_123abc","id_token":"i","x":[1]}"#,
            fields: [.date: "Sun, 06 Nov 1994 08:49:37 GMT"])
        expectEqual(response.tokens.access, "eyJ.a.b")
        expectEqual(response.tokens.refresh, "r")
        expectEqual(response.tokens.idToken, "i")
        expectEqual(response.tokens.issued, Date(timeIntervalSince1970: 784_111_777))
        expectEqual(response.tokens.expiry, Date(timeIntervalSince1970: 784_115_377))
        expectEqual(response.lifetime, .seconds(3600))
        expectEqual(response.grantedScopes, .list("widgets:read widgets:write projects:read"))
        expectEqual(response.userID, "usr_123abc")
        expectEqual(response.extra, ["user_id": "usr_123abc", "x": [1]])
    }

    @Test func `A token response is not dated by a cache that delivers it`() async throws {
        let response = try await response(
            #"{"access_token":"a","expires_in":3600}"#,
            fields: [.date: "Sun, 06 Nov 1994 08:49:37 GMT", "Age": "600"])
        expectEqual(response.tokens.issued, issuer.clock.now)
    }

    @Test(.tags(.loginResponses)) func `A token response can lack everything but the access token`() async throws {
        let response = try await response(#"{"access_token":"a"}"#, scopes: .list("files:read"))
        expectNil(response.tokens.refresh)
        expectNil(response.tokens.expiry)
        expectEqual(response.tokens.issued, issuer.clock.now)
        expectEqual(response.grantedScopes, .list("files:read"))
        #expect(response.scopeChange.isEmpty)
        expectNil(response.userID)
        expectEqual(response.tokens.tokenType, .bearer)
    }

    @Test(
        .tags(.loginResponses),
        arguments: [
            ("3600", 3600), (#""3600""#, 3600), ("1.5", 1.5), ("1e3", 1000), ("0", nil), ("0.5", nil), ("1e-9", nil),
            (#""0""#, nil), ("-1", nil),
            (#""-1""#, nil), (#""""#, nil), (#""soon""#, nil), (#""nan""#, nil), (#""0x10""#, nil), (#""1e9""#, nil),
            ("null", nil), ("true", nil), ("[3600]", nil), ("{}", nil),
            ("1e300", 36_525 * 86_400), (#""999999999999999999""#, 36_525 * 86_400),
            (#""9999999999999999999""#, nil),
        ] as [(String, Double?)])
    func `A token response lives as long as it says, and for an unknown time without a usable value`(
        life: String, seconds: Double?
    ) async throws {
        let response = try await response(#"{"access_token":"a","expires_in":\#(life)}"#)
        expectEqual(response.tokens.expiry, seconds.map { issuer.clock.now.addingTimeInterval($0) })
        expectEqual(response.lifetime, seconds.map { .seconds($0) })
    }

    @Test(.tags(.loginResponses), arguments: ["Bearer", "bearer", "BEARER", "bEaReR"])
    func `A token response is a bearer token in any case of letters`(type: String) async throws {
        let response = try await response(#"{"access_token":"a","token_type":"\#(type)"}"#)
        expectEqual(response.tokens.tokenType, .bearer)
        expectEqual(response.tokens.tokenType.rawValue, type)
        var request = HTTPRequest(authority: "a", path: "/")
        try response.tokens.authorize(&request)
        expectEqual(request.fields[.authorization], "Bearer a")
    }

    @Test(
        .tags(.loginResponses),
        arguments: [#""mac""#, #""DPoP""#, #""N_A""#, #""""#, #""Bearer ""#, "7", "true", #"["Bearer"]"#, "{}"])
    func `A token response of another type is refused`(type: String) async {
        await #expect(throws: OAuthError.unacceptableTokenType) {
            try await response(#"{"access_token":"a","token_type":\#(type)}"#)
        }
    }

    @Test(
        .tags(.loginResponses),
        arguments: [
            "", " ", "null", "7", "[]", "{}", #""a""#, #"{"access_token":""}"#, #"{"access_token":null}"#,
            #"{"access_token":7}"#, #"{"access_token":["a"]}"#, #"{"Access_Token":"a"}"#, #"{"accessToken":"a"}"#,
            #"{"access_token":"a""#, #"{"access_token":"a"}x"#, #"{"access_token":"a","access_token":"b"}"#,
            #"{"access_token":"a\r\nX-Evil: 1"}"#, #"{"access_token":"a\u0000"}"#, #"{"access_token":"ä"}"#,
            #"{"access_token":"a","refresh_token":"r\n"}"#, "<html>Welcome</html>", "access_token=a&token_type=bearer",
        ])
    func `A token response without a usable access token is refused`(body: String) async {
        await #expect(throws: OAuthError.invalidResponse) { try await response(body) }
    }

    @Test(.tags(.loginResponses)) func `A token response can come with any success and any media type`() async throws {
        let fields: HTTPFields = [.contentType: "text/html"]
        try await expectEqual(response(#"{"access_token":"a"}"#, fields: fields, status: .created).tokens.access, "a")
    }

    @Test(.tags(.loginResponses))
    func `A token response takes an empty refresh token for a missing one`() async throws {
        try await expectNil(response(#"{"access_token":"a","refresh_token":""}"#).tokens.refresh)
        try await expectNil(response(#"{"access_token":"a","refresh_token":null}"#).tokens.refresh)
    }

    @Test(
        .tags(.scopeHierarchy),
        arguments: [
            (#""a:read b:read""#, "a:read b:read"), (#""a:read  b:read a:read""#, "a:read b:read"),
            (#"["a:read","b:read"]"#, "a:read b:read"), (#""""#, ""), ("[]", ""),
            (#""other \u0007 a:read""#, "other a:read"),
        ])
    func `A token response reads scopes as servers write them, and keeps the unknown ones`(
        written: String, read: String
    ) async throws {
        let response = try await response(
            #"{"access_token":"a","scope":\#(written)}"#, scopes: .list("a:read b:read"))
        expectEqual(response.grantedScopes, .list(read))
    }

    @Test(
        .tags(.loginResponses),
        arguments: [("7", "7"), (#""u1""#, "u1"), (#""""#, nil), ("null", nil), ("[]", nil)] as [(String, String?)])
    func `A token response names its user if the issuer does`(written: String, id: String?) async throws {
        try await expectEqual(response(#"{"access_token":"a","user_id":\#(written)}"#).userID, id)
    }

    @Test(.tags(.secretTransport))
    func `A token response shows no token, and nothing of the issuer's other members`() async throws {
        let response = try await response(
            #"{"access_token":"canary1","refresh_token":"canary2","id_token":"canary3","device_secret":"canary4"}"#)
        var text = "\(response) \(String(reflecting: response)) \(response.tokens)"
        dump(response, to: &text)
        #expect(!text.contains("canary"))
        #expect(text.contains("device_secret"))
    }
}
