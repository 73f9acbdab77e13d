// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAccounts
import LatchAuth
import LatchHTTP
import LatchOAuth
import LatchTesting
import TestTags
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProviderSignInTests {
    private let redirectURI = URL(string: "com.example.notes://auth/callback") ?? URL(filePath: "/")

    private func client(status: HTTPStatus = .ok, _ store: InMemoryTokenStore<Tokens>) throws -> AuthClient {
        let backend = ClosureHandler { request in
            guard request.path == "/base/links/one-time" else { return HTTPResponse(status: .notFound) }
            return HTTPResponse(
                status: status, fields: [.contentType: "application/json"],
                body: HTTPBody(status.isSuccess ? #"{"accessToken":"a","refreshToken":"r"}"# : #"{"message":"no"}"#))
        }
        var endpoints = AccountEndpoints()
        endpoints.providers = "pages"
        endpoints.exchange = "links/one-time"
        return AuthClient(
            baseURL: try #require(URL(string: "https://api.example.com/base")), store: store, endpoints: endpoints,
            transport: backend)
    }

    private func browser(_ pages: ScriptedPages) -> WebAuthenticationBrowser {
        WebAuthenticationBrowser(sessions: pages)
    }

    @Test(.tags(.providerSignIn))
    func `A sign-in through the backend at another provider signs in by the backend's own paths`() async throws {
        let store = InMemoryTokenStore<Tokens>()
        let pages = ScriptedPages { [redirectURI] _ in
            URL(string: redirectURI.absoluteString + "?code=c").map { .success($0) }
        }
        let auth = try client(store)
        try await auth.signIn(through: "an other/provider", using: browser(pages), redirectingTo: redirectURI)
        #expect(auth.session.currentState.isSignedIn)
        expectEqual(store.load()?.refresh, "r")
        // A name is one segment of the path, whatever it contains.
        expectEqual(pages.opened.first?.path(percentEncoded: true), "/base/pages/an%20other%2Fprovider")
        expectEqual(pages.callbacks, [.customScheme("com.example.notes")])
    }

    @Test(.tags(.providerSignIn))
    func `A sign-in through the backend at another provider that fails keeps the signed-in user`() async throws {
        let store = InMemoryTokenStore<Tokens>()
        let auth = try client(status: .badRequest, store)
        try await auth.session.signIn(Tokens(access: "before", refresh: "r0"))
        let pages = ScriptedPages { [redirectURI] _ in
            URL(string: redirectURI.absoluteString + "?code=c").map { .success($0) }
        }
        await #expect(throws: AccountError.refused) {
            try await auth.signIn(through: .google, using: browser(pages), redirectingTo: redirectURI)
        }
        let closed = ScriptedPages { _ in .failure(.cancelled) }
        await #expect(throws: OAuthError.cancelled) {
            try await auth.signIn(through: .google, using: browser(closed), redirectingTo: redirectURI)
        }
        expectEqual(store.load()?.access, "before")
    }
}
