// SPDX-License-Identifier: Apache-2.0

import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchOAuth
import LatchSignIn
import LatchTesting
import Synchronization
import TestSupport
import Testing

/// Sign-ins over real sockets; the test plays the browser.
@Suite(.timeLimit(.minutes(1))) struct LoopbackBrowserTests {
    let provider: ScriptedProvider

    init() throws { provider = try ScriptedProvider() }

    private func session(redirectURI: URL? = nil) -> Session<Tokens> {
        Session(client: provider.client { $0.redirectURI = redirectURI }, store: InMemoryTokenStore())
    }

    /// Requests a URL as a browser does, and returns the response.
    private static func visit(_ url: URL, cookie: String? = nil) async throws -> HTTPResponse {
        var request = try HTTPRequest(url: url)
        request.fields[.cookie] = cookie
        return try await Transport.live.respond(to: request)
    }

    /// Loads the page that the program opens, and returns the provider's, with the browser's cookie.
    private static func begin(_ start: URL) async throws -> (page: URL, cookie: String) {
        let response = try await visit(start)
        let page = try #require(response.fields[.location].flatMap(URL.init(string:)))
        return (page, String(try #require(response.fields[.setCookie]).prefix { $0 != ";" }))
    }

    /// Goes through all pages, and returns the last.
    private static func signIn(_ start: URL, at provider: ScriptedProvider) async throws -> HTTPResponse {
        let (page, cookie) = try await begin(start)
        return try await visit(provider.approve(page), cookie: cookie)
    }

    @Test func `A browser on this machine signs in by one line, and shows a page with the next step`() async throws {
        let visits = Visits()
        let browser = LoopbackBrowser { [provider] url in
            Task { visits.add(try await Self.signIn(url, at: provider)) }
        }
        let session = session()
        try await session.signIn(using: browser)
        #expect(session.currentState.isSignedIn)
        // The browser shows it a moment after the program has its code.
        try await eventually { !visits.responses.isEmpty }
        let page = try #require(visits.responses.first)
        expectEqual(page.body.text?.contains("You can close this window"), true)
        expectEqual(page.fields["Referrer-Policy"], "no-referrer")
        let parameters = ScriptedProvider.parameters(provider.requests(to: "/token").first?.body.text ?? "")
        let redirectURI = try #require(parameters["redirect_uri"].flatMap(URL.init(string:)))
        #expect(redirectURI.absoluteString.hasPrefix("http://127.0.0.1:"))
        expectEqual(redirectURI.path(), "/callback")
        // The listener has closed; another server may have its port by now.
        let later = try? await Self.visit(redirectURI)
        expectNil(later?.fields["Referrer-Policy"])
    }

    /// PostHog/wizard#1253, postmanlabs/postman-app-support#12640.
    @Test
    func `A browser on this machine is not disturbed by foreign cookies or a page that is loaded ahead`() async throws {
        let visits = Visits()
        let browser = LoopbackBrowser { [provider] url in
            Task {
                var ahead = try HTTPRequest(url: url)
                ahead.fields["Sec-Purpose"] = "prefetch"
                visits.add(try await Transport.live.respond(to: ahead))
                let (page, cookie) = try await Self.begin(url)
                let others = (0..<20).map { "; other\($0)=" + String(repeating: "x", count: 4_000) }.joined()
                visits.add(try await Self.visit(provider.approve(page), cookie: cookie + others))
            }
        }
        let session = session()
        try await session.signIn(using: browser)
        try await eventually { visits.responses.count == 2 }
        expectEqual(visits.responses.map(\.status.rawValue), [503, 200])
    }

    @Test func `A browser on this machine waits for its own response, despite other requests`() async throws {
        let visits = Visits()
        let browser = LoopbackBrowser { [provider] url in
            Task {
                let (page, cookie) = try await Self.begin(url)
                let genuine = try provider.approve(page)
                let text = genuine.absoluteString
                let state = ScriptedProvider.parameters(page.query(percentEncoded: true) ?? "")["state"] ?? ""
                for other in [
                    text.replacing(state, with: "other"), text.replacing("/callback", with: "/other"),
                    text.replacing("state=", with: "other="), text.replacing("127.0.0.1", with: "[::1]") + "&state=x",
                ] {
                    guard let url = URL(string: other) else { continue }
                    visits.add(try await Self.visit(url, cookie: cookie))
                }
                // Somebody who has read the address, and has no cookie of it.
                visits.add(try await Self.visit(genuine))
                _ = try await Self.visit(genuine, cookie: cookie)
            }
        }
        let session = session()
        try await session.signIn(using: browser)
        #expect(session.currentState.isSignedIn)
        expectEqual(visits.responses.map(\.status.rawValue).prefix(3), [400, 404, 400])
    }

    // Report 1 in Documentation/PublicReports.md: the provider appends a parameter that is not encoded.
    @Test func `A browser on this machine reads a response as it was sent, whatever else is in it`() async throws {
        provider.deviate { deviations in
            deviations.callback = { parameters in
                parameters.append(("hint", "x"))
            }
        }
        let browser = LoopbackBrowser { [provider] url in
            Task {
                let (page, cookie) = try await Self.begin(url)
                let genuine = try provider.approve(page)
                // A URL would not hold these; the request of a browser does.
                let path = genuine.path() + "?" + (genuine.query(percentEncoded: true) ?? "") + "{x}|[y]"
                var request = HTTPRequest(
                    scheme: "http", authority: "127.0.0.1:\(genuine.port ?? 0)", path: path)
                request.fields[.cookie] = cookie
                _ = try await Transport.live.respond(to: request)
            }
        }
        let session = session()
        try await session.signIn(using: browser)
        #expect(session.currentState.isSignedIn)
    }

    @Test func `A browser on this machine responds at both loopback addresses`() async throws {
        let browser = LoopbackBrowser { [provider] url in
            Task {
                let (page, cookie) = try await Self.begin(url)
                let text = try provider.approve(page).absoluteString
                guard let other = URL(string: text.replacing("127.0.0.1", with: "[::1]")) else { return }
                do { _ = try await Self.visit(other, cookie: cookie) } catch {
                    // A machine without IPv6.
                    _ = try await Self.visit(provider.approve(page), cookie: cookie)
                }
            }
        }
        let session = session()
        try await session.signIn(using: browser)
        #expect(session.currentState.isSignedIn)
    }

    @Test func `A browser on this machine ends with the user's time limit`() async throws {
        let clock = ManualClock()
        let browser = LoopbackBrowser(timeout: .seconds(120), clock: clock.wallClock()) { _ in }
        let session = session()
        let task = Task { try await session.signIn(using: browser) }
        await clock.sleeper(for: .seconds(120) ... .seconds(120))
        clock.advance(by: .seconds(120))
        await #expect(throws: OAuthError.signInTimedOut) { try await task.value }
        #expect(!session.currentState.isSignedIn)
    }

    @Test func `A browser on this machine ends with the task, at once`() async throws {
        let (opened, signal) = AsyncStream.makeStream(of: Void.self)
        let browser = LoopbackBrowser { _ in signal.yield() }
        let session = session()
        let task = Task { try await session.signIn(using: browser) }
        for await _ in opened { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `A browser on this machine reports that no browser starts`() async throws {
        let browser = LoopbackBrowser { _ in throw OAuthError.browserUnavailable }
        await #expect(throws: OAuthError.browserUnavailable) { try await session().signIn(using: browser) }
    }

    @Test
    func `A browser on this machine shows its first page to one browser, and ends if two have requested it`()
        async throws
    {
        let visits = Visits()
        let visiting = Mutex<Task<Void, any Error>?>(nil)
        let browser = LoopbackBrowser { url in
            let task = Task {
                let (_, cookie) = try await Self.begin(url)
                // The same browser may load it again.
                visits.add(try await Self.visit(url, cookie: cookie))
                visits.add(try await Self.visit(url))
            }
            visiting.withLock { $0 = task }
        }
        await #expect(throws: OAuthError.browserUnavailable) { try await session().signIn(using: browser) }
        try await visiting.withLock { $0 }?.value
        expectEqual(visits.responses.map(\.status.rawValue), [302, 400])
    }

    @Test func `A browser on this machine reports the denial of the user, and keeps the signed-in user`() async throws {
        let session = session()
        try await session.signIn(Tokens(access: "before", refresh: "r"))
        provider.deviate { $0.callback = { $0[0] = ("error", "access_denied") } }
        let browser = LoopbackBrowser { [provider] url in
            Task { _ = try await Self.signIn(url, at: provider) }
        }
        await #expect(throws: OAuthError.accessDenied) { try await session.signIn(using: browser) }
        expectEqual(session.currentState.credential?.access, "before")
    }

    @Test(arguments: ["http://127.0.0.1/callback", "http://localhost/back", "http://127.0.0.1"])
    func `A browser on this machine takes any port for a registered address without one`(registered: String)
        async throws
    {
        let browser = LoopbackBrowser { [provider] url in
            Task { _ = try await Self.signIn(url, at: provider) }
        }
        let address: URL = try #require(URL(string: registered))
        let session = session(redirectURI: address)
        try await session.signIn(using: browser)
        #expect(session.currentState.isSignedIn)
    }

    @Test func `A browser on this machine refuses a redirect URI that is not a port of this machine`() async throws {
        for text in [
            "https://127.0.0.1:4000/callback", "http://example.com:4000/callback", "http://127.0.0.1:4000/callback?a=b",
        ] {
            let address: URL = try #require(URL(string: text))
            let session = session(redirectURI: address)
            await #expect(throws: OAuthError.browserUnavailable) {
                try await session.signIn(using: LoopbackBrowser { _ in })
            }
        }
    }
}

/// The responses that a test's browser got.
private final class Visits: Sendable {
    private let list = Mutex<[HTTPResponse]>([])

    var responses: [HTTPResponse] { list.withLock { $0 } }

    func add(_ response: HTTPResponse) { list.withLock { $0.append(response) } }
}
