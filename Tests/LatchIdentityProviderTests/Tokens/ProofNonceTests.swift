// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import Synchronization
import TestTags
import Testing

@testable import LatchIdentity

/// The nonces of the server in proofs (RFC 9449 §8 and §9): a proof that was signed in advance opens nothing.
@Suite(.tags(.proofReplay)) struct ProofNonceTests {
    private static let app = SignInApp(scope: "openid offline_access files:read")

    /// The tokens of a sign-in that is bound to a sender's key.
    private func tokens(_ sender: Sender) async throws -> Response {
        let (site, app) = (sender.site, Self.app)
        return try await site.token(
            [
                "grant_type": "authorization_code", "code": try await site.code(app), "code_verifier": app.verifier,
                "redirect_uri": app.redirect, "client_id": app.clientID,
            ], fields: try sender.proof("POST", "/oauth/token"))
    }

    private func refresh(_ token: String, _ sender: Sender, claims: JSONObject = [:]) async throws -> Response {
        try await sender.site.token(
            ["grant_type": "refresh_token", "refresh_token": token, "client_id": "notes"],
            fields: try sender.proof("POST", "/oauth/token", claims: claims))
    }

    private func push(_ sender: Sender, claims: JSONObject = [:], origin: String? = nil) async throws -> Response {
        var fields = try sender.proof("POST", "/oauth/par", claims: claims)
        fields[.contentType] = "application/x-www-form-urlencoded"
        fields["Origin"] = origin
        return try await sender.site.send(
            .post, "/oauth/par", fields: fields, body: HTTPBody(FormEncoding.encode(Self.app.parameters())))
    }

    @Test(arguments: [.null, "", "made up", .integer(1)] as [JSONValue])
    func `A proof without a nonce of the server is refused at each endpoint, and the refusal has the nonce`(
        nonce: JSONValue
    ) async throws {
        let site = try await Site.authorizing()
        let sender = try Sender(site)
        let tokens = try await tokens(sender)
        let claims: JSONObject = ["nonce": nonce]
        let error = nonce.isText ? "use_dpop_nonce" : "invalid_dpop_proof"
        for refused in [
            try await refresh(tokens.refreshToken, sender, claims: claims), try await push(sender, claims: claims),
        ] {
            #expect(refused.status == 400 && refused.oauthError == error)
            #expect(refused.field("DPoP-Nonce") == site.proofNonce && refused.field(.cacheControl) == "no-store")
        }
        for path in ["/oauth/userinfo", "/files", "/api/auth/consents", "/user/profile"] {
            let refused = try await sender.get(path, tokens.accessToken, claims: claims)
            expectEqual(refused.status, 401, "\(path)")
            expectEqual(refused.field(.wwwAuthenticate), "DPoP error=\"\(error)\"", "\(path)")
            if nonce.isText { expectEqual(refused.field("DPoP-Nonce"), site.proofNonce, "\(path)") }
        }
        // A refusal uses nothing up, and each response has the next nonce.
        let next = try await refresh(tokens.refreshToken, sender)
        #expect(next.status == 200 && next.field("DPoP-Nonce") == site.proofNonce)
        let claimed = try await sender.get("/oauth/userinfo", next.accessToken)
        #expect(claimed.status == 200 && claimed.field("DPoP-Nonce") == site.proofNonce)
        expectEqual(claimed.field(.cacheControl)?.contains("no-store"), true)
        try await expectEqual(push(sender).status, 201)
        await site.close()
    }

    @Test func `A nonce is accepted until the one after it is replaced, and not longer`() async throws {
        let site = try await Site.authorizing()
        let sender = try Sender(site)
        var tokens = try await tokens(sender)
        let old: JSONObject = ["nonce": .string(site.proofNonce)]
        site.clock.advance(by: .seconds(150))
        expectNotEqual(old["nonce"]?.stringValue, site.proofNonce)
        tokens = try await refresh(tokens.refreshToken, sender, claims: old)
        #expect(tokens.status == 200 && tokens.field("DPoP-Nonce") == site.proofNonce)
        site.clock.advance(by: .seconds(150))
        try await expectEqual(refresh(tokens.refreshToken, sender, claims: old).oauthError, "use_dpop_nonce")
        try await expectEqual(refresh(tokens.refreshToken, sender).status, 200)
        await site.close()
    }

    @Test func `Each node accepts the nonces of the others`() async throws {
        let first = try await Site.authorizing { $0.issuer = Site.issuer }
        let second = try await Site.authorizing(in: first.folder) { $0.issuer = Site.issuer }
        let sender = try Sender(first)
        let tokens = try await tokens(sender)
        expectEqual(first.proofNonce, second.proofNonce)
        let fields = try sender.proof("POST", "/oauth/token")
        let next = try await second.token(
            ["grant_type": "refresh_token", "refresh_token": tokens.refreshToken, "client_id": "notes"],
            fields: fields)
        expectEqual(next.status, 200)
        await second.close()
        await first.close()
    }

    @Test(
        arguments: [
            ("page;grants=authorization_code;redirects=https://page.example/back", true),
            ("page;grants=authorization_code;redirects=https://page.example/back;dpop_nonces=optional", false),
            ("tool;grants=authorization_code;redirects=http://127.0.0.1/back,tool://back", false),
            ("tool;grants=authorization_code;redirects=tool://back;dpop_nonces=required", true),
            ("tool;grants=authorization_code;redirects=tool://back;allowed_origins=https://page.example", true),
            ("web;confidential;grants=authorization_code;redirects=https://web.example/back", false),
            ("bank;confidential;security_profile=fapi2", true),
            ("bank;confidential;security_profile=fapi2;dpop_nonces=optional", false),
        ])
    func `Clients with pages and those of a profile need nonces, unless the operator says otherwise`(
        word: String, isNeeded: Bool
    ) throws {
        let client = try #require(OAuthClient(word: word))
        #expect(client.needsProofNonces == isNeeded && OAuthClient(word: client.word) == client)
    }

    @Test func `A client that needs no nonce gets one, and may send any`() async throws {
        let site = try await Site.authorizing { $0.clients[0].proofNonces = .optional }
        let sender = try Sender(site)
        let tokens = try await tokens(sender)
        for nonce in [.null, "made up"] as [JSONValue] {
            let claims = try await sender.get("/oauth/userinfo", tokens.accessToken, claims: ["nonce": nonce])
            #expect(claims.status == 200 && claims.field("DPoP-Nonce") == site.proofNonce)
        }
        // A request without a proof has no use for one.
        try await expectNil(site.get("/oauth/userinfo", bearer: "x").field("DPoP-Nonce"))
        await site.close()
    }

    @Test func `A page of another origin can read the nonce of a refusal`() async throws {
        let site = try await Site.authorizing()
        let refused = try await push(
            try Sender(site), claims: ["nonce": .null], origin: "https://notes.example.com")
        #expect(refused.oauthError == "use_dpop_nonce" && refused.field("DPoP-Nonce") == site.proofNonce)
        expectEqual(refused.field("Access-Control-Allow-Origin"), "https://notes.example.com")
        // Without credentials, the asterisk stands for all names (Fetch §3.2.3).
        expectEqual(refused.field("Access-Control-Expose-Headers"), "*")
        await site.close()
    }

    /// A transport that counts the refusals for want of a nonce.
    private final class Counting: Handler {
        let next: any Handler
        let paths = Mutex<[String]>([])

        init(_ next: any Handler) { self.next = next }

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            let response = try await next.respond(to: request)
            if Response(response).text.contains("use_dpop_nonce") {
                paths.withLock { $0.append(request.pathWithoutQuery) }
            }
            return response
        }
    }

    @Test func `Our own client asks for a nonce once, and signs its assertion again`() async throws {
        let key = try Key.generate(.es256)
        let site = try await Site.authorizing {
            $0.issuer = Site.issuer
            $0.clients.append(
                OAuthClient(
                    id: "bank", isConfidential: true, grants: [.authorizationCode, .refreshToken],
                    redirectURIs: ["https://bank.example/back"], authenticationMethod: .privateKeyJWT,
                    jwks: KeySet([key]).jwks(), securityProfile: .fapi2))
        }
        var configuration = OAuthConfiguration(
            issuer: try #require(URL(string: Site.issuer)), registration: ClientRegistration(clientID: "bank", key: key)
        )
        configuration.pushesRequests = true
        let transport = Counting(site.transport)
        let client = AuthorizationClient(configuration, transport: transport, clock: site.clock.wallClock())
        let proofs = try DPoPKey.generate(clock: site.clock.wallClock())
        let callback = try #require(URL(string: "https://bank.example/back"))
        let attempt = try await client.begin(redirectURI: callback, boundTo: proofs)
        expectEqual(transport.paths.withLock(\.self), ["/oauth/par"])
        var agent = UserAgent(site)
        var page = try await agent.signIn(
            try await agent.get("\(attempt.url.path())?\(attempt.url.query() ?? "")"))
        if page.formAction == "/consent" { page = try await agent.submit(page) }
        let response = try await client.finish(try #require(URL(string: page.location)))
        let refresh = try #require(response.tokens.refresh)
        site.clock.advance(by: .seconds(140))
        let next = try await client.tokens(for: RefreshGrant(refreshToken: refresh), boundTo: proofs)
        #expect(try await client.userInfo(of: next.tokens).subject != nil)
        expectEqual(transport.paths.withLock(\.self), ["/oauth/par"])
        // After a pause its nonce is too old.
        site.clock.advance(by: .seconds(600))
        _ = try await client.tokens(for: RefreshGrant(refreshToken: next.tokens.refresh ?? refresh), boundTo: proofs)
        expectEqual(transport.paths.withLock(\.self), ["/oauth/par", "/oauth/token"])
        await site.close()
    }
}

extension JSONValue {
    fileprivate var isText: Bool { isNull || stringValue != nil }
}
