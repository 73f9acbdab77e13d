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

@Suite struct OAuthErrorTests {
    let issuer = ScriptedIssuer()

    private func error(
        _ status: HTTPStatus, _ body: String, fields: HTTPFields = [:], password: String = "pass-word-9"
    ) async throws -> OAuthError {
        issuer.on(status, body, fields: fields)
        return try #require(
            await #expect(throws: OAuthError.self) {
                try await issuer.endpoint().tokens(for: PasswordGrant(username: "ada", password: password))
            })
    }

    @Test(
        .tags(.loginResponses),
        arguments: [
            ("invalid_request", .invalidRequest), ("invalid_client", .invalidClient), ("invalid_grant", .invalidGrant),
            ("unauthorized_client", .unauthorizedClient), ("unsupported_grant_type", .unsupportedGrantType),
            ("invalid_scope", .invalidScope), ("unsupported_token_type", .unsupportedTokenType),
            ("invalid_dpop_proof", .invalidDPoPProof), ("use_dpop_nonce", .useDPoPNonce),
            ("temporarily_unavailable", .temporarilyUnavailable), ("server_error", .serverFailed),
            ("something_new", .refused),
        ] as [(String, OAuthError)])
    func `A failed answer is the error that its code names (RFC 6749 §5.2)`(code: String, expected: OAuthError)
        async throws
    {
        let error = try await error(.badRequest, #"{"error":"\#(code)","error_description":"Because."}"#)
        expectEqual(error, expected)
        expectEqual(error.issuerCode, code)
        expectEqual(error.issuerMessage, "Because.")
        #expect(error.message.hasSuffix("(Because.)"))
        expectEqual(error.status, .badRequest)
        #expect(error == .refused || error.hint != nil)
    }

    @Test(arguments: [
        "interaction_required", "login_required", "consent_required", "account_selection_required",
        "insufficient_user_authentication",
    ])
    func `A failed answer can mean that the user has to act`(code: String) async throws {
        let error = try await error(.badRequest, #"{"error":"\#(code)"}"#)
        expectEqual(error, .interactionRequired)
        expectEqual(error.issuerCode, code)
        expectNil(error.suberror)
    }

    @Test(
        arguments: [
            (#""suberror":"consent_required""#, .interactionRequired, "consent_required"),
            (#""suberror":"basic_action","error_codes":[50076]"#, .interactionRequired, "basic_action"),
            (#""suberror":"additional_action""#, .interactionRequired, "additional_action"),
            (#""suberror":"message_only""#, .interactionRequired, "message_only"),
            (#""suberror":"user_password_expired""#, .interactionRequired, "user_password_expired"),
            (#""suberror":"protection_policy_required""#, .interactionRequired, "protection_policy_required"),
            (#""suberror":"device_authentication_failed""#, .interactionRequired, "device_authentication_failed"),
            (#""suberror":"client_mismatch""#, .unauthorizedClient, "client_mismatch"),
            (#""suberror":"bad_token""#, .invalidGrant, "bad_token"),
            (#""suberror":"token_expired""#, .invalidGrant, "token_expired"),
            (#""suberror":"new\u001b""#, .invalidGrant, "new"), (#""suberror":7"#, .invalidGrant, nil),
            (#""error_codes":[65001]"#, .interactionRequired, "consent_required"),
            (#""error_codes":[700082]"#, .invalidGrant, nil), (#""error_codes":"65001""#, .invalidGrant, nil),
        ] as [(String, OAuthError, String?)])
    func `A failed answer is read with the second code of Microsoft Entra`(
        members: String, expected: OAuthError, suberror: String?
    ) async throws {
        let error = try await error(.badRequest, #"{"error":"invalid_grant",\#(members)}"#)
        expectEqual(error, expected)
        expectEqual(error.issuerCode, "invalid_grant")
        expectEqual(error.suberror, suberror)
    }

    @Test(.tags(.loginResponses))
    func `A failed answer of 400 invalid_grant or 401 with a detail is a refused password`() async throws {
        try await expectEqual(error(.badRequest, #"{"error":"invalid_grant"}"#), .invalidGrant)
        let told = try await error(.unauthorized, #"{"detail":"Invalid credentials"}"#)
        expectEqual(told, .invalidGrant)
        expectEqual(told.issuerMessage, "Invalid credentials")
        try await expectEqual(error(.unauthorized, ""), .invalidGrant)
        try await expectEqual(error(.unauthorized, "<html>No</html>"), .invalidGrant)
    }

    @Test(.tags(.loginResponses), arguments: ["invalid_client", "unauthorized_client"])
    func `A failed answer of 401 for the program is not one for the user`(code: String) async throws {
        try await expectNotEqual(error(.unauthorized, #"{"error":"\#(code)"}"#), .invalidGrant)
    }

    @Test(
        .tags(.loginResponses),
        arguments: [
            (#"{"detail":"No.","error_code":"INVALID_CREDENTIALS"}"#, .invalidGrant),
            (#"{"detail":"No.","error_code":"INVALID_REFRESH_TOKEN"}"#, .invalidGrant),
            (#"{"detail":{"detail":"No.","error_code":"INVALID_REFRESH_TOKEN"}}"#, .invalidGrant),
            (#"{"detail":"No.","error_code":"RATE_LIMIT_EXCEEDED","retry_after":7}"#, .tooManyRequests),
            (#"{"detail":"No."}"#, .refused), (#"{"message":"No."}"#, .refused),
        ] as [(String, OAuthError)])
    func `A failed answer is read in the spelling of seed 004's backend`(body: String, expected: OAuthError)
        async throws
    {
        let error = try await error(.badRequest, body)
        expectEqual(error, expected)
        expectEqual(error.issuerMessage, "No.")
        expectEqual(error.retryAfter, expected == .tooManyRequests ? .seconds(7) : nil)
    }

    // Reports 10 and 15 in Documentation/PublicReports.md.
    @Test(
        arguments: [
            (#"{"code":400,"error_code":"validation_failed","msg":"No.","retry_after":"7"}"#, "No.", 7),
            (#"{"msg":"No.","retry_after":1.5}"#, "No.", 1.5), (#"{"retry_after":"soon"}"#, nil, nil),
            (#"{"retry_after":-1}"#, nil, nil),
        ] as [(String, String?, Double?)])
    func `A failed answer is read in the spelling of other backends`(body: String, message: String?, pause: Double?)
        async throws
    {
        let error = try await error(.badRequest, body)
        expectEqual(error.issuerMessage, message)
        expectEqual(error.retryAfter, pause.map { .seconds($0) })
        #expect(error.hint != nil)
    }

    @Test(.tags(.loginResponses))
    func `A failed answer of 422 names the wrong fields, and not their content`() async throws {
        let error = try await error(
            422,
            #"{"detail":[{"loc":["body","username"],"msg":"field required","input":"pass-word-9"},"#
                + #"{"loc":["body",7],"msg":"too short"},{"loc":[]},"x"]}"#)
        expectEqual(error, .refused)
        expectEqual(error.issuerMessage, "username: field required; too short")
    }

    @Test(
        .tags(.loginResponses),
        arguments: [
            (500, .serverFailed), (502, .serverFailed), (503, .temporarilyUnavailable), (504, .serverFailed),
            (599, .serverFailed), (429, .tooManyRequests), (404, .refused), (403, .refused), (418, .refused),
            (302, .invalidResponse), (304, .invalidResponse),
        ] as [(HTTPStatus, OAuthError)])
    func `A failed answer without readable content is judged by its status`(
        status: HTTPStatus, expected: OAuthError
    ) async throws {
        for body in ["", "<html><body>502 Bad Gateway</body></html>", "{", "null", "[]"] {
            let error = try await error(status, body, fields: [.contentType: "text/html"])
            expectEqual(error, expected)
            expectNil(error.issuerMessage)
            expectEqual(error.status, status)
        }
    }

    @Test(.tags(.tokenRefresh), arguments: [500, 502, 503, 429] as [HTTPStatus])
    func `A failed answer of an outage is not one of the session's, whatever it says`(status: HTTPStatus) async throws {
        try await expectNotEqual(error(status, #"{"error":"invalid_grant"}"#), .invalidGrant)
    }

    @Test(
        arguments: [
            ("120", 120), ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("soon", nil), ("-5", nil),
        ] as [(String, Int?)])
    func `A failed answer states when to try again`(field: String, seconds: Int?) async throws {
        let fields: HTTPFields = [.retryAfter: field, .date: "Sun, 06 Nov 1994 08:49:37 GMT"]
        try await expectEqual(error(.serviceUnavailable, "", fields: fields).retryAfter, seconds.map { .seconds($0) })
    }

    @Test(arguments: ["-1", "1e300", #""7s""#, "null", "99999999999999"])
    func `A failed answer with an invalid time causes no wait`(value: String) async throws {
        let error = try await error(.tooManyRequests, #"{"retry_after":\#(value)}"#)
        #expect(error.retryAfter == nil || error.retryAfter == RetryAfter.longest)
    }

    @Test func `A failed answer causes no redirect, since its request has a password`() async throws {
        let error = try await error(
            307, "", fields: [.location: "https://evil.example.com/oauth/token"])
        expectEqual(error, .invalidResponse)
        expectEqual(issuer.requests.count, 1)
    }

    @Test(
        .tags(.secretTransport),
        arguments: [
            #"{"error":"invalid_grant","error_description":"wrong password pass-word-9"}"#,
            #"{"detail":"ada/pass-word-9 does not match"}"#, #"{"message":"pass-word-9"}"#,
            #"{"detail":[{"loc":["password"],"msg":"pass-word-9 is too short"}]}"#,
            #"{"error":"x","error_description":"password=pass-word-9&scope"}"#,
        ])
    func `A failed answer repeats no secret, though the issuer does`(body: String) async throws {
        let error = try await error(.badRequest, body)
        expectNil(error.issuerMessage)
        var text = "\(error) \(String(reflecting: error))"
        dump(error, to: &text)
        #expect(!text.contains("pass-word-9"))
    }

    @Test(.tags(.secretTransport)) func `A failed answer repeats no secret in its encoded form either`() async throws {
        let error = try await error(
            .badRequest, #"{"error":"x","error_description":"got a%26b%3Dc"}"#, password: "a&b=c")
        expectNil(error.issuerMessage)
    }

    @Test func `A failed answer shows no control characters, and no long text`() async throws {
        let long = String(repeating: "x", count: 10_000)
        let error = try await error(
            .badRequest, #"{"error":"a\u001b[31m","error_description":"b\u001b[2J\n\u202ec\#(long)"}"#)
        expectEqual(error.issuerCode, "a[31m")
        expectEqual(error.issuerMessage?.hasPrefix("b[2Jcxxx"), true)
        expectEqual(error.issuerMessage?.count, 200)
    }
}
