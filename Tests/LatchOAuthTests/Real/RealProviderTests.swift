// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchServer
import LatchSignIn
import Synchronization
import TestSupport
import Testing

/// Real providers and a real browser, which `make interop` installs; Documentation/Interop.md describes them.
@Suite(
    .serialized, .timeLimit(.minutes(10)),
    .enabled(if: ProcessInfo.processInfo.environment["LATCH_INTEROP"] != nil, "make interop runs it"))
struct RealProviderTests {
    /// A provider, a client of it, and the browser that signs in at its pages.
    private struct Stage {
        let provider: OpenIDProvider
        let client: AuthorizationClient
        let session: Session<Tokens>
        let browser: TestBrowser
        let redirectURI: URL
        /// The registered address after a logout, where nobody listens.
        let goodbye: URL

        /// Signs in as a user does: through the provider's own pages, and back to a listener.
        func signIn(denies: Bool = false) async throws -> TokenResponse {
            let loopback = LoopbackBrowser(timeout: .seconds(60)) { url in
                let visit = TestBrowser.Visit(
                    url, at: provider.facts.name, until: redirectURI.absoluteString, as: provider.facts.user,
                    isNew: true, denies: denies)
                Task { try await browser.go(visit) }
            }
            return try await session.signIn(using: loopback)
        }
    }

    private static func stage(_ name: OpenIDProvider.Name, isConfidential: Bool) async throws -> Stage {
        // A port that was free a moment ago.
        let server = Server(handler: ClosureHandler { _ in HTTPResponse(status: .notFound) })
        let port = try await server.start().port
        await server.shutdown(grace: .zero)
        let redirectURI = try #require(URL(string: "http://127.0.0.1:\(port)/callback"))
        let goodbye = try #require(URL(string: "http://127.0.0.1:\(port)/goodbye"))
        async let browser = TestBrowser.start()
        let provider = try await OpenIDProvider.start(
            name, redirects: [redirectURI.absoluteString], postLogout: [goodbye.absoluteString])
        let registered = try #require(isConfidential ? provider.facts.confidential : provider.facts.public)
        var configuration = OAuthConfiguration(
            issuer: provider.facts.issuer, clientID: registered.clientId, secret: registered.clientSecret)
        configuration.redirectURI = redirectURI
        let client = AuthorizationClient(configuration)
        return Stage(
            provider: provider, client: client, session: Session(client: client, store: InMemoryTokenStore()),
            browser: try await browser, redirectURI: redirectURI, goodbye: goodbye)
    }

    @Test(arguments: OpenIDProvider.Name.allCases)
    func `An independent provider signs a user in, identifies the user, refreshes and revokes`(
        name: OpenIDProvider.Name
    ) async throws {
        let stage = try await Self.stage(name, isConfidential: true)
        let response = try await stage.signIn()
        let idToken = try JWT(unverified: try #require(response.tokens.idToken))
        expectEqual(idToken.claims.issuer, stage.provider.facts.issuer.absoluteString)
        let info = try await stage.client.userInfo(of: response.tokens)
        expectEqual(info.subject, idToken.claims.subject)
        let refreshed = try await Self.refreshed(stage, response.tokens)
        expectNotEqual(refreshed.access, response.tokens.access)
        #expect(refreshed.refresh != nil)
        let endpoint = try await stage.client.tokenEndpoint()
        if endpoint.server.introspectionEndpoint != nil {
            #expect(try await endpoint.introspect(refreshed.access) != nil)
        }
        if endpoint.server.revocationEndpoint != nil {
            #expect(try await stage.session.signOut(revokingAt: endpoint))
            // glewlwyd refuses with 400 and nothing else, which could be a gateway's: the session stays, and reports it.
            let refusal = name == .glewlwyd ? OAuthError.refused : .invalidGrant
            await #expect(throws: refusal) { try await endpoint.refresh(refreshed) }
        }
    }

    /// Refreshes, as often as a provider fails that cannot issue two tokens in one second.
    private static func refreshed(_ stage: Stage, _ tokens: Tokens) async throws -> Tokens {
        let end = Date.now.addingTimeInterval(5)
        while true {
            do {
                let refreshed = tokens.updated(
                    by: try await stage.client.tokenEndpoint().refresh(tokens).tokens, for: nil)
                try await stage.session.signIn(refreshed)
                return refreshed
            } catch OAuthError.serverFailed where Date.now < end {
                continue
            }
        }
    }

    @Test(arguments: OpenIDProvider.Name.allCases.filter { $0 != .mock })
    func `An independent provider signs in a client without a secret, by only its verifier`(name: OpenIDProvider.Name)
        async throws
    {
        let stage = try await Self.stage(name, isConfidential: false)
        #expect(try await stage.signIn().tokens.idToken != nil)
    }

    @Test(arguments: [OpenIDProvider.Name.django, .authlib, .canaille])
    func `An independent provider reports that the user has refused`(name: OpenIDProvider.Name) async throws {
        let stage = try await Self.stage(name, isConfidential: true)
        await #expect(throws: OAuthError.accessDenied) { try await stage.signIn(denies: true) }
        #expect(!stage.session.currentState.isSignedIn)
    }

    @Test(arguments: OpenIDProvider.Name.allCases)
    func `An independent provider signs the user out at the provider, too, and returns`(name: OpenIDProvider.Name)
        async throws
    {
        let stage = try await Self.stage(name, isConfidential: true)
        let tokens = try await stage.signIn().tokens
        let url = try await stage.client.signOutURL(for: tokens, redirectingTo: stage.goodbye, state: "state-1")
        let goodbye = try await stage.browser.go(.init(url, at: name, until: stage.goodbye.absoluteString))
        if name == .lemonldap {
            // Once a user has confirmed, it forgets where to return to, and shows its login page.
            expectEqual(goodbye.steps, ["confirm"])
        } else {
            expectEqual(goodbye.url, "\(stage.goodbye.absoluteString)?state=state-1", "\(goodbye.error ?? "")")
        }
        // Oidc-provider-mock says so itself: its logout ends nothing.
        guard name != .mock else { return }
        let attempt = try await stage.client.begin(redirectURI: stage.redirectURI)
        let page = try await stage.browser.go(
            .init(attempt.url, at: name, until: stage.redirectURI.absoluteString))
        #expect(page.error != nil, "the provider still knows the user: \(page.steps ?? [])")
    }
}
