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

/// The modules of `fapi2-security-profile-final-test-plan` about proofs of keys, and about client assertions.
@Suite struct SecurityProfileProofTests {
    typealias ClaimChanges = SuitePeer.ClaimChanges

    // MARK: Proofs of keys

    @Test(arguments: ["DPoP", "dPoP", "DPOP", "dpop"])
    func `The scheme of the token has no case [access-token-type-header-case-sensitivity]`(scheme: String) async throws
    {
        let peer = try await SuitePeer.secure().first
        var agent = UserAgent(peer.site)
        let access = try await peer.signIn(&agent).tokens.accessToken
        try await expectEqual(peer.userInfo(access, scheme: scheme).status, 200)
        await peer.site.close()
    }

    static let times: [SuiteModule<ClaimChanges>] = [
        .init("check-dpop-proof-nbf-exp", ["nbf": SuitePeer.time(), "exp": SuitePeer.time(300)]),
        .init("ensure-dpopproof-with-iat-10seconds-before-succeeds", ["iat": SuitePeer.time(-10)]),
        .init("ensure-dpopproof-with-iat-10seconds-after-succeeds", ["iat": SuitePeer.time(10)]),
    ]

    @Test(arguments: times)
    func `A proof may have times that differ by ten seconds, and times that bound it`(
        module: SuiteModule<ClaimChanges>
    ) async throws {
        let peer = try await SuitePeer.secure().first
        var agent = UserAgent(peer.site)
        let code = try await peer.code(&agent)
        let tokens = try await peer.exchange(code, proofs: [try peer.proof("POST", "/oauth/token", module.change)])
        try await peer.idToken(in: tokens, code: code)
        let access = tokens.accessToken
        let proof = try peer.proof("GET", "/oauth/userinfo", token: access, module.change)
        try await expectEqual(peer.userInfo(access, proofs: [proof]).status, 200)
        await peer.site.close()
    }

    /// Returns the code of a request that was pushed.
    private func code(_ peer: SuitePeer, pushed: Response) async throws -> String {
        var agent = UserAgent(peer.site)
        let page = try await agent.get(peer.path(pushed: try peer.requestURI(pushed)))
        let done = try await peer.answer(page, in: &agent)
        return try #require(try await peer.callback(done)["code"])
    }

    @Test(.tags(.proofReplay))
    func `A request whose proof is not for its key is refused [ensure-mismatched-dpop-jkt-fails]`() async throws {
        let peer = try await SuitePeer.secure().first
        let other = try Key.generate(.es256)
        let refused = try await peer.push(["dpop_jkt": other.thumbprint], proofs: nil)
        peer.expect(refused, ["invalid_request", "invalid_dpop_proof"])
        await peer.site.close()
    }

    @Test(
        .tags(.proofReplay),
        arguments: [
            "ensure-dpopproof-at-par-endpoint-binding-success", "ensure-dpop-auth-code-binding-success",
            "ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt",
            "ensure-token-endpoint-fails-with-mismatched-dpop-jkt",
        ])
    func `A code that is bound to a key is exchanged with that key`(module: String) async throws {
        let peer = try await SuitePeer.secure().first
        let (sender, other) = (try #require(peer.sender), try Key.generate(.es256))
        let pushed =
            switch module {
            case "ensure-dpop-auth-code-binding-success":
                try await peer.push(["dpop_jkt": sender.thumbprint], proofs: nil)
            case "ensure-token-endpoint-fails-with-mismatched-dpop-jkt":
                try await peer.push(["dpop_jkt": other.thumbprint])
            default: try await peer.push(proofs: nil)
            }
        let code = try await code(peer, pushed: pushed)
        switch module {
        case "ensure-token-endpoint-fails-with-mismatched-dpop-proof-jkt":
            let stolen = try await peer.exchange(code, proofs: [try peer.proof("POST", "/oauth/token", by: other)])
            peer.expect(stolen, ["invalid_request", "invalid_grant", "invalid_dpop_proof"])
        case "ensure-token-endpoint-fails-with-mismatched-dpop-jkt":
            peer.expect(
                try await peer.exchange(code), ["invalid_request", "invalid_grant", "invalid_dpop_proof"])
        default: try await peer.idToken(in: try await peer.exchange(code), code: code)
        }
        await peer.site.close()
    }

    @Test func `A request for tokens without a proof is refused [ensure-holder-of-key-required]`() async throws {
        let peer = try await SuitePeer.secure().first
        var agent = UserAgent(peer.site)
        let code = try await peer.code(&agent)
        peer.expect(try await peer.exchange(code, proofs: []), ["invalid_request"])
        await peer.site.close()
    }

    private static let userInfo = Site.issuer + "/oauth/userinfo"
    private static let inCapitals = "HTTPS://\(Site.issuer.dropFirst(8).uppercased())/oauth/userinfo"

    /// Steps of `dpop-negative-tests`: the changes of a proof, and whether the server accepts it.
    private static let steps: [(claims: ClaimChanges, header: ClaimChanges, isAccepted: Bool)] = [
        ([:], ["typ": nil], false), ([:], ["typ": "dpop+jwt+wrong"], false), ([:], ["jwk": nil], false),
        (["jti": nil], [:], false), (["htm": nil], [:], false), (["htu": nil], [:], false),
        (["iat": nil], [:], false), (["ath": nil], [:], false), (["htm": "PUT"], [:], false),
        (["htu": .string(userInfo + "/other")], [:], false), (["htu": "https://other.example/"], [:], false),
        (["iat": SuitePeer.time(3600)], [:], false), (["iat": SuitePeer.time(-3600)], [:], false),
        (["ath": .string(Base64URL.encode("other".digest))], [:], false),
        (["htu": .string(userInfo + "?query=1#fragment")], [:], true),
        (["tx_id_key": 1], ["tx_id": 1], true),
        (["htu": .string(inCapitals)], [:], true),
        (["htu": .string(Site.issuer + ":443/oauth/userinfo")], [:], true),
        ([:], [:], true),
    ]

    @Test(.tags(.proofReplay))
    func `A resource accepts a token only with a valid proof [dpop-negative-tests]`() async throws {
        let peer = try await SuitePeer.secure().first
        var agent = UserAgent(peer.site)
        let access = try await peer.signIn(&agent).tokens.accessToken
        for (claims, header, isAccepted) in Self.steps {
            let proof = try peer.proof("GET", "/oauth/userinfo", token: access, claims, header: header)
            let answer = try await peer.userInfo(access, proofs: [proof])
            expectEqual(answer.status == 200, isAccepted, "\(claims) \(header): \(answer.status)")
            #expect([200, 400, 401].contains(answer.status))
        }
        await peer.site.close()
    }

    /// A proof with this header, which is signed whatever it says.
    private func signed(_ header: JSONObject, _ payload: Substring, by key: Key) throws -> String {
        let text = "\(Base64URL.encode(JSONValue.object(header).serialized())).\(payload)"
        return "\(text).\(Base64URL.encode(try key.signature(for: Array(text.utf8))))"
    }

    @Test(.tags(.proofReplay))
    func `A resource accepts no proof of another form, and no copy of one [dpop-negative-tests]`() async throws {
        let peer = try await SuitePeer.secure().first
        var agent = UserAgent(peer.site)
        let access = try await peer.signIn(&agent).tokens.accessToken
        let key = try #require(peer.sender)
        func proof(_ header: ClaimChanges = [:], by other: Key? = nil) throws -> String {
            try peer.proof("GET", "/oauth/userinfo", token: access, header: header, by: other)
        }
        let valid = try proof()
        let parts = valid.split(separator: ".")
        var header = try JWT(unverified: valid).header.members
        header["alg"] = nil
        let withoutAlgorithm = try signed(header, parts[1], by: key)
        header["alg"] = "none"
        let unsigned = try signed(header, parts[1], by: key)
        var jwk = key.jwk
        jwk["d"] = .string(Base64URL.encode(Array(repeating: 7, count: 32)))
        let wrong: [(String, [String])] = [
            ("two proofs", [try proof(), try proof()]), ("malformed", [valid.replacing(".", with: "")]),
            ("no algorithm", [withoutAlgorithm]), ("none", [unsigned]),
            ("none, without a signature", [unsigned.split(separator: ".").prefix(2).joined(separator: ".") + "."]),
            ("signature", ["\(parts[0]).\(parts[1]).\(String(parts[2].reversed()))"]),
            ("private key", [try proof(["jwk": .object(jwk)])]),
            ("another key", [try proof(by: try Key.generate(.es256))]), ("no proof", []),
        ]
        for (name, proofs) in wrong {
            let answer = try await peer.userInfo(access, proofs: proofs)
            #expect((400...401).contains(answer.status), "\(name): \(answer.status)")
        }
        try await expectEqual(peer.userInfo(access, scheme: "Bearer", proofs: []).status, 401)
        // None of them has used it up.
        let fields: HTTPFields = [.authorization: "DPoP \(access)", "DPOP": valid]
        try await expectEqual(peer.site.send(.get, "/oauth/userinfo", fields: fields).status, 200)
        try await expectEqual(peer.userInfo(access, proofs: [valid]).status, 401)
        try await expectEqual(peer.userInfo(access).status, 200)
        await peer.site.close()
    }

    // MARK: Client assertions

    static let assertions: [SuiteModule<ClaimChanges>] = [
        .init("ensure-client-assertion-with-exp-is-5-minutes-in-past-fails", ["exp": SuitePeer.time(-300)]),
        .init("ensure-client-assertion-with-wrong-aud-fails", ["aud": "https://other1.example"]),
        .init("ensure-client-assertion-with-no-sub-fails", ["sub": nil]),
        .init(
            "par-ensure-jwt-client-assertions-nbf-over-60-seconds-in-the-future-fails",
            ["nbf": SuitePeer.time(65), "iat": SuitePeer.time(65)]),
    ]

    @Test(.tags(.assertionReplay), arguments: assertions)
    func `An assertion with wrong claims is refused at both endpoints`(
        module: SuiteModule<ClaimChanges>
    ) async throws {
        let peer = try await SuitePeer.secure().first
        var agent = UserAgent(peer.site)
        let code = try await peer.code(&agent)
        let errors = ["invalid_client", "invalid_request"]
        let pushed = try await peer.push(assertion: try peer.signer.assertion(for: peer.site, module.change))
        peer.expect(pushed, errors, in: module.name)
        let assertion = try peer.signer.assertion(for: peer.site, module.change)
        peer.expect(try await peer.exchange(code, assertion: assertion), errors, in: module.name)
        // It has not used the code up.
        try await peer.idToken(in: try await peer.exchange(code), code: code)
        await peer.site.close()
    }

    @Test(arguments: ["par-ensure-jwt-client-assertions-nbf-8-seconds-in-the-future-is-accepted"])
    func `An assertion of a client whose clock is fast by eight seconds is accepted`(module: String) async throws {
        let peer = try await SuitePeer.secure().first
        let assertion = try peer.signer.assertion(
            for: peer.site, ["nbf": SuitePeer.time(8), "iat": SuitePeer.time(8)])
        _ = try peer.requestURI(try await peer.push(assertion: assertion))
        await peer.site.close()
    }

    @Test
    func `A request for tokens without an assertion is refused [ensure-client-assertion-in-token-endpoint]`()
        async throws
    {
        let peer = try await SuitePeer.secure().first
        var agent = UserAgent(peer.site)
        let code = try await peer.code(&agent)
        let refused = try await peer.exchange(code, ["client_id": peer.clientID], assertion: "")
        peer.expect(refused, ["invalid_client", "invalid_request"])
        await peer.site.close()
    }

    @Test(.tags(.assertionReplay))
    func `A client's key signs for no other client [ensure-client-id-in-token-endpoint]`() async throws {
        let (first, second) = try await SuitePeer.secure()
        var agent = UserAgent(first.site)
        let code = try await first.code(&agent)
        let assertion = try second.signer.assertion(for: first.site, with: first.signer.key)
        let refused = try await first.exchange(code, ["client_id": second.clientID], assertion: assertion)
        first.expect(refused, ["invalid_client", "invalid_grant"])
        await first.site.close()
    }

    @Test(.tags(.assertionReplay), arguments: [SignatureAlgorithm.ps256, nil])
    func `A client of PS256 signs nothing with RS256 [ensure-signed-client-assertion-with-RS256-fails]`(
        registered: SignatureAlgorithm?
    ) async throws {
        let key = try Key.generate(.rs256)
        var jwk = key.jwk
        jwk["alg"] = nil
        let peer = try await SuitePeer.secure {
            $0.clients[0].jwks = ["keys": [.object(jwk)]]
            $0.clients[0].assertionAlgorithm = registered
        }.first
        let refused = try await peer.exchange("ac1.x", assertion: try peer.signer.assertion(for: peer.site, with: key))
        peer.expect(refused, ["invalid_client"])
        await peer.site.close()
    }

    // MARK: Tokens of the client itself

    /// The profile `fapi_client_credentials_grant` of the plan.
    @Test(arguments: ["happy-flow", "ensure-holder-of-key-required", "ensure-client-assertion-in-token-endpoint"])
    func `A client gets a token for itself, which is bound to its key and has no refresh token`(module: String)
        async throws
    {
        let peer = try await SuitePeer.secure { _ = $0.clients[0].grants.insert(.clientCredentials) }.first
        let form = [("grant_type", "client_credentials"), ("scope", "files:read")]
        switch module {
        case "ensure-holder-of-key-required":
            peer.expect(try await peer.post("/oauth/token", form, proofs: []), ["invalid_request"])
        case "ensure-client-assertion-in-token-endpoint":
            let named = form + [("client_id", peer.clientID)]
            peer.expect(
                try await peer.post("/oauth/token", named, assertion: ""), ["invalid_client", "invalid_request"])
        default:
            let tokens = try await peer.post("/oauth/token", form)
            #expect(tokens.status == 200 && tokens.string("token_type") == "DPoP", "\(tokens.text)")
            #expect(tokens.json["refresh_token"] == nil && tokens.json["id_token"] == nil)
            #expect(tokens.number("expires_in").map { $0 > 0 } == true && tokens.field(.cacheControl) == "no-store")
            let key = try JWT(unverified: tokens.accessToken).claims["cnf"]?["jkt"]
            expectEqual(key, peer.sender.map { JSONValue.string($0.thumbprint) })
        }
        await peer.site.close()
    }
}
