// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import TestTags
import Testing

@testable import LatchIdentity

/// The modules of `oidcc-basic-certification-test-plan` for a static client; Documentation/Conformance.md lists them.
///
/// With the response mode `form_post` they are those of `oidcc-formpost-basic-certification-test-plan`.
@Suite struct BasicPlanTests {
    typealias Mode = SuitePeer.Mode

    /// The response modes of the two plans.
    static let modes: [Mode] = [.query, .formPost]

    // MARK: Sign-ins

    @Test(arguments: modes)
    func `A code flow without PKCE gives the tokens of its user [oidcc-server]`(mode: Mode) async throws {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let (tokens, id) = try await peer.signIn(&agent)
        #expect(Set(id.members.keys).isSubset(of: AccessTokenIssuer.claimsOfIDTokens))
        let user = try await peer.userInfo(tokens.accessToken)
        #expect(user.status == 200 && user.json["sub"] == id["sub"])
        await peer.site.close()
    }

    @Test(arguments: modes)
    func `A client without an algorithm gets an ID token of RS256 [oidcc-idtoken-signature]`(mode: Mode) async throws {
        let unsaid = OAuthClient(id: "suite").idTokenAlgorithm
        var peer = try await SuitePeer.basic(mode) { $0.clients[0].idTokenAlgorithm = unsaid }.first
        peer.algorithm = .rs256
        var agent = UserAgent(peer.site)
        _ = try await peer.signIn(&agent)
        await peer.site.close()
    }

    /// Parameters that change nothing for this server.
    static let ignored: [SuiteModule<SuitePeer.Changes>] = [
        .init("oidcc-display-page", ["display": "page"]), .init("oidcc-display-popup", ["display": "popup"]),
        .init("oidcc-ui-locales", ["ui_locales": "se"]), .init("oidcc-claims-locales", ["claims_locales": "se"]),
        .init("oidcc-login-hint", ["login_hint": "bob@example.com"]),
        .init("oidcc-ensure-request-with-unknown-parameter-succeeds", ["extra": "foobar"]),
        .init("oidcc-alternate-happy-flow", ["scope": "email openid"]),
        // The suite skips the last three, since metadata lists neither scope.
        .init("oidcc-scope-address", ["scope": "openid address"]),
        .init("oidcc-scope-phone", ["scope": "openid phone"]),
        .init("oidcc-scope-all", ["scope": "openid profile email address phone"]),
    ]

    @Test(arguments: ignored, modes)
    func `A request with a parameter that the server need not obey succeeds`(
        module: SuiteModule<SuitePeer.Changes>, mode: Mode
    ) async throws {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let (tokens, id) = try await peer.signIn(&agent, module.change)
        try await expectEqual(peer.userInfo(tokens.accessToken).json["sub"], id["sub"])
        let scopes = try await peer.site.get("/.well-known/openid-configuration").json["scopes_supported"]?.arrayValue
        expectEqual(scopes?.contains("address"), false)
        await peer.site.close()
    }

    @Test(arguments: modes)
    func `A request needs no nonce [oidcc-ensure-request-without-nonce-succeeds-for-code-flow]`(
        mode: Mode
    ) async throws {
        var peer = try await SuitePeer.basic(mode).first
        peer.app.nonce = nil
        var agent = UserAgent(peer.site)
        try await expectNil(peer.signIn(&agent).id["nonce"])
        await peer.site.close()
    }

    @Test(arguments: modes)
    func `A request by POST succeeds [oidcc-ensure-post-request-succeeds]`(mode: Mode) async throws {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let posted = try await agent.post("/oauth/authorize", form: FormEncoding.encode(peer.parameters()))
        #expect(posted.status == 303 && posted.location.hasPrefix(Site.issuer))
        let page = try await agent.get(String(posted.location.dropFirst(Site.issuer.count)))
        let done = try await peer.answer(page, in: &agent)
        let code = try #require(try await peer.callback(done)["code"])
        try await peer.idToken(in: try await peer.exchange(code), code: code)
        await peer.site.close()
    }

    @Test(arguments: modes)
    func `A client sends its secret in the form [oidcc-server-client-secret-post]`(mode: Mode) async throws {
        var peer = try await SuitePeer.basic(mode).first
        peer.authentication = .secretPost
        var agent = UserAgent(peer.site)
        _ = try await peer.signIn(&agent)
        await peer.site.close()
    }

    @Test(arguments: modes)
    func `A client may use PKCE [oidcc-ensure-request-with-valid-pkce-succeeds]`(mode: Mode) async throws {
        var peer = try await SuitePeer.basic(mode).first
        peer.sendsChallenge = true
        var agent = UserAgent(peer.site)
        let code = try await peer.code(&agent)
        peer.expect(try await peer.exchange(code, ["code_verifier": nil]), ["invalid_grant"])
        try await peer.idToken(in: try await peer.exchange(code), code: code)
        await peer.site.close()
    }

    @Test(arguments: modes)
    func `The metadata lists the context classes [oidcc-ensure-request-with-acr-values-succeeds]`(
        mode: Mode
    ) async throws {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let metadata = try await peer.site.get("/.well-known/openid-configuration").json
        let values = metadata["acr_values_supported"]?.arrayValue?.compactMap(\.stringValue) ?? []
        let id = try await peer.signIn(&agent, ["acr_values": values.joined(separator: " ")]).id
        expectEqual(id.string("acr").map { values.contains($0) }, true)
        await peer.site.close()
    }

    // MARK: Claims

    @Test(arguments: ["oidcc-userinfo-get", "oidcc-userinfo-post-header", "oidcc-userinfo-post-body"], modes)
    func `A request for claims has the access token in the field or in the form`(module: String, mode: Mode)
        async throws
    {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let (tokens, id) = try await peer.signIn(&agent)
        let user =
            switch module {
            case "oidcc-userinfo-get": try await peer.userInfo(tokens.accessToken)
            case "oidcc-userinfo-post-header":
                try await peer.site.send(
                    .post, "/oauth/userinfo", fields: [.authorization: "Bearer \(tokens.accessToken)"])
            default: try await peer.site.post("/oauth/userinfo", form: "access_token=\(tokens.accessToken)")
            }
        #expect(user.status == 200 && user.field(.contentType)?.hasPrefix("application/json") == true)
        expectEqual(user.json["sub"], id["sub"])
        await peer.site.close()
    }

    @Test(arguments: modes)
    func `The scope profile permits what the metadata lists of it [oidcc-scope-profile]`(mode: Mode) async throws {
        let peer = try await SuitePeer.basic(mode).first
        let ada = try #require(try await peer.site.accountID("ada@example.com"))
        var change = AccountDetailsChange()
        (change.firstName, change.lastName, change.displayName) = ("Ada", "Lovelace", "The Countess")
        (change.username, change.avatarURL) = ("countess", "https://example.com/ada.png")
        var preferences = AccountDetails.Preferences()
        (preferences.language, preferences.timeZone) = ("en-GB", "Europe/London")
        change.preferences = preferences
        _ = try await peer.site.identity.administration.change(change, of: ada, by: AccountActor(ada))
        var agent = UserAgent(peer.site)
        let (tokens, id) = try await peer.signIn(&agent, ["scope": "openid profile"])
        let user = try await peer.userInfo(tokens.accessToken).json
        expectEqual(
            Set(user.keys),
            [
                "sub", "name", "given_name", "family_name", "nickname", "preferred_username", "picture", "zoneinfo",
                "locale", "updated_at",
            ])
        #expect(user["name"]?.stringValue?.isEmpty == false && user["updated_at"]?.intValue != nil)
        let metadata = try await peer.site.get("/.well-known/openid-configuration").json
        let listed = metadata["claims_supported"]?.arrayValue?.compactMap(\.stringValue) ?? []
        #expect(Set(user.keys).isSubset(of: listed))
        // OpenID Connect Core §5.4: the client has an access token to ask with.
        #expect(id["name"] == nil && id["preferred_username"] == nil)
        await peer.site.close()
    }

    @Test(arguments: modes)
    func `The scope email permits the address, which no ID token has [oidcc-scope-email]`(mode: Mode) async throws {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let (tokens, id) = try await peer.signIn(&agent, ["scope": "openid email"])
        let user = try await peer.userInfo(tokens.accessToken).json
        #expect(user["email"] == "ada@example.com" && user["email_verified"] == true)
        #expect(id["email"] == nil && id["email_verified"] == nil)
        await peer.site.close()
    }

    @Test(arguments: modes)
    func `A request for an essential claim gets it [oidcc-claims-essential]`(mode: Mode) async throws {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let claims = #"{"userinfo":{"name":{"essential":true}}}"#
        let (tokens, id) = try await peer.signIn(&agent, ["claims": claims])
        let user = try await peer.userInfo(tokens.accessToken).json
        #expect(user["sub"] == id["sub"] && user["name"]?.stringValue?.isEmpty == false)
        await peer.site.close()
    }

    // MARK: Sessions of the browser

    @Test(arguments: ["oidcc-prompt-login", "oidcc-max-age-1"], modes)
    func `A request that wants a recent sign-in gets one`(module: String, mode: Mode) async throws {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let first = try await peer.signIn(&agent).id
        peer.site.clock.advance(by: 2)
        let page = try await agent.get(
            try await peer.path(module == "oidcc-prompt-login" ? ["prompt": "login"] : ["max_age": "1"]))
        expectEqual(page.formAction, "/login")
        let done = try await peer.answer(page, in: &agent)
        let code = try #require(try await peer.callback(done)["code"])
        let second = try await peer.idToken(in: try await peer.exchange(code), code: code)
        #expect(second.date("auth_time") == peer.site.clock.now && first.date("auth_time") == noon)
        expectEqual(second.subject, first.subject)
        await peer.site.close()
    }

    @Test(arguments: ["oidcc-prompt-none-logged-in", "oidcc-max-age-10000", "oidcc-id-token-hint"], modes)
    func `A request of a user who has signed in and agreed shows no page`(module: String, mode: Mode) async throws {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let (tokens, first) = try await peer.signIn(&agent)
        peer.site.clock.advance(by: 2)
        let changes: SuitePeer.Changes =
            switch module {
            case "oidcc-prompt-none-logged-in": ["prompt": "none"]
            case "oidcc-max-age-10000": ["max_age": "10000"]
            default: ["prompt": "none", "id_token_hint": tokens.string("id_token")]
            }
        let code = try #require(try await peer.callback(try await agent.get(try await peer.path(changes)))["code"])
        let second = try await peer.idToken(in: try await peer.exchange(code), code: code)
        #expect(second["auth_time"] == first["auth_time"] && second["sub"] == first["sub"])
        await peer.site.close()
    }

    @Test(.tags(.silentAuthorization), arguments: modes)
    func `A silent request of a stranger gets an error [oidcc-prompt-none-not-logged-in]`(mode: Mode) async throws {
        var peer = try await SuitePeer.basic(mode).first
        peer.app.state = String(repeating: "a-%&+ 2~", count: 16)
        var agent = UserAgent(peer.site)
        let refused = try await peer.callback(try await agent.get(try await peer.path(["prompt": "none"])))
        expectEqual(refused["error"], "login_required")
        await peer.site.close()
    }

    // MARK: Codes and tokens

    static let reuses: [SuiteModule<Double>] = [.init("oidcc-codereuse", 0), .init("oidcc-codereuse-30seconds", 30)]

    @Test(.tags(.codeReplay), arguments: reuses, modes)
    func `A code that is used again ends its tokens`(module: SuiteModule<Double>, mode: Mode) async throws {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let code = try await peer.code(&agent)
        let tokens = try await peer.exchange(code)
        try await peer.idToken(in: tokens, code: code)
        peer.site.clock.advance(by: module.change)
        peer.expect(try await peer.exchange(code), ["invalid_grant"], in: module.name)
        try await expectEqual(peer.userInfo(tokens.accessToken).status, 401)
        await peer.site.close()
    }

    @Test(.tags(.foreignRefreshToken), arguments: modes)
    func `A refresh token works for its client [oidcc-refresh-token]`(mode: Mode) async throws {
        let (first, second) = try await SuitePeer.basic(mode)
        var agent = UserAgent(first.site)
        var newest = ""
        for peer in [first, second] {
            let (tokens, id) = try await peer.signIn(&agent, ["scope": "openid offline_access", "prompt": "consent"])
            peer.site.clock.advance(by: 1)
            let refreshed = try await peer.refresh(tokens.refreshToken)
            let next = try await peer.idToken(in: refreshed)
            for name in ["iss", "sub", "aud", "azp", "auth_time", "sid"] {
                expectEqual(next[name], id[name], "\(name)")
            }
            #expect(next["nonce"] == nil && next["iat"] != id["iat"])
            expectNotEqual(refreshed.accessToken, tokens.accessToken)
            if peer.clientID == first.clientID { newest = refreshed.refreshToken }
        }
        second.expect(try await second.refresh(newest), ["invalid_grant"])
        await first.site.close()
    }

    // MARK: Refused requests

    @Test(arguments: modes)
    func `A request without a response type gets an error [oidcc-response-type-missing]`(mode: Mode) async throws {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let refused = try await peer.callback(try await agent.get(try await peer.path(["response_type": nil])))
        expectEqual(refused["error"], "invalid_request")
        await peer.site.close()
    }

    @Test(.tags(.redirectMatching), arguments: modes)
    func `An unregistered redirect is shown to the user [oidcc-ensure-registered-redirect-uri]`(mode: Mode) async throws
    {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let page = try await agent.get(try await peer.path(["redirect_uri": SuitePeer.redirect + "/x"]))
        #expect(page.status == 400 && page.location.isEmpty && page.title == "This sign-in cannot begin")
        await peer.site.close()
    }

    /// The suite skips these modules, or accepts the error.
    static let requests: [SuiteModule<(name: String, value: String, error: String)>] = [
        .init(
            "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
            ("request", Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + ".e30.", "request_not_supported")),
        .init(
            "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported",
            ("request_uri", "https://suite.example/object", "request_uri_not_supported")),
    ]

    @Test(arguments: requests, modes)
    func `A request object without a signature is not supported, as the metadata says`(
        module: SuiteModule<(name: String, value: String, error: String)>, mode: Mode
    ) async throws {
        let peer = try await SuitePeer.basic(mode).first
        var agent = UserAgent(peer.site)
        let path = try await peer.path([module.change.name: module.change.value])
        try await expectEqual(peer.callback(try await agent.get(path))["error"], module.change.error)
        let metadata = try await peer.site.get("/.well-known/openid-configuration").json
        expectEqual(metadata["request_uri_parameter_supported"], false)
        let algorithms = metadata["request_object_signing_alg_values_supported"]?.arrayValue
        expectEqual(algorithms?.contains("none"), false)
        await peer.site.close()
    }

    /// The suite skips this module, since it sends unsigned objects.
    @Test(arguments: modes)
    func `A signed redirect counts, not the outer one [oidcc-ensure-request-object-with-redirect-uri]`(
        mode: Mode
    ) async throws {
        let key = try Key.generate(.es256)
        var (first, second) = try await SuitePeer.basic(mode) { $0.clients[0].jwks = KeySet([key]).jwks() }
        (first.signer.key, second.signer.key) = (key, key)
        for peer in [first, second] {
            var agent = UserAgent(peer.site)
            let page = try await agent.get(
                try await peer.path(["redirect_uri": "https://evil.example/", "request": try peer.requestObject()]))
            guard peer.clientID == first.clientID else {
                // Without a key of the client, nothing proves the inner one.
                #expect(page.status == 400 && page.location.isEmpty)
                continue
            }
            let done = try await peer.answer(page, in: &agent)
            #expect(try await peer.callback(done)["code"] != nil)
        }
        await first.site.close()
    }
}

/// The module of `oidcc-config-certification-test-plan`.
@Suite struct ConfigPlanTests {
    @Test func `The metadata describes the server [oidcc-discovery-endpoint-verification]`() async throws {
        let peer = try await SuitePeer.basic { $0.clients[0].idTokenAlgorithm = .rs256 }.first
        let answer = try await peer.site.get("/.well-known/openid-configuration")
        #expect(answer.status == 200 && answer.field(.contentType)?.hasPrefix("application/json") == true)
        let metadata = answer.json
        expectEqual(metadata["issuer"], .string(Site.issuer))
        for name in [
            "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri", "end_session_endpoint",
            "revocation_endpoint", "introspection_endpoint", "pushed_authorization_request_endpoint",
        ] {
            expectEqual(metadata[name]?.stringValue?.hasPrefix(Site.issuer + "/"), true, "\(name)")
        }
        for (name, value) in [
            ("response_types_supported", "code"), ("subject_types_supported", "public"),
            ("id_token_signing_alg_values_supported", "RS256"), ("id_token_signing_alg_values_supported", "ES256"),
            ("scopes_supported", "openid"), ("claims_supported", "sub"), ("grant_types_supported", "refresh_token"),
            ("grant_types_supported", "authorization_code"), ("response_modes_supported", "form_post"),
            ("token_endpoint_auth_methods_supported", "client_secret_basic"),
            ("code_challenge_methods_supported", "S256"),
        ] {
            expectEqual(metadata[name]?.arrayValue?.contains(.string(value)), true, "\(name) \(value)")
        }
        // BCP 47 §2.1.1: languages in small letters, regions in capital ones.
        for locale in metadata["ui_locales_supported"]?.arrayValue ?? [] {
            let parts = (locale.stringValue ?? "").split(separator: "-")
            expectEqual(parts.first.map { $0 == $0.lowercased() }, true, "\(locale)")
            #expect(parts.dropFirst().allSatisfy { $0.count != 2 || $0 == $0.uppercased() }, "\(locale)")
        }
        let keys = try await peer.site.get("/.well-known/jwks.json").json["keys"]?.arrayValue ?? []
        #expect(keys.allSatisfy { $0["kid"]?.stringValue?.isEmpty == false && $0["d"] == nil })
        let algorithms = Set(keys.compactMap { $0["alg"]?.stringValue })
        expectEqual(algorithms, ["RS256", "ES256"])
        await peer.site.close()
    }
}
