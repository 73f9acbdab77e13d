// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchTesting
import TestTags
import Testing

@Suite struct ClientRegistrationTests {
    let issuer = ScriptedIssuer()
    let grant = RefreshGrant(refreshToken: "r")

    private func request(of registration: ClientRegistration) async throws -> HTTPRequest {
        issuer.on(.ok, #"{"access_token":"a"}"#)
        _ = try await issuer.endpoint(registration).tokens(for: grant)
        return try #require(issuer.requests.last)
    }

    private func basic(_ request: HTTPRequest) throws -> String {
        let field = try #require(request.fields[.authorization])
        #expect(field.hasPrefix("Basic "))
        let bytes = try #require(Data(base64Encoded: String(field.dropFirst(6))))
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `A program at a token endpoint sends no credential if it is not registered`() async throws {
        let request = try await request(of: .none)
        expectNil(request.fields[.authorization])
        expectEqual(issuer.forms, [["grant_type=refresh_token", "refresh_token=r"]])
    }

    @Test func `A program at a token endpoint sends its ID if it keeps no secret`() async throws {
        let request = try await request(of: ClientRegistration(clientID: "notes"))
        expectNil(request.fields[.authorization])
        expectEqual(issuer.forms, [["grant_type=refresh_token", "refresh_token=r", "client_id=notes"]])
    }

    @Test(arguments: [
        ("notes", "secret", "notes:secret"),
        // RFC 6749 §2.3.1: both are encoded as a form first, so no colon and no plus is left to be misread.
        ("no:tes", "se:cret", "no%3Ates:se%3Acret"),
        ("a b", "p+q%&=", "a%20b:p%2Bq%25%26%3D"),
        ("ü", "ß", "%C3%BC:%C3%9F"),
        ("notes", "", "notes:"),
    ])
    func `A program at a token endpoint proves itself by Basic, both halves encoded before they are joined`(
        id: String, secret: String, pair: String
    ) async throws {
        let request = try await request(of: ClientRegistration(clientID: id, secret: secret))
        try expectEqual(basic(request), pair)
        expectEqual(issuer.forms, [["grant_type=refresh_token", "refresh_token=r"]])
    }

    // RFC 8414 §2; report 13 in Documentation/PublicReports.md.
    @Test(
        arguments: [
            (["client_secret_post"], "post"), (["client_secret_post", "client_secret_basic"], "basic"),
            (["private_key_jwt", "client_secret_post"], "post"), ([], "basic"), (["none"], "basic"), (nil, "basic"),
            (["client_secret_jwt"], "client_secret_jwt"), ("client_secret_post", "basic"),
        ] as [(JSONValue?, String)])
    func `A program at a token endpoint proves itself in a way that the server supports`(
        supported: JSONValue?, method: String
    ) async throws {
        let secret = "a secret of thirty-two bytes, or more"
        issuer.on(.ok, #"{"access_token":"a"}"#)
        var server = AuthorizationServer.latchwork(at: ScriptedIssuer.url)
        server.metadata["token_endpoint_auth_methods_supported"] = supported
        let endpoint = TokenEndpoint(
            server: server, registration: ClientRegistration(clientID: "notes", secret: secret), transport: issuer,
            clock: issuer.clock.wallClock())
        _ = try await endpoint.tokens(for: grant)
        expectEqual(endpoint.registration.authentication.rawValue, method)
        let request = try #require(issuer.requests.last)
        expectEqual(request.fields[.authorization] != nil, method == "basic")
        expectEqual(issuer.forms.last?.contains("client_secret=\(secret)"), method == "post")
    }

    @Test
    func `A program at a token endpoint proves itself as configured, whatever the server supports`() async throws {
        var server = AuthorizationServer.latchwork(at: ScriptedIssuer.url)
        server.metadata["token_endpoint_auth_methods_supported"] = ["client_secret_post"]
        for registration in [
            ClientRegistration(clientID: "notes", secret: "s", authentication: .basic),
            ClientRegistration(clientID: "notes"), .none,
        ] {
            expectEqual(TokenEndpoint(server: server, registration: registration).registration, registration)
        }
    }

    @Test func `A program at a token endpoint proves itself in the form only if configured`() async throws {
        let registration = ClientRegistration(clientID: "no:tes", secret: "p&q=+", authentication: .post)
        let request = try await request(of: registration)
        expectNil(request.fields[.authorization])
        expectEqual(issuer.forms.last?.suffix(2), ["client_id=no:tes", "client_secret=p&q=+"])
    }

    @Test func `A program at a token endpoint also proves itself when it revokes`() async throws {
        issuer.on("/oauth/revoke", .ok, "")
        try await issuer.endpoint(ClientRegistration(clientID: "notes", secret: "s")).revoke("t", hint: .refresh)
        try expectEqual(basic(try #require(issuer.requests.first)), "notes:s")
    }

    @Test(.tags(.secretTransport)) func `A program at a token endpoint shows its name and not its secret`() {
        let registration = ClientRegistration(clientID: "notes", secret: "canary")
        var text = "\(registration) \(String(reflecting: registration)) \(issuer.endpoint(registration))"
        dump(issuer.endpoint(registration), to: &text)
        #expect(text.contains("notes"))
        #expect(!text.contains("canary"))
        expectEqual(registration, ClientRegistration(clientID: "notes", secret: "canary"))
        // This one follows no server.
        expectNotEqual(registration, ClientRegistration(clientID: "notes", secret: "canary", authentication: .basic))
        expectNotEqual(registration, ClientRegistration(clientID: "notes", secret: "other"))
    }

    @Test func `A program at a token endpoint finds the endpoints below the issuer's path`() throws {
        let url = try #require(URL(string: "https://example.com/tenants/7/"))
        let provider = AuthorizationServer.latchwork(at: url)
        expectEqual(provider.tokenEndpoint.absoluteString, "https://example.com/tenants/7/oauth/token")
        expectEqual(provider.revocationEndpoint?.absoluteString, "https://example.com/tenants/7/oauth/revoke")
    }

    @Test func `A program at a token endpoint keeps the query of an endpoint`() async throws {
        issuer.on("/token", .ok, #"{"access_token":"a"}"#)
        let url = try #require(URL(string: "https://id.example.com/token?api-version=2"))
        let endpoint = TokenEndpoint(
            server: AuthorizationServer(issuer: ScriptedIssuer.url, tokenEndpoint: url), transport: issuer)
        _ = try await endpoint.tokens(for: grant)
        expectEqual(issuer.requests.first?.path, "/token?api-version=2")
    }
}
