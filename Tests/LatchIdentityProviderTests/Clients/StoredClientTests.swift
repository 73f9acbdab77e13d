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

/// Clients that an operator registers while the server runs.
@Suite struct StoredClientTests {
    private static let redirect = "https://wiki.example/back"
    private let app = SignInApp(clientID: "wiki", redirect: redirect, scope: "openid files:read")

    private static func client(_ change: (inout OAuthClient) -> Void = { _ in }) -> OAuthClient {
        var client = OAuthClient(
            id: "wiki", isConfidential: true, grants: [.authorizationCode, .refreshToken], redirectURIs: [redirect],
            idTokenAlgorithm: .es256)
        change(&client)
        return client
    }

    private func exchange(_ site: Site, _ code: String, secret: String) async throws -> Response {
        try await site.token([
            "grant_type": "authorization_code", "code": code, "code_verifier": app.verifier,
            "redirect_uri": Self.redirect, "client_id": "wiki", "client_secret": secret,
        ])
    }

    private func refresh(_ site: Site, _ token: String, secret: String) async throws -> Response {
        try await site.token([
            "grant_type": "refresh_token", "refresh_token": token, "client_id": "wiki", "client_secret": secret,
        ])
    }

    @Test func `A client that is registered while the server runs signs users in at once`() async throws {
        let site = try await Site.authorizing()
        let made = try await site.identity.clients.create(Self.client { $0.idTokenAlgorithm = .eddsa }, by: "a test")
        let secret = try #require(made.secret)
        #expect(!made.row.members.contains(secret) && !"\(made.row)".contains(secret))
        var agent = UserAgent(site)
        let code = try #require(try await agent.authorize(app).parameters["code"])
        try await expectEqual(exchange(site, code, secret: "wrong").oauthError, "invalid_client")
        let tokens = try await exchange(site, code, secret: secret)
        expectEqual(tokens.status, 200)
        // There was no key of that algorithm before.
        let header = try #require(tokens.string("id_token").split(separator: ".").first)
        #expect(try String(decoding: Base64URL.decode(String(header)), as: UTF8.self).contains("EdDSA"))
        try await expectEqual(refresh(site, tokens.refreshToken, secret: secret).status, 200)
        #expect(try await site.identity.audit.records(limit: 50).contains { $0.event == "client.created" })
        await site.close()
    }

    @Test func `A new secret works beside the one before, which ends after its overlap`() async throws {
        let site = try await Site.authorizing()
        let first = try #require(try await site.identity.clients.create(Self.client(), by: "a test").secret)
        let second = try #require(
            try await site.identity.clients.rotateSecret(of: "wiki", overlap: .seconds(60), by: "a test").secret)
        func isAccepted(_ secret: String) async throws -> Bool {
            try await refresh(site, "unknown", secret: secret).oauthError == "invalid_grant"
        }
        #expect(try await isAccepted(first))
        #expect(try await isAccepted(second))
        site.clock.advance(by: 61)
        #expect(try await !isAccepted(first))
        #expect(try await isAccepted(second))
        // A theft: nothing before stays.
        let third = try #require(
            try await site.identity.clients.rotateSecret(of: "wiki", overlap: .zero, by: "a test").secret)
        #expect(try await !isAccepted(second))
        #expect(try await isAccepted(third))
        // Two at most.
        _ = try await site.identity.clients.rotateSecret(of: "wiki", by: "a test")
        _ = try await site.identity.clients.rotateSecret(of: "wiki", by: "a test")
        try await expectEqual(site.identity.clients.client("wiki").row.secrets.count, 2)
        #expect(try await !isAccepted(third))
        await site.close()
    }

    @Test func `A redirect that is taken away is refused at the next request`() async throws {
        let site = try await Site.authorizing()
        _ = try await site.identity.clients.create(Self.client(), by: "a test")
        var agent = UserAgent(site)
        #expect(try await agent.authorize(app).parameters["code"] != nil)
        _ = try await site.identity.clients.update(
            Self.client { $0.redirectURIs = ["https://wiki.example/other"] }, by: "a test")
        try await expectEqual(agent.get(app.path()).status, 400)
        await site.close()
    }

    @Test func `A client that is removed takes its sessions and consents along, also for its id`() async throws {
        let site = try await Site.authorizing()
        let secret = try #require(try await site.identity.clients.create(Self.client(), by: "a test").secret)
        var agent = UserAgent(site)
        let code = try #require(try await agent.authorize(app).parameters["code"])
        let tokens = try await exchange(site, code, secret: secret)
        let account = try #require(try await site.identity.administration.find("ada@example.com")).account
        try await expectEqual(site.identity.services.store.consents(of: account.id).count, 1)
        try await expectEqual(site.get("/oauth/userinfo", bearer: tokens.accessToken).status, 200)
        try await site.identity.clients.delete("wiki", by: "a test")
        try await expectEqual(site.get("/oauth/userinfo", bearer: tokens.accessToken).status, 401)
        #expect(try await site.identity.services.store.consents(of: account.id).isEmpty)
        try await expectEqual(agent.get(app.path()).status, 400)
        // Its id goes to another app.
        site.clock.advance(by: 1)
        let next = try #require(try await site.identity.clients.create(Self.client(), by: "a test").secret)
        try await expectEqual(refresh(site, tokens.refreshToken, secret: next).oauthError, "invalid_grant")
        try await expectEqual(site.get("/oauth/userinfo", bearer: tokens.accessToken).status, 401)
        await #expect(throws: IdentityError.noSuchClient) {
            try await site.identity.clients.delete("unknown", by: "a test")
        }
        await site.close()
    }

    @Test func `A client of the configuration cannot be registered or changed in the store`() async throws {
        let site = try await Site.authorizing()
        for id in ["notes", "latch", OAuthClient.firstPartyID] {
            await #expect(throws: IdentityError.clientExists) {
                try await site.identity.clients.create(
                    OAuthClient(id: id, grants: [.authorizationCode], redirectURIs: [Self.redirect]), by: "a test")
            }
        }
        _ = try await site.identity.clients.create(Self.client(), by: "a test")
        await #expect(throws: IdentityError.clientExists) {
            try await site.identity.clients.create(Self.client(), by: "a test")
        }
        await #expect(throws: IdentityError.noSuchClient) {
            _ = try await site.identity.clients.rotateSecret(of: "notes", by: "a test")
        }
        await site.close()
    }

    @Test func `A client of the store obeys the rules of those of the configuration`() async throws {
        let site = try await Site.authorizing()
        let changes: [(inout OAuthClient) -> Void] = [
            { $0.redirectURIs = [] },
            { ($0.isConfidential, $0.requiresPKCE) = (false, false) },
            { ($0.isConfidential, $0.grants) = (false, [.clientCredentials]) },
            { $0.authenticationMethod = .privateKeyJWT },
            { $0.resources = ["https://unknown.example"] },
        ]
        for change in changes {
            await #expect(throws: IdentityError.unusableSetting("", "")) {
                try await site.identity.clients.create(Self.client(change), by: "a test")
            }
        }
        await #expect(throws: IdentityError.secretRefused("")) {
            _ = try await site.identity.clients.create(
                Self.client { ($0.isConfidential, $0.grants) = (false, [.authorizationCode]) }, by: "a test")
            _ = try await site.identity.clients.rotateSecret(of: "wiki", by: "a test")
        }
        await site.close()
    }

    @Test func `A client of the store that the configuration hides is not changed, and leaves its sessions behind`()
        async throws
    {
        let site = try await Site.authorizing()
        _ = try await site.identity.clients.create(Self.client { $0.isConfidential = false }, by: "a test")
        let next = try await Site.authorizing(in: site.folder) {
            $0.clients.append(Self.client { $0.isConfidential = false })
        }
        var agent = UserAgent(next)
        let code = try #require(try await agent.authorize(app).parameters["code"])
        let tokens = try await next.exchange(code, app)
        await #expect(throws: IdentityError.noSuchClient) {
            try await next.identity.clients.update(Self.client { $0.isConfidential = false }, by: "a test")
        }
        try await next.identity.clients.delete("wiki", by: "a test")
        try await expectEqual(next.get("/oauth/userinfo", bearer: tokens.accessToken).status, 200)
        let account = try #require(try await next.identity.administration.find("ada@example.com")).account
        try await expectEqual(next.identity.services.store.consents(of: account.id).count, 1)
        await next.close()
        await site.close()
    }

    @Test func `A row that cannot be read hides no other client, and one of a later version is read`() async throws {
        let site = try await Site.authorizing()
        _ = try await site.identity.clients.create(Self.client(), by: "a test")
        for (id, members) in [
            ("broken", #"{"grants":["x"]}"#), ("later", #"{"unheard":1,"redirects":["https://a.b/c"]}"#),
        ] {
            try await site.identity.services.store.insert(
                StoredClient(id: id, members: members, createdAt: noon), detail: nil)
        }
        let list = try await site.identity.clients.list()
        expectEqual(list.map(\.client.id), ["broken", "later", "wiki"])
        #expect(list[0].problem?.isEmpty == false && list[1].client.redirectURIs == ["https://a.b/c"])
        await #expect(throws: IdentityError.corruptStore("")) {
            try await site.identity.services.clients.client("broken")
        }
        _ = try await site.identity.clients.update(
            OAuthClient(id: "broken", grants: [.authorizationCode], redirectURIs: ["https://a.b/c"]), by: "a test")
        #expect(try await site.identity.services.clients.client("broken") != nil)
        await site.close()
    }

    @Test func `Another server of the store uses a change within seconds`() async throws {
        let site = try await Site.authorizing()
        let made = try await site.identity.clients.create(Self.client(), by: "a test")
        let secret = try #require(made.secret)
        let other = try await Site.authorizing(in: site.folder)
        func isAccepted() async throws -> Bool {
            try await refresh(other, "unknown", secret: secret).oauthError == "invalid_grant"
        }
        #expect(try await isAccepted())
        try await site.identity.clients.delete("wiki", by: "a test")
        other.clock.advance(by: 5)
        #expect(try await !isAccepted())
        await other.close()
        await site.close()
    }

    @Test func `A page of a client of the store reads the responses for it, and no other page`() async throws {
        let site = try await Site.authorizing()
        _ = try await site.identity.clients.create(
            Self.client { ($0.isConfidential, $0.isTrusted) = (false, true) }, by: "a test")
        let code = try await site.code(app)
        func token(from origin: String) async throws -> Response {
            try await site.send(
                .post, "/oauth/token",
                fields: ["Origin": origin, .contentType: "application/x-www-form-urlencoded"],
                body: HTTPBody(
                    FormEncoding.encode([
                        ("grant_type", "authorization_code"), ("code", code), ("client_id", "wiki"),
                        ("redirect_uri", Self.redirect), ("code_verifier", app.verifier),
                    ])))
        }
        let tokens = try await token(from: "https://wiki.example")
        expectEqual(tokens.field("Access-Control-Allow-Origin"), "https://wiki.example")
        func claims(from origin: String, _ token: String) async throws -> Response {
            try await site.send(
                .get, "/oauth/userinfo", fields: ["Origin": origin, .authorization: "Bearer \(token)"])
        }
        let own = try await claims(from: "https://wiki.example", tokens.accessToken)
        #expect(own.status == 200 && own.field("Access-Control-Allow-Origin") == "https://wiki.example")
        let foreign = try await claims(from: "https://evil.example", tokens.accessToken)
        expectNil(foreign.field("Access-Control-Allow-Origin"))
        // A page has to know that its token is refused; the error says nothing else.
        // A copied code ends the tokens.
        let stolen = try await token(from: "https://evil.example")
        #expect(stolen.oauthError == "invalid_grant" && stolen.field("Access-Control-Allow-Origin") == nil)
        let refused = try await claims(from: "https://wiki.example", tokens.accessToken)
        #expect(refused.status == 401 && refused.field("Access-Control-Allow-Origin") == "https://wiki.example")
        await site.close()
    }
}
