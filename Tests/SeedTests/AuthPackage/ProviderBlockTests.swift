// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import Foundation
import LatchHTTP
import LatchTesting
import TestTags
import Testing

@testable import SeedDocuments

/// The guide's "Microsoft OAuth (via Backend)", with a page that the test plays.
@MainActor
@Suite struct `The guide's sign-in with Microsoft` {
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

    @Test(.tags(.p8)) func `saves the tokens of a backend with one-time codes`() async throws {
        let pages = ScriptedPages { _ in URL(string: "authdemo://auth/callback?code=c").map { .success($0) } }
        let (app, auth) = try app(pages)
        await app.signInWithMicrosoft(from: PresentationAnchor())
        #expect(app.handled == nil)
        #expect(auth.tokens?.accessToken == "a")
        #expect(auth.tokens?.refreshToken == "r")
        #expect(pages.opened.first?.absoluteString.hasPrefix("http://localhost:3000/api/auth/microsoft?") == true)
    }

    /// The redirect of the guide's own backend, to the guide's own configuration.
    @Test(.tags(.p8)) func `saves the tokens that the guide's backend sends in the deep link`() async throws {
        let pages = ScriptedPages { _ in
            URL(string: "authdemo://auth/callback?accessToken=a&refreshToken=r").map { .success($0) }
        }
        let (app, auth) = try app(pages)
        await app.signInWithMicrosoft(from: PresentationAnchor())
        #expect(app.handled == nil)
        #expect(auth.tokens?.accessToken == "a")
        #expect(auth.tokens?.refreshToken == "r")
    }

    @Test(.tags(.p8)) func `is cancelled by the user who dismisses the sheet`() async throws {
        let (app, auth) = try app(ScriptedPages { _ in .failure(.cancelled) })
        await app.signInWithMicrosoft(from: PresentationAnchor())
        #expect(app.handled as? APIError == .cancelled)
        #expect(auth.tokens == nil)
    }
}
