// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

/// Clients that register themselves (RFC 7591), and what they do with it later (RFC 7592).
@Suite struct ClientRegistrationTests {
    private static let web: JSONObject = [
        "client_name": "A wiki", "redirect_uris": ["https://wiki.example/back"],
        "grant_types": ["authorization_code", "refresh_token"], "id_token_signed_response_alg": "ES256",
    ]
    private static let native: JSONObject = [
        "redirect_uris": ["http://127.0.0.1:6274/callback"], "token_endpoint_auth_method": "none",
        "id_token_signed_response_alg": "ES256",
    ]

    private func site(
        _ access: IdentityConfiguration.RegistrationAccess = .open,
        change: (inout IdentityConfiguration) -> Void = { _ in }
    ) async throws -> Site {
        try await Site.authorizing { configuration in
            configuration.registration = access
            change(&configuration)
        }
    }

    private func register(
        _ site: Site, _ metadata: JSONObject = web, token: String? = nil
    ) async throws -> Response {
        try await site.post(
            "/oauth/register", .object(metadata), fields: token.map { [.authorization: "Bearer \($0)"] } ?? [:])
    }

    private func manage(
        _ site: Site, _ method: HTTPMethod, _ registered: Response, token: String? = nil, _ metadata: JSONObject? = nil
    ) async throws -> Response {
        let path = "/oauth/register/\(registered.string("client_id"))"
        return try await site.call(
            method, path, bearer: token ?? registered.string("registration_access_token"),
            metadata.map { .object($0) })
    }

    @Test func `A web app registers, and signs a user in with the secret that it has got`() async throws {
        let site = try await site()
        let metadata = try await site.get("/.well-known/openid-configuration").json
        expectEqual(metadata["registration_endpoint"], "http://127.0.0.1:8080/oauth/register")
        let registered = try await register(site)
        #expect(registered.status == 201 && registered.field(.cacheControl) == "no-store")
        expectEqual(registered.json["client_secret_expires_at"], 0)
        expectEqual(registered.json["redirect_uris"], ["https://wiki.example/back"])
        expectEqual(registered.string("token_endpoint_auth_method"), "client_secret_basic")
        #expect(registered.json["response_types"] == ["code"] && !registered.string("scope").isEmpty)
        #expect(registered.json.allSatisfy { !$0.value.isNull && $0.value != "" })
        let (id, secret) = (registered.string("client_id"), registered.string("client_secret"))
        expectEqual(registered.string("registration_client_uri"), "http://127.0.0.1:8080/oauth/register/\(id)")
        let app = SignInApp(clientID: id, redirect: "https://wiki.example/back", scope: "openid files:read")
        var agent = UserAgent(site)
        let page = try await agent.signIn(try await agent.get(app.path()))
        // Nobody vouches for the client, so its user decides.
        #expect(page.formAction == "/consent" && page.text.contains("wiki.example"))
        let code = try #require(try await agent.submit(page).parameters["code"])
        let tokens = try await site.form(
            "/oauth/token",
            [
                "grant_type": "authorization_code", "code": code, "redirect_uri": app.redirect,
                "code_verifier": app.verifier,
            ], fields: [.authorization: ClientSecret.basic(id, secret)])
        #expect(tokens.status == 200 && tokens.scopes.contains("files:read"))
        let next = try await site.form(
            "/oauth/token", ["grant_type": "refresh_token", "refresh_token": tokens.refreshToken],
            fields: [.authorization: ClientSecret.basic(id, secret)])
        expectEqual(next.status, 200)
        await site.close()
    }

    @Test func `A program registers with a port, and listens on another one or by another spelling`() async throws {
        let site = try await site()
        for (registered, used) in [
            ("http://127.0.0.1:33418", "http://127.0.0.1:59656/"),
            ("http://localhost/callback", "http://localhost:3118/callback"),
            ("cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp/oauth/callback"),
        ] {
            var metadata = Self.native
            metadata["redirect_uris"] = .array([.string(registered)])
            let client = try await register(site, metadata)
            #expect(client.status == 201 && client.json["client_secret"] == nil, "\(registered)")
            let app = SignInApp(clientID: client.string("client_id"), redirect: used, scope: "openid")
            #expect(try await !site.code(app).isEmpty, "\(registered)")
        }
        // What only begins like it is another host.
        var metadata = Self.native
        metadata["redirect_uris"] = ["http://localhost/callback"]
        let id = try await register(site, metadata).string("client_id")
        var agent = UserAgent(site)
        for other in [
            "http://localhost.evil.example/callback", "http://127.0.0.1:80/callback", "http://localhost:0/callback",
        ] {
            try await expectEqual(agent.get(SignInApp(clientID: id, redirect: other).path()).status, 400, "\(other)")
        }
        await site.close()
    }

    @Test func `No client registers where the server does not permit it, or without a token`() async throws {
        let off = try await site(.off)
        try await expectEqual(register(off).status, 404)
        try await expectNil(off.get("/.well-known/openid-configuration").json["registration_endpoint"])
        await off.close()
        let site = try await site(.token)
        try await expectEqual(register(site).status, 401)
        try await expectEqual(register(site, token: "it1.wrong").oauthError, "invalid_token")
        let token = try await site.identity.clients.makeInitialToken(uses: 1, lifetime: .seconds(60), by: "a test").text
        try await expectEqual(register(site, token: token).status, 201)
        try await expectEqual(register(site, token: token).status, 401)
        await site.close()
    }

    @Test func `A refused registration uses no initial token up`() async throws {
        let site = try await site(.token)
        let token = try await site.identity.clients.makeInitialToken(uses: 1, lifetime: .seconds(60), by: "a test").text
        let refused = try await register(site, ["redirect_uris": ["javascript:/x"]], token: token)
        #expect(refused.status == 400 && refused.oauthError == "invalid_redirect_uri")
        try await expectEqual(register(site, token: token).status, 201)
        await site.close()
    }

    @Test func `A client reads, replaces and removes its registration, with its own token only`() async throws {
        let site = try await site()
        let (registered, other) = (try await register(site), try await register(site, Self.native))
        let read = try await manage(site, .get, registered)
        #expect(read.status == 200 && read.string("client_name") == "A wiki" && read.json["client_secret"] == nil)
        expectEqual(read.json["client_id_issued_at"], registered.json["client_id_issued_at"])
        for token in [other.string("registration_access_token"), "rt1.x", registered.string("client_secret")] {
            for method in [HTTPMethod.get, .put, .delete] {
                let body: JSONObject? = method == .put ? Self.web : nil
                try await expectEqual(manage(site, method, registered, token: token, body).status, 401)
            }
        }
        try await expectEqual(
            site.call(
                .get, "/oauth/register/notes", bearer: registered.string("registration_access_token")
            ).status, 401)
        var metadata = Self.web
        try await expectEqual(manage(site, .put, registered, metadata).oauthError, "invalid_client_metadata")
        metadata["client_id"] = registered.json["client_id"]
        metadata["client_name"] = nil
        metadata["redirect_uris"] = ["https://wiki.example/new"]
        let updated = try await manage(site, .put, registered, metadata)
        #expect(updated.status == 200 && updated.json["client_name"] == nil)
        expectEqual(updated.json["redirect_uris"], ["https://wiki.example/new"])
        metadata["client_secret"] = "another"
        try await expectEqual(manage(site, .put, registered, metadata).status, 400)
        metadata["client_secret"] = registered.json["client_secret"]
        try await expectEqual(manage(site, .put, registered, metadata).status, 200)
        try await expectEqual(manage(site, .delete, registered).status, 204)
        try await expectEqual(manage(site, .get, registered).status, 401)
        try await expectEqual(manage(site, .get, other).status, 200)
        await site.close()
    }

    @Test func `A client that registered itself has no right of the operator`() async throws {
        let site = try await site()
        for grants in [
            ["client_credentials"], ["password"], ["urn:ietf:params:oauth:grant-type:token-exchange"],
            ["refresh_token"],
        ] {
            var metadata = Self.web
            metadata["grant_types"] = .array(grants.map { .string($0) })
            try await expectEqual(register(site, metadata).oauthError, "invalid_client_metadata", "\(grants)")
        }
        var metadata = Self.web
        metadata["trusted"] = true
        metadata["introspect_all"] = true
        metadata["serves"] = ["http://127.0.0.1:8080"]
        metadata["require_pkce"] = false
        let id = try await register(site, metadata).string("client_id")
        // An operator cannot give it more either.
        var changed = try await site.identity.clients.client(id).client
        (changed.isTrusted, changed.introspectsAllTokens, changed.requiresPKCE) = (true, true, false)
        changed.isConfidential = true
        changed.grants.insert(.password)
        _ = try await site.identity.clients.update(changed, by: "a test")
        let client = try #require(try await site.identity.services.clients.client(id))
        #expect(!client.grants.contains(.password))
        #expect(!client.isTrusted && !client.isResourceServer && !client.belongsToOperator && client.requiresPKCE)
        #expect(client.serves.isEmpty && client.scopes?.elements.contains { $0.rawValue.hasSuffix(":admin") } == false)
        await site.close()
    }

    @Test func `As many clients register as the setting permits, and a network registers a few in an hour`()
        async throws
    {
        let site = try await site { ($0.registrationLimit, $0.loginLimitPerMinute) = (2, 1) }
        try await expectEqual(register(site).status, 201)
        try await expectEqual(register(site).status, 201)
        try await expectEqual(register(site).status, 503)
        try await expectEqual(site.identity.clients.list().count, 2)
        for _ in 0..<3 { _ = try await register(site) }
        try await expectEqual(register(site).status, 429)
        await site.close()
    }

    @Test func `A client ends after a day without a sign-in, and ninety days after the last one`() async throws {
        let site = try await site()
        let (unused, used) = (try await register(site, Self.native), try await register(site, Self.native))
        func app(_ client: Response) -> SignInApp {
            SignInApp(
                clientID: client.string("client_id"), redirect: "http://127.0.0.1:6274/callback", scope: "openid")
        }
        let app = app(used)
        try await expectEqual(site.exchange(site.code(app), app).status, 200)
        site.clock.advance(by: 86_401)
        try await expectEqual(manage(site, .get, unused).status, 401)
        var agent = UserAgent(site)
        let ended = SignInApp(
            clientID: unused.string("client_id"), redirect: "http://127.0.0.1:6274/callback", scope: "openid")
        try await expectEqual(agent.get(ended.path()).status, 400)
        site.clock.advance(by: 80 * 86_400)
        try await expectEqual(manage(site, .get, used).status, 200)
        try await expectEqual(site.exchange(site.code(app), app).status, 200)
        site.clock.advance(by: 80 * 86_400)
        try await expectEqual(manage(site, .get, used).status, 200)
        site.clock.advance(by: 11 * 86_400)
        try await expectEqual(manage(site, .get, used).status, 401)
        await site.close()
    }

    @Test func `A client cannot flood the store with pushed requests or with changes of itself`() async throws {
        let site = try await site { $0.loginLimitPerMinute = 1 }
        let registered = try await register(site)
        let app = SignInApp(clientID: registered.string("client_id"), redirect: "https://wiki.example/back")
        var statuses: [Int] = []
        for _ in 0..<4 {
            let text = FormEncoding.encode(app.parameters())
            let response = try await site.send(
                .post, "/oauth/par",
                fields: [
                    .contentType: "application/x-www-form-urlencoded",
                    .authorization: ClientSecret.basic(app.clientID, registered.string("client_secret")),
                ], body: HTTPBody(text))
            statuses.append(response.status)
        }
        expectEqual(statuses, [201, 201, 201, 429])
        var metadata = Self.web
        metadata["client_id"] = registered.json["client_id"]
        // What changes nothing writes nothing.
        for _ in 0..<20 { try await expectEqual(manage(site, .put, registered, metadata).status, 200) }
        #expect(try await site.identity.audit.records(limit: 50).allSatisfy { $0.event != "client.changed" })
        statuses = []
        for number in 0..<6 {
            metadata["client_name"] = .string("\(number)")
            statuses.append(try await manage(site, .put, registered, metadata).status)
        }
        expectEqual(statuses, [200, 200, 200, 200, 200, 429])
        await site.close()
    }

    @Test(arguments: [["code_challenge": nil], ["prompt": "none"], ["response_type": "token"]] as [[String: String?]])
    func `A visitor is led to no client that registered itself before deciding anything`(
        changes: [String: String?]
    ) async throws {
        let site = try await site()
        let registered = try await register(site)
        let app = SignInApp(
            clientID: registered.string("client_id"), redirect: "https://wiki.example/back", scope: "openid")
        let change = try #require(changes.first)
        var agent = UserAgent(site)
        let page = try await agent.get(app.path([change.key: change.value]))
        #expect(page.status == 400 && page.field(.location) == nil && !page.text.contains("href=\"https://wiki"))
        // A user who has signed in, and an operator's client, are led there.
        var notes = UserAgent(site)
        #expect(try await notes.get(SignInApp().path([change.key: change.value])).parameters["error"] != nil)
        await site.close()
    }

    @Test func `A client has no more scopes than the operator gives to those that register themselves`() async throws {
        let site = try await site { $0.registrationScopes = ["files:read"] }
        var metadata = Self.web
        metadata["scope"] = "openid files:read files:write"
        try await expectEqual(register(site, metadata).string("scope"), "openid files:read")
        try await expectEqual(register(site).string("scope"), "openid profile email phone offline_access files:read")
        await site.close()
    }

    @Test func `A page of any origin registers itself, and reads why it cannot`() async throws {
        let site = try await site()
        let preflight = try await site.send(
            .options, "/oauth/register",
            fields: [
                "Origin": "http://127.0.0.1:6274", "Access-Control-Request-Method": "POST",
                "Access-Control-Request-Headers": "content-type,mcp-protocol-version",
            ])
        expectEqual(preflight.field("Access-Control-Allow-Headers"), "content-type,mcp-protocol-version")
        for metadata in [Self.native, [:]] {
            let response = try await site.post(
                "/oauth/register", .object(metadata), fields: ["Origin": "http://127.0.0.1:6274"])
            expectEqual(response.field("Access-Control-Allow-Origin"), "http://127.0.0.1:6274")
            expectNil(response.field("Access-Control-Allow-Credentials"))
        }
        await site.close()
    }

    /// What the operator sets of a client, what the client asks for afterwards, and what it has then.
    private static let restrictions: [(part: String, metadata: JSONObject, name: String, value: JSONValue)] = [
        ("scopes=openid,files:read", ["scope": "openid files:read files:write"], "scope", "openid files:read"),
        (
            "grants=authorization_code", ["grant_types": ["authorization_code", "refresh_token"]], "grant_types",
            ["authorization_code"]
        ),
        (
            "require_pushed_authorization_requests", ["require_pushed_authorization_requests": false],
            "require_pushed_authorization_requests", true
        ),
        ("dpop_bound_access_tokens", ["dpop_bound_access_tokens": false], "dpop_bound_access_tokens", true),
        (
            "redirects=https://wiki.example/one", ["redirect_uris": ["https://wiki.example/two"]], "redirect_uris",
            ["https://wiki.example/one"]
        ),
        ("client_name=Wiki", ["client_name": "Your Bank"], "client_name", "Wiki"),
    ]

    @Test(.tags(.openRegistration), arguments: restrictions)
    func `What an operator has changed of a client, the client does not change back (RFC 7592)`(
        part: String, metadata: JSONObject, name: String, value: JSONValue
    ) async throws {
        let site = try await site()
        let registered = try await register(site)
        let id = registered.string("client_id")
        var client = try await site.identity.clients.client(id).client
        try client.change(by: [part])
        _ = try await site.identity.clients.update(client, by: "a test")
        var content = Self.web
        content["client_id"] = .string(id)
        content["software_version"] = "2"
        for (name, value) in metadata { content[name] = value }
        for _ in 0..<2 {
            let updated = try await manage(site, .put, registered, content)
            #expect(updated.status == 200 && updated.json[name] == value, "\(updated.text)")
            // All else is the client's.
            expectEqual(updated.string("software_version"), "2")
        }
        let found = try await site.identity.clients.client(id)
        let member = String(part.prefix { $0 != "=" })
        expectEqual(found.json["operator_members"], [.string(member)])
        // The operator gives it back by a reset.
        client = found.client
        try client.change(by: [member + "="])
        if member != "redirects", member != "grants" {
            let reset = try await site.identity.clients.update(client, by: "a test")
            expectNil(reset.json["operator_members"])
            let changed = try await manage(site, .put, registered, content)
            #expect(changed.status == 200 && changed.json[name] != value)
        }
        await site.close()
    }

    @Test func `Members for the operator only stay when the client replaces its metadata`() async throws {
        let site = try await site()
        let registered = try await register(site)
        let id = registered.string("client_id")
        var client = try await site.identity.clients.client(id).client
        (client.requiresNonce, client.proofNonces) = (true, .required)
        _ = try await site.identity.clients.update(client, by: "a test")
        var content = Self.web
        (content["client_id"], content["client_name"]) = (.string(id), "Another name")
        try await expectEqual(manage(site, .put, registered, content).string("client_name"), "Another name")
        let changed = try await site.identity.clients.client(id).client
        #expect(changed.requiresNonce && changed.proofNonces == .required && changed.registersItself)
        await site.close()
    }

    @Test(
        .tags(.openRegistration),
        arguments: [
            ("https://wiki.example/back", "A wiki (wiki.example)"), ("https://localhost:8443/back", "A wiki"),
            ("https://127.0.0.1/back", "A wiki"), ("http://127.0.0.1/back", "A wiki"), ("wiki://back", "A wiki"),
        ])
    func `The consent page says that nobody has checked the client, and names only a host that gets the code`(
        redirect: String, name: String
    ) async throws {
        let site = try await site()
        var metadata = Self.native
        (metadata["client_name"], metadata["redirect_uris"]) = ("A wiki", [.string(redirect)])
        let id = try await register(site, metadata).string("client_id")
        var agent = UserAgent(site)
        let app = SignInApp(clientID: id, redirect: redirect, scope: "openid")
        let page = try await agent.signIn(try await agent.get(app.path()))
        #expect(page.text.contains("This service has not checked who runs \(name). "), "\(page.text)")
        expectEqual(page.text.contains("A program on this device"), name == "A wiki")
        // Any program of this machine can be the host, so a kept consent does not replace the page.
        _ = try await agent.submit(page)
        try await expectEqual(agent.get(app.path()).formAction == "/consent", name == "A wiki")
        // The operator's own apps have no such warning.
        var other = UserAgent(site)
        let foreign = SignInApp(clientID: "foreign", redirect: "https://foreign.example/back", scope: "openid")
        #expect(try await !other.signIn(try await other.get(foreign.path())).text.contains("has not checked"))
        await site.close()
    }

    @Test(.tags(.openRegistration))
    func `The page for another device says that nobody has checked the client, and names no host`() async throws {
        let site = try await site()
        var metadata = Self.web
        metadata["grant_types"] = ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]
        metadata["token_endpoint_auth_method"] = "none"
        metadata["redirect_uris"] = ["https://bank.example/back"]
        let id = try await register(site, metadata).string("client_id")
        for (client, isUnchecked) in [(id, true), ("tool", false)] {
            let begun = try await site.form("/oauth/device_authorization", ["client_id": client, "scope": "openid"])
            var agent = UserAgent(site)
            let login = try await agent.post(
                "/device", form: FormEncoding.encode([("user_code", begun.string("user_code"))]))
            let page = try await agent.signIn(login)
            expectEqual(page.title, "Sign in another device?")
            expectEqual(page.text.contains("This service has not checked who runs A wiki. "), isUnchecked)
            // No code goes there, so it could be any.
            #expect(!page.text.contains("bank.example"))
            #expect(page.text.contains(isUnchecked ? "The app A wiki shows" : "The app tool shows"))
        }
        await site.close()
    }

    @Test(
        .tags(.openRegistration),
        arguments: [
            "javascript:alert(1)", "javascript://wiki.example/%0aalert(1)", "JavaScript:alert(1)", "data:text/html,x",
            "vbscript:x", "file:///etc/passwd", "blob:https://wiki.example/x", "about:blank", "view-source:https://x",
            "http://wiki.example/back", "https://user@wiki.example/back", "https://wiki.example/back#x",
            "//wiki.example/back", "", "https://", "ms-msdt:/x", "intent://x",
        ])
    func `No client registers a URL that a browser runs, or that is not the client's`(redirect: String) async throws {
        let site = try await site()
        for name in ["redirect_uris", "post_logout_redirect_uris"] {
            var metadata = Self.web
            metadata[name] = .array([.string(redirect)])
            let refused = try await register(site, metadata)
            expectEqual(refused.status, 400, "\(name)")
            #expect(!redirect.contains("wiki") || !refused.text.contains(redirect))
        }
        #expect(try await site.identity.clients.list().isEmpty)
        await site.close()
    }

    @Test(.tags(.openRegistration, .serverSideRequest))
    func `The server requests no URL of a registration but that of the keys, which is for the public network`()
        async throws
    {
        let recorder = Recorder()
        let site = try await Site(upstream: recorder, documents: PublicTransport(transport: recorder)) {
            $0.registration = .open
        }
        var metadata = Self.web
        for name in [
            "logo_uri", "client_uri", "policy_uri", "tos_uri", "initiate_login_uri", "sector_identifier_uri",
            "backchannel_logout_uri", "frontchannel_logout_uri", "jwks_uri",
        ] { metadata[name] = .string("https://wiki.example/\(name)") }
        metadata["request_uris"] = ["https://wiki.example/request_uris"]
        metadata["token_endpoint_auth_method"] = "private_key_jwt"
        let registered = try await register(site, metadata)
        expectEqual(registered.status, 201, "\(registered.text)")
        let id = registered.string("client_id")
        var agent = UserAgent(site)
        let app = SignInApp(clientID: id, redirect: "https://wiki.example/back", scope: "openid")
        _ = try await agent.get(app.path())
        _ = try await agent.get(app.path(["request_uri": "https://wiki.example/request_uris"]))
        #expect(recorder.urls.withLock(\.self).isEmpty)
        var signer = try KeyClient()
        signer.id = id
        let refused = try await site.token([
            "grant_type": "refresh_token", "refresh_token": "x", "client_assertion_type": KeyClient.type,
            "client_assertion": try signer.assertion(for: site),
        ])
        #expect(refused.status == 401 && recorder.urls.withLock(\.self) == ["https://wiki.example/jwks_uri"])
        await site.close()
    }

    /// A transport that notes what is requested, and has nothing.
    private final class Recorder: Handler {
        let urls = Mutex<[String]>([])

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            urls.withLock { $0.append("\(request.origin)\(request.path)") }
            return HTTPResponse(status: .notFound)
        }
    }
}
