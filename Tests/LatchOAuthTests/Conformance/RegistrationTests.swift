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

/// The relying-party modules about dynamic registration and third-party-initiated login.
@Suite struct RegistrationTests {
    private let provider: ScriptedProvider

    init() throws {
        provider = try ScriptedProvider()
        provider.deviate {
            $0.metadata = { $0["registration_endpoint"] = "https://id.example.com/register" }
        }
    }

    private func client(_ registration: ClientRegistration) -> AuthorizationClient {
        var configuration = OAuthConfiguration(issuer: ScriptedProvider.issuer, registration: registration)
        configuration.redirectURI = ScriptedProvider.redirectURI
        return AuthorizationClient(configuration, transport: provider, clock: provider.clock.wallClock())
    }

    private func registrar(_ configure: (inout ClientMetadata) -> Void = { _ in }) throws -> ClientRegistrar {
        var metadata = ClientMetadata(redirectURIs: [ScriptedProvider.redirectURI], name: "Notes")
        metadata.isNative = false
        configure(&metadata)
        return try ClientRegistrar(
            issuer: ScriptedProvider.issuer, metadata: metadata, secrets: InMemorySecretStore(), transport: provider,
            clock: provider.clock.wallClock())
    }

    @Test func `A relying party (dynamic-registration) registers itself, and signs in`() async throws {
        let response = try await registrar().withRegistration { registration in
            let client = client(registration)
            return try await client.finish(provider.approve(try await client.begin()))
        }
        #expect(response.tokens.idToken != nil)
        let request = try #require(provider.requests(to: "/register").first)
        #expect(request.fields[.contentType] == "application/json" && request.fields[.authorization] == nil)
        let sent = try JSONValue(parsing: request.body.bytes)
        expectEqual(sent["redirect_uris"], ["https://notes.example.com/callback"])
        #expect(sent["response_types"] == ["code"] && sent["application_type"] == "web")
        #expect(sent["token_endpoint_auth_method"] == "none" && sent["client_name"] == "Notes")
    }

    // MARK: Third-party-initiated login

    private func initiation(_ query: String) throws -> URL {
        try #require(URL(string: "https://notes.example.com/start?\(query)"))
    }

    @Test func `A relying party (3rd-party-init-login) signs in at the issuer that another site names`() async throws {
        let registrar = try registrar { $0.extra["initiate_login_uri"] = "https://notes.example.com/start" }
        let registration = try await registrar.registration()
        let sent = try JSONValue(parsing: try #require(provider.requests(to: "/register").first).body.bytes)
        expectEqual(sent["initiate_login_uri"], "https://notes.example.com/start")
        let initiated = try InitiatedSignIn(
            initiation("iss=https%3A%2F%2Fid.example.com&login_hint=ada%40example.com"))
        let client = client(registration)
        let attempt = try await client.begin(initiated.request(at: client.configuration.issuer))
        let parameters = ScriptedProvider.parameters(attempt.url.query(percentEncoded: true) ?? "")
        #expect(parameters["login_hint"] == "ada@example.com" && parameters["state"]?.isEmpty == false)
        #expect(try await client.finish(provider.approve(attempt)).tokens.idToken != nil)
    }

    @Test func `A relying party (3rd-party-init-login) takes the request by POST as well`() throws {
        let url = try initiation("")
        let form = Array("iss=https%3A%2F%2Fid.example.com&login_hint=".utf8)
        let initiated = try InitiatedSignIn(form: form, sentTo: url)
        #expect(initiated.issuer == "https://id.example.com" && initiated.loginHint == nil)
    }

    @Test(arguments: ["https%3A%2F%2Fevil.example", "https%3A%2F%2Fid.example.com%2F", "HTTPS%3A%2F%2Fid.example.com"])
    func `A relying party (3rd-party-init-login) refuses an issuer that it does not know`(issuer: String) throws {
        let initiated = try InitiatedSignIn(initiation("iss=\(issuer)"))
        #expect(throws: OAuthError.issuerMismatch) { try initiated.request(at: ScriptedProvider.issuer) }
    }

    @Test(arguments: ["", "iss=", "login_hint=ada", "iss=a&iss=b", "iss=a&login_hint=b&login_hint=c"])
    func `A relying party (3rd-party-init-login) refuses a request without one issuer`(query: String) throws {
        #expect(throws: OAuthError.invalidSignInInitiation) { try InitiatedSignIn(initiation(query)) }
    }

    @Test(arguments: [
        ("https://notes.example.com/notes/7?view=all", true), ("https://NOTES.example.com:443/notes", true),
        ("https://evil.example/notes", false), ("http://notes.example.com/notes", false),
        ("https://notes.example.com:8443/notes", false), ("https://notes.example.com@evil.example/", false),
        ("https://ada@notes.example.com/", false), ("//evil.example/", false), ("javascript:alert(1)", false),
        ("/notes", false), ("", false),
    ])
    func `A relying party (3rd-party-init-login) leads its user only to its own pages`(target: String, isOwn: Bool)
        throws
    {
        let query = FormEncoding.encode([("iss", "https://id.example.com"), ("target_link_uri", target)])
        let initiated = try InitiatedSignIn(initiation(query))
        let page = try #require(URL(string: "https://notes.example.com"))
        expectEqual(initiated.target(at: page) != nil, isOwn)
        #expect(!isOwn || initiated.target(at: page)?.absoluteString == target)
    }
}
