// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import Testing

@testable import LatchIdentity

@Suite struct GrantHandlerTests {
    @Test func `The table of grant handlers has one handler per grant type`() {
        let types = GrantHandlers.all.map { $0.grantType }
        expectEqual(Set(types).count, types.count)
        expectEqual(
            types,
            [
                .password, .refreshToken, .authorizationCode, .deviceCode, .clientCredentials, .jwtBearer,
                .tokenExchange,
            ])
        expectEqual(types, OAuthClient.GrantType.supported)
    }

    @Test func `The table of grant handlers determines metadata, metrics, settings and the endpoint`() async throws {
        let site = try await Site()
        let json = try await site.get("/.well-known/oauth-authorization-server").json
        let types = GrantHandlers.all.map { $0.grantType.rawValue }
        expectEqual(json["grant_types_supported"], .array(types.map { .string($0) }))
        for type in types {
            try await expectEqual(site.metric("latch_tokens_issued_total{grant=\"\(type)\"}"), 0)
            #expect(OAuthClient.GrantType(rawValue: type) != nil)
            expectEqual(OAuthClient(word: "phone;grants=\(type)")?.grants.map(\.rawValue), [type])
            // It has no parameters of its own, and the first-party client does not authenticate.
            if ["client_credentials", "jwt-bearer", "token-exchange"].contains(where: type.hasSuffix) {
                try await expectEqual(site.token(["grant_type": type]).oauthError, "unauthorized_client")
                continue
            }
            // The handler, and not the endpoint, rejects a request without its parameters.
            let form: KeyValuePairs<String, String?> = [
                "grant_type": type, "client_id": type.hasSuffix("code") ? "latch" : nil,
            ]
            try await expectEqual(site.token(form).oauthError, "invalid_request")
        }
        await site.close()
    }

    @Test func `The table of grant handlers has no handler for other grant types`() async throws {
        let site = try await Site()
        expectNil(OAuthClient.GrantType(rawValue: "implicit"))
        expectNil(OAuthClient(word: "phone;grants=implicit"))
        try await expectEqual(site.token(["grant_type": "implicit"]).oauthError, "unsupported_grant_type")
        await site.close()
    }
}

@Suite struct AccountlessGrantTests {
    private let site: Site

    init() async throws {
        site = try await Site {
            let grants: Set<OAuthClient.GrantType> = [.clientCredentials, .refreshToken]
            $0.clients = [
                OAuthClient(id: "reports", isConfidential: true, grants: grants),
                OAuthClient(id: "phone"), OAuthClient(id: "web", isConfidential: true),
                OAuthClient(
                    id: "robot", isConfidential: true, grants: [.clientCredentials],
                    scopes: ["widgets:admin", "openid"]),
                OAuthClient(
                    id: "portal", isConfidential: true, grants: [.authorizationCode, .clientCredentials],
                    scopes: ["openid", "email", "widgets:admin", "files:read"],
                    redirectURIs: ["https://portal.example/back"]),
            ]
            let confidential = ["reports", "web", "robot", "portal"]
            $0.clientSecretDigests = Dictionary(uniqueKeysWithValues: confidential.map { ($0, ClientSecret.digest) })
        }
    }

    private func request(_ id: String?, secret: String? = ClientSecret.text, scope: String? = nil) async throws
        -> Response
    {
        try await site.token([
            "grant_type": "client_credentials", "client_id": id, "client_secret": secret, "scope": scope,
        ])
    }

    @Test
    func `A grant without an account is one handler, which metadata, metrics and the endpoint follow`() async throws {
        let metadata = try await site.get("/.well-known/oauth-authorization-server").json
        expectEqual(metadata["grant_types_supported"]?.arrayValue?.contains("client_credentials"), true)
        let metric = #"latch_tokens_issued_total{grant="client_credentials"}"#
        try await expectEqual(site.metric(metric), 0)
        let response = try await request("reports", scope: "files:read widgets:write")
        expectEqual(response.status, 200)
        #expect(response.string("token_type") == "Bearer" && response.number("expires_in") == 900)
        expectEqual(response.scopes, Scopes(parsing: "files:read widgets:write"))
        // RFC 6749 §4.4.3: no refresh token; and there is no account.
        #expect(response.json["refresh_token"] == nil && response.json["user_id"] == nil)
        try await expectEqual(site.metric(metric), 1)
        try await expectEqual(site.metric(#"latch_tokens_issued_total{grant="password"}"#), 0)
        await site.close()
    }

    @Test func `A grant without an account issues a token of the client itself`() async throws {
        let access = try await request("reports").accessToken
        let claims = try JWT(unverified: access).claims
        #expect(claims.subject == "reports" && claims.string("client_id") == "reports")
        for name in ["sid", "email", "roles", "permissions", "id"] { expectNil(claims.members[name]) }
        let request = HTTPRequest(
            scheme: "http", authority: "127.0.0.1:8080", path: "/", fields: [.authorization: "Bearer \(access)"])
        let principal = try await site.tokens.principal(of: request)
        #expect(principal.clientID == "reports" && principal.accountID == nil)
        #expect(principal.scopes.contains("files:read"))
        await site.close()
    }

    @Test func `A grant without an account opens no route of an account`() async throws {
        let access = try await request("reports").accessToken
        for path in ["/user/profile", "/api/users"] {
            try await expectEqual(site.get(path, bearer: access).status, 401, "\(path)")
        }
        try await expectEqual(site.call("GetActiveDevices", bearer: access).stableCode, "invalidToken")
        let everywhere = try await site.call(.post, "/auth/logout", bearer: access, ["allDevices": true])
        expectEqual(everywhere.status, 401)
        await site.close()
    }

    @Test
    func `A grant without an account is for registered, authenticated clients, within their scopes`() async throws {
        try await expectEqual(request("reports", secret: "wrong").oauthError, "invalid_client")
        try await expectEqual(request("phone", secret: nil).oauthError, "unauthorized_client")
        try await expectEqual(request("web").oauthError, "unauthorized_client")
        try await expectEqual(request(nil, secret: nil).oauthError, "unauthorized_client")
        // `:admin` scopes come from an account's role, which a client does not have.
        try await expectEqual(request("reports", scope: "widgets:admin").oauthError, "invalid_scope")
        // But an operator may name one in the registration of a client without users.
        let robot = try await request("robot", scope: "openid widgets:admin")
        #expect(robot.scopes == ["widgets:admin"] && robot.json["id_token"] == nil)
        let portal = try await request("portal", scope: "openid email widgets:admin files:read")
        expectEqual(portal.scopes, ["files:read"])
        // Another's client that signs users in has no token for the API without a scope of it.
        try await expectEqual(request("portal", scope: "openid").oauthError, "invalid_scope")
        await site.close()
    }

    @Test func `A grant without an account is not for a public client`() {
        var configuration = IdentityConfiguration()
        configuration.clients = [OAuthClient(id: "phone", grants: [.clientCredentials])]
        #expect(throws: IdentityError.self) { try OAuthClients(configuration) }
        configuration.clients = []
        configuration.firstPartyGrants = [.password, .clientCredentials]
        #expect(throws: IdentityError.self) { try OAuthClients(configuration) }
    }
}
