// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchJOSE
import LatchTesting
import Testing

@testable import LatchIdentity

/// What clients learn about a user (OpenID Connect Core §5.1).
@Suite struct ProfileClaimsTests {
    private func change(_ site: Site) async throws {
        let ada = try #require(try await site.identity.administration.account(email: "ada@example.com"))
        var change = AccountDetailsChange(
            firstName: "Ada", lastName: "Lovelace", displayName: "Countess", avatarURL: "https://img.example/ada.png")
        change.preferences = AccountDetails.Preferences(language: "de-CH", timeZone: "Europe/Zurich")
        _ = try await site.identity.administration.change(change, of: ada.id, by: AccountActor(ada.id))
        _ = try await site.identity.administration.setRoles(of: ada.id, roles: ["staff", "editor"], permissions: [])
    }

    @Test(arguments: Way.allCases)
    func `The scope profile gives what the user has entered, and nothing that is missing`(way: Way) async throws {
        let site = try await Site.authorizing(way)
        let app = SignInApp(scope: "openid profile")
        let before = try await site.exchange(try await site.code(app), app)
        let empty = try await site.get("/oauth/userinfo", bearer: before.accessToken).json
        #expect(empty["given_name"] == nil && empty["picture"] == nil && empty["preferred_username"] != nil)
        try await change(site)
        let tokens = try await site.exchange(try await site.code(app), app)
        let claims = try await site.get("/oauth/userinfo", bearer: tokens.accessToken).json
        #expect(claims["given_name"] == "Ada" && claims["family_name"] == "Lovelace")
        #expect(claims["nickname"] == "Countess" && claims["picture"] == "https://img.example/ada.png")
        #expect(claims["locale"] == "de-CH" && claims["zoneinfo"] == "Europe/Zurich")
        #expect(claims["updated_at"]?.doubleValue != nil && claims["email"] == nil && claims["birthdate"] == nil)
        #expect(claims["roles"] == nil && claims["groups"] == nil)
        let only = SignInApp(scope: "openid")
        let access = try await site.exchange(try await site.code(only), only).accessToken
        try await expectNil(site.get("/oauth/userinfo", bearer: access).json["given_name"])
        await site.close()
    }

    @Test func `A client gets the roles of its users under the names that it is registered with`() async throws {
        let site = try await Site.authorizing {
            for index in $0.clients.indices where $0.clients[index].id == "notes" {
                ($0.clients[index].rolesClaim, $0.clients[index].groupsClaim) = (
                    "https://notes.example/roles", "groups"
                )
            }
        }
        try await change(site)
        let app = SignInApp(scope: "openid")
        let tokens = try await site.exchange(try await site.code(app), app)
        let userInfo = try await site.get("/oauth/userinfo", bearer: tokens.accessToken).json
        let idToken = try JWT(unverified: tokens.string("id_token")).claims.members
        for claims in [userInfo, idToken] {
            for name in ["https://notes.example/roles", "groups"] {
                expectEqual(claims[name], ["staff", "editor"], "\(name)")
            }
        }
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid")
        let other = try await site.exchange(try await site.code(foreign), foreign)
        try await expectNil(site.get("/oauth/userinfo", bearer: other.accessToken).json["groups"])
        await site.close()
    }

    /// OpenID Connect Core §5.5.
    @Test func `A request names single claims, which the page shows and the client may have`() async throws {
        let site = try await Site.authorizing {
            $0.clients.append(
                OAuthClient(
                    id: "narrow", grants: [.authorizationCode], scopes: ["email"],
                    redirectURIs: ["https://narrow.example/back"], idTokenAlgorithm: .es256))
        }
        try await change(site)
        let claims = #"{"userinfo":{"name":{"essential":true},"given_name":null,"x":null},"id_token":{"email":null}}"#
        var agent = UserAgent(site)
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid")
        let page = try await agent.signIn(try await agent.get(foreign.path(["claims": claims])))
        #expect(page.text.contains("your email address") && page.text.contains("your name, picture"))
        let tokens = try await site.exchange(try await agent.submit(page).parameters["code"] ?? "", foreign)
        expectEqual(tokens.string("scope"), "openid")
        let userInfo = try await site.get("/oauth/userinfo", bearer: tokens.accessToken).json
        #expect(userInfo["given_name"] == "Ada" && userInfo["family_name"] == nil && userInfo["email"] == nil)
        let idToken = try JWT(unverified: tokens.string("id_token")).claims
        #expect(idToken.string("email") == "ada@example.com" && idToken["name"] == nil)
        // The consent is kept for what the page has shown, and neither claim is asked for again.
        #expect(try await agent.get(foreign.path(["claims": claims])).parameters["code"] != nil)
        #expect(try await agent.get(foreign.path(["scope": "openid profile"])).parameters["code"] != nil)
        let narrow = SignInApp(clientID: "narrow", redirect: "https://narrow.example/back", scope: "openid")
        let limited = try await agent.get(narrow.path(["claims": claims]))
        #expect(limited.text.contains("your email address") && !limited.text.contains("your name, picture"))
        for wrong in ["x", "[]", #"{"userinfo":1}"#] {
            try await expectEqual(agent.get(foreign.path(["claims": wrong])).parameters["error"], "invalid_request")
        }
        let other = #"{"id_token":{"sub":{"value":"somebody"}}}"#
        let silent = try await agent.get(foreign.path(["claims": other, "prompt": "none"]))
        expectEqual(silent.parameters["error"], "login_required")
        await site.close()
    }

    @Test func `A claim that was asked for by name ends with the scopes of the client`() throws {
        var account = try Account.example()
        account.emailVerifiedAt = noon
        let named = ["email", "preferred_username"]
        for (scopes, names) in [(nil, Set(named)), (["profile"], ["preferred_username"]), ([], [])]
            as [(Scopes?, Set<String>)]
        {
            let client = OAuthClient(id: "a", scopes: scopes)
            expectEqual(Set(UserClaims().ofAccount(account, [], named: named, for: client).keys), names)
        }
        #expect(UserClaims().ofAccount(account, [], named: named, for: nil).isEmpty)
    }

    @Test(arguments: ["sub", "email", "jti", "a b", ""])
    func `The name of a claim with roles is that of no other claim`(name: String) {
        expectNil(OAuthClient(word: "a;groups_claim=\(name)"))
        expectEqual(OAuthClient(word: "a;groups_claim=groups;roles_claim=resource_access/roles")?.groupsClaim, "groups")
    }
}
