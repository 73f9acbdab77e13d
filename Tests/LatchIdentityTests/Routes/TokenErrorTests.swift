// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import TestTags
import Testing

@testable import LatchIdentity

/// RFC 6749 §5.2, line by line.
@Suite struct TokenErrorTests {
    private static let form = "application/x-www-form-urlencoded"
    private static let right = "username=ada%40example.com&password=Secret123%21"

    /// Content, `error`, `error_code`.
    static let table: [(content: String, error: String, code: String)] = [
        ("", "invalid_request", "INVALID_INPUT"),
        ("grant_type=", "invalid_request", "INVALID_INPUT"),
        (right, "invalid_request", "INVALID_INPUT"),
        ("grant_type=password", "invalid_request", "INVALID_INPUT"),
        ("grant_type=password&username=ada%40example.com", "invalid_request", "INVALID_INPUT"),
        ("grant_type=password&username=ada%40example.com&password=", "invalid_request", "INVALID_INPUT"),
        ("grant_type=password&password=Secret123%21", "invalid_request", "INVALID_INPUT"),
        ("grant_type=refresh_token", "invalid_request", "INVALID_INPUT"),
        ("grant_type=password&grant_type=password&\(right)", "invalid_request", "INVALID_INPUT"),
        ("grant_type=password&\(right)&password=other", "invalid_request", "INVALID_INPUT"),
        ("grant_type=password&\(right)&scope=files%3Aread&scope=widgets%3Aadmin", "invalid_request", "INVALID_INPUT"),
        ("grant_type=password&\(right)&unknown=1&unknown=2", "invalid_request", "INVALID_INPUT"),
        ("grant_type=password&username=%ZZ&password=x", "invalid_request", "MALFORMED_REQUEST"),
        ("grant_type=password&username=%FF&password=x", "invalid_request", "MALFORMED_REQUEST"),
        ("grant_type=authorization_code&code=x", "unauthorized_client", "UNAUTHORIZED_CLIENT"),
        ("grant_type=implicit", "unsupported_grant_type", "UNSUPPORTED_GRANT_TYPE"),
        ("grant_type=Password&\(right)", "unsupported_grant_type", "UNSUPPORTED_GRANT_TYPE"),
        ("grant_type=password&username=ada%40example.com&password=wrong", "invalid_grant", "INVALID_CREDENTIALS"),
        ("grant_type=password&username=nobody&password=wrong", "invalid_grant", "INVALID_CREDENTIALS"),
        ("grant_type=refresh_token&refresh_token=lr1.x", "invalid_grant", "INVALID_REFRESH_TOKEN"),
        ("grant_type=password&\(right)&resource=https%3A%2F%2Fother.example", "invalid_target", "INVALID_TARGET"),
        ("grant_type=password&\(right)&scope=planets%3Aread", "invalid_scope", "INVALID_SCOPE"),
        ("grant_type=password&\(right)&scope=files%3Aread%22", "invalid_scope", "INVALID_SCOPE"),
        ("grant_type=password&\(right)&scope=files%3Aread%0Awidgets%3Aread", "invalid_scope", "INVALID_SCOPE"),
    ]

    @Test(arguments: table)
    func `An error of the token route has the form of RFC 6749, with seed 004's members`(
        content: String, error: String, code: String
    )
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        let answer = try await site.post("/oauth/token", form: content)
        expectEqual(answer.status, 400, "\(content)")
        expectEqual(answer.oauthError, error, "\(content)")
        expectEqual(answer.errorCode, code, "\(content)")
        #expect(!answer.string("detail").isEmpty)
        expectEqual(answer.field(.cacheControl), "no-store")
        expectEqual(answer.field(.contentType)?.hasPrefix("application/json"), true)
        // RFC 6749 §5.2: neither quotation marks nor backslashes nor anything but ASCII.
        let allowed = answer.string("error_description").utf8.allSatisfy {
            (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C
        }
        #expect(allowed && !answer.string("error_description").isEmpty)
        #expect(answer.accessToken.isEmpty && answer.refreshToken.isEmpty)
    }

    @Test(arguments: [
        ("notJSON", "NOT_JSON"), ("mfaRequired", "MFA_REQUIRED"), ("notADatabase", "NOT_A_DATABASE"),
        ("signInAgain", "SIGN_IN_AGAIN"), ("notAPage", "NOT_A_PAGE"), ("tlsUnavailable", "TLS_UNAVAILABLE"),
        ("cancelled", "CANCELLED"), ("lostURLOfPage", "LOST_URL_OF_PAGE"),
    ])
    func `An error of the token route spells its code in words, and an acronym is one word`(code: String, words: String)
    {
        expectEqual(ErrorFormat.upperSnakeCase(code), words)
    }

    @Test func `An error of the token route says NOT_JSON for a form at the route that reads JSON`() async throws {
        let site = try await Site()
        let answer = try await site.post("/oauth/token/refresh", form: "grant_type=refresh_token&refresh_token=x")
        expectEqual(answer.errorCode, "NOT_JSON")
    }

    @Test(arguments: ["application/json", "text/plain", "multipart/form-data; boundary=x", ""])
    func `An error of the token route says that only a form is read`(type: String) async throws {
        let site = try await Site()
        try await site.signUp()
        let answer = try await site.send(
            .post, "/oauth/token", fields: [.contentType: type], body: HTTPBody("grant_type=password&\(Self.right)"))
        expectEqual(answer.status, 400)
        expectEqual(answer.oauthError, "invalid_request")
    }

    @Test(arguments: [
        "?username=ada%40example.com&password=Secret123%21&grant_type=password", "?password=Secret123%21",
        "?client_secret=x", "?refresh_token=lr1.x", "?x=1&token=y", "?pass%77ord=x",
    ])
    func `An error of the token route refuses a secret in the URL, also beside valid content (seed 004)`(query: String)
        async throws
    {
        let site = try await Site()
        try await site.signUp()
        let answer = try await site.post("/oauth/token\(query)", form: "grant_type=password&\(Self.right)")
        expectEqual(answer.status, 400)
        expectEqual(answer.oauthError, "invalid_request")
        #expect(answer.string("detail").contains("URL"))
        for path in ["/auth/signup", "/auth/login", "/oauth/revoke", "/oauth/token/refresh"] {
            try await expectEqual(site.post(path + query, ["email": "ada@example.com"]).status, 400)
        }
    }

    @Test func `An error of the token route is not an answer to a GET, which has no content (seed 004)`() async throws {
        let site = try await Site()
        for path in ["/oauth/token", "/oauth/token/refresh", "/oauth/revoke", "/auth/signup", "/auth/login"] {
            let answer = try await site.get(path + "?username=a&password=b")
            expectEqual(answer.status, 405)
            expectEqual(answer.field("Allow")?.contains("POST"), true)
        }
    }

    @Test(.tags(.hugePassword))
    func `An error of the token route refuses a password of a megabyte before it is hashed`() async throws {
        let site = try await Site()
        try await site.signUp()
        let long = String(repeating: "x", count: 2000)
        let answer = try await site.post("/oauth/token", form: "grant_type=password&username=a&password=\(long)")
        expectEqual(answer.status, 400)
        expectEqual(answer.oauthError, "invalid_request")
        let huge = String(repeating: "x", count: 1_000_000)
        let refused = try await site.post("/oauth/token", form: "grant_type=password&username=a&password=\(huge)")
        expectEqual(refused.status, 413)
        expectEqual(refused.oauthError, "invalid_request")
    }

    @Test(.tags(.decompressionBomb))
    func `An error of the token route refuses more parameters than a form has`() async throws {
        let site = try await Site()
        let many = (0..<500).map { "p\($0)=1" }.joined(separator: "&")
        try await expectEqual(site.post("/oauth/token", form: many).oauthError, "invalid_request")
    }

    @Test(.tags(.accountEnumeration), arguments: Way.allCases)
    func `An error of the token route is the same for every refusal, unless the password is right`(way: Way)
        async throws
    {
        let site = try await Site(way) { $0.requireVerifiedEmail = true }
        try await site.signUp("right@example.com")
        try await site.signUp("unverified@example.com", isVerified: false)
        let disabled = try await site.signUp("disabled@example.com")
        _ = try await site.identity.administration.setStatus(of: disabled.id, to: .disabled)
        let answers = [
            try await site.passwordGrant("right@example.com", password: "wrong password"),
            try await site.passwordGrant("nobody@example.com"),
            try await site.passwordGrant("nobody"),
            try await site.passwordGrant("unverified@example.com", password: "wrong password"),
            try await site.passwordGrant("disabled@example.com", password: "wrong password"),
            try await site.passwordGrant("disabled@example.com", password: "wrong password", scope: "planets:read"),
            try await site.passwordGrant("ri\u{0}ght@example.com"),
        ]
        for answer in answers {
            expectEqual(answer.status, 400)
            expectEqual(answer.response.body, answers[0].response.body)
        }
        expectEqual(answers[0].errorCode, "INVALID_CREDENTIALS")
        // Only the right password shows more.
        let unverified = try await site.passwordGrant("unverified@example.com")
        #expect(unverified.status == 400 && unverified.oauthError == "email_unverified")
        let closed = try await site.passwordGrant("disabled@example.com", scope: "planets:read")
        #expect(closed.status == 400 && closed.oauthError == "account_closed" && closed.errorCode == "ACCOUNT_CLOSED")
        try await expectEqual(site.passwordGrant("right@example.com").status, 200)
        await site.close()
    }

    @Test func `An error of the token route never repeats the request's content`() async throws {
        let site = try await Site()
        let secret = "hunter2-hunter2"
        let contents = [
            "grant_type=\(secret)", "grant_type=password&username=\(secret)&password=\(secret)",
            "grant_type=refresh_token&refresh_token=\(secret)", "\(secret)=1&\(secret)=2", "client_id=\(secret)",
            "grant_type=password&username=a&password=b&scope=\(secret)", "client_id=a&client_secret=\(secret)",
        ]
        for content in contents {
            let answer = try await site.post("/oauth/token", form: content)
            #expect(!answer.text.contains(secret), "\(content)")
            for field in answer.response.fields { #expect(!field.value.contains(secret)) }
        }
    }

    @Test func `An error of the token route for a failure of the store is 503, and names no path`() async throws {
        let site = try await Site()
        try await site.signUp()
        let login = try await site.passwordGrant()
        await site.identity.services.store.close()
        let answer = try await site.refreshGrant(login.refreshToken)
        expectEqual(answer.status, 503)
        expectEqual(answer.oauthError, "temporarily_unavailable")
        expectEqual(answer.number("retry_after"), 1)
        #expect(!answer.text.contains(site.folder.path))
    }
}
