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

/// The modules of `fapi2-security-profile-final-test-plan` about requests, codes and refresh tokens.
///
/// The plan has `plain_fapi`, `private_key_jwt` and `dpop`. Documentation/Conformance.md lists the modules, without the
/// beginning `fapi2-security-profile-final-` of their names.
@Suite struct SecurityProfileTests {
    typealias Changes = SuitePeer.Changes

    // MARK: Sign-ins

    @Test func `The metadata lists what the profile requires [discovery-end-point-verification]`() async throws {
        let site = try await SuitePeer.secure().first.site
        let metadata = try await site.get("/.well-known/openid-configuration").json
        try await expectEqual(site.get("/.well-known/oauth-authorization-server").json, metadata)
        expectEqual(metadata["issuer"], .string(Site.issuer))
        for name in ["authorization", "token", "pushed_authorization_request"] {
            expectEqual(metadata[name + "_endpoint"]?.stringValue?.hasPrefix(Site.issuer + "/"), true, "\(name)")
        }
        #expect(metadata["require_pushed_authorization_requests"]?.boolValue != nil)
        expectEqual(metadata["authorization_response_iss_parameter_supported"], true)
        for (name, value) in [
            ("response_types_supported", "code"), ("code_challenge_methods_supported", "S256"),
            ("token_endpoint_auth_methods_supported", "private_key_jwt"), ("scopes_supported", "openid"),
            ("token_endpoint_auth_signing_alg_values_supported", "ES256"),
            ("dpop_signing_alg_values_supported", "ES256"), ("id_token_signing_alg_values_supported", "ES256"),
            ("subject_types_supported", "public"), ("grant_types_supported", "refresh_token"),
        ] {
            expectEqual(metadata[name]?.arrayValue?.contains(.string(value)), true, "\(name) \(value)")
        }
        await site.close()
    }

    @Test func `Two clients sign a user in, with parameters beside their request URI [happy-flow]`() async throws {
        let (first, second) = try await SuitePeer.secure()
        for peer in [first, second] {
            var agent = UserAgent(peer.site)
            let uri = try peer.requestURI(try await peer.push())
            let page = try await agent.get(peer.path(pushed: uri, [("response_type", "code"), ("scope", "openid")]))
            let done = try await peer.answer(page, in: &agent)
            let code = try #require(try await peer.callback(done)["code"])
            #expect(code.utf8.count >= 22)
            let tokens = try await peer.exchange(code)
            let id = try await peer.idToken(in: tokens, code: code)
            let user = try await peer.userInfo(tokens.accessToken)
            #expect(user.status == 200 && user.json["sub"] == id["sub"])
            let key = try JWT(unverified: tokens.accessToken).claims["cnf"]?["jkt"]
            expectEqual(key, peer.sender.map { JSONValue.string($0.thumbprint) })
        }
        await first.site.close()
    }

    @Test
    func `A browser that brings only the client and the request URI signs in [par-without-duplicate-parameters]`()
        async throws
    {
        let peer = try await SuitePeer.secure().first
        let path = try await peer.path()
        expectEqual(Set(ScriptedUpstream.parameters(path).keys), ["client_id", "request_uri"])
        var agent = UserAgent(peer.site)
        _ = try await peer.signIn(&agent)
        await peer.site.close()
    }

    @Test func `A user who refuses sends an error to the client [user-rejects-authentication]`() async throws {
        let peer = try await SuitePeer.secure().first
        var agent = UserAgent(peer.site)
        let refused = try await agent.submit(try await agent.get(try await peer.path()), [("refuse", "yes")])
        try await expectEqual(peer.callback(refused)["error"], "access_denied")
        await peer.site.close()
    }

    /// The lengths of state and nonce; nil leaves one out.
    static let lengths: [SuiteModule<[Int?]>] = [
        .init("ensure-authorization-request-without-state-success", [nil, 10]),
        .init("ensure-authorization-request-without-nonce-success", [10, nil]),
        .init("ensure-authorization-request-with-64-char-nonce-success", [10, 64]),
        .init("ensure-authorization-request-with-long-nonce", [10, 384]),
        .init("ensure-authorization-request-with-long-state", [1000, 10]),
    ]

    @Test(arguments: lengths)
    func `A request may have a long state and a long nonce, or none`(module: SuiteModule<[Int?]>) async throws {
        var peer = try await SuitePeer.secure().first
        let texts = module.change.map { length in length.map { String(repeating: "x", count: $0) } }
        (peer.app.state, peer.app.nonce) = (texts[0], texts[1])
        var agent = UserAgent(peer.site)
        _ = try await peer.signIn(&agent)
        await peer.site.close()
    }

    static let ignored: [SuiteModule<Changes>] = [
        .init("ensure-other-scope-order-succeeds", ["scope": "email openid"]),
        .init("test-claims-parameter-identity-claims", ["claims": #"{"id_token":{"preferred_username":null}}"#]),
    ]

    @Test(arguments: ignored)
    func `A request with another order of its scopes, or with the parameter claims, succeeds`(
        module: SuiteModule<Changes>
    ) async throws {
        let peer = try await SuitePeer.secure().first
        var agent = UserAgent(peer.site)
        let (tokens, id) = try await peer.signIn(&agent, module.change)
        try await expectEqual(peer.userInfo(tokens.accessToken).json["sub"], id["sub"])
        expectEqual(id["preferred_username"] != nil, module.name == "test-claims-parameter-identity-claims")
        await peer.site.close()
    }

    // MARK: Pushed requests

    /// Changes of a request, and the errors that the suite accepts for it.
    static let refused: [SuiteModule<(changes: Changes, errors: [String])>] = [
        .init(
            "plain-fapi-tolerate-unregistered-redirect-uri",
            (["redirect_uri": SuitePeer.redirect + "/x"], ["invalid_request", "invalid_request_object"])),
        .init(
            "ensure-redirect-uri-in-authorization-request",
            (["redirect_uri": nil], ["invalid_request", "invalid_request_object"])),
        .init(
            "ensure-request-object-without-redirect-uri-fails",
            (["redirect_uri": nil], ["invalid_request", "invalid_request_object"])),
        .init(
            "ensure-response-type-code-idtoken-fails",
            (["response_type": "code id_token"], ["unsupported_response_type", "invalid_request"])),
        .init(
            "ensure-response-type-token-fails",
            (["response_type": "token"], ["unsupported_response_type", "invalid_request"])),
        .init(
            "par-ensure-pkce-required",
            (["code_challenge": nil, "code_challenge_method": nil], ["invalid_request"])),
        .init("par-plain-pkce-rejected", (["code_challenge_method": "plain"], ["invalid_request"])),
        .init(
            "par-authorization-request-containing-request_uri-form-param",
            (
                ["request_uri": "urn:ietf:params:oauth:request_uri:x"],
                ["invalid_request", "invalid_request_object", "request_uri_not_supported"]
            )),
    ]

    @Test(.tags(.redirectMatching, .plainChallenge), arguments: refused)
    func `A request that the profile does not permit is refused when it is pushed`(
        module: SuiteModule<(changes: Changes, errors: [String])>
    ) async throws {
        let peer = try await SuitePeer.secure().first
        peer.expect(try await peer.push(module.change.changes), module.change.errors, in: module.name)
        await peer.site.close()
    }

    @Test
    func `A request that was not pushed is refused [ensure-unsigned-authorization-request-without-using-par-fails]`()
        async throws
    {
        var peer = try await SuitePeer.secure().first
        peer.pushes = false
        var agent = UserAgent(peer.site)
        try await expectEqual(peer.callback(try await agent.get(try await peer.path()))["error"], "invalid_request")
        await peer.site.close()
    }

    @Test(arguments: ["par-ensure-reused-request-uri-prior-to-auth-completion-succeeds"])
    func `A request URI may be opened again before the sign-in`(module: String) async throws {
        let peer = try await SuitePeer.secure().first
        let path = try await peer.path()
        var agent = UserAgent(peer.site)
        try await expectEqual(agent.get(path).formAction, "/login")
        let done = try await peer.answer(try await agent.get(path), in: &agent)
        #expect(try await peer.callback(done)["code"] != nil)
        await peer.site.close()
    }

    @Test(
        .tags(.pushedRequestReplay),
        arguments: [
            "par-attempt-reuse-request_uri", "par-attempt-to-use-expired-request_uri",
            "par-attempt-to-use-request_uri-for-different-client",
        ])
    func `A request URI is for one sign-in of its client, for a short time`(module: String) async throws {
        let (first, second) = try await SuitePeer.secure()
        let pushed = try await first.push()
        let uri = try first.requestURI(pushed)
        var agent = UserAgent(first.site)
        var path = first.path(pushed: uri)
        switch module {
        case "par-attempt-reuse-request_uri":
            let done = try await first.answer(try await agent.get(path), in: &agent)
            #expect(try await first.callback(done)["code"] != nil)
        case "par-attempt-to-use-expired-request_uri":
            first.site.clock.advance(by: Double(pushed.number("expires_in") ?? 0) + 1)
        default: path = second.path(pushed: uri)
        }
        let page = try await agent.get(path)
        #expect(page.status == 400 && page.location.isEmpty && page.title == "This sign-in cannot begin")
        await first.site.close()
    }

    @Test func `A pushed request is a POST [par-attempt-invalid-http-method]`() async throws {
        let site = try await SuitePeer.secure().first.site
        for method in [HTTPMethod.put, .get, .delete] {
            try await expectEqual(site.send(method, "/oauth/par").status, 405)
        }
        await site.close()
    }

    // MARK: Codes

    /// Changes of a token request, all of which are refused with `invalid_grant`.
    static let wrongCodes: [SuiteModule<Changes>] = [
        .init("ensure-pkce-code-verifier-required", ["code_verifier": nil]),
        .init("incorrect-pkce-code-verifier-rejected", ["code_verifier": String(repeating: "v", count: 43)]),
        .init("attempt-reuse-authorization-code-after-one-second", [:]),
        .init("ensure-token-endpoint-fails-with-expired-auth-code", [:]),
        .init("ensure-authorization-code-is-bound-to-client", ["redirect_uri": SuitePeer.redirect]),
    ]

    @Test(
        .tags(.wrongVerifier, .missingVerifier, .codeReplay, .expiredCode, .foreignCode), arguments: wrongCodes)
    func `A code is for its client and its verifier, once and for a minute`(
        module: SuiteModule<Changes>
    ) async throws {
        let (first, second) = try await SuitePeer.secure()
        var agent = UserAgent(first.site)
        let code = try await first.code(&agent)
        var sender = first
        switch module.name {
        case "attempt-reuse-authorization-code-after-one-second":
            try await first.idToken(in: try await first.exchange(code), code: code)
            first.site.clock.advance(by: 1)
        case "ensure-token-endpoint-fails-with-expired-auth-code": first.site.clock.advance(by: 61)
        case "ensure-authorization-code-is-bound-to-client":
            sender = second
            sender.app.verifier = first.app.verifier
        default: break
        }
        let refused = try await sender.exchange(code, module.change)
        first.expect(refused, ["invalid_grant"], in: module.name)
        expectEqual(refused.status, 400)
        await first.site.close()
    }

    // MARK: Refresh tokens

    /// FAPI 2.0 §5.3.2.1 has a server that rotates refresh tokens keep the previous one valid for a time.
    ///
    /// The suite uses it again after 31 seconds, so that `replay_window` has to be longer than by default.
    @Test(.tags(.foreignRefreshToken, .lostRefreshResponse))
    func `A refresh token is for its client, which may change its key [refresh-token]`() async throws {
        let (first, second) = try await SuitePeer.secure()
        for (client, other) in [(first, second), (second, first)] {
            var peer = client
            var agent = UserAgent(peer.site)
            let (tokens, id) = try await peer.signIn(
                &agent, ["scope": "openid offline_access", "prompt": "consent"])
            for repetition in 0..<2 {
                peer.sender = try Key.generate(.es256)
                peer.site.clock.advance(by: repetition == 0 ? 1 : 31)
                let refreshed = try await peer.refresh(tokens.refreshToken)
                let next = try await peer.idToken(in: refreshed)
                for name in ["iss", "sub", "aud", "auth_time"] { expectEqual(next[name], id[name], "\(name)") }
                #expect(next["iat"] != id["iat"] && refreshed.accessToken != tokens.accessToken)
                try await expectEqual(peer.userInfo(refreshed.accessToken).status, 200)
            }
            let errors = ["invalid_client", "invalid_grant", "invalid_request"]
            peer.expect(try await peer.refresh(tokens.refreshToken, assertion: ""), errors, in: "no assertion")
            peer.expect(try await peer.refresh(tokens.refreshToken, proofs: []), errors, in: "no proof")
            peer.expect(try await other.refresh(tokens.refreshToken), ["invalid_grant"], in: "another client")
        }
        await first.site.close()
    }
}
