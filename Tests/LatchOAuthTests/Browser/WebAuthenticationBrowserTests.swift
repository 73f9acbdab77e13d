// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchTesting
import TestSupport
import Testing

@testable import LatchOAuth

@Suite(.timeLimit(.minutes(1))) struct WebAuthenticationBrowserTests {
    let provider: ScriptedProvider
    let redirectURI = URL(string: "com.example.notes:/callback") ?? URL(filePath: "/")

    init() throws { provider = try ScriptedProvider() }

    private func session() -> Session<Tokens> {
        Session(client: provider.client { $0.redirectURI = nil }, store: InMemoryTokenStore())
    }

    private func browser(_ page: ScriptedPages) -> WebAuthenticationBrowser {
        WebAuthenticationBrowser(sessions: page, redirectURI: redirectURI, clock: provider.clock.wallClock())
    }

    /// A page on which the user signs in.
    private func approving(_ change: @escaping @Sendable (URL) -> URL? = { $0 }) -> ScriptedPages {
        ScriptedPages { [provider] in change(try provider.approve($0)).map { .success($0) } }
    }

    @Test func `A browser in a system window signs in, with the app's own scheme`() async throws {
        let page = approving()
        let session = session()
        try await session.signIn(using: browser(page))
        #expect(session.currentState.isSignedIn)
        expectEqual(page.callbacks, [.customScheme("com.example.notes")])
    }

    @Test func `A browser in a system window signs in, with an https callback of the configuration`() async throws {
        let page = approving()
        let session = Session(client: provider.client(), store: InMemoryTokenStore())
        try await session.signIn(using: browser(page))
        #expect(session.currentState.isSignedIn)
        expectEqual(page.callbacks, [.https(host: "notes.example.com", path: "/callback")])
    }

    @Test func `A browser in a system window is canceled by the user`() async throws {
        let session = session()
        try await session.signIn(Tokens(access: "before", refresh: "r"))
        let page = ScriptedPages { _ in webAuthenticationResult(nil, errorCode: 1) }
        await #expect(throws: OAuthError.cancelled) { try await session.signIn(using: browser(page)) }
        expectEqual(session.currentState.credential?.access, "before")
    }

    @Test(
        arguments: [
            (1, OAuthError.cancelled), (2, .browserUnavailable), (3, .browserUnavailable), (nil, .browserUnavailable),
        ] as [(Int?, OAuthError)])
    func `A browser in a system window reports each error of the system`(code: Int?, error: OAuthError) async throws {
        #expect(throws: error) { try webAuthenticationResult(nil, errorCode: code).get() }
        try expectEqual(webAuthenticationResult(redirectURI, errorCode: code).get(), redirectURI)
    }

    @Test func `A browser in a system window reports a page that cannot be shown, at once`() async throws {
        let page = ScriptedPages(starts: false) { _ in nil }
        await #expect(throws: OAuthError.browserUnavailable) { try await session().signIn(using: browser(page)) }
    }

    @Test func `A browser in a system window ends with the task at once, and closes the page`() async throws {
        let page = ScriptedPages { _ in nil }
        let browser = browser(page)
        let task = Task { [session = session()] in try await session.signIn(using: browser) }
        await page.waitUntilOpened()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await page.waitUntilClosed()
    }

    @Test func `A browser in a system window ends with the user's time limit, and closes the page`() async throws {
        let page = ScriptedPages { _ in nil }
        let browser = browser(page)
        let task = Task { [session = session()] in try await session.signIn(using: browser) }
        await provider.clock.sleeper(for: .seconds(600) ... .seconds(600))
        provider.clock.advance(by: .seconds(600))
        await #expect(throws: OAuthError.signInTimedOut) { try await task.value }
        await page.waitUntilClosed()
    }

    @Test func `A browser in a system window shows one page at a time`() async throws {
        let page = ScriptedPages { _ in nil }
        let browser = browser(page)
        let first = Task { [session = session()] in try await session.signIn(using: browser) }
        await page.waitUntilOpened()
        await #expect(throws: OAuthError.browserUnavailable) { try await session().signIn(using: browser) }
        expectEqual(page.callbacks.count, 1)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
    }

    @Test(arguments: ["com.example.other:/callback", "com.example.notes:/other", "com.example.notes://callback"])
    func `A browser in a system window refuses a URL of another place`(place: String) async throws {
        let page = approving { URL(string: $0.absoluteString.replacing("com.example.notes:/callback", with: place)) }
        await #expect(throws: OAuthError.invalidAuthorizationResponse) {
            try await session().signIn(using: browser(page))
        }
        #expect(provider.requests(to: "/token").isEmpty)
    }

    @Test func `A browser in a system window refuses the response to another attempt`() async throws {
        let page = approving { URL(string: $0.absoluteString.replacing("state=", with: "state=x")) }
        await #expect(throws: OAuthError.stateMismatch) { try await session().signIn(using: browser(page)) }
        #expect(provider.requests(to: "/token").isEmpty)
    }

    @Test(arguments: [
        "http://127.0.0.1/callback", "javascript:alert(1)", "file:///callback", "https:///callback",
        "https://notes.example.com:8443/callback", "callback",
    ])
    func `A browser in a system window shows nothing for a redirect URI that no app can receive`(text: String)
        async throws
    {
        let page = approving()
        let uri = try #require(URL(string: text))
        let browser = WebAuthenticationBrowser(sessions: page, redirectURI: uri)
        await #expect(throws: OAuthError.browserUnavailable) { try await session().signIn(using: browser) }
        let none = WebAuthenticationBrowser(sessions: page)
        await #expect(throws: OAuthError.browserUnavailable) { try await session().signIn(using: none) }
        #expect(page.callbacks.isEmpty)
        #expect(provider.paths.isEmpty)
    }

    @Test(arguments: [
        ("app://auth/callback", "app://auth/callback?code=1", true),
        ("app://auth/callback", "APP://AUTH/callback#x", true),
        ("app:/callback", "app:/callback?x", true), ("https://a.example/", "https://a.example/?x", true),
        ("app://auth/callback", "app://auth/Callback", false), ("app://auth/callback", "app://auth/callback/", false),
        ("app://auth/callback", "app://auth.evil/callback", false),
        ("app://auth/callback", "app:/auth/callback", false),
        ("app://auth/callback", "app://evil@auth/callback", false),
        // RFC 3986 §6.2.3; report 2 in Documentation/PublicReports.md.
        ("msauth.com.example.app://auth", "msauth.com.example.app://auth/?code=c&state=S", true),
        ("msauth.com.example.app://auth/", "msauth.com.example.app://auth?code=c&state=S", true),
        ("https://app.example.com", "https://app.example.com/?code=c&state=S", true),
        ("app://auth", "app://auth//", false), ("app:", "app:/", false), ("app://auth", "app://auth/x", false),
    ])
    func `A browser in a system window compares the target of a URL`(uri: String, callback: String, isSame: Bool) throws
    {
        try expectEqual(#require(URL(string: callback)).isCallback(to: #require(URL(string: uri))), isSame)
    }
}
