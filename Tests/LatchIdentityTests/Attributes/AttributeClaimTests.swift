// SPDX-License-Identifier: Apache-2.0

import Expectations
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// The attributes that clients get as claims.
@Suite struct AttributeClaimTests {
    private static let nick = "https://example.com/nick"

    private func site(_ change: (inout IdentityConfiguration) -> Void = { _ in }) async throws -> Site {
        let site = try await Site.authorizing {
            Attributes.set(&$0)
            change(&$0)
        }
        _ = try await site.store([
            "department": "R&D", "nickname": "Ada", "seats": 3, "risk": "secret-1", "source": "secret-2",
        ])
        return site
    }

    private func claims(_ site: Site, _ app: SignInApp) async throws -> (userInfo: JSONObject, idToken: JSONObject) {
        let tokens = try await site.exchange(try await site.code(app), app)
        return (
            try await site.get("/oauth/userinfo", bearer: tokens.accessToken).json,
            JSONObject(try JWT(unverified: tokens.string("id_token")).claims.members.map { ($0.key, $0.value) })
        )
    }

    @Test func `A scope gives its attributes at userinfo, and no other ones`() async throws {
        let site = try await site()
        let (work, idToken) = try await claims(site, SignInApp(scope: "openid work"))
        #expect(work["department"] == "R&D" && work[Self.nick] == "Ada" && work["seats"] == nil)
        #expect(idToken["department"] == nil && idToken[Self.nick] == nil)
        let (all, _) = try await claims(site, SignInApp(scope: "openid profile email work plan"))
        expectEqual(all["seats"], 3)
        let (none, _) = try await claims(site, SignInApp(scope: "openid profile email"))
        #expect(none["department"] == nil && none["seats"] == nil)
        for claims in [work, all, none] {
            let text = String(decoding: JSONValue.object(claims).serialized(), as: UTF8.self)
            #expect(!text.contains("secret") && claims["risk"] == nil && claims["source"] == nil)
        }
        await site.close()
    }

    @Test func `The metadata names the scopes and the claims of attributes`() async throws {
        let site = try await site()
        let metadata = try await site.get("/.well-known/openid-configuration").json
        let scopes = metadata["scopes_supported"]?.arrayValue ?? []
        #expect(scopes.contains("work") && scopes.contains("plan") && scopes.count { $0 == "work" } == 1)
        let names = metadata["claims_supported"]?.arrayValue ?? []
        #expect(names.contains(.string(Self.nick)) && names.contains("department") && !names.contains("risk"))
        await site.close()
    }

    @Test func `An ID token has attributes for a client whose tokens have claims`() async throws {
        let site = try await site {
            for index in $0.clients.indices { $0.clients[index].idTokenHasClaims = true }
        }
        let (_, idToken) = try await claims(site, SignInApp(scope: "openid work"))
        #expect(idToken["department"] == "R&D" && idToken["seats"] == nil)
        await site.close()
    }

    @Test func `A request names single attributes, which the page shows under their scope`() async throws {
        let site = try await site {
            $0.clients.append(
                OAuthClient(
                    id: "narrow", grants: [.authorizationCode], scopes: ["email"],
                    redirectURIs: ["https://narrow.example/back"], idTokenAlgorithm: .es256))
        }
        let claims = #"{"userinfo":{"seats":null,"risk":null},"id_token":{"department":null}}"#
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid")
        var agent = UserAgent(site)
        let page = try await agent.signIn(try await agent.get(foreign.path(["claims": claims])))
        #expect(page.text.contains("from your profile: department, nickname"), "\(page.text)")
        #expect(page.text.contains("from your profile: seats") && !page.text.contains("your name, picture"))
        let tokens = try await site.exchange(try await agent.submit(page).parameters["code"] ?? "", foreign)
        let userInfo = try await site.get("/oauth/userinfo", bearer: tokens.accessToken).json
        #expect(userInfo["seats"] == 3 && userInfo["department"] == nil && userInfo["risk"] == nil)
        let idToken = try JWT(unverified: tokens.string("id_token")).claims
        #expect(idToken["department"] == "R&D" && idToken["seats"] == nil)
        #expect(try await agent.get(foreign.path(["claims": claims])).parameters["code"] != nil)
        let narrow = SignInApp(clientID: "narrow", redirect: "https://narrow.example/back", scope: "openid")
        let limited = try await agent.get(narrow.path(["claims": claims]))
        #expect(!limited.text.contains("from your profile"))
        await site.close()
    }

    @Test func `A token with only scopes about the user opens no API`() async throws {
        let site = try await site()
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid work")
        let tokens = try await site.exchange(try await site.code(foreign), foreign)
        let claims = try JWT(unverified: tokens.accessToken).claims
        expectEqual(claims.audience, ["\(claims.issuer ?? "")/oauth/userinfo"])
        try await expectEqual(site.get("/oauth/userinfo", bearer: tokens.accessToken).json["department"], "R&D")
        await site.close()
    }

    /// A client in the store may get the roles under a name that an attribute takes later.
    @Test(.tags(.massAssignment)) func `An attribute never takes the place of roles`() throws {
        var configuration = IdentityConfiguration()
        configuration.attributes = try IdentityConfiguration(
            values: ["attributes": "crew;write=user;scope=work"]
        ).attributes
        let claims = UserClaims(AttributeRules(configuration))
        var account = try Account.example()
        account.attributes = ["crew": "admin"]
        var client = OAuthClient(id: "a")
        expectEqual(claims.ofAccount(account, ["work"], for: client)["crew"], "admin")
        for path in [\OAuthClient.groupsClaim, \OAuthClient.rolesClaim] {
            client = OAuthClient(id: "a")
            client[keyPath: path] = "crew"
            expectNil(claims.ofAccount(account, ["work"], for: client)["crew"])
            expectNil(claims.ofAccount(account, [], named: ["crew"], for: client)["crew"])
        }
    }

    @Test func `A stored value of another type does not become a claim`() async throws {
        let site = try await site()
        _ = try await site.store(["seats": "many", "department": "Closed"])
        let (claims, _) = try await claims(site, SignInApp(scope: "openid work plan"))
        #expect(claims["seats"] == nil && claims["department"] == nil && claims[Self.nick] == "Ada")
        await site.close()
    }

    @Test func `Clients that register themselves get the scopes of attributes as the settings say`() throws {
        var configuration = IdentityConfiguration()
        Attributes.set(&configuration)
        let policy = ScopePolicy(configuration)
        #expect(ClientMetadataRules.registration(policy).scopes.contains("work"))
        let some = ClientMetadataRules.registration(policy, permitting: ["plan"]).scopes
        #expect(!some.contains("work") && some.contains("plan") && some.contains("profile"))
    }
}
