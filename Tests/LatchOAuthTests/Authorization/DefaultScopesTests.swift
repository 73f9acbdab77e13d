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

/// The scopes that a sign-in requests where the program chooses none: those of `Scopes.signIn` that the server knows.
@Suite struct DefaultScopesTests {
    private static let all = "openid profile email offline_access"

    /// Returns the scopes of the page and of the device request.
    private func requested(
        _ supported: [JSONValue]?, isOpenID: Bool = true, _ configure: (inout OAuthConfiguration) -> Void = { _ in },
        of request: AuthorizationRequest = AuthorizationRequest()
    ) async throws -> [String?] {
        let provider = try ScriptedProvider()
        provider.deviate { deviations in
            deviations.metadata = { metadata in
                metadata["scopes_supported"] = supported.map { .array($0) }
                if !isOpenID { metadata["id_token_signing_alg_values_supported"] = nil }
            }
        }
        let client = provider.client(configure)
        let page = try await client.begin(request).url
        _ = try await client.beginOnAnotherDevice(scopes: request.scopes)
        let form = try #require(provider.requests(to: "/device").last?.body.text)
        return [page.query(percentEncoded: true) ?? "", form].map { ScriptedProvider.parameters($0)["scope"] }
    }

    @Test func `The usual scopes are all of them if the metadata lists none`() async throws {
        try await expectEqual(requested(nil), [Self.all, Self.all])
        try await expectEqual(requested([]), [Self.all, Self.all])
    }

    @Test func `The usual scopes leave out scopes that the metadata does not list`() async throws {
        let listed = "openid profile email"
        try await expectEqual(requested(["openid", "email", "profile"]), [listed, listed])
        try await expectEqual(
            requested(["openid", "offline_access", "x"]),
            [
                "openid offline_access", "openid offline_access",
            ])
    }

    @Test func `The usual scopes ask a provider of ID tokens for one, listed or not`() async throws {
        try await expectEqual(requested(["email"]), ["openid email", "openid email"])
        try await expectEqual(requested(["email"], isOpenID: false), ["email", "email"])
        try await expectEqual(requested(["repo"], isOpenID: false), [nil, nil])
    }

    @Test func `The usual scopes do not change the program's chosen scopes, which are sent as written`() async throws {
        let chosen = try await requested(["openid"], { $0.scopes = ["openid", "notes:read"] })
        expectEqual(chosen, ["openid notes:read", "openid notes:read"])
        let same = try await requested(["openid"], { $0.scopes = .signIn })
        expectEqual(same, [Self.all, Self.all])
        let named = try await requested(["openid"], of: AuthorizationRequest(scopes: ["openid", "notes:read"]))
        expectEqual(named, ["openid notes:read", "openid notes:read"])
        let created = OAuthConfiguration(issuer: ScriptedProvider.issuer, clientID: "notes", scopes: .signIn)
        try await expectEqual(
            requested(
                ["openid"],
                {
                    $0 = created; $0.redirectURI = ScriptedProvider.redirectURI
                }), [Self.all, Self.all])
    }

    @Test func `The usual scopes sign a user in without openid if the server issues no ID tokens`() async throws {
        let provider = try ScriptedProvider()
        provider.deviate { deviations in
            deviations.metadata = { metadata in
                metadata["scopes_supported"] = ["email"]
                metadata["id_token_signing_alg_values_supported"] = nil
                metadata["jwks_uri"] = nil
            }
        }
        let client = provider.client()
        let callback = try provider.approve(try await client.begin())
        let response = try await client.finish(callback)
        #expect(response.grantedScopes == ["email"] && response.tokens.idToken == nil && response.scopeChange.isEmpty)
    }
}
