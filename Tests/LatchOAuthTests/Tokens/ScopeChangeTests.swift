// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchHTTP
import LatchOAuth
import LatchTesting
import TestTags
import Testing

@Suite struct ScopeChangeTests {
    let issuer = ScriptedIssuer()

    private func response(
        asking requested: String, granted: String?, _ policy: UnrequestedScopes = .reported
    ) async throws -> TokenResponse {
        let scope = granted.map { #","scope":"\#($0)""# } ?? ""
        issuer.on(.ok, #"{"access_token":"a"\#(scope)}"#)
        return try await issuer.endpoint(unrequestedScopes: policy).tokens(
            for: PasswordGrant(username: "u", password: "p", scopes: .list(requested)))
    }

    @Test(
        .tags(.grantedScopes),
        arguments: [
            ("a:read a:write", "a:read", "a:write", ""),
            ("a:read", "a:read b:read", "", "b:read"),
            ("a:read", "b:read", "a:read", "b:read"),
            ("a:read b:read", "b:read a:read", "", ""),
            ("a:write", "a:read a:write", "", ""),
            ("a:read", "a:write", "", "a:write"),
            ("a:write", "a:read", "a:write", ""),
            ("a:read", "", "a:read", ""),
            ("profile", "profile email", "", "email"),
            ("a:admin", "a:admin a:delete a:write a:read", "", ""),
        ])
    func `Scopes that differ from the request are reported as missing or not requested`(
        requested: String, granted: String, missing: String, unrequested: String
    ) async throws {
        let change = try await response(asking: requested, granted: granted).scopeChange
        expectEqual(change.missing, .list(missing))
        expectEqual(change.unrequested, .list(unrequested))
        expectEqual(change.isEmpty, (missing + unrequested).isEmpty)
    }

    @Test(.tags(.grantedScopes))
    func `Scopes that differ from the request are absent if the issuer states none, or none was requested`()
        async throws
    {
        #expect(try await response(asking: "a:read", granted: nil).scopeChange.isEmpty)
        let chosen = try await response(asking: "", granted: "a:read")
        #expect(chosen.scopeChange.isEmpty)
        expectEqual(chosen.grantedScopes, .list("a:read"))
        try await expectNil(response(asking: "", granted: nil).grantedScopes)
    }

    @Test(.tags(.grantedScopes))
    func `Scopes that differ from the request are refused if more was granted and that is unwanted`() async throws {
        await #expect(throws: OAuthError.unrequestedScope) {
            try await response(asking: "a:read", granted: "a:read a:admin", .refused)
        }
        let less = try await response(asking: "a:read a:write", granted: "a:read", .refused)
        expectEqual(less.scopeChange.missing, .list("a:write"))
        try await expectEqual(response(asking: "", granted: "a:admin", .refused).grantedScopes, .list("a:admin"))
    }

    @Test(.tags(.grantedScopes))
    func `Scopes that differ from the request are revoked if they are refused, so that no client can use them`()
        async throws
    {
        issuer.on("/oauth/revoke", .ok, "")
        issuer.on(.ok, #"{"access_token":"a","refresh_token":"r","scope":"a:admin"}"#)
        await #expect(throws: OAuthError.unrequestedScope) {
            try await issuer.endpoint(unrequestedScopes: .refused).tokens(
                for: PasswordGrant(username: "u", password: "p", scopes: .list("a:read")))
        }
        expectEqual(issuer.requests.map(\.path), ["/oauth/token", "/oauth/revoke", "/oauth/revoke"])
    }

    @Test(.tags(.grantedScopes))
    func `Scopes that differ from the request are also noticed in a refresh, and lose no session`()
        async throws
    {
        issuer.on(.ok, #"{"access_token":"b","refresh_token":"r1","scope":"a:read a:admin"}"#)
        let grant = RefreshGrant(refreshToken: "r0", granted: .list("a:read"))
        let response = try await issuer.endpoint().tokens(for: grant)
        expectEqual(response.scopeChange.unrequested, .list("a:admin"))
        let store = InMemoryTokenStore(Tokens(access: "a", refresh: "r0", expiry: .distantPast, scope: "a:read"))
        let session = Session(tokenEndpoint: issuer.endpoint(unrequestedScopes: .refused), store: store)
        try await expectEqual(session.credential().refresh, "r1")
    }
}
