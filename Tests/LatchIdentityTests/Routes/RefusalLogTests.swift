// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchServer
import LatchTesting
import Synchronization
import Testing

@testable import LatchIdentity

@Suite struct RefusalLogTests {
    /// Sends a request, and returns its response and the refusals in the log.
    private func refusals(
        _ site: Site, _ method: HTTPMethod, _ path: String, form: String? = nil, fields: HTTPFields = [:]
    ) async throws -> (response: Response, log: [String?]) {
        let log = Mutex<[AccessLogEntry]>([])
        let logging = AccessLogInterceptor { entry in log.withLock { $0.append(entry) } }
        var fields = fields
        if form != nil { fields[.contentType] = FormEncoding.mediaType }
        let request = HTTPRequest(
            method: method, scheme: site.origin.scheme, authority: site.origin.authority, path: path, fields: fields,
            body: form.map { HTTPBody($0) } ?? .empty)
        let response = try await site.identity.handler.intercepted(by: [logging]).respond(to: request)
        let entries = log.withLock { $0 }
        #expect(!entries.description.contains("SECRET"))
        return (Response(response), entries.map(\.refusal))
    }

    private static let changes: [(String, String?, String)] = [
        ("client_id", "SECRET", "invalid_request:client_id"),
        ("redirect_uri", "https://SECRET.example", "invalid_request:redirect_uri"),
        ("code_challenge", nil, "invalid_request:code_challenge"),
        ("code_challenge", "SECRET", "invalid_request:code_challenge"),
        ("response_type", "token", "unsupported_response_type"),
        ("response_type", nil, "invalid_request:response_type"),
        ("response_mode", "fragment", "invalid_request:response_mode"), ("prompt", "SECRET", "invalid_request:prompt"),
        ("max_age", "SECRET", "invalid_request:max_age"), ("id_token_hint", "SECRET", "invalid_request:id_token_hint"),
        ("nonce", String(repeating: "x", count: 1025), "invalid_request:nonce"),
        ("state", String(repeating: "x", count: 2049), "invalid_request:state"), ("prompt", "none", "login_required"),
        ("request", "SECRET", "request_not_supported"), ("resource", "https://SECRET.example", "invalid_target"),
    ]

    @Test(arguments: changes.indices)
    func `The log of a refused OAuth request has the code and the parameter, at the authorization`(index: Int)
        async throws
    {
        let (name, value, refusal) = Self.changes[index]
        let site = try await Site.authorizing()
        let path = SignInApp().path([name: value])
        try await expectEqual(refusals(site, .get, path).log, [refusal])
        let query = String(path.dropFirst("/oauth/authorize?".count))
        // By POST only the part without a session is decided before the redirect.
        if refusal != "login_required" {
            try await expectEqual(refusals(site, .post, "/oauth/authorize", form: query).log, [refusal])
        }
        await site.close()
    }

    @Test(arguments: [
        (
            "/oauth/token",
            "grant_type=authorization_code&client_id=notes&code=SECRET&redirect_uri=x&code_verifier=SECRET",
            "invalid_grant"
        ),
        ("/oauth/token", "grant_type=SECRET&client_id=notes", "unsupported_grant_type"),
        ("/oauth/token", "client_id=notes", "invalid_request:grant_type"),
        ("/oauth/token", "grant_type=authorization_code&client_id=web&code=SECRET", "invalid_client"),
        ("/oauth/token", "grant_type=password&username=ada@example.com&password=SECRET-1", "invalid_grant"),
        ("/oauth/revoke", "client_id=notes", "invalid_request:token"),
        ("/oauth/revoke", "client_id=web&token=SECRET", "invalid_client"),
        ("/oauth/device_authorization", "client_id=notes", "unauthorized_client"),
    ])
    func `The log of a refused OAuth request has the code, at the token and revocation endpoints`(
        path: String, form: String, refusal: String
    ) async throws {
        let site = try await Site.authorizing()
        try await expectEqual(refusals(site, .post, path, form: form).log, [refusal])
        await site.close()
    }

    @Test
    func `The log of a refused OAuth request is empty without a refusal, or for a wrong password on the page`()
        async throws
    {
        let site = try await Site.authorizing()
        let (page, log) = try await refusals(site, .get, SignInApp().path())
        #expect(page.status == 200 && log == [nil])
        let wrong = FormEncoding.encode([
            ("token", page.formToken), ("name", "ada@example.com"), ("password", "wrong 123"),
        ])
        let cookie = page.field(.setCookie)?.split(separator: ";").first.map(String.init) ?? ""
        let (again, second) = try await refusals(site, .post, "/login", form: wrong, fields: [.cookie: cookie])
        #expect(again.status == 400 && second == [nil])
        let refuse = FormEncoding.encode([("token", page.formToken), ("refuse", "yes")])
        try await expectEqual(refusals(site, .post, "/login", form: refuse).log, ["access_denied"])
        await site.close()
    }
}
