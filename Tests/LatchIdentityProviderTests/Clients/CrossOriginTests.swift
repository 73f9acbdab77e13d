// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// What pages of other origins may do: an app in a browser redeems its code and refreshes its tokens by itself.
@Suite struct CrossOriginTests {
    private static let origin = "https://spa.example"
    private let app = SignInApp(clientID: "spa", redirect: "https://spa.example/back", scope: "openid email")

    private func site(
        redirect: String? = nil, origins: [String]? = nil, isConfidential: Bool = false
    ) async throws -> Site {
        try await Site.authorizing { configuration in
            configuration.clients.append(
                OAuthClient(
                    id: "spa", isConfidential: isConfidential, grants: [.authorizationCode, .refreshToken],
                    redirectURIs: [redirect ?? app.redirect], isTrusted: true, allowedOrigins: origins))
            if isConfidential { configuration.clientSecretDigests["spa"] = ClientSecret.digest }
        }
    }

    private func allowed(_ response: Response) -> String? { response.field("Access-Control-Allow-Origin") }

    private func preflight(_ site: Site, _ path: String, from origin: String) async throws -> Response {
        try await site.send(
            .options, path,
            fields: [
                "Origin": origin, "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "authorization, content-type",
            ])
    }

    @Test(arguments: [origin, "https://localhost:8443"])
    func `A page of a public client redeems its code, reads claims and errors, and signs out`(
        origin: String
    ) async throws {
        let app = SignInApp(clientID: "spa", redirect: "\(origin)/back", scope: "openid email")
        let site = try await site(redirect: app.redirect)
        let code = try await site.code(app)
        for path in ["/oauth/token", "/oauth/revoke", "/oauth/userinfo"] {
            try await expectEqual(allowed(preflight(site, path, from: origin)), origin)
        }
        func token(_ verifier: String) async throws -> Response {
            try await site.send(
                .post, "/oauth/token",
                fields: ["Origin": origin, .contentType: "application/x-www-form-urlencoded"],
                body: HTTPBody(
                    FormEncoding.encode([
                        ("grant_type", "authorization_code"), ("code", code), ("client_id", "spa"),
                        ("redirect_uri", app.redirect), ("code_verifier", verifier),
                    ])))
        }
        let missing = try await token("")
        #expect(missing.oauthError == "invalid_grant" && allowed(missing) == origin)
        let tokens = try await token(app.verifier)
        #expect(tokens.status == 200 && allowed(tokens) == origin)
        expectNil(tokens.field("Access-Control-Allow-Credentials"))
        let claims = try await site.send(
            .get, "/oauth/userinfo",
            fields: ["Origin": origin, .authorization: "Bearer \(tokens.accessToken)"])
        #expect(claims.json["email"] == "ada@example.com" && allowed(claims) == origin)
        let refused = try await site.send(
            .get, "/oauth/userinfo", fields: ["Origin": origin, .authorization: "Bearer x"])
        #expect(refused.status == 401 && allowed(refused) == origin)
        await site.close()
    }

    @Test(.tags(.crossSiteRequest))
    func `A page of another origin reads no response, and no page calls what reads cookies`() async throws {
        let site = try await site()
        for origin in ["https://evil.example", "null", "https://spa.example.evil.example"] {
            // A preflight says nothing of a client; the response is that of one.
            let preflight = try await allowed(preflight(site, "/oauth/token", from: origin))
            expectEqual(preflight, origin == "null" ? nil : origin)
            let response = try await site.send(.post, "/oauth/token", fields: ["Origin": origin])
            expectNil(allowed(response))
        }
        for path in [
            "/api/auth/clients/login", "/api/auth/refresh-token", "/oauth/authorize", "/login", "/signup",
            "/user/profile",
        ] {
            try await expectNil(allowed(preflight(site, path, from: Self.origin)), "\(path)")
        }
        await site.close()
    }

    @Test(.tags(.crossOriginReading))
    func `A page reads a response of the token endpoint only for its own client`() async throws {
        let site = try await site()
        func token(_ parameters: [(String, String)]) async throws -> Response {
            try await site.send(
                .post, "/oauth/token",
                fields: ["Origin": Self.origin, .contentType: "application/x-www-form-urlencoded"],
                body: HTTPBody(FormEncoding.encode(parameters)))
        }
        let password = [("grant_type", "password"), ("username", "ada@example.com"), ("password", Site.password)]
        for client in [nil, "notes", "latch", "foreign", "nobody"] {
            let response = try await token(password + (client.map { [("client_id", $0)] } ?? []))
            expectNil(allowed(response), "\(client ?? "first party")")
        }
        let own = try await token(password + [("client_id", "spa")])
        #expect(own.oauthError == "unauthorized_client" && allowed(own) == Self.origin)
        let device = try await site.send(.post, "/oauth/device_authorization", fields: ["Origin": Self.origin])
        expectNil(allowed(device))
        // Each program on a device could be the page of such a redirect.
        for origin in ["http://127.0.0.1", "http://[::1]"] {
            let response = try await site.send(
                .post, "/oauth/token",
                fields: ["Origin": origin, .contentType: "application/x-www-form-urlencoded"],
                body: HTTPBody("grant_type=refresh_token&refresh_token=x&client_id=tool"))
            #expect(response.oauthError == "invalid_grant" && allowed(response) == nil)
        }
        await site.close()
    }

    @Test(
        arguments: [
            (nil, true, nil), ([], false, nil), (["https://other.example"], false, nil),
            (["https://spa.example"], true, "https://spa.example"),
        ] as [([String]?, Bool, String?)])
    func `A client's pages are those of its allowed origins, which a confidential one has to name`(
        origins: [String]?, isConfidential: Bool, expected: String?
    ) async throws {
        let site = try await site(origins: origins, isConfidential: isConfidential)
        var fields: HTTPFields = ["Origin": Self.origin, .contentType: "application/x-www-form-urlencoded"]
        if isConfidential { fields[.authorization] = ClientSecret.basic("spa") }
        let response = try await site.send(
            .post, "/oauth/token", fields: fields,
            body: HTTPBody("grant_type=refresh_token&refresh_token=x&client_id=spa"))
        #expect(response.oauthError == "invalid_grant" && allowed(response) == expected)
        await site.close()
    }
}
