// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchOAuth

@Suite struct RevocationTests {
    let issuer = ScriptedIssuer()
    let tokens = Tokens(access: "a/+", refresh: "r/+")

    @Test(.tags(.tokenRevocation))
    func `A revocation is a form with the token and a hint (RFC 7009 §2.1)`() async throws {
        issuer.on("/oauth/revoke", .ok, "")
        try await issuer.endpoint().revoke("t&x=1", hint: .access)
        try await issuer.endpoint().revoke("t")
        expectEqual(issuer.forms, [["token=t&x=1", "token_type_hint=access_token"], ["token=t"]])
        #expect(issuer.requests.allSatisfy { $0.fields[.contentType] == "application/x-www-form-urlencoded" })
        #expect(issuer.requests.allSatisfy { $0.path == "/oauth/revoke" && $0.fields[.authorization] == nil })
    }

    @Test(.tags(.tokenRevocation)) func `A revocation takes both tokens, the refresh token first`() async throws {
        issuer.on("/oauth/revoke", .ok, "")
        try await issuer.endpoint().revoke(tokens)
        expectEqual(
            issuer.forms,
            [
                ["token=r/+", "token_type_hint=refresh_token"], ["token=a/+", "token_type_hint=access_token"],
            ])
    }

    @Test(.tags(.tokenRevocation))
    func `A revocation tries the access token although the refresh token failed, and reports the failure`()
        async throws
    {
        issuer.on("/oauth/revoke") { request in
            let isFirst = request.body.text?.contains("refresh_token") == true
            return HTTPResponse(status: isFirst ? .serviceUnavailable : .ok, fields: [.retryAfter: "30"])
        }
        let error = await #expect(throws: OAuthError.temporarilyUnavailable) {
            try await issuer.endpoint().revoke(tokens)
        }
        expectEqual(error?.retryAfter, .seconds(30))
        expectEqual(issuer.requests.count, 2)
    }

    @Test(.tags(.tokenRevocation))
    func `A revocation tolerates an issuer that revokes no access tokens, unless there is nothing else`()
        async throws
    {
        issuer.on("/oauth/revoke") { request in
            let isFirst = request.body.text?.contains("token=r") == true
            return isFirst
                ? HTTPResponse(status: .ok)
                : HTTPResponse(status: .badRequest, body: HTTPBody(#"{"error":"unsupported_token_type"}"#))
        }
        try await issuer.endpoint().revoke(tokens)
        await #expect(throws: OAuthError.unsupportedTokenType) {
            try await issuer.endpoint().revoke(Tokens(access: "a"))
        }
    }

    @Test(.tags(.tokenRevocation)) func `A revocation throws if there is no endpoint`() async {
        let provider = AuthorizationServer(issuer: ScriptedIssuer.url, tokenEndpoint: ScriptedIssuer.url)
        await #expect(throws: OAuthError.noRevocationEndpoint) {
            try await TokenEndpoint(server: provider, transport: issuer).revoke("t")
        }
        #expect(issuer.requests.isEmpty)
    }

    @Test(.tags(.tokenRevocation)) func `A revocation reports the network's errors unchanged`() async {
        issuer.on("/oauth/revoke") { _ in throw HTTPError.offline }
        await #expect(throws: HTTPError.offline) { try await issuer.endpoint().revoke(tokens) }
    }

    @Test(
        arguments: [
            (200, "", .confirmed), (200, " \r\n", .confirmed), (200, "{}", .confirmed), (204, "", .confirmed),
            (200, "\u{FEFF}{}", .confirmed), (200, "null", .confirmed),
            (200, "<html>Welcome to the hotel</html>", .unavailable), (200, "Welcome", .unavailable),
            (200, #"{"error":"temporarily_unavailable"}"#, .unavailable),
            (400, #"{"error":"unsupported_token_type"}"#, .refused), (400, #"{"error":"invalid_token"}"#, .refused),
            (400, #"{"error":"invalid_request"}"#, .unavailable), (400, #"{"error":"invalid_client"}"#, .unavailable),
            (400, "", .unavailable), (400, "<html>", .unavailable), (401, "", .unavailable),
            (401, #"{"error":"unsupported_token_type"}"#, .unavailable), (403, "<html>Filter</html>", .unavailable),
            (404, "", .unavailable), (407, "", .unavailable), (302, "", .unavailable), (429, "", .unavailable),
            (500, "", .unavailable), (503, "", .unavailable), (511, "<html>", .unavailable),
        ] as [(HTTPStatus, String, RevocationOutcome)])
    func `A revocation counts as done only by the server's own response about the token`(
        status: HTTPStatus, body: String, outcome: RevocationOutcome
    ) async {
        issuer.on("/oauth/revoke", status, body)
        await expectEqual(issuer.endpoint().revocation(tokens), outcome)
    }

    @Test func `A revocation is skipped without an endpoint, and repeated without a network`() async {
        let bare = AuthorizationServer(issuer: ScriptedIssuer.url, tokenEndpoint: ScriptedIssuer.url)
        await expectEqual(TokenEndpoint(server: bare, transport: issuer).revocation(tokens), .refused)
        issuer.on("/oauth/revoke") { _ in throw HTTPError.offline }
        await expectEqual(issuer.endpoint().revocation(tokens), .unavailable)
    }

    @Test(.tags(.secretTransport)) func `A revocation repeats no token in its errors`() async throws {
        issuer.on("/oauth/revoke", .badRequest, #"{"error":"invalid_request","error_description":"token canary-7?"}"#)
        let error = await #expect(throws: OAuthError.invalidRequest) { try await issuer.endpoint().revoke("canary-7") }
        expectEqual("\(String(describing: error))".contains("canary"), false)
    }
}
