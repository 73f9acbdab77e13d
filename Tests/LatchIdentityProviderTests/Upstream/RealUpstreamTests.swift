// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import IdentityTestSupport
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchServer
import LatchTesting
import TestSupport
import TestTags
import Testing

@testable import LatchIdentity

/// Real providers and a real browser, which `make interop` installs; Documentation/Interop.md describes them.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: ProcessInfo.processInfo.environment["LATCH_INTEROP"] != nil, "make interop runs it"))
struct RealUpstreamTests {
    /// Our server with a provider, and a browser.
    private struct Stage {
        let server: Server
        let identity: Identity
        let provider: OpenIDProvider
        let browser: TestBrowser
        let client: Client
        let url: URL
        let folder: TemporaryFolder
        var name: String { provider.facts.name.rawValue }
        var app: UpstreamApp { UpstreamApp(redirect: "\(url.absoluteString)/app") }

        /// Goes through the provider's pages in the browser, from the page that the app opens.
        func visit(_ app: UpstreamApp, profile: String) async throws -> TestBrowser.Page {
            let begin = try #require(URL(string: url.absoluteString + app.path(name)))
            return try await browser.go(
                TestBrowser.Visit(
                    begin, at: provider.facts.name, until: app.redirect, as: provider.facts.user, profile: profile))
        }

        func exchange(_ page: TestBrowser.Page, _ app: UpstreamApp) async throws -> [String: String] {
            let code = try #require(ScriptedUpstream.parameters(page.url ?? "")["code"], "\(page)")
            return try await client.perform(
                .post(
                    "api/auth/exchange", json: ["code": code, "code_verifier": app.verifier],
                    as: Tokens.self)
            ).values
        }

        func end() async {
            await server.shutdown(grace: .seconds(2))
            await identity.close()
        }
    }

    private struct Tokens: Decodable {
        let accessToken, refreshToken: String
        var values: [String: String] { ["access": accessToken, "refresh": refreshToken] }
    }

    private struct Profile: Decodable, Equatable {
        let id, email: String
        let emailVerified: Bool
    }

    private static func stage(_ name: OpenIDProvider.Name) async throws -> Stage {
        let later = LaterHandler()
        let server = Server(handler: later)
        let address = try await server.start()
        let url = try #require(URL(string: "http://127.0.0.1:\(address.port)"))
        async let browser = TestBrowser.start()
        let provider = try await OpenIDProvider.start(
            name, redirects: ["\(url.absoluteString)/api/auth/\(name.rawValue)/callback"])
        let facts = provider.facts
        let configuration = try IdentityConfiguration(values: [
            "issuer": url.absoluteString,
            "upstreams":
                "\(name.rawValue);issuer=\(facts.issuer.absoluteString);client_id=\(facts.confidential.clientId)",
            "upstream_secrets": "\(name.rawValue)=\(facts.confidential.clientSecret ?? "")",
            "sign_in_redirects": "\(url.absoluteString)/app", "argon2_memory_kib": "64", "argon2_passes": "1",
        ])
        let folder = try TemporaryFolder()
        let identity = try await Identity(
            configuration: configuration, storePath: folder.file(), mailer: MemoryMailer())
        later.set(identity.handler)
        return Stage(
            server: server, identity: identity, provider: provider, browser: try await browser,
            client: Client(baseURL: url), url: url, folder: folder)
    }

    private static func profile(_ stage: Stage, _ tokens: [String: String]) async throws -> Profile {
        try await Client(baseURL: stage.url, fields: [.authorization: "Bearer \(tokens["access"] ?? "")"])
            .perform(.get("user/profile", as: Profile.self))
    }

    @Test(.tags(.emailLinking, .deepLinkTokens), arguments: [OpenIDProvider.Name.canaille, .glewlwyd])
    func `A sign-in through an independent provider creates an account, and finds it again`(name: OpenIDProvider.Name)
        async throws
    {
        let stage = try await Self.stage(name)
        let app = stage.app
        let page = try await stage.visit(app, profile: "first")
        let reasons = try await stage.identity.audit.records(limit: 5).map(\.detail)
        try #require(page.error == nil, "\(page) \(reasons)")
        let first = try await Self.profile(stage, try await stage.exchange(page, app))
        #expect(first.email == stage.provider.facts.user.email && !first.emailVerified)
        // Another browser, and canaille issues one token each second.
        let again = try await Self.repeated {
            let app = stage.app
            return try await stage.exchange(try await stage.visit(app, profile: "second"), app)
        }
        try await expectEqual(Self.profile(stage, again), first)
        // The same code a second time.
        expectEqual(ScriptedUpstream.parameters(page.url ?? "").keys.sorted(), ["code"])
        await #expect(throws: HTTPError.self) { try await stage.exchange(page, app) }
        // The address belongs to an account that was there before.
        #expect(try await stage.identity.administration.delete(first.id, isFinal: true, by: nil, because: ""))
        _ = try await stage.identity.accounts.signUp(email: first.email, password: Site.password)
        let refused = try await Self.refusal(stage)
        expectEqual(refused.text?.contains("You already have an account"), true, "\(refused)")
        await stage.end()
    }

    /// Returns the page on which a sign-in ends that does not return to the app.
    private static func refusal(_ stage: Stage) async throws -> TestBrowser.Page {
        var last = try await stage.visit(stage.app, profile: "third")
        let end = Date.now.addingTimeInterval(5)
        while last.text?.contains("did not succeed") == true || last.text?.contains("does not answer") == true,
            Date.now < end
        {
            last = try await stage.visit(stage.app, profile: "third")
        }
        return last
    }

    /// Repeats what fails because a provider cannot issue two tokens in one second.
    private static func repeated<Result>(_ body: () async throws -> Result) async throws -> Result {
        let end = Date.now.addingTimeInterval(5)
        while true {
            do { return try await body() } catch  where Date.now < end { continue }
        }
    }

    @Test(.tags(.upstreamPKCE)) func `A sign-in through an independent provider refuses a stolen code by its nonce`()
        async throws
    {
        let stage = try await Self.stage(.mock)
        let callback = "\(stage.url.absoluteString)/api/auth/mock/callback"
        let client = Client(baseURL: stage.url, redirects: .none)
        /// Begins as a browser of its own, and returns the provider's page and the cookie.
        func begin() async throws -> (url: String, cookie: String) {
            let response = try await client.respond(
                to: HTTPRequest(
                    scheme: "http", authority: stage.client.authority(of: stage.url), path: stage.app.path("mock")))
            let cookie = response.fields.values(of: .setCookie).first?.split(separator: ";").first ?? ""
            return (response.fields["Location"] ?? "", String(cookie))
        }
        let (victim, attacker) = (try await begin(), try await begin())
        let page = try await stage.browser.go(
            TestBrowser.Visit(
                try #require(URL(string: victim.url)), at: .mock, until: callback, as: stage.provider.facts.user,
                isNew: true))
        let code = try #require(ScriptedUpstream.parameters(page.url ?? "")["code"], "\(page)")
        let state = ScriptedUpstream.parameters(attacker.url)["state"] ?? ""
        let query = FormEncoding.encode([("code", code), ("state", state)])
        let refused = try await client.respond(
            to: HTTPRequest(
                scheme: "http", authority: stage.client.authority(of: stage.url),
                path: "/api/auth/mock/callback?\(query)", fields: ["Cookie": attacker.cookie]))
        expectEqual(refused.status.rawValue, 502)
        expectEqual(refused.body.text?.contains("did not succeed"), true)
        await stage.end()
    }
}

extension Client {
    /// The authority of a URL, for requests that are written by hand.
    fileprivate func authority(of url: URL) -> String { "\(url.host() ?? ""):\(url.port ?? 0)" }
}
