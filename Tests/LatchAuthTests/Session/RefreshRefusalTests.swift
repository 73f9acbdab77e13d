// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import SessionSimulation
import Testing

/// The response to a refresh, and who refuses the session by it.
struct RefreshAnswer: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let refusal: RefreshRefusal?
    let response: HTTPResponse

    init(_ name: String, _ status: HTTPStatus, _ refusal: RefreshRefusal?) { self.init(name, status, "", refusal) }

    init(
        _ name: String, _ status: HTTPStatus, _ body: String, _ refusal: RefreshRefusal?, fields: HTTPFields = [:]
    ) {
        testDescription = "\(name): \(status) \(body)"
        self.refusal = refusal
        response = HTTPResponse(status: status, fields: fields, body: HTTPBody(body))
    }

    private static let html = "<html><body><h1>401 Authorization Required</h1></body></html>"

    static let issuers: [RefreshAnswer] = [
        .init("RFC 6749", .badRequest, #"{"error":"invalid_grant"}"#, .issuer),
        .init("with another status", .forbidden, #"{"error":"invalid_grant"}"#, .issuer),
        .init("with a lost route", .notFound, #"{"error":"invalid_grant"}"#, .issuer),
        .init("GitHub's habit", .ok, #"{"error":"invalid_grant"}"#, .issuer),
        .init(
            "Spring Authorization Server", .unauthorized,
            #"{"error":"invalid_token","error_description":"Invalid refresh token (expired): 3f"}"#, .issuer,
            fields: [.wwwAuthenticate: #"Bearer realm="oauth", error="invalid_token""#]),
        .init("FastAPI", .unauthorized, #"{"detail":"Invalid refresh token"}"#, .issuer),
        .init(
            "FastAPI's own object", .unauthorized, #"{"detail":{"detail":"No.","error_code":"INVALID_REFRESH_TOKEN"}}"#,
            .issuer),
        .init(
            "a DPoP challenge", .unauthorized, #"{"detail":"Refresh token revoked"}"#, .issuer,
            fields: [.wwwAuthenticate: #"DPoP algs="ES256""#]),
        .init("Express", .unauthorized, #"{"message":"Invalid refresh token"}"#, .issuer),
        .init("Express by 403", .forbidden, #"{"message":"Refresh token expired"}"#, .issuer),
        .init("a byte order mark", .unauthorized, "\u{FEFF}" + #"{"message":"Invalid refresh token"}"#, .issuer),
        .init(
            "Supabase", .badRequest, #"{"code":400,"error_code":"refresh_token_not_found","msg":"Not found"}"#, .issuer),
        .init("Firebase", .badRequest, #"{"error":{"code":400,"message":"INVALID_REFRESH_TOKEN"}}"#, .issuer),
        .init("in capitals", .badRequest, #"{"error":"INVALID_GRANT"}"#, .issuer),
        .init("a device code's word", .badRequest, #"{"error":"expired_token"}"#, .issuer),
        .init(
            "Cognito", .badRequest,
            #"{"__type":"NotAuthorizedException","message":"Refresh Token has been revoked"}"#, .issuer),
        .init(
            "HubSpot", .badRequest, #"{"status":"BAD_REFRESH_TOKEN","message":"missing or invalid refresh token"}"#,
            .issuer),
        .init("Slack", .ok, #"{"ok":false,"error":"invalid_refresh_token"}"#, .issuer),
        .init(
            "Laravel Passport", .unauthorized,
            #"{"error":"invalid_request","error_description":"The refresh token is invalid."}"#, .issuer),
        .init("a session that was removed", .notFound, #"{"code":"session_not_found"}"#, .issuer),
        .init("a name of a program", 410, #"{"error":"refreshTokenExpired"}"#, .issuer),
        .init(
            "a list of errors", 422, #"{"errors":[{"message":"This session has been revoked."}]}"#, .issuer),
        .init(
            "NestJS", .unauthorized, #"{"statusCode":401,"message":"Invalid refresh token","error":"Unauthorized"}"#,
            .issuer),
        .init("a nested error", .unauthorized, #"{"error":{"code":"session_revoked","message":"Revoked."}}"#, .issuer),
        .init("a sentence as error", .unauthorized, #"{"error":"Refresh token is not valid"}"#, .issuer),
        .init("Vapor", .unauthorized, #"{"error":true,"reason":"Refresh token is unknown"}"#, .issuer),
        .init(
            "problem details", .unauthorized,
            #"{"type":"about:blank","title":"Unauthorized","status":401,"detail":"The session has ended."}"#, .issuer),
        .init(
            "Connect", .unauthorized, #"{"code":"unauthenticated","message":"The refresh token was used twice."}"#,
            .issuer),
    ]

    static let gateways: [RefreshAnswer] = [
        .init("nothing", .unauthorized, .doubtful),
        .init("nothing, forbidden", .forbidden, .doubtful),
        .init("text", .unauthorized, "Unauthorized", .doubtful),
        .init("a page", .unauthorized, html, .doubtful),
        .init("a filter's page", .forbidden, "<html>blocked by policy</html>", nil),
        .init(
            "a filter's page after a line", .forbidden, "\r\n <!DOCTYPE html><title>Attention Required!</title>", nil),
        .init(
            "nginx", .unauthorized, html, nil, fields: [.wwwAuthenticate: #"Basic realm="staging""#]),
        .init(
            "JSON behind Basic", .unauthorized, #"{"message":"Please sign in to the staging site"}"#, .doubtful,
            fields: [.wwwAuthenticate: #"Basic realm="staging""#]),
        .init(
            "Negotiate", .unauthorized, #"{"error":"Kerberos is required"}"#, .doubtful,
            fields: [.wwwAuthenticate: "Negotiate"]),
        .init(
            "a malformed challenge", .unauthorized, #"{"message":"No."}"#, .doubtful,
            fields: [.wwwAuthenticate: #"Bearer realm="x"#]),
        .init(
            "Kong", .unauthorized, #"{"message":"No API key found in request"}"#, .doubtful,
            fields: [.wwwAuthenticate: #"Key realm="kong""#]),
        .init(
            "Kong without a challenge", .unauthorized, #"{"message":"Invalid authentication credentials"}"#, .doubtful),
        .init(
            "Kong's own response", .unauthorized, #"{"message":"Something new","request_id":"1"}"#, .doubtful,
            fields: ["X-Kong-Response-Latency": "1"]),
        .init("a missing key", .unauthorized, #"{"message":"Missing API key"}"#, .doubtful),
        .init(
            "Supabase's Kong", .unauthorized,
            #"{"message":"No API key found in request","hint":"No `apikey` request header or url param was found."}"#,
            .doubtful),
        .init(
            "AWS JWT authorizer", .unauthorized, #"{"message":"Unauthorized"}"#, .doubtful,
            fields: [.wwwAuthenticate: #"Bearer scope="" error="invalid_token""#]),
        .init("AWS REST API", .forbidden, #"{"message":"Missing Authentication Token"}"#, .doubtful),
        .init(
            "AWS by its field", .unauthorized, #"{"message":"Custom text"}"#, .doubtful,
            fields: ["x-amzn-ErrorType": "UnauthorizedException"]),
        .init("AWS policy", .forbidden, #"{"Message":"User is not authorized to access this resource"}"#, .doubtful),
        .init(
            "Azure API Management", .unauthorized,
            #"{"statusCode":401,"message":"Access denied due to missing subscription key. Make sure to include it."}"#,
            .doubtful),
        .init("ESPv2", .unauthorized, #"{"code":401,"message":"Jwt is missing"}"#, .doubtful),
        .init("ESP", .unauthorized, #"{"code":16,"message":"JWT validation failed: BAD_FORMAT"}"#, .doubtful),
        .init(
            "Google's front end", .unauthorized,
            #"{"error":{"code":401,"message":"Request is missing required authentication credential."}}"#, .doubtful),
        .init(
            "Apigee", .unauthorized,
            #"{"fault":{"faultstring":"Invalid ApiKey","detail":{"errorcode":"oauth.v2.InvalidApiKey"}}}"#, .doubtful),
        .init(
            "Cloudflare", .forbidden, #"{"title":"Error 1020: Access denied","status":403,"cloudflare_error":true}"#,
            nil),
        .init("Cloudflare's API", .forbidden, #"{"success":false,"errors":[{"code":10000}]}"#, .doubtful),
        .init("Tyk", .unauthorized, #"{"error":"Authorization field missing"}"#, .doubtful),
        .init("APISIX", .unauthorized, #"{"message":"Missing JWT token in request"}"#, .doubtful),
        .init("WSO2", .unauthorized, #"{"code":"900902","message":"Missing Credentials"}"#, .doubtful),
        .init(
            "Spring Cloud Gateway", .unauthorized,
            #"{"timestamp":"x","path":"/token","status":401,"error":"Unauthorized","requestId":"1"}"#, .doubtful),
        .init("NestJS's default", .unauthorized, #"{"statusCode":401,"message":"Unauthorized"}"#, .doubtful),
        .init("Laravel's default", .unauthorized, #"{"message":"Unauthenticated."}"#, .doubtful),
        .init("FastAPI's default", .unauthorized, #"{"detail":"Not authenticated"}"#, .doubtful),
        .init(
            "Django's default", .forbidden, #"{"detail":"Authentication credentials were not provided."}"#, .doubtful),
        .init("a quota", .forbidden, #"{"message":"Session limit exceeded, invalid plan"}"#, .doubtful),
        .init(
            "a filter of forged requests", .forbidden, #"{"message":"The CSRF session token is invalid."}"#, .doubtful),
        .init("a list of addresses", .forbidden, #"{"error":"IP address not allowed"}"#, .doubtful),
        .init("maintenance", .forbidden, #"{"message":"We will be back soon"}"#, .doubtful),
        // They may speak of the access token.
        .init("jsonwebtoken", .unauthorized, #"{"message":"jwt expired"}"#, .doubtful),
        .init("Flask-JWT-Extended", .unauthorized, #"{"msg":"Token has expired"}"#, .doubtful),
        .init("invalid_token alone", .unauthorized, #"{"error":"invalid_token"}"#, .doubtful),
        .init("a missing token", .unauthorized, #"{"message":"Missing or invalid refresh token"}"#, .doubtful),
        .init("a list", .unauthorized, #"["no"]"#, .doubtful),
    ]

    /// What issuers say with the status of a refused refresh token, and some gateways may; report 10 in
    /// Documentation/PublicReports.md.
    static let unclear: [RefreshAnswer] = [
        .init("glewlwyd", .badRequest, .doubtful), .init("blanks", .badRequest, " \r\n", .doubtful),
        .init("RFC 6750's code", .badRequest, #"{"error":"invalid_token"}"#, .doubtful),
        .init("a user who was removed", .badRequest, #"{"error":"access_denied"}"#, .doubtful),
        .init("Firebase's expiry", .badRequest, #"{"error":{"code":400,"message":"TOKEN_EXPIRED"}}"#, .doubtful),
        .init("Firebase's user", .badRequest, #"{"error":{"code":400,"message":"USER_DISABLED"}}"#, .doubtful),
        .init("Supabase's user", .badRequest, #"{"code":400,"error_code":"user_banned","msg":"x"}"#, .doubtful),
        .init(
            "Cognito's user", .badRequest, #"{"__type":"NotAuthorizedException","message":"User is disabled."}"#,
            .doubtful),
        .init("a word of its own", .badRequest, #"{"error":"token_inactive"}"#, .doubtful),
        .init("a gateway's access token", .unauthorized, #"{"error":"expired_token"}"#, .doubtful),
    ]

    /// Mistakes in a request, and gateways, with that status.
    static let mistakes: [RefreshAnswer] = [
        .init("a page", .badRequest, html, nil), .init("a text", .badRequest, "Bad Request", nil),
        .init("Spring", .badRequest, #"{"status":400,"error":"Bad Request","path":"/token"}"#, nil),
        .init("a word for it", .badRequest, #"{"error":"bad_request"}"#, nil),
        .init("AWS under load", .badRequest, #"{"__type":"ThrottlingException","message":"Rate exceeded"}"#, nil),
        .init("AWS with a broken hook", .badRequest, #"{"__type":"UnexpectedLambdaException","message":"x"}"#, nil),
        .init("a parser", .badRequest, #"{"error":"bad_json"}"#, nil),
        .init("a broken server", .badRequest, #"{"error":"unknown_error"}"#, nil),
        .init("a repeated key", .badRequest, #"{"error":"idempotency_key_reused"}"#, nil),
        .init("Firebase's key", .badRequest, #"{"error":{"code":400,"message":"MISSING_REFRESH_TOKEN"}}"#, nil),
        .init("Firebase's grant", .badRequest, #"{"error":{"code":400,"message":"INVALID_GRANT_TYPE"}}"#, nil),
        .init(
            "Google's key", .badRequest,
            #"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}"#, nil),
        .init("Supabase's check", .badRequest, #"{"code":400,"error_code":"validation_failed","msg":"x"}"#, nil),
        .init(
            "Cognito's limit", .badRequest, #"{"__type":"TooManyRequestsException","message":"Rate exceeded"}"#, nil),
        .init(
            "Cognito's client", .badRequest,
            #"{"__type":"ResourceNotFoundException","message":"User pool client does not exist."}"#, nil),
        .init("a missing parameter", .badRequest, #"{"error":"invalid_request"}"#, nil),
        .init("another grant", .badRequest, #"{"error":"unsupported_grant_type"}"#, nil),
        .init("an answer without words", .badRequest, "{}", nil), .init("a list", .badRequest, "[]", nil),
        .init("an outage", 500, #"{"error":"invalid_token"}"#, nil), .init("too many", 429, nil),
        .init("a header that is too long", 431, nil), .init("not found", .notFound, nil),
    ]

    static let others: [RefreshAnswer] = [
        .init(
            "a wrong client", .unauthorized, #"{"error":"invalid_client"}"#, nil,
            fields: [.wwwAuthenticate: #"Basic realm="token""#]),
        .init("a user is required", .unauthorized, #"{"error":"interaction_required"}"#, nil),
        .init("an outage", 503, #"{"error":"invalid_grant"}"#, nil),
        .init("too many", .tooManyRequests, #"{"error":"invalid_grant"}"#, nil),
        .init("a portal", 302, nil), .init("a portal's page", .ok, html, nil), .init("a proxy", 407, html, nil),
        .init("a lost route", .notFound, #"{"message":"Cannot POST /token"}"#, nil),
        .init("a mistake", .badRequest, #"{"message":"Bad"}"#, nil),
        .init("a missing parameter", .unauthorized, #"{"error":"invalid_request"}"#, nil),
        .init(
            "another client of the family", .badRequest, #"{"error":"invalid_grant","suberror":"client_mismatch"}"#, nil
        ),
        .init("words in a success", .ok, #"{"message":"Your old refresh token has expired"}"#, nil),
    ]
}

@Suite struct RefreshRefusalTests {
    @Test(
        arguments: RefreshAnswer.issuers + RefreshAnswer.gateways + RefreshAnswer.others + RefreshAnswer.unclear
            + RefreshAnswer.mistakes)
    func `A refusal counts as the issuer's only if no intermediary could have written it`(answer: RefreshAnswer) {
        expectEqual(answer.response.refreshRefusal, answer.refusal)
    }

    @Test(arguments: RefreshAnswer.gateways)
    func `A gateway's refusal of a refresh keeps the session and its refresh token`(answer: RefreshAnswer)
        throws
    {
        let error = HTTPError.unacceptableStatus(answer.response)
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, _ in throw error }
        let session = fixture.makeSession()
        #expect(throws: HTTPError.unacceptableStatus) { try fixture.run { try await session.credential() } }
        #expect(session.currentState.isSignedIn)
        expectEqual(fixture.stored?.refresh, SessionFixture().tokens(0).refresh)
    }

    @Test(arguments: RefreshAnswer.unclear)
    func `A gateway's refusal of a refresh ends the session if it repeats after a pause`(
        answer: RefreshAnswer
    ) throws {
        let error = HTTPError.unacceptableStatus(answer.response)
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, _ in throw error }
        let session = fixture.makeSession()
        #expect(throws: HTTPError.unacceptableStatus) { try fixture.run { try await session.credential() } }
        #expect(session.currentState.isSignedIn)
        try fixture.pass(.seconds(200))
        #expect(throws: HTTPError.unacceptableStatus) { try fixture.run { try await session.credential() } }
        #expect(session.currentState.isSignedIn)
        try fixture.pass(.seconds(200))
        #expect(throws: AuthError.reauthenticationRequired) { try fixture.run { try await session.credential() } }
        expectEqual(session.currentState, .signedOut(.issuer))
    }

    @Test(arguments: RefreshAnswer.mistakes)
    func `A 401 from a gateway never ends the session, however often it comes`(answer: RefreshAnswer)
        throws
    {
        let error = HTTPError.unacceptableStatus(answer.response)
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, _ in throw error }
        let session = fixture.makeSession()
        for _ in 0..<5 {
            #expect(throws: HTTPError.unacceptableStatus) { try fixture.run { try await session.credential() } }
            try fixture.pass(.seconds(700))
        }
        #expect(session.currentState.isSignedIn)
        expectEqual(fixture.stored?.refresh, SessionFixture().tokens(0).refresh)
    }

    @Test(arguments: RefreshAnswer.issuers.filter { !$0.response.status.isSuccess })
    func `A refusal in the issuer's own words ends the session immediately`(answer: RefreshAnswer) throws {
        let error = HTTPError.unacceptableStatus(answer.response)
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, _ in throw error }
        let session = fixture.makeSession()
        #expect(throws: AuthError.reauthenticationRequired) { try fixture.run { try await session.credential() } }
        expectEqual(session.currentState, .signedOut(.issuer))
    }

    @Test func `A refresh refused by another issuer ends nothing`() throws {
        let cause = HTTPError.unacceptableStatus(HTTPResponse(status: .unauthorized))
        let fixture = SessionFixture(holding: SessionFixture().tokens(0, life: -1)) { _, _ in
            throw AuthError.refreshFailed.caused(by: cause)
        }
        let session = fixture.makeSession()
        #expect(throws: AuthError.refreshFailed) { try fixture.run { try await session.credential() } }
        #expect(session.currentState.isSignedIn)
        expectEqual(IssuerFailure(AuthError.refreshFailed.caused(by: cause), now: .distantPast).kind, .failed)
        expectEqual(IssuerFailure(cause, now: .distantPast).kind, .doubted)
    }
}

@Suite struct SignOutResponseTests {
    @Test(arguments: [
        RefreshAnswer("no content", .noContent, nil), .init("an empty success", .ok, nil),
        .init("a message", .ok, #"{"message":"Signed out"}"#, nil), .init("null", .ok, "null", nil),
        .init("a byte order mark", .ok, "\u{FEFF}{}", nil),
    ])
    func `An empty or JSON response confirms a sign-out`(answer: RefreshAnswer) {
        expectEqual(answer.response.revocationOutcome, .confirmed)
    }

    @Test(arguments: [
        RefreshAnswer("a session that has ended", .unauthorized, #"{"message":"Unknown session"}"#, nil),
        .init("RFC 7009", .badRequest, #"{"error":"unsupported_token_type"}"#, nil),
        .init("GitHub's habit", .ok, #"{"error":"unknown_session"}"#, nil),
    ])
    func `A response in the server's own words refuses a sign-out`(answer: RefreshAnswer) {
        expectEqual(answer.response.revocationOutcome, .refused)
    }

    @Test(
        arguments: RefreshAnswer.gateways + [
            RefreshAnswer("a portal", 302, nil), .init("a portal's page", .ok, "<html>Welcome</html>", nil),
            .init("a text", .ok, "OK", nil), .init("a proxy", 407, nil), .init("no route", .notFound, nil),
            .init("Express's page", .notFound, "<pre>Cannot POST /logout</pre>", nil),
            .init("NestJS's missing route", .notFound, #"{"statusCode":404,"message":"Cannot POST /logout"}"#, nil),
            .init("Kong's route", .notFound, #"{"message":"no Route matched with those values"}"#, nil),
            .init("an outage", 503, nil), .init("a portal's status", 511, nil), .init("too many", 429, nil),
            .init("a wrong client", .unauthorized, #"{"error":"invalid_client"}"#, nil),
            .init("a wrong request", .badRequest, #"{"error":"invalid_request"}"#, nil),
        ])
    func `Any other response leaves the sign-out open, so it is repeated`(answer: RefreshAnswer) {
        expectEqual(answer.response.revocationOutcome, .unavailable)
    }
}
