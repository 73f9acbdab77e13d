// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import TestTags
import Testing

@testable import LatchIdentity

/// A parameter that occurs twice (RFC 6749 §3.1 and §3.2): two programs could each read another one of them.
@Suite(.tags(.duplicateParameters)) struct DuplicateParameterTests {
    /// An endpoint with the parameters of a request that is fine but for what it names.
    struct Endpoint: Sendable, CustomTestStringConvertible {
        let path: String
        let parameters: [(String, String)]
        var testDescription: String { "\(path) \(parameters.first?.1 ?? "")" }
    }

    private static let client = [("client_id", "web"), ("client_secret", ClientSecret.text)]

    static let endpoints = [
        Endpoint(
            path: "/oauth/token",
            parameters: [
                ("grant_type", "authorization_code"), ("code", "x"), ("redirect_uri", "https://web.example/callback"),
                ("code_verifier", "x"),
            ] + client),
        Endpoint(
            path: "/oauth/token",
            parameters: [("grant_type", "refresh_token"), ("refresh_token", "x"), ("scope", "openid")] + client),
        Endpoint(
            path: "/oauth/token",
            parameters: [
                ("grant_type", "password"), ("username", "ada@example.com"), ("password", Site.password),
                ("client_id", "notes"),
            ]),
        Endpoint(
            path: "/oauth/token",
            parameters: [("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", "x")]
                + client),
        Endpoint(path: "/oauth/revoke", parameters: [("token", "x"), ("token_type_hint", "access_token")] + client),
        Endpoint(
            path: "/oauth/introspect", parameters: [("token", "x"), ("token_type_hint", "access_token")] + client),
        Endpoint(path: "/oauth/device_authorization", parameters: [("client_id", "tool"), ("scope", "openid")]),
        Endpoint(
            path: "/oauth/par",
            parameters: SignInApp(clientID: "web", redirect: "https://web.example/callback").parameters() + [
                ("client_secret", ClientSecret.text), ("prompt", "login"), ("max_age", "1"),
            ]),
    ]

    @Test(arguments: endpoints)
    func `A parameter that occurs twice is refused, with the same value or with another`(endpoint: Endpoint)
        async throws
    {
        let site = try await Site.authorizing { $0.loginLimitPerMinute = 1000 }
        for (name, value) in endpoint.parameters {
            for second in [value, "other", ""] {
                for parameters in [endpoint.parameters + [(name, second)], [(name, second)] + endpoint.parameters] {
                    let refused = try await site.post(endpoint.path, form: FormEncoding.encode(parameters))
                    expectEqual(refused.status, 400, "\(name): \(refused.status)")
                    expectEqual(refused.oauthError, "invalid_request", "\(name): \(refused.text)")
                }
            }
        }
        await site.close()
    }

    @Test(arguments: SignInApp().parameters().map(\.0) + ["prompt", "response_mode", "max_age"])
    func `A parameter of a sign-in occurs once, in the URL and in a form`(name: String) async throws {
        let site = try await Site.authorizing()
        let parameters =
            SignInApp().parameters() + [
                ("prompt", "login"), ("response_mode", "query"), ("max_age", "1"),
            ]
        let text = FormEncoding.encode(parameters + [(name, "x")])
        var agent = UserAgent(site)
        for page in [
            try await agent.get("/oauth/authorize?\(text)"), try await agent.post("/oauth/authorize", form: text),
        ] {
            // The form of a request becomes a URL first.
            let page = page.status == 303 ? try await agent.get(page.location) : page
            #expect(page.status == 400 && page.location.isEmpty, "\(page.status) \(page.location)")
        }
        await site.close()
    }

    @Test func `A request may name several resource servers (RFC 8707)`() async throws {
        let site = try await Site.authorizing()
        let twice = [("resource", "https://a.example"), ("resource", "https://b.example")]
        let refused = try await site.post(
            "/oauth/token",
            form: FormEncoding.encode([("grant_type", "refresh_token"), ("refresh_token", "x")] + Self.client + twice))
        expectNotEqual(refused.oauthError, "invalid_request")
        await site.close()
    }
}
