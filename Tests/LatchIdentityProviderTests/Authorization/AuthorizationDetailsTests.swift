// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchTesting
import Testing

@testable import LatchIdentity
@testable import LatchIdentityAccounts

/// Rights that no scope can say (RFC 9396).
@Suite struct AuthorizationDetailsTests {
    private static let api = "https://api.example.com"
    private static let bank = "https://bank.example.com"
    private static let payment: JSONValue = [
        "type": "payment", "locations": [.string(bank)], "actions": ["initiate"],
        "instructedAmount": ["currency": "EUR", "amount": "123.50"], "creditorName": "Merchant & <b>",
    ]
    private static let account: JSONValue = ["type": "account", "actions": ["read", "list"]]

    private static func text(_ rights: [JSONValue]) -> String {
        String(decoding: JSONValue.array(rights).serialized(), as: UTF8.self)
    }

    private func site(
        _ way: Way = .inProcess, _ change: @escaping (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        try await Site.authorizing(way) {
            $0.audience = Self.api
            $0.resources = [ResourceServer(Self.bank, scopes: ["bank:use"], authorizationDetailsTypes: ["payment"])]
            for index in $0.clients.indices where $0.clients[index].id == "foreign" {
                $0.clients[index].authorizationDetailsTypes = ["payment", "account"]
            }
            $0.clients.append(OAuthClient(id: "api", isConfidential: true, grants: [], serves: [Self.bank, Self.api]))
            $0.clientSecretDigests["api"] = ClientSecret.digest
            change(&$0)
        }
    }

    private let app = SignInApp(
        clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid bank:use files:read")

    private func path(_ rights: String?, _ more: [(String, String)] = []) -> String {
        let parameters =
            app.parameters(["authorization_details": rights]) + [("resource", Self.bank), ("resource", Self.api)]
        return "/oauth/authorize?\(FormEncoding.encode(parameters + more))"
    }

    private func exchange(_ site: Site, _ code: String, _ more: [(String, String)] = []) async throws -> Response {
        let fields = [
            ("grant_type", "authorization_code"), ("code", code), ("code_verifier", app.verifier),
            ("redirect_uri", app.redirect), ("client_id", app.clientID),
        ]
        return try await site.post("/oauth/token", form: FormEncoding.encode(fields + more))
    }

    private func refresh(_ site: Site, _ token: String, _ more: [(String, String)]) async throws -> Response {
        let fields = [("grant_type", "refresh_token"), ("refresh_token", token), ("client_id", "foreign")]
        return try await site.post("/oauth/token", form: FormEncoding.encode(fields + more))
    }

    @Test(arguments: Way.allCases)
    func `A user sees the rights that a client asks for, and each resource server gets its own`(way: Way) async throws {
        let site = try await site(way)
        var agent = UserAgent(site)
        let page = try await agent.signIn(try await agent.get(path(Self.text([Self.payment, Self.account]))))
        expectEqual(page.formAction, "/consent")
        for text in ["payment", "initiate", "EUR", "123.50", "Merchant &amp; &lt;b&gt;", "account", "read, list"] {
            #expect(page.text.contains(text), "\(text)")
        }
        let code = try #require(try await agent.submit(page).parameters["code"])
        let tokens = try await exchange(site, code, [("resource", Self.bank)])
        #expect(tokens.status == 200 && tokens.json["authorization_details"] == [Self.payment], "\(tokens.text)")
        try expectEqual(JWT(unverified: tokens.accessToken).claims["authorization_details"], [Self.payment])
        let found = try await site.introspect(tokens.accessToken)
        #expect(found.json["active"] == true && found.json["authorization_details"] == [Self.payment])
        let other = try await refresh(site, tokens.refreshToken, [("resource", Self.api)])
        expectEqual(other.json["authorization_details"], [Self.account])
        try expectEqual(JWT(unverified: other.accessToken).claims["authorization_details"], [Self.account])
        await site.close()
    }

    @Test func `A refresh asks for fewer rights, and for no others`() async throws {
        let site = try await site()
        let second: JSONValue = ["type": "account", "identifier": "second"]
        var agent = UserAgent(site)
        let page = try await agent.signIn(try await agent.get(path(Self.text([Self.account, second]))))
        let code = try #require(try await agent.submit(page).parameters["code"])
        var tokens = try await exchange(site, code, [("resource", Self.api)])
        expectEqual(tokens.json["authorization_details"], [Self.account, second])
        let narrowed = [("resource", Self.api), ("authorization_details", Self.text([second]))]
        tokens = try await refresh(site, tokens.refreshToken, narrowed)
        expectEqual(tokens.json["authorization_details"], [second])
        for wrong in [Self.payment, ["type": "account"], ["type": "account", "identifier": "third"]] as [JSONValue] {
            let more = [("resource", Self.api), ("authorization_details", Self.text([wrong]))]
            let refused = try await refresh(site, tokens.refreshToken, more)
            #expect(refused.status == 400 && refused.oauthError == "invalid_authorization_details")
        }
        let twice = [("resource", Self.api), ("authorization_details", Self.text([second, second]))]
        tokens = try await refresh(site, tokens.refreshToken, twice)
        expectEqual(tokens.json["authorization_details"], [second])
        // A refusal has not used the refresh token up, and the grant has all rights.
        tokens = try await refresh(site, tokens.refreshToken, [("resource", Self.api)])
        expectEqual(tokens.json["authorization_details"], [Self.account, second])
        await site.close()
    }

    @Test(
        arguments: [
            "x", "{}", "[]", "[1]", #"[{"actions":["read"]}]"#, #"[{"type":1}]"#, #"[{"type":""}]"#,
            #"[{"type":"unknown"}]"#, #"[{"type":"payment"},{"type":"unknown"}]"#,
            #"[{"type":"payment","locations":"https://bank.example.com"}]"#, #"[{"type":"payment","actions":[1]}]"#,
            #"[{"type":"payment","identifier":1}]"#, "[{\"type\":\"payment\",\"a\":\"\\u202egro.live\"}]",
            #"[{"type":"payment","a":"\#(String(repeating: "a", count: 4096))"}]"#,
            #"[{"type":"payment","a":"\#(String(repeating: "a", count: 1000))"}]"#, #"[{"type":"payment","a b":"1"}]"#,
            "[{\"type\":\"payment\",\"a\":\"\\u200b\"}]",
            "[" + Array(repeating: #"{"type":"payment"}"#, count: 21).joined(separator: ",") + "]",
        ])
    func `Rights that a client may not request, or that cannot be shown, are refused at the client`(text: String)
        async throws
    {
        let site = try await site()
        var agent = UserAgent(site)
        let refused = try await agent.get(path(text))
        expectEqual(refused.parameters["error"], "invalid_authorization_details", "\(refused.text)")
        let pushed = try await site.post(
            "/oauth/par", form: FormEncoding.encode(app.parameters(["authorization_details": text])))
        #expect(pushed.status == 400 && pushed.oauthError == "invalid_authorization_details")
        await site.close()
    }

    @Test func `A kept consent covers no rights, and a client that lists no types may request none`() async throws {
        let site = try await site()
        var agent = UserAgent(site)
        for round in 0..<2 {
            var page = try await agent.get(path(Self.text([Self.payment])))
            if round == 0 { page = try await agent.signIn(page) }
            expectEqual(page.formAction, "/consent", "\(round)")
            #expect(try await agent.submit(page).parameters["code"] != nil)
        }
        #expect(try await agent.get(path(nil)).parameters["code"] != nil)
        let silent = try await agent.get(path(Self.text([Self.payment]), [("prompt", "none")]))
        expectEqual(silent.parameters["error"], "consent_required")
        let notes = SignInApp()
        let other = try await agent.get(notes.path(["authorization_details": Self.text([Self.payment])]))
        expectEqual(other.parameters["error"], "invalid_authorization_details")
        await site.close()
    }

    @Test func `An operator's own client gets rights only from a user who has seen them`() async throws {
        let site = try await site {
            for index in $0.clients.indices where $0.clients[index].id == "notes" {
                $0.clients[index].authorizationDetailsTypes = ["account"]
            }
        }
        var agent = UserAgent(site)
        let (app, rights) = (SignInApp(), Self.text([Self.account]))
        let page = try await agent.signIn(try await agent.get(app.path(["authorization_details": rights])))
        expectEqual(page.formAction, "/consent")
        let silent = try await agent.get(app.path(["authorization_details": rights, "prompt": "none"]))
        expectEqual(silent.parameters["error"], "consent_required")
        await site.close()
    }

    @Test func `Rights that no resource server of a request would get are refused, not lost`() async throws {
        let site = try await site {
            for index in $0.clients.indices where $0.clients[index].id == "web" {
                ($0.clients[index].authorizationDetailsTypes, $0.clients[index].resources) = (["account"], [Self.bank])
            }
        }
        var agent = UserAgent(site)
        let elsewhere: JSONValue = ["type": "account", "locations": ["https://elsewhere.example"]]
        let atBank: JSONValue = ["type": "account", "locations": [.string(Self.bank)]]
        let here: JSONValue = ["type": "account", "locations": [.string(Self.api)]]
        for path in [
            // The bank has the type, and the request does not name it.
            app.path(["authorization_details": Self.text([Self.payment])]), path(Self.text([elsewhere])),
            path(Self.text([atBank])), path(Self.text([here, elsewhere])),
            // This client has no access to the API, whose type it is.
            SignInApp(clientID: "web", redirect: "https://web.example/callback", scope: "openid").path([
                "authorization_details": Self.text([Self.account])
            ]),
        ] {
            let refused = try await agent.get(path)
            expectEqual(refused.parameters["error"], "invalid_authorization_details", "\(path)")
        }
        let page = try await agent.signIn(try await agent.get(path(Self.text([here, Self.payment]))))
        let code = try #require(try await agent.submit(page).parameters["code"])
        let tokens = try await exchange(site, code, [("resource", Self.api)])
        expectEqual(tokens.json["authorization_details"], [here])
        await site.close()
    }

    @Test func `The text of a right shows where a member ends`() {
        let right: JSONValue = [
            "type": "payment", "creditor": "ACME, amount: 1.00", "amount": "9999", "actions": ["read", "a, b"],
            "note": "{}", "count": 1,
        ]
        expectEqual(
            Set(AuthorizationDetails.text(of: right).components(separatedBy: "; ")),
            [#"creditor: "ACME, amount: 1.00""#, "amount: 9999", #"actions: read, "a, b""#, #"note: "{}""#, "count: 1"])
    }

    @Test func `Other grants have no rights, and metadata lists the types`() async throws {
        let site = try await site()
        let rights = Self.text([Self.payment])
        let password = try await site.token([
            "grant_type": "password", "username": "ada@example.com", "password": Site.password,
            "authorization_details": rights,
        ])
        expectEqual(password.oauthError, "invalid_authorization_details")
        let device = try await site.form(
            "/oauth/device_authorization", ["client_id": "tool", "authorization_details": rights])
        expectEqual(device.oauthError, "invalid_authorization_details")
        let metadata = try await site.get("/.well-known/oauth-authorization-server").json
        expectEqual(metadata["authorization_details_types_supported"], ["account", "payment"])
        let plain = try await Site()
        try await expectNil(
            plain.get("/.well-known/oauth-authorization-server").json["authorization_details_types_supported"])
        await plain.close()
        await site.close()
    }

    @Test func `The types are read and written as members of clients and of resource servers`() throws {
        let client = try #require(OAuthClient(word: "bank;authorization_details_types=payment,https://x.example/files"))
        expectEqual(client.authorizationDetailsTypes, ["payment", "https://x.example/files"])
        expectEqual(OAuthClient(word: client.word), client)
        expectNil(OAuthClient(word: "bank;authorization_details_types=a\u{E9}"))
        let word = "https://bank.example.com;scopes=bank:use;authorization_details_types=payment"
        let server = try ResourceServer(parsing: word)
        #expect(server.authorizationDetailsTypes == ["payment"] && server.word == word)
        #expect(throws: OAuthClient.WordError.self) {
            try ResourceServer(parsing: word + ";authorization_details_types=b")
        }
    }
}
