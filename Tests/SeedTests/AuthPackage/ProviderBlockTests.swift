// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import Expectations
import Foundation
import LatchHTTP
import LatchTesting
import TestSupport
import TestTags
import TestVectors
import Testing

@testable import SeedDocuments

/// The guide's "Microsoft OAuth (via Backend)", with a page that the test plays.
@MainActor
@Suite struct ProviderBlockTests {
    private func app(_ pages: ScriptedPages) throws -> (GuideApp, AuthClient) {
        let config = AuthConfiguration(
            baseURL: try #require(URL(string: "http://localhost:3000")), redirectScheme: "authdemo",
            microsoftEnabled: true, log: { _ in })
        let backend = ClosureHandler { request in
            guard request.path == "/api/auth/exchange" else { return HTTPResponse(status: .notFound) }
            return HTTPResponse(
                status: .ok, fields: [.contentType: "application/json"],
                body: HTTPBody(#"{"accessToken":"a","refreshToken":"r"}"#))
        }
        let auth = AuthClient(
            config: config, transport: backend,
            authenticator: OAuthWebAuthenticator(config: config, transport: backend, sessions: pages))
        return (GuideApp(auth: auth), auth)
    }

    @Test(.tags(.providerSignIn))
    func `The guide's sign-in with Microsoft saves the tokens of a backend with one-time codes`() async throws {
        let pages = ScriptedPages { _ in URL(string: "authdemo://auth/callback?code=c").map { .success($0) } }
        let (app, auth) = try app(pages)
        await app.signInWithMicrosoft(from: PresentationAnchor())
        expectNil(app.handled)
        expectEqual(auth.tokens?.accessToken, "a")
        expectEqual(auth.tokens?.refreshToken, "r")
        expectEqual(pages.opened.first?.absoluteString.hasPrefix("http://localhost:3000/api/auth/microsoft?"), true)
    }

    /// The redirect of the guide's own backend, to the guide's own configuration.
    @Test(.tags(.providerSignIn))
    func `The guide's sign-in with Microsoft saves the tokens of the guide's backend in the deep link`() async throws {
        let pages = ScriptedPages { _ in
            URL(string: "authdemo://auth/callback?accessToken=a&refreshToken=r").map { .success($0) }
        }
        let (app, auth) = try app(pages)
        await app.signInWithMicrosoft(from: PresentationAnchor())
        expectNil(app.handled)
        expectEqual(auth.tokens?.accessToken, "a")
        expectEqual(auth.tokens?.refreshToken, "r")
    }

    /// The whole way of the guide: init with a state, the provider, the callback, the deep link.
    @Test(.tags(.providerSignIn), .enabled(if: PythonCommand.isPresent, Comment(rawValue: PythonCommand.hint)))
    func `The guide's sign-in with Microsoft signs in at the guide's own backend`() async throws {
        let backend = try await DocumentBackend()
        let config = AuthConfiguration(
            baseURL: backend.url, redirectScheme: "authdemo", microsoftEnabled: true, log: { _ in })
        let pages = VisitingPages { url in
            var next = url
            while next.scheme == "http" {
                let client = Client(baseURL: next, redirects: .none)
                let response = try await client.respond(to: HTTPRequest(method: .get, url: next))
                next = try #require(response.fields[.location].flatMap(URL.init(string:)))
            }
            return next
        }
        let auth = AuthClient(
            config: config, authenticator: OAuthWebAuthenticator(config: config, sessions: pages))
        let claims = try await auth.loginWithMicrosoft(from: PresentationAnchor())
        expectEqual(claims?.email, "ms@example.com")
        expectEqual(auth.currentUser?.email, "ms@example.com")
        let first = try #require(auth.tokens)
        try await expectNotEqual(auth.session.refreshed(replacing: first).accessToken, first.accessToken)
        try await auth.logout()
        withExtendedLifetime(backend) {}
    }

    @Test(.tags(.providerSignIn))
    func `The guide's sign-in with Microsoft is canceled by the user who dismisses the sheet`() async throws {
        let (app, auth) = try app(ScriptedPages { _ in .failure(.cancelled) })
        await app.signInWithMicrosoft(from: PresentationAnchor())
        expectEqual(app.handled as? APIError, .cancelled)
        expectNil(auth.tokens)
    }
}
