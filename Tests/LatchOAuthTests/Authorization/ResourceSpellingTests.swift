// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchTesting
import TestSupport
import Testing

/// The resource that tokens are for, as each server wants to be told of it.
@Suite struct ResourceSpellingTests {
    let issuer = ScriptedIssuer()
    private static let callback = URL(string: "https://notes.example.com/callback") ?? URL(filePath: "/")
    private static let api = "https://api.example.com"

    /// Returns a client of a server whose metadata is below its issuer.
    private func client(
        _ configuration: OAuthConfiguration, _ members: [String: String] = [:]
    ) -> AuthorizationClient {
        let base = configuration.issuer.absoluteString
        var metadata = [
            "issuer": base, "token_endpoint": "https://id.example.com/token",
            "authorization_endpoint": "https://id.example.com/authorize",
            "device_authorization_endpoint": "https://id.example.com/device",
        ]
        metadata.merge(members) { $1 }
        let path = configuration.issuer.path(percentEncoded: true)
        let place = (path.hasSuffix("/") ? String(path.dropLast()) : path) + "/.well-known/openid-configuration"
        let text = JSONValue.object(JSONObject(metadata.mapValues { .string($0) })).serialized()
        issuer.on(place, .ok, String(decoding: text, as: UTF8.self))
        issuer.on("/token", .ok, #"{"access_token":"a","refresh_token":"r"}"#)
        issuer.on(
            "/device", .ok,
            #"{"device_code":"d","user_code":"u","verification_uri":"https://id.example.com/u","expires_in":600}"#)
        return AuthorizationClient(configuration, transport: issuer, clock: issuer.clock.wallClock())
    }

    private func configuration(_ text: String) -> OAuthConfiguration {
        OAuthConfiguration(issuer: URL(string: text) ?? Self.callback, clientID: "c", secret: "s")
    }

    /// The parameters of the requests about the resource: the page, a device, client credentials, a refresh for another one.
    private func requests(_ client: AuthorizationClient) async throws -> [[String: String]] {
        let page = try await client.begin(redirectURI: Self.callback).url.query(percentEncoded: true) ?? ""
        _ = try await client.beginOnAnotherDevice()
        _ = try await client.tokens(for: ClientCredentialsGrant())
        _ = try await client.tokens(for: RefreshGrant(refreshToken: "r", resource: "https://other.example.com"))
        return ([page] + issuer.requests.suffix(3).map { $0.body.text ?? "" }).map { text in
            ScriptedProvider.parameters(text).filter { ["resource", "audience", "scope"].contains($0.key) }
        }
    }

    @Test func `The resource of a token is a parameter of each request (RFC 8707)`() async throws {
        var configuration = configuration("https://id.example.com")
        (configuration.resources, configuration.scopes) = ([Self.api], ["openid"])
        try await expectEqual(
            requests(client(configuration)),
            [
                ["scope": "openid", "resource": Self.api], ["scope": "openid", "resource": Self.api],
                ["resource": Self.api], ["resource": "https://other.example.com"],
            ])
    }

    @Test(arguments: [true, false])
    func `The resource of a token is an audience: Auth0`(isPreset: Bool) async throws {
        var configuration = OAuthConfiguration.auth0(
            domain: "login.example.com", clientID: "c", secret: "s", audience: Self.api)
        if !isPreset {
            configuration = self.configuration("https://login.example.com/")
            configuration.resources = [Self.api]
        }
        configuration.scopes = ["openid"]
        // No preset says what this is: its metadata does, on a domain of the customer's.
        let client = client(configuration, ["mfa_challenge_endpoint": "https://login.example.com/mfa/challenge"])
        try await expectEqual(
            requests(client),
            [
                ["scope": "openid", "audience": Self.api], ["scope": "openid", "audience": Self.api],
                ["audience": Self.api], ["audience": "https://other.example.com"],
            ])
    }

    @Test(arguments: [
        "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
        "https://contoso.ciamlogin.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0",
    ])
    func `The resource of a token is a prefix of the scopes: Microsoft Entra`(issuer text: String) async throws {
        var configuration = configuration(text)
        configuration.resources = [Self.api]
        configuration.scopes = ["openid", "offline_access"]
        try await expectEqual(
            requests(client(configuration)),
            [
                ["scope": "openid offline_access \(Self.api)/.default"],
                ["scope": "openid offline_access \(Self.api)/.default"],
                ["scope": "\(Self.api)/.default"], ["scope": "https://other.example.com/.default"],
            ])
        configuration.scopes = ["openid", "notes.read", "https://api.example.com/notes.write"]
        try await expectEqual(
            requests(client(configuration)).first, ["scope": "openid \(Self.api)/notes.read \(Self.api)/notes.write"])
    }

    @Test func `The resource of a token is not repeated with a code: Microsoft Entra, Auth0`() async throws {
        for text in ["https://login.microsoftonline.com/contoso/v2.0", "https://example.eu.auth0.com/"] {
            let client = client(configuration(text))
            let grant = AuthorizationCodeGrant(
                code: "c", verifier: "v", redirectURI: Self.callback, scopes: ["openid"], resources: [Self.api])
            _ = try await client.tokens(for: grant)
            let form = ScriptedProvider.parameters(issuer.requests.last?.body.text ?? "")
            #expect(form["code"] == "c" && form["resource"] == nil && form["audience"] == nil && form["scope"] == nil)
        }
    }

    @Test(arguments: ["https://login.microsoftonline.com/contoso/v2.0", "https://example.eu.auth0.com/"])
    func `The resource of a token is one, and several are an error before any request: Microsoft Entra, Auth0`(
        issuer text: String
    ) async throws {
        var configuration = configuration(text)
        let members = ["issuer": text.replacing("contoso", with: "9188040d-6c67-4c5b-b112-36a304b66dad")]
        configuration.resources = [Self.api, "https://other.example.com"]
        let client = client(configuration, members)
        _ = try await client.server()
        let before = issuer.requests.count
        await #expect(throws: OAuthError.invalidTarget) { try await client.begin(redirectURI: Self.callback) }
        await #expect(throws: OAuthError.invalidTarget) { try await client.beginOnAnotherDevice() }
        let error = await #expect(throws: OAuthError.self) { try await client.tokens(for: ClientCredentialsGrant()) }
        #expect(error?.code == "invalidTarget" && error?.message.hasSuffix("the request names 2.") == true)
        expectEqual(issuer.requests.count, before)
    }

    @Test
    func `The resource of a token is an error before any request if no scope can name it: Microsoft Entra`()
        async throws
    {
        var configuration = configuration("https://login.microsoftonline.com/contoso/v2.0")
        configuration.resources = ["api://no tes"]
        let client = client(
            configuration, ["issuer": "https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0"])
        await #expect(throws: OAuthError.invalidTarget) { try await client.begin(redirectURI: Self.callback) }
        await #expect(throws: OAuthError.invalidTarget) { try await client.tokens(for: ClientCredentialsGrant()) }
        #expect(issuer.requests(to: "/token").isEmpty)
    }

    @Test func `The resource of a token is that of the grant if it names one`() async throws {
        var configuration = configuration("https://id.example.com")
        configuration.resources = [Self.api]
        let client = client(configuration)
        _ = try await client.tokens(for: ClientCredentialsGrant(resources: ["https://own.example.com"]))
        expectEqual(
            ScriptedProvider.parameters(issuer.requests.last?.body.text ?? "")["resource"], "https://own.example.com")
        _ = try await client.tokens(for: ClientCredentialsGrant(audience: "own"))
        let form = ScriptedProvider.parameters(issuer.requests.last?.body.text ?? "")
        #expect(form["audience"] == "own" && form["resource"] == nil)
    }

    @Test func `The resource of a token is requested on another device until the code is redeemed`() async throws {
        var configuration = configuration("https://id.example.com")
        configuration.resources = [Self.api]
        let client = client(configuration)
        let authorization = try await client.beginOnAnotherDevice(scopes: ["notes:read"])
        let tokens = Task { try await client.finish(authorization) }
        _ = await issuer.clock.sleepers(atLeast: 1)
        issuer.clock.advance(by: .seconds(6))
        _ = try await tokens.value
        expectEqual(ScriptedProvider.parameters(issuer.requests.last?.body.text ?? "")["resource"], Self.api)
    }
}
