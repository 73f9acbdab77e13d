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

/// The modules of `fapi2-message-signing-final-test-plan` with signed requests and signed responses.
///
/// The plan has all modules of the security profile, too. Those that depend on requests or responses are here again.
@Suite struct MessageSigningTests {
    /// Pushes a request object.
    private func push(_ object: String, by peer: SuitePeer) async throws -> Response {
        try await peer.post("/oauth/par", [("client_id", peer.clientID), ("request", object)], proofs: [])
    }

    /// Signs a user in with a pushed request, and verifies the tokens.
    private func signIn(
        _ peer: SuitePeer, pushed: Response, _ more: [(String, String)] = []
    ) async throws -> (tokens: Response, id: Claims) {
        var agent = UserAgent(peer.site)
        let page = try await agent.get(peer.path(pushed: try peer.requestURI(pushed), more))
        let done = try await peer.answer(page, in: &agent)
        let code = try #require(try await peer.callback(done)["code"])
        let tokens = try await peer.exchange(code)
        return (tokens, try await peer.idToken(in: tokens, code: code))
    }

    // MARK: Sign-ins

    @Test func `The metadata lists signed requests and responses [discovery-end-point-verification]`() async throws {
        let site = try await SuitePeer.secure(signsRequests: true).first.site
        let metadata = try await site.get("/.well-known/openid-configuration").json
        for (name, value) in [
            ("response_modes_supported", "jwt"), ("authorization_signing_alg_values_supported", "ES256"),
            ("request_object_signing_alg_values_supported", "ES256"),
            ("request_object_signing_alg_values_supported", "PS256"),
        ] {
            expectEqual(metadata[name]?.arrayValue?.contains(.string(value)), true, "\(name) \(value)")
        }
        expectEqual(metadata["request_parameter_supported"], true)
        await site.close()
    }

    @Test(.tags(.responseMode))
    func `Two clients sign their requests and get signed responses [happy-flow]`() async throws {
        let (first, second) = try await SuitePeer.secure(signsRequests: true)
        for peer in [first, second] {
            let (tokens, id) = try await signIn(peer, pushed: try await peer.push())
            try await expectEqual(peer.userInfo(tokens.accessToken).json["sub"], id["sub"])
        }
        await first.site.close()
    }

    @Test(.tags(.responseMode))
    func `An error is signed as well [user-rejects-authentication]`() async throws {
        let peer = try await SuitePeer.secure(signsRequests: true).first
        var agent = UserAgent(peer.site)
        let refused = try await agent.submit(try await agent.get(try await peer.path()), [("refuse", "yes")])
        try await expectEqual(peer.callback(refused)["error"], "access_denied")
        await peer.site.close()
    }

    @Test(arguments: SecurityProfileTests.lengths)
    func `A signed request may have a long state and a long nonce, or none`(module: SuiteModule<[Int?]>) async throws {
        var peer = try await SuitePeer.secure(signsRequests: true).first
        let texts = module.change.map { length in length.map { String(repeating: "x", count: $0) } }
        (peer.app.state, peer.app.nonce) = (texts[0], texts[1])
        _ = try await signIn(peer, pushed: try await peer.push())
        await peer.site.close()
    }

    // MARK: Request objects

    /// Changes of the claims about the object.
    static let accepted: [SuiteModule<SuitePeer.ClaimChanges>] = [
        .init(
            "ensure-request-object-with-multiple-aud-succeeds",
            ["aud": [.string(Site.issuer), "https://other1.example"]]),
        .init(
            "ensure-request-object-with-nbf-8-seconds-in-the-future-is-accepted", ["nbf": SuitePeer.time(8)]),
    ]

    @Test(arguments: accepted)
    func `A request object may be for several servers, and from a fast clock`(
        module: SuiteModule<SuitePeer.ClaimChanges>
    ) async throws {
        let peer = try await SuitePeer.secure(signsRequests: true).first
        _ = try await signIn(peer, pushed: try await push(try peer.requestObject(module.change), by: peer))
        await peer.site.close()
    }

    static let refused: [SuiteModule<SuitePeer.ClaimChanges>] = [
        .init("ensure-request-object-without-exp-fails", ["exp": nil]),
        .init("ensure-request-object-without-nbf-fails", ["nbf": nil]),
        .init("ensure-expired-request-object-fails", ["exp": SuitePeer.time(-300)]),
        .init("ensure-request-object-with-bad-aud-fails", ["aud": "https://other1.example"]),
        .init("ensure-request-object-with-exp-over-60-fails", ["exp": SuitePeer.time(70 * 60)]),
        .init("ensure-request-object-with-nbf-over-60-fails", ["nbf": SuitePeer.time(-70 * 60)]),
        .init(
            "par-authorization-request-containing-request_uri",
            ["request_uri": "urn:ietf:params:oauth:request_uri:x"]),
    ]

    @Test(.tags(.tokenForgery), arguments: refused)
    func `A request object with wrong claims is refused`(
        module: SuiteModule<SuitePeer.ClaimChanges>
    ) async throws {
        let peer = try await SuitePeer.secure(signsRequests: true).first
        let answer = try await push(try peer.requestObject(module.change), by: peer)
        peer.expect(answer, ["invalid_request_object"], in: module.name)
        await peer.site.close()
    }

    @Test(
        .tags(.tokenForgery),
        arguments: [
            "ensure-request-object-signature-algorithm-is-not-none",
            "ensure-request-object-with-invalid-signature-fails", "ensure-matching-key-in-authorization-request",
        ])
    func `A request object without the client's signature is refused`(module: String) async throws {
        let (first, second) = try await SuitePeer.secure(signsRequests: true)
        let parts = try first.requestObject().split(separator: ".")
        let object =
            switch module {
            case "ensure-request-object-signature-algorithm-is-not-none":
                Base64URL.encode(Array(#"{"alg":"none"}"#.utf8)) + ".\(parts[1])."
            case "ensure-request-object-with-invalid-signature-fails":
                "\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"
            default: try first.requestObject(by: second.signer.key)
            }
        first.expect(try await push(object, by: first), ["invalid_request_object", "invalid_request"], in: module)
        await first.site.close()
    }

    /// The registration names the algorithm, as the profile has it.
    @Test(.tags(.tokenForgery), arguments: [SignatureAlgorithm.ps256, nil])
    func `A client of PS256 signs no request with RS256 [ensure-signed-request-object-with-RS256-fails]`(
        registered: SignatureAlgorithm?
    ) async throws {
        let key = try Key.generate(.rs256)
        var jwk = key.jwk
        jwk["alg"] = nil
        let peer = try await SuitePeer.secure(signsRequests: true) {
            let keys = $0.clients[0].jwks?["keys"]?.arrayValue ?? []
            $0.clients[0].jwks = ["keys": .array(keys + [.object(jwk)])]
            $0.clients[0].requestObjectAlgorithm = registered
        }.first
        let answer = try await push(try peer.requestObject(by: key), by: peer)
        peer.expect(answer, ["invalid_request_object"])
        await peer.site.close()
    }

    @Test
    func `A signed request needs a redirect [ensure-request-object-without-redirect-uri-fails]`() async throws {
        let peer = try await SuitePeer.secure(signsRequests: true).first
        let answer = try await push(try peer.requestObject(parameters: ["redirect_uri": nil]), by: peer)
        peer.expect(answer, ["invalid_request", "invalid_request_object"])
        await peer.site.close()
    }

    @Test
    func `A request is not pushed without a signature [ensure-unsigned-request-at-par-endpoint-fails]`() async throws {
        var peer = try await SuitePeer.secure(signsRequests: true).first
        peer.signsRequests = false
        peer.expect(try await peer.push(), ["invalid_request"])
        await peer.site.close()
    }

    @Test
    func `A plain request is shown to the user [ensure-unsigned-authorization-request-without-using-par-fails]`()
        async throws
    {
        var peer = try await SuitePeer.secure(signsRequests: true).first
        (peer.signsRequests, peer.pushes) = (false, false)
        var agent = UserAgent(peer.site)
        let page = try await agent.get(try await peer.path())
        #expect(page.status == 400 && page.location.isEmpty)
        await peer.site.close()
    }

    // MARK: Parameters beside the object

    @Test func `A nonce in the browser is ignored [ensure-different-nonce-inside-and-outside-request-object]`()
        async throws
    {
        let peer = try await SuitePeer.secure(signsRequests: true).first
        let (_, id) = try await signIn(peer, pushed: try await peer.push(), [("nonce", "outer")])
        expectEqual(id.string("nonce"), peer.app.nonce)
        await peer.site.close()
    }

    @Test(arguments: [
        "ensure-different-state-inside-and-outside-request-object", "state-only-outside-request-object-not-used",
    ])
    func `A state in the browser is ignored`(module: String) async throws {
        var peer = try await SuitePeer.secure(signsRequests: true).first
        if module == "state-only-outside-request-object-not-used" { peer.app.state = nil }
        // The response has the state of the object, or none.
        _ = try await signIn(peer, pushed: try await peer.push(), [("state", "outer")])
        await peer.site.close()
    }
}
