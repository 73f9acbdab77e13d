// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// The exchange of access tokens (RFC 8693).
@Suite(.tags(.grantRestriction)) struct TokenExchangeTests {
    private static let api = "https://api.example.com"
    private static let tools = "https://tools.example.com"
    /// A resource server without scopes.
    private static let open = "https://open.example.com"
    private static let kind = "urn:ietf:params:oauth:token-type:access_token"

    /// A site with an API and tools, each with a client that serves it, and a client of neither.
    private func site(_ way: Way = .inProcess) async throws -> Site {
        try await Site.authorizing(way) {
            $0.audience = Self.api
            $0.resources = [
                ResourceServer(Self.tools, scopes: ["files:read", "tools:use"]), ResourceServer(Self.open),
            ]
            // The tools, the API and the worker may call each other; `sealed` calls nothing.
            let both = [Self.api, Self.tools, Self.open]
            $0.clients.append(
                OAuthClient(
                    id: "both", isConfidential: true, grants: [], introspectsAllTokens: true, serves: [Self.tools]))
            $0.clientSecretDigests["both"] = ClientSecret.digest
            for (id, serves, resources) in [
                ("worker", [Self.api], both), ("tools", [Self.tools], both), ("stranger", [], both),
                ("sealed", [Self.tools], nil),
            ] as [(String, [String], [String]?)] {
                $0.clients.append(
                    OAuthClient(
                        id: id, isConfidential: true, grants: [.tokenExchange], resources: resources, serves: serves))
                $0.clientSecretDigests[id] = ClientSecret.digest
            }
        }
    }

    private func exchange(
        _ site: Site, _ token: String, as client: String = "worker", scope: String? = nil, at resource: String? = nil,
        _ more: KeyValuePairs<String, String?> = [:]
    ) async throws -> Response {
        var fields: [(String, String?)] = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", token),
            ("subject_token_type", Self.kind), ("scope", scope), ("resource", resource),
        ]
        for (name, value) in more {
            fields.removeAll { $0.0 == name }
            fields.append((name, value))
        }
        return try await site.send(
            .post, "/oauth/token",
            fields: [
                .authorization: ClientSecret.basic(client), .contentType: "application/x-www-form-urlencoded",
            ], body: HTTPBody(FormEncoding.encode(fields.compactMap { name, value in value.map { (name, $0) } })))
    }

    private func access(_ site: Site, scope: String = "openid files:read files:write") async throws -> String {
        let app = SignInApp(scope: scope)
        return try await site.exchange(try await site.code(app), app).accessToken
    }

    @Test(arguments: Way.allCases)
    func `A resource server exchanges a token that it has received for one of another resource server`(way: Way)
        async throws
    {
        let site = try await site(way)
        let subject = try await access(site)
        site.clock.advance(by: 300)
        let exchanged = try await exchange(site, subject, at: Self.tools)
        #expect(exchanged.status == 200 && exchanged.string("issued_token_type") == Self.kind)
        #expect(exchanged.string("token_type") == "Bearer" && exchanged.string("scope") == "files:read")
        #expect(exchanged.json["refresh_token"] == nil && exchanged.json["expires_in"] == 600)
        let claims = try JWT(unverified: exchanged.accessToken).claims
        let first = try JWT(unverified: subject).claims
        #expect(claims.audience == [Self.tools] && claims.subject == first.subject)
        #expect(claims.string("client_id") == "worker" && claims["act"] == ["sub": "worker"])
        #expect(claims["exp"] == first["exp"] && claims["sid"] == first["sid"])
        // The tools exchange it again, and both are named.
        let second = try await exchange(site, exchanged.accessToken, as: "tools", scope: "files:read", at: Self.api)
        expectEqual(second.status, 200)
        try expectEqual(JWT(unverified: second.accessToken).claims["act"], ["sub": "tools", "act": ["sub": "worker"]])
        try await expectEqual(site.get("/files", bearer: second.accessToken).status, 200)
        await site.close()
    }

    /// The token of the operator's own app opens the account; an exchanged one does not.
    @Test func `A token for a resource server without scopes needs none, and several audiences are not one`()
        async throws
    {
        let site = try await site()
        let subject = try await access(site)
        let exchanged = try await exchange(site, subject, at: Self.open)
        try expectEqual(JWT(unverified: exchanged.accessToken).claims.audience, [Self.open])
        let several = try await site.send(
            .post, "/oauth/token",
            fields: [
                .authorization: ClientSecret.basic("worker"), .contentType: "application/x-www-form-urlencoded",
            ],
            body: HTTPBody(
                FormEncoding.encode([
                    ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", subject),
                    ("subject_token_type", Self.kind), ("audience", Self.open), ("audience", Self.tools),
                ])))
        expectEqual(several.oauthError, "invalid_target")
        await site.close()
    }

    @Test func `A client whose users need a second factor exchanges no token of a session without one`() async throws {
        let site = try await site()
        let subject = try await access(site)
        var configuration = site.identity.services.configuration
        for index in configuration.clients.indices where configuration.clients[index].id == "worker" {
            configuration.clients[index].requiresFactor = true
        }
        let next = try await Site(in: site.folder) { $0 = configuration }
        try await expectEqual(
            exchange(next, subject, at: Self.tools).oauthError, "unmet_authentication_requirements")
        await next.close()
        await site.close()
    }

    @Test func `An exchanged token has no more rights than its scopes, and ends with the session`() async throws {
        let site = try await site()
        let own = try await site.passwordGrant(scope: "files:read files:write")
        try await expectEqual(site.get("/api/auth/consents", bearer: own.accessToken).status, 200)
        let narrow = try await exchange(site, own.accessToken, scope: "files:read", at: Self.api)
        #expect(narrow.status == 200 && narrow.string("scope") == "files:read")
        try await expectEqual(site.get("/files", bearer: narrow.accessToken).status, 200)
        try await expectEqual(site.get("/api/auth/consents", bearer: narrow.accessToken).status, 403)
        try await expectNotEqual(site.get("/user/profile", bearer: narrow.accessToken).status, 200)
        let claims = try JWT(unverified: narrow.accessToken).claims
        #expect(claims["roles"] == nil && claims["email"] == nil)
        _ = try await site.call(.post, "/auth/logout", bearer: own.accessToken, [:])
        try await expectEqual(site.get("/files", bearer: narrow.accessToken).status, 401)
        try await expectEqual(exchange(site, narrow.accessToken).oauthError, "invalid_request")
        await site.close()
    }

    @Test func `A client exchanges neither another one's token, nor for more scopes, nor any other kind`() async throws
    {
        let site = try await site()
        let subject = try await access(site, scope: "openid files:read")
        let app = SignInApp(scope: "openid files:read")
        let idToken = try await site.exchange(try await site.code(app), app).string("id_token")
        try await expectEqual(exchange(site, subject, as: "stranger").oauthError, "invalid_request")
        try await expectEqual(exchange(site, subject, as: "tools").oauthError, "invalid_request")
        try await expectEqual(exchange(site, subject, scope: "files:write").oauthError, "invalid_scope")
        try await expectEqual(exchange(site, subject, at: "https://other.example").oauthError, "invalid_target")
        for wrong in [idToken, "x", subject + "x"] {
            try await expectEqual(exchange(site, wrong).oauthError, "invalid_request")
        }
        for more in [
            ["subject_token_type": "urn:ietf:params:oauth:token-type:id_token"], ["subject_token_type": nil],
            ["requested_token_type": "urn:ietf:params:oauth:token-type:refresh_token"], ["actor_token": subject],
        ] as [KeyValuePairs<String, String?>] {
            try await expectEqual(exchange(site, subject, more).oauthError, "invalid_request", "\(more)")
        }
        site.clock.advance(by: 901)
        try await expectEqual(exchange(site, subject).oauthError, "invalid_request")
        await site.close()
    }

    /// The user has agreed to the tools, and to nothing at the API.
    @Test
    func `A resource server gets no token for another one that it is not registered for, and none without a scope`()
        async throws
    {
        let site = try await site()
        let app = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid tools:use")
        var agent = UserAgent(site)
        let page = try await agent.signIn(try await agent.get(app.path(["resource": Self.tools])))
        let code = try await agent.submit(page).parameters["code"] ?? ""
        let subject = try await site.exchange(code, app).accessToken
        try expectEqual(JWT(unverified: subject).claims.audience, [Self.tools])
        try await expectEqual(exchange(site, subject, as: "sealed", at: Self.api).oauthError, "invalid_target")
        // Without a scope of the API, the token would say who the user is, and no more.
        try await expectEqual(exchange(site, subject, as: "tools", at: Self.api).status, 400)
        let own = try await exchange(site, subject, as: "sealed")
        #expect(own.status == 200 && own.string("scope") == "tools:use")
        // Neither the token nor an exchanged one ends the session of the app.
        for token in [subject, own.accessToken] {
            _ = try await site.send(.post, "/api/auth/logout", fields: [.authorization: "Bearer \(token)"])
            try await expectEqual(site.get("/oauth/userinfo", bearer: subject).status, 200)
        }
        let revoked = try await site.form(
            "/oauth/revoke", ["token": own.accessToken], fields: [.authorization: ClientSecret.basic("sealed")])
        expectEqual(revoked.oauthError, "unsupported_token_type")
        // Its client does.
        try await expectEqual(site.form("/oauth/revoke", ["token": subject, "client_id": "foreign"]).status, 200)
        try await expectEqual(site.get("/oauth/userinfo", bearer: subject).status, 401)
        await site.close()
    }

    @Test func `A resource server sees the tokens for itself at introspection, and who acts, and no others`()
        async throws
    {
        let site = try await site()
        let subject = try await access(site)
        let exchanged = try await exchange(site, subject, at: Self.tools).accessToken
        func introspect(_ token: String, as client: String) async throws -> JSONObject {
            try await site.form(
                "/oauth/introspect", ["token": token], fields: [.authorization: ClientSecret.basic(client)]
            ).json
        }
        try await expectEqual(introspect(subject, as: "worker")["active"], true)
        try await expectEqual(introspect(subject, as: "tools")["active"], false)
        let seen = try await introspect(exchanged, as: "sealed")
        #expect(seen["active"] == true && seen["act"] == ["sub": "worker"])
        try await expectEqual(introspect(exchanged, as: "stranger")["active"], false)
        for token in [subject, exchanged] { try await expectEqual(introspect(token, as: "both")["active"], true) }
        await site.close()
    }

    @Test func `A public client, and a resource server that is not configured, cannot be registered for exchanges`()
        async throws
    {
        for client in [
            OAuthClient(id: "public", grants: [.tokenExchange]),
            OAuthClient(id: "other", grants: [.refreshToken], serves: ["https://other.example"]),
        ] {
            await #expect(throws: IdentityError.self) {
                _ = try await Site.authorizing { $0.clients.append(client) }
            }
        }
    }
}
