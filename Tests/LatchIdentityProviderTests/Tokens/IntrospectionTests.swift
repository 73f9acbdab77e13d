// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// RFC 7662.
@Suite struct IntrospectionTests {
    /// An API of the operator, an app of its own, a resource server and an app of others, and a client for itself.
    static func clients(_ configuration: inout IdentityConfiguration) {
        configuration.clients = [
            OAuthClient(id: "api", isConfidential: true, grants: []),
            OAuthClient(id: "reports", isConfidential: true, grants: [.password, .refreshToken]),
            OAuthClient(id: "phone", grants: [.password, .refreshToken]),
            OAuthClient(id: "robot", isConfidential: true, grants: [.clientCredentials]),
        ]
        for (id, introspectsAll) in [("gateway", true), ("shop", false)] {
            configuration.clients.append(
                OAuthClient(
                    id: id, isConfidential: true, grants: [.authorizationCode, .refreshToken],
                    redirectURIs: ["https://\(id).example/back"], idTokenAlgorithm: .es256,
                    introspectsAllTokens: introspectsAll))
        }
        let confidential = configuration.clients.filter(\.isConfidential).map(\.id)
        configuration.clientSecretDigests = Dictionary(
            uniqueKeysWithValues: confidential.map { ($0, ClientSecret.digest) })
    }

    private static func site(
        _ way: Way = .inProcess, in folder: TemporaryFolder? = nil,
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        let site = try await Site(way, in: folder) {
            clients(&$0)
            change(&$0)
        }
        if folder == nil { try await site.signUp() }
        return site
    }

    /// The only response about a token that is not active.
    private static func isInactive(_ response: Response) -> Bool {
        response.status == 200 && response.text == #"{"active":false}"# && response.field(.cacheControl) == "no-store"
    }

    /// The tokens of an app of others, whose user agreed to them.
    private func shop(_ site: Site, _ scope: String, _ id: String = "shop") async throws -> Response {
        let app = SignInApp(clientID: id, redirect: "https://\(id).example/back", scope: scope)
        return try await site.token([
            "grant_type": "authorization_code", "code": try await site.code(app), "code_verifier": app.verifier,
            "redirect_uri": app.redirect, "client_id": id, "client_secret": ClientSecret.text,
        ])
    }

    // MARK: Active tokens

    @Test(.tags(.realServer), arguments: Way.allCases)
    func `An introspection tells the operator's API the members of an access token, and no cache keeps them`(
        way: Way
    ) async throws {
        let site = try await Self.site(way)
        let login = try await site.passwordGrant(scope: "files:read widgets:read", as: "phone")
        let response = try await site.introspect(login.accessToken)
        expectEqual(response.status, 200)
        expectEqual(response.field(.cacheControl), "no-store")
        expectEqual(response.field(.contentType)?.hasPrefix("application/json"), true)
        let claims = try JWT(unverified: login.accessToken).claims
        let issuer = try #require(site.identity.issuer)
        for name in ["sub", "client_id", "exp", "iat", "aud", "jti", "iss"] {
            #expect(response.json[name] != nil && response.json[name] == claims[name], "\(name)")
        }
        #expect(response.json["active"] == true && response.string("token_type") == "Bearer")
        #expect(response.string("iss") == issuer && response.string("client_id") == "phone")
        expectEqual(response.scopes, Scopes(parsing: "files:read widgets:read"))
        expectEqual(response.string("username"), Username.substitute(for: claims.subject ?? ""))
        expectNil(response.json["nbf"])
        let names: Set = [
            "active", "scope", "client_id", "username", "token_type", "exp", "iat", "sub", "aud", "iss", "jti",
        ]
        expectEqual(Set(response.json.keys), names)
        await site.close()
    }

    @Test(.tags(.revocationOracle))
    func `An introspection tells an app of its own tokens, and of no others, whether they are valid or not`()
        async throws
    {
        let site = try await Self.site()
        let own = try await shop(site, "openid files:read")
        try await expectEqual(site.introspect(own.accessToken, by: "shop").string("client_id"), "shop")
        let robot = try await site.token([
            "grant_type": "client_credentials", "client_id": "robot", "client_secret": ClientSecret.text,
        ])
        let phone = try await site.passwordGrant(as: "phone").accessToken
        for (token, asker, isShown) in [
            (phone, "shop", false), (robot.accessToken, "shop", false), (own.accessToken, "gateway", true),
            // A client that acts for itself, or has a grant for users, is not a resource server by that.
            (phone, "robot", false), (phone, "reports", false),
        ] {
            let response = try await site.introspect(token, by: asker)
            expectNotEqual(Self.isInactive(response), isShown, "\(asker)")
        }
        // Its time does not show whether a foreign token is revoked, either: no row is read.
        let isReadless = try await site.readsNothing {
            let response = try await site.introspect(phone, by: "shop")
            #expect(Self.isInactive(response))
        }
        #expect(isReadless)
        await site.close()
    }

    @Test func `An introspection tells a resource server of others of every access token, if it is registered so`()
        async throws
    {
        let site = try await Self.site()
        let response = try await site.introspect(try await site.passwordGrant(as: "phone").accessToken, by: "gateway")
        #expect(response.json["active"] == true && response.string("client_id") == "phone")
        #expect(
            Self.isInactive(try await site.introspect(site.passwordGrant(as: "phone").refreshToken, by: "gateway")))
        await site.close()
    }

    @Test func `An introspection names the user to others only with the scope profile, by that of userinfo`()
        async throws
    {
        let site = try await Self.site()
        let with = try await shop(site, "openid profile files:read")
        let without = try await shop(site, "openid files:read")
        let claims = try await site.get("/oauth/userinfo", bearer: with.accessToken).json
        let name = try #require(claims["preferred_username"]?.stringValue)
        for asker in ["shop", "gateway"] {
            try await expectEqual(site.introspect(with.accessToken, by: asker).string("username"), name)
            try await expectEqual(site.introspect(without.accessToken, by: asker).json["active"], true)
            try await expectNil(site.introspect(without.accessToken, by: asker).json["username"])
        }
        try await expectEqual(site.introspect(without.accessToken).string("username"), name)
        await site.close()
    }

    @Test(.tags(.tokenForgery))
    func `An introspection shows a token for userinfo to its client only, and a token without scopes has none`()
        async throws
    {
        let site = try await Self.site()
        let token = try await shop(site, "openid").accessToken
        let response = try await site.introspect(token, by: "shop")
        #expect(response.string("aud").hasSuffix("/oauth/userinfo") && response.string("scope") == "openid")
        // RFC 7662 §4: no API accepts it.
        for asker in ["api", "gateway"] { #expect(Self.isInactive(try await site.introspect(token, by: asker))) }
        let bare = try await Self.site { ($0.scopes, $0.defaultScopes) = ([], []) }
        let members = try await bare.introspect(try await bare.passwordGrant(as: "phone").accessToken).json
        #expect(members["active"] == true && members["scope"] == nil)
        await bare.close()
        await site.close()
    }

    @Test func `An introspection of a client's token for itself has no user, and ends with the client's grant`()
        async throws
    {
        let site = try await Self.site()
        let token = try await site.token([
            "grant_type": "client_credentials", "client_id": "robot", "client_secret": ClientSecret.text,
        ]).accessToken
        for asker in ["api", "robot"] {
            let response = try await site.introspect(token, by: asker)
            #expect(response.json["active"] == true && response.string("sub") == "robot")
            expectNil(response.json["username"])
        }
        var configuration = site.identity.services.configuration
        configuration.clients = configuration.clients.map { client in
            var client = client
            if client.id == "robot" { client.grants = [] }
            return client
        }
        let next = try await site.identity.reconfigured(configuration)
        let api = try #require(await next.services.clients.client("api"))
        try await expectNil(next.services.introspection.members(of: token, for: api))
        await site.close()
    }

    // MARK: Refresh tokens

    @Test(.tags(.refreshReuse))
    func `An introspection of a refresh token tells its client whether it is the newest, and never rotates it`()
        async throws
    {
        let site = try await Self.site()
        let first = try await site.reportsLogin()
        for _ in 0..<3 {
            let response = try await site.introspect(first.refreshToken, by: "reports")
            #expect(response.json["active"] == true && response.string("client_id") == "reports")
            #expect(response.string("token_use") == "refresh_token" && response.json["exp"] != nil)
            // Nothing that a resource server could take for an access token.
            #expect(response.json["token_type"] == nil && response.json["aud"] == nil)
        }
        let next = try await site.reportsRefresh(first.refreshToken)
        expectEqual(next.status, 200)
        site.clock.advance(by: 3600)
        for _ in 0..<3 { #expect(Self.isInactive(try await site.introspect(first.refreshToken, by: "reports"))) }
        // The replaced token did not count as stolen.
        try await expectEqual(site.introspect(next.refreshToken, by: "reports").json["active"], true)
        try await expectEqual(site.reportsRefresh(next.refreshToken).status, 200)
        try await expectEqual(site.metric(#"latch_token_replays_total{outcome="revoked"}"#), 0)
        await site.close()
    }

    @Test(.tags(.revocationOracle))
    func `An introspection tells no client of a refresh token that is another client's, or invented`() async throws {
        let site = try await Self.site()
        let login = try await site.reportsLogin()
        let phone = try await site.passwordGrant(as: "phone")
        for asker in ["api", "gateway", "shop"] {
            #expect(Self.isInactive(try await site.introspect(login.refreshToken, by: asker)))
        }
        let last = login.refreshToken.hasSuffix("A") ? "Q" : "A"
        for token in [
            phone.refreshToken, String(login.refreshToken.dropLast()) + last,
            "lr1." + String(repeating: "A", count: 70),
        ] { #expect(Self.isInactive(try await site.introspect(token, by: "reports"))) }
        try await expectEqual(site.reportsRefresh(login.refreshToken).status, 200)
        await site.close()
    }

    // MARK: Inactive tokens

    @Test(.tags(.immediateRevocation)) func `An introspection follows a revocation immediately`() async throws {
        let site = try await Self.site()
        let login = try await site.reportsLogin()
        try await expectEqual(site.introspect(login.accessToken).json["active"], true)
        let fields: HTTPFields = [.authorization: ClientSecret.basic("reports")]
        _ = try await site.form("/oauth/revoke", ["token": login.refreshToken], fields: fields)
        for asker in ["api", "reports"] {
            #expect(Self.isInactive(try await site.introspect(login.accessToken, by: asker)))
            #expect(Self.isInactive(try await site.introspect(login.refreshToken, by: asker)))
        }
        await site.close()
    }

    @Test(.tags(.immediateRevocation), arguments: [Account.Status.disabled, .suspended, .banned, .deleted])
    func `An introspection calls no token of an account active that is not active`(status: Account.Status)
        async throws
    {
        let site = try await Self.site()
        let login = try await site.reportsLogin()
        try await expectEqual(site.introspect(login.accessToken).json["active"], true)
        let id = try #require(try await site.identity.administration.account(email: "ada@example.com")).id
        try await site.identity.services.store.perform(
            status == .deleted ? .delete(isFinal: false) : .setStatus(status), on: id)
        #expect(Self.isInactive(try await site.introspect(login.accessToken)))
        #expect(Self.isInactive(try await site.introspect(login.refreshToken, by: "reports")))
        await site.close()
    }

    @Test(.tags(.immediateRevocation))
    func `An introspection sees a sign-out by another process within a second`() async throws {
        let site = try await Self.site()
        let other = try await Self.site(in: site.folder)
        let login = try await site.reportsLogin()
        try await expectEqual(other.introspect(login.accessToken).json["active"], true)
        let fields: HTTPFields = [.authorization: ClientSecret.basic("reports")]
        _ = try await site.form("/oauth/revoke", ["token": login.accessToken], fields: fields)
        other.clock.advance(by: 1)
        #expect(Self.isInactive(try await other.introspect(login.accessToken)))
        await other.close()
        await site.close()
    }

    @Test(.tags(.tokenTimes)) func `An introspection calls a token inactive from its expiry on`() async throws {
        let site = try await Self.site { $0.refreshTokenLifetime = .seconds(3600) }
        let login = try await site.reportsLogin()
        site.clock.advance(by: 899)
        try await expectEqual(site.introspect(login.accessToken).json["active"], true)
        site.clock.advance(by: 1)
        #expect(Self.isInactive(try await site.introspect(login.accessToken)))
        site.clock.advance(by: 2699)
        try await expectEqual(site.introspect(login.refreshToken, by: "reports").json["active"], true)
        site.clock.advance(by: 1)
        #expect(Self.isInactive(try await site.introspect(login.refreshToken, by: "reports")))
        await site.close()
    }

    @Test(.tags(.tokenTimes)) func `An introspection reports no later end of a token than that of its session`()
        async throws
    {
        let site = try await Self.site { $0.refreshTokenLifetime = .seconds(60) }
        let login = try await site.reportsLogin()
        let end = Int(noon.timeIntervalSince1970) + 60
        try await expectEqual(site.introspect(login.accessToken).number("exp"), end)
        try await expectEqual(site.introspect(login.refreshToken, by: "reports").number("exp"), end)
        site.clock.jump(by: 60)
        #expect(Self.isInactive(try await site.introspect(login.accessToken)))
        await site.close()
    }

    @Test(.tags(.tokenForgery))
    func `An introspection calls ID tokens, other issuers' tokens, forged ones and garbage inactive`() async throws {
        let site = try await Self.site()
        let login = try await shop(site, "openid profile files:read")
        let claims = try JWT(unverified: login.accessToken).claims
        let forged = try JWT.sign(claims, with: try Key.generate(.es256), type: "at+jwt")
        let stranger = try await Self.site { $0.issuer = "https://login.other.example" }
        let parts = login.accessToken.split(separator: ".")
        let texts = [
            login.string("id_token"), forged, try await stranger.passwordGrant(as: "phone").accessToken,
            "\(parts[0]).\(parts[1]).", "eyJhbGciOiJub25lIn0.\(parts[1]).", login.accessToken + "=", "x", "a b",
            "é\u{0}",
            "lr1.", String(repeating: "A", count: 20_000), "' OR 1=1 --", ClientSecret.text,
        ]
        for text in texts {
            for asker in ["api", "shop"] {
                #expect(Self.isInactive(try await site.introspect(text, by: asker)), "\(text.prefix(40))")
            }
        }
        await stranger.close()
        await site.close()
    }

    // MARK: Costs

    @Test func `An introspection of a token that was just read reads no row, and verifies no signature again`()
        async throws
    {
        let site = try await Self.site()
        let login = try await site.passwordGrant(as: "phone")
        let isReadless = try await site.readsNothing(
            after: {
                let response = try await site.introspect(login.accessToken)
                expectEqual(response.json["active"], true)
            },
            {
                let before = site.identity.services.accessTokens.cacheStatistics
                for asker in ["api", "gateway", "api", "gateway"] {
                    let response = try await site.introspect(login.accessToken, by: asker)
                    expectEqual(response.json["active"], true)
                }
                let after = site.identity.services.accessTokens.cacheStatistics
                #expect(after.misses == before.misses && after.hits == before.hits + 4)
            })
        #expect(isReadless)
        // A second later it reads the device and the account.
        site.clock.advance(by: 1)
        let reads = try site.storeReads()
        try await expectEqual(site.introspect(login.accessToken).json["active"], true)
        #expect(try site.storeReads() >= reads + 2)
        await site.close()
    }

    @Test func `An introspection by a resource server does not count against the limit of token requests`()
        async throws
    {
        let site = try await Self.site { $0.tokenLimitPerMinute = 3 }
        for _ in 0..<10 {
            for asker in ["api", "gateway"] { #expect(Self.isInactive(try await site.introspect("x", by: asker))) }
        }
        for _ in 0..<3 { #expect(Self.isInactive(try await site.introspect("x", by: "shop"))) }
        let refused = try await site.introspect("x", by: "shop")
        #expect(refused.status == 429 && refused.field(.retryAfter) != nil)
        await site.close()
    }

    @Test(.tags(.clientSecretGuessing))
    func `An introspection with a wrong secret counts against the limits of token requests and of secrets`()
        async throws
    {
        let site = try await Self.site { $0.tokenLimitPerMinute = 3 }
        for _ in 0..<3 { try await expectEqual(site.introspect("x", secret: "wrong").status, 401) }
        try await expectEqual(site.introspect("x").status, 429)
        let guessed = try await Self.site { $0.loginLimitPerMinute = 2 }
        for _ in 0..<2 { try await expectEqual(guessed.introspect("x", secret: "wrong").status, 401) }
        try await expectEqual(guessed.introspect("x").status, 429)
        await guessed.close()
        await site.close()
    }
}

extension Site {
    /// Asks about a token by the secret of a client.
    func introspect(
        _ token: String?, by client: String = "api", secret: String = ClientSecret.text, hint: String? = nil
    ) async throws -> Response {
        try await form(
            "/oauth/introspect", ["token": token, "token_type_hint": hint],
            fields: [.authorization: ClientSecret.basic(client, secret)])
    }

    /// Signs in at the confidential client `reports`.
    fileprivate func reportsLogin() async throws -> Response {
        try await token(
            ["grant_type": "password", "username": "ada@example.com", "password": Site.password],
            fields: [.authorization: ClientSecret.basic("reports")])
    }

    fileprivate func reportsRefresh(_ token: String) async throws -> Response {
        try await refreshGrant(token, fields: [.authorization: ClientSecret.basic("reports")])
    }

    /// Whether `body` reads nothing from the store, in one of some attempts: the server's own work reads, too.
    fileprivate func readsNothing(
        after prepare: () async throws -> Void = {}, _ body: () async throws -> Void
    ) async throws -> Bool {
        for _ in 0..<20 {
            try await prepare()
            let before = try storeReads()
            try await body()
            if try storeReads() == before { return true }
        }
        return false
    }

    /// The number of the store's calls that read.
    fileprivate func storeReads() throws -> Int {
        guard case .histogram(let histogram) = identity.services.store.calls.samples.first?.value else { return 0 }
        return histogram.intervals.reduce(0, +)
    }
}
