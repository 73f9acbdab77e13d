// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchAuth
import LatchHTTP
import LatchOAuth
import TestTags
import Testing

/// A grant of a program's own (RFC 6749 §4.5), as the protocol's documentation shows it.
private struct OneTimeCodeGrant: Grant {
    let code: String
    var type: String { "urn:example:one-time-code" }
    var parameters: [(String, String)] { [("code", code), ("empty", "")] }
}

@Suite struct RefreshGrantTests {
    let issuer = ScriptedIssuer()

    @Test(.tags(.tokenRefresh))
    func `A grant of a refresh token sends the token, and scopes only if fewer are wanted`() async throws {
        issuer.on(.ok, #"{"access_token":"a"}"#)
        _ = try await issuer.endpoint().tokens(for: RefreshGrant(refreshToken: "r/+="))
        _ = try await issuer.endpoint().tokens(for: RefreshGrant(refreshToken: "r", scopes: .list("files:read")))
        expectEqual(
            issuer.forms,
            [
                ["grant_type=refresh_token", "refresh_token=r/+="],
                ["grant_type=refresh_token", "refresh_token=r", "scope=files:read"],
            ])
    }

    @Test(.tags(.tokenRefresh))
    func `A grant of a refresh token keeps its token and its scopes if the answer brings none`() async throws {
        issuer.on(.ok, #"{"access_token":"a"}"#)
        let grant = RefreshGrant(refreshToken: "r0", granted: .list("files:read files:write"))
        let response = try await issuer.endpoint().tokens(for: grant)
        expectEqual(response.tokens.refresh, "r0")
        expectEqual(response.grantedScopes, .list("files:read files:write"))
        #expect(response.scopeChange.isEmpty)
    }

    @Test(.tags(.tokenRefresh)) func `A grant of a refresh token takes the rotated token`() async throws {
        issuer.on(.ok, #"{"access_token":"a","refresh_token":"r1","scope":"files:read"}"#)
        let grant = RefreshGrant(refreshToken: "r0", granted: .list("files:read files:write"))
        let response = try await issuer.endpoint().tokens(for: grant)
        expectEqual(response.tokens.refresh, "r1")
        expectEqual(response.scopeChange.missing, .list("files:write"))
    }

    @Test func `A grant can be any other, whose empty parameters are left out`() async throws {
        issuer.on(.ok, #"{"access_token":"a"}"#)
        let response = try await issuer.endpoint().tokens(for: OneTimeCodeGrant(code: "123"))
        expectEqual(issuer.forms, [["grant_type=urn:example:one-time-code", "code=123"]])
        expectNil(response.tokens.refresh)
        expectNil(response.grantedScopes)
    }

    // RFC 7523 §2.1.
    @Test func `A grant can be a foreign assertion`() async throws {
        issuer.on(.ok, #"{"access_token":"a"}"#)
        let grant = JWTBearerGrant(assertion: "e30.e30.canary", scopes: .list("files:read"))
        try await expectEqual(issuer.endpoint().tokens(for: grant).tokens.access, "a")
        let type = "grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer"
        expectEqual(issuer.forms, [[type, "assertion=e30.e30.canary", "scope=files:read"]])
        var text = "\(grant) \(String(reflecting: grant))"
        dump(grant, to: &text)
        #expect(!text.contains("canary"))
    }

    @Test(.tags(.secretTransport)) func `A grant of a refresh token shows no token`() {
        let grant = RefreshGrant(refreshToken: "canary", scopes: .list("a:read"))
        var text = "\(grant) \(String(reflecting: grant))"
        dump(grant, to: &text)
        #expect(!text.contains("canary"))
    }
}
