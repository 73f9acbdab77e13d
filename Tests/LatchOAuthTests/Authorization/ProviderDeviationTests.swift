// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import TestSupport
import Testing

/// What single providers do in their own way, after the sign-in.
@Suite struct ProviderDeviationTests {
    private let issuer = ScriptedIssuer()
    private static let callback = URL(string: "https://notes.example.com/callback") ?? URL(filePath: "/")

    private func client(_ configuration: OAuthConfiguration) -> AuthorizationClient {
        AuthorizationClient(configuration, transport: issuer, clock: issuer.clock.wallClock())
    }

    /// Serves metadata with a device endpoint at the issuer of a configuration.
    private func publish(_ issuerText: String, _ members: [String: String] = [:]) {
        var metadata = [
            "issuer": issuerText, "token_endpoint": "https://id.example.com/oauth/token",
            "device_authorization_endpoint": "https://id.example.com/device",
        ]
        metadata.merge(members) { $1 }
        let content = JSONValue.object(JSONObject(metadata.mapValues { .string($0) })).serialized()
        issuer.on("/.well-known/openid-configuration", .ok, String(decoding: content, as: UTF8.self))
    }

    @Test(arguments: [true, false])
    func `A provider can have its own page for a sign-out if it names none: Auth0`(isPreset: Bool) async throws {
        publish("https://login.example.com/", ["mfa_challenge_endpoint": "https://login.example.com/mfa/challenge"])
        let url = try #require(URL(string: "https://login.example.com/"))
        let client = client(
            isPreset
                ? .auth0(domain: "login.example.com", clientID: "c") : OAuthConfiguration(issuer: url, clientID: "c"))
        let page = try await client.signOutURL(for: Tokens(access: "a", idToken: "i"), redirectingTo: Self.callback)
        #expect(page.absoluteString.hasPrefix("https://login.example.com/v2/logout?"))
        let sent = ScriptedProvider.parameters(page.query(percentEncoded: true) ?? "")
        expectEqual(sent, ["client_id": "c", "returnTo": Self.callback.absoluteString])
    }

    // OpenID Connect Core 1.0 §5.3.2: a claim that is not returned should be left out, and be neither null nor empty.
    @Test(arguments: ["azp", "at_hash", "nbf"], [JSONValue.null, ""])
    func `A provider can send a null or empty claim of an ID token, which counts as missing`(
        name: String, value: JSONValue
    )
        async throws
    {
        func signIn(_ audience: [String]) async throws -> TokenResponse {
            let provider = try ScriptedProvider()
            provider.deviate {
                $0.claims = {
                    $0.audience = audience
                    $0[name] = value
                }
            }
            let client = provider.client()
            return try await client.finish(provider.approve(try await client.begin()))
        }
        guard name != "nbf" || value.isNull else {
            await #expect(throws: OAuthError.invalidIDToken) { try await signIn(["notes"]) }
            return
        }
        #expect(try await signIn(["notes"]).tokens.idToken != nil)
        // Of several audiences none is the authorized party.
        await #expect(throws: OAuthError.invalidIDToken) { try await signIn(["notes", "other"]) }
    }

    @Test func `A provider's own page for a sign-out is not used if it names one: Auth0`() async throws {
        publish(
            "https://login.example.com/",
            [
                "mfa_challenge_endpoint": "https://login.example.com/mfa/challenge",
                "end_session_endpoint": "https://login.example.com/oidc/logout",
            ])
        let page = try await client(.auth0(domain: "login.example.com", clientID: "c")).signOutURL(
            for: nil, redirectingTo: Self.callback)
        #expect(page.path() == "/oidc/logout" && page.query()?.contains("post_logout_redirect_uri=") == true)
    }

    @Test(arguments: [
        ("authorization_declined", OAuthError.accessDenied), ("code_expired", .signInTimedOut),
        ("bad_verification_code", .invalidGrant),
    ])
    func `A provider can name the end of a device's code in its own words: Microsoft Entra`(
        code: String, expected: OAuthError
    ) async throws {
        publish("https://id.example.com")
        issuer.on(
            "/device", .ok,
            #"{"device_code":"d","user_code":"u","verification_uri":"https://id.example.com/u","expires_in":600}"#)
        issuer.on(.badRequest, #"{"error":"\#(code)","error_description":"AADSTS70000: something"}"#)
        let client = client(OAuthConfiguration(issuer: ScriptedIssuer.url, clientID: "c"))
        let authorization = try await client.beginOnAnotherDevice()
        let tokens = Task { try await client.finish(authorization) }
        _ = await issuer.clock.sleepers(atLeast: 1)
        issuer.clock.advance(by: .seconds(6))
        let error = await #expect(throws: OAuthError.self) { try await tokens.value }
        #expect(error?.code == expected.code && error?.message.contains("password") == false)
        expectEqual(issuer.requests(to: "/oauth/token").count, 1)
    }

    private func deviceCode() async throws -> (AuthorizationClient, DeviceAuthorization) {
        publish("https://id.example.com")
        issuer.on(
            "/device", .ok,
            #"{"device_code":"d","user_code":"u","verification_uri":"https://id.example.com/u","expires_in":600}"#)
        let client = client(OAuthConfiguration(issuer: ScriptedIssuer.url, clientID: "c"))
        return (client, try await client.beginOnAnotherDevice())
    }

    /// brandonrc/mobula#22, Kilo-Org/kilocode#14056.
    @Test(arguments: [(HTTPStatus.forbidden, "<html>403"), (.notFound, "<html>404"), (.ok, "<html>portal"), (.ok, "")])
    func `A provider can have a gateway whose page is not an answer to a device's code`(
        status: HTTPStatus, content: String
    ) async throws {
        let (client, authorization) = try await deviceCode()
        issuer.on(status, content)
        let tokens = Task { try await client.finish(authorization) }
        _ = await issuer.clock.sleepers(atLeast: 1)
        issuer.clock.advance(by: .seconds(6))
        _ = await issuer.clock.sleepers(atLeast: 1)
        issuer.on(.ok, #"{"access_token":"a","token_type":"Bearer"}"#)
        issuer.clock.advance(by: .seconds(60))
        try await expectEqual(tokens.value.tokens.access, "a")
    }

    @Test func `A provider can have a gateway that shows a page for minutes, which is the error then`() async throws {
        let (client, authorization) = try await deviceCode()
        issuer.on(.notFound, "<html>404")
        let tokens = Task { try await client.finish(authorization) }
        for _ in 0..<5 {
            _ = await issuer.clock.sleepers(atLeast: 1)
            issuer.clock.advance(by: .seconds(61))
        }
        let error = await #expect(throws: OAuthError.self) { try await tokens.value }
        expectEqual(error?.status, .notFound)
        expectEqual(issuer.requests(to: "/oauth/token").count, 5)
    }

    /// NousResearch/hermes-agent#20314: NTP at boot, dual boot, a resumed virtual machine.
    @Test func `A provider's device code is awaited by a clock that no correction of the date moves`() async throws {
        let (client, authorization) = try await deviceCode()
        let tokens = Task { try await client.finish(authorization) }
        _ = await issuer.clock.sleepers(atLeast: 1)
        issuer.clock.jump(by: 86_400)
        issuer.on(.ok, #"{"access_token":"a","token_type":"Bearer"}"#)
        issuer.clock.advance(by: .seconds(6))
        try await expectEqual(tokens.value.tokens.access, "a")
    }

    @Test(arguments: [
        #"{"error":{"message":"Error validating verification code.","type":"OAuthException","code":100}}"#,
        #"{"error":{"code":400,"message":"Error validating verification code.","status":"INVALID_ARGUMENT"}}"#,
    ])
    func `A provider can send an error in an object, whose words are kept: Facebook, Google`(content: String)
        async throws
    {
        issuer.on(.badRequest, content)
        let error = await #expect(throws: OAuthError.self) {
            try await issuer.endpoint().tokens(for: ClientCredentialsGrant())
        }
        expectEqual(error?.issuerMessage, "Error validating verification code.")
        expectEqual(error?.message, "The server refused the request. (Error validating verification code.)")
    }

    @Test(arguments: [("github.com", "https://api.github.com"), ("git.example.com", "https://git.example.com/api/v3")])
    func `A provider can require deleting a token in place of a revocation: GitHub`(host: String, api: String)
        async throws
    {
        let place = host == "github.com" ? "" : "/api/v3"
        issuer.on("\(place)/applications/c/token") { _ in HTTPResponse(status: .noContent) }
        let client = client(.github(clientID: "c", secret: "secret-of-the-app", host: host))
        let endpoint = try await client.tokenEndpoint()
        try await endpoint.revoke(Tokens(access: "gho_a", refresh: "ghr_a"))
        let request = try #require(issuer.requests.first)
        #expect(issuer.requests.count == 1 && request.method == .delete)
        expectEqual(request.absoluteURL, "\(api)/applications/c/token")
        expectEqual(request.body.text, #"{"access_token":"gho_a"}"#)
        expectEqual(request.fields[.authorization], "Basic " + Data("c:secret-of-the-app".utf8).base64EncodedString())
        try await expectEqual(client.server().authorizationEndpoint?.host(), host)
        try await expectEqual(client.server().deviceAuthorizationEndpoint?.host(), host)
    }

    @Test func `A provider can report that the token is already gone: GitHub`() async throws {
        let endpoint = try await client(.github(clientID: "c", secret: "secret-of-the-app")).tokenEndpoint()
        issuer.on("/applications/c/token", .notFound, #"{"message":"Not Found","status":"404"}"#)
        try await endpoint.revoke("gho_a")
        // A page may come from anything on the way.
        issuer.on("/applications/c/token", .notFound, "<html>")
        await #expect(throws: OAuthError.self) { try await endpoint.revoke("gho_a") }
        issuer.on("/applications/c/token", .ok, "<html>")
        await #expect(throws: OAuthError.invalidResponse) { try await endpoint.revoke("gho_a") }
        issuer.on("/applications/c/token", .unauthorized, #"{"message":"Bad credentials secret-of-the-app"}"#)
        let refused = await #expect(throws: OAuthError.self) { try await endpoint.revoke("gho_a") }
        expectEqual(refused?.message.contains("secret-of-the-app"), false)
        let publicClient = try await client(.github(clientID: "c")).tokenEndpoint()
        await #expect(throws: OAuthError.noRevocationEndpoint) { try await publicClient.revoke("gho_a") }
    }

    @Test func `A provider can send a list of scopes with commas, also if it is described by hand`() async throws {
        var server = AuthorizationServer(
            issuer: ScriptedIssuer.url, tokenEndpoint: ScriptedIssuer.url.appending(path: "oauth/token"))
        server.separatesScopesByCommas = true
        issuer.on(.ok, #"{"access_token":"a","scope":"chat:write,users:read"}"#)
        let endpoint = TokenEndpoint(server: server, transport: issuer)
        let response = try await endpoint.tokens(for: ClientCredentialsGrant(scopes: ["chat:write", "users:read"]))
        #expect(response.grantedScopes == ["chat:write", "users:read"] && response.scopeChange.isEmpty)
    }

    @Test(
        arguments: [
            (#""refresh_token_expires_in":604799"#, Duration.seconds(604_799)),
            (#""refresh_expires_in":"1800""#, .seconds(1_800)),
            (#""refresh_expires_in":0"#, nil), (#""refresh_token_expires_in":"soon""#, nil), (#""x":1"#, nil),
            (#""refresh_token_expires_in":1e300"#, .seconds(36_525 * 86_400)), (#""refresh_expires_in":-1"#, nil),
        ] as [(String, Duration?)])
    func `A provider can send an expiry of the refresh token: Google, GitHub, Keycloak`(
        member: String, expected: Duration?
    ) async throws {
        issuer.on(.ok, #"{"access_token":"a","refresh_token":"r",\#(member)}"#)
        let response = try await issuer.endpoint().tokens(for: ClientCredentialsGrant())
        expectEqual(response.refreshLifetime, expected)
    }

    @Test(arguments: [["typ": "at+jwt"], ["typ": "application/logout+jwt"], ["token_use": "access"]])
    func `A provider can send a token of another type in place of an ID token`(mark: [String: String]) async throws {
        let provider = try ScriptedProvider()
        let key = provider.key
        provider.deviate { deviations in
            deviations.sign = { claims in
                var claims = claims
                claims["token_use"] = mark["token_use"].map { .string($0) }
                return try JWT.sign(claims, with: key, type: mark["typ"] ?? "JWT")
            }
        }
        let client = provider.client()
        let callback = try provider.approve(try await client.begin())
        await #expect(throws: OAuthError.invalidIDToken) { try await client.finish(callback) }
    }
}
