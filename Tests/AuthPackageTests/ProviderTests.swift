// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import Expectations
import Foundation
import LatchAuth
import LatchCore
import LatchCrypto
import LatchHTTP
import LatchJOSE
import LatchOAuth
import LatchTesting
import Synchronization
import TestSupport
import TestTags
import Testing

#if canImport(AuthenticationServices)
// The window is its class.
import AuthenticationServices
#endif

@MainActor
@Suite(.timeLimit(.minutes(1))) struct ProviderTests {
    let backend = ScriptedBackend()
    let store = InMemoryTokenStore()

    private func config(
        _ url: String = "https://api.example.com/v1", scheme: String? = "authdemo", acceptsTokensInURL: Bool = false,
        log: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> AuthConfiguration {
        AuthConfiguration(
            baseURL: try #require(URL(string: url)), redirectScheme: scheme, microsoftEnabled: true,
            googleEnabled: true, facebookEnabled: true, acceptsTokensInURL: acceptsTokensInURL, log: log)
    }

    private func client(_ pages: ScriptedPages, _ config: AuthConfiguration) -> AuthClient {
        AuthClient(
            config: config, tokenStore: store, transport: backend,
            authenticator: OAuthWebAuthenticator(config: config, transport: backend, sessions: pages))
    }

    /// Signs in with a page that ends with an answer of the backend, and expects an error that leaves nothing behind.
    private func expect(
        _ error: APIError, acceptsTokensInURL: Bool = false, _ script: @escaping ScriptedPages.Script,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let auth = client(ScriptedPages(script), try config(acceptsTokensInURL: acceptsTokensInURL))
        await #expect(throws: error, sourceLocation: sourceLocation) {
            try await auth.loginWithGoogle(from: PresentationAnchor())
        }
        expectNil(store.load(), sourceLocation: sourceLocation)
        expectNil(auth.tokens, sourceLocation: sourceLocation)
    }

    @Test(.tags(.providerSignIn, .pathPrefix))
    func `Sign-ins at other providers exchange a one-time code for tokens, by the app's challenge`() async throws {
        let pages = ScriptedPages { [backend] in .success(try backend.page($0)) }
        let auth = client(pages, try config())
        let claims = try await auth.loginWithMicrosoft(from: PresentationAnchor())
        expectEqual(claims?.email, "ada@example.com")
        expectEqual(claims?.sub, "u1")
        expectEqual(claims?.roles, ["client"])
        expectEqual(auth.currentUser?.id, "u1")
        expectEqual(store.load()?.refreshToken, "refresh-1")
        try await expectEqual(auth.refreshIfNeeded(), ScriptedBackend.accessToken)

        let page = try #require(pages.opened.first)
        #expect(page.absoluteString.hasPrefix("https://api.example.com/v1/api/auth/microsoft?redirect="))
        expectEqual(pages.callbacks, [.customScheme("authdemo")])
        let parameters = backend.parameters
        expectEqual(parameters["redirect"], "authdemo://auth/callback")
        expectEqual(parameters["prompt"], "select_account")
        expectEqual(parameters["code_challenge_method"], "S256")
        expectEqual(parameters["code_challenge"]?.utf8.count, 43)
        let exchange = try #require(backend.requests.first)
        expectEqual(backend.requests.count, 1)
        expectEqual(exchange.path, "/v1/api/auth/exchange")
        let content = try JSONValue(parsing: exchange.body.bytes)
        expectEqual(content.objectValue?.keys.sorted(), ["code", "code_verifier"])
        // The verifier was never in a URL.
        #expect(!page.absoluteString.contains(content["code_verifier"]?.stringValue ?? "https"))
    }

    @Test(.tags(.providerSignIn), arguments: ["microsoft", "google", "facebook"])
    func `Sign-ins at other providers have a page of each provider`(provider: String) async throws {
        let pages = ScriptedPages { [backend] in .success(try backend.page($0)) }
        let auth = client(pages, try config())
        switch provider {
        case "microsoft": _ = try await auth.loginWithMicrosoft(from: PresentationAnchor())
        case "google": _ = try await auth.loginWithGoogle(from: PresentationAnchor())
        default: _ = try await auth.loginWithFacebook(from: PresentationAnchor())
        }
        expectEqual(pages.opened.first?.path(), "/v1/api/auth/\(provider)")
        #expect(auth.tokens != nil)
    }

    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers use a new challenge each time, and each code once`() async throws {
        let links = Links()
        let pages = ScriptedPages { [backend] in
            let link = try backend.page($0)
            links.add(link)
            return .success(link)
        }
        let auth = client(pages, try config())
        try await auth.loginWithGoogle(from: PresentationAnchor())
        let first = backend.parameters
        try await auth.loginWithGoogle(from: PresentationAnchor())
        expectNotEqual(first["code_challenge"], backend.parameters["code_challenge"])
        expectNotEqual(first["state"], backend.parameters["state"])
        // Somebody who saw the deep link, and a second sign-in that gets it.
        let replay = ScriptedPages { [backend] url in
            _ = try backend.page(url)
            return links.all.first.map { .success($0) }
        }
        await #expect(throws: APIError.unauthorized) {
            try await client(replay, try config()).loginWithGoogle(from: PresentationAnchor())
        }
    }

    @Test(.tags(.clientDefaults, .providerSignIn), arguments: [nil, "", "not a scheme", "https", "javascript"])
    func `Sign-ins at other providers need a scheme of the program before anything is shown`(scheme: String?)
        async throws
    {
        let pages = ScriptedPages { _ in nil }
        let auth = client(pages, try config(scheme: scheme))
        await #expect(throws: APIError.invalidURL) { try await auth.loginWithGoogle(from: PresentationAnchor()) }
        #expect(pages.opened.isEmpty)
    }

    @Test(.tags(.providerSignIn)) func `Sign-ins at other providers are shown over https only`() async throws {
        let pages = ScriptedPages { _ in nil }
        let auth = client(pages, try config("http://api.example.com"))
        await #expect(throws: APIError.invalidURL) { try await auth.loginWithGoogle(from: PresentationAnchor()) }
        #expect(pages.opened.isEmpty)
    }

    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers are refused if the program does not offer them`() async throws {
        let pages = ScriptedPages { _ in nil }
        let url = try #require(URL(string: "https://api.example.com"))
        let auth = client(pages, AuthConfiguration(baseURL: url, redirectScheme: "authdemo"))
        await #expect(throws: APIError.unknown) { try await auth.loginWithMicrosoft(from: PresentationAnchor()) }
        await #expect(throws: APIError.unknown) { try await auth.loginWithGoogle(from: PresentationAnchor()) }
        await #expect(throws: APIError.unknown) { try await auth.loginWithFacebook(from: PresentationAnchor()) }
        #expect(pages.opened.isEmpty)
    }

    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers have an error that differs from a page that fails to open`() async throws {
        let shown = Mutex(0)
        let pages = ScriptedPages { _ in
            shown.withLock { shown in
                shown += 1
                return shown == 1 ? .failure(.cancelled) : nil
            }
        }
        let auth = client(pages, try config())
        await #expect(throws: APIError.cancelled) { try await auth.loginWithGoogle(from: PresentationAnchor()) }
        await pages.waitUntilOpened()
        let waiting = Task { try await auth.loginWithGoogle(from: PresentationAnchor()) }
        await pages.waitUntilOpened()
        // A page is shown already.
        await #expect(throws: APIError.unknown) { try await auth.loginWithGoogle(from: PresentationAnchor()) }
        waiting.cancel()
        await #expect(throws: APIError.cancelled) { try await waiting.value }
    }

    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers end as canceled when the user closes the page`() async throws {
        try await expect(.cancelled) { _ in .failure(.cancelled) }
    }

    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers end at once when no page can be shown`() async throws {
        let auth = client(ScriptedPages(starts: false) { _ in nil }, try config())
        await #expect(throws: APIError.unknown) { try await auth.loginWithGoogle(from: PresentationAnchor()) }
    }

    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers end with the task, and close the page`() async throws {
        let pages = ScriptedPages { _ in nil }
        let auth = client(pages, try config())
        let task = Task { try await auth.loginWithGoogle(from: PresentationAnchor()) }
        await pages.waitUntilOpened()
        // One page at a time.
        await #expect(throws: APIError.unknown) { try await auth.loginWithFacebook(from: PresentationAnchor()) }
        expectEqual(pages.opened.count, 1)
        task.cancel()
        await #expect(throws: APIError.cancelled) { try await task.value }
        await pages.waitUntilClosed()
    }

    @Test(
        .tags(.providerSignIn),
        arguments: [
            "other://auth/callback?", "authdemo://evil/callback?", "authdemo://auth/other?",
            "authdemo://auth/callback/?", "authdemo://user@auth/callback?", "authdemo://auth:1/callback?",
            "authdemo:/auth/callback?", "authdemo://auth/callback%2F?",
        ])
    func `Sign-ins at other providers refuse a deep link to another place`(place: String) async throws {
        try await expect(.unauthorized) { [backend] url in
            let link = try backend.page(url).absoluteString
            return URL(string: link.replacing("authdemo://auth/callback?", with: place)).map { .success($0) }
        }
        #expect(backend.requests.isEmpty)
    }

    /// The answers of a page that are none to this sign-in, and the error of each.
    private struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let error: APIError
        let change: @Sendable (inout [(String, String)]) -> Void

        init(_ name: String, _ error: APIError, _ change: @escaping @Sendable (inout [(String, String)]) -> Void) {
            (testDescription, self.error, self.change) = (name, error, change)
        }

        static let all = [
            Answer("another state", .unauthorized) { $0[1].1 = "other" },
            Answer("a parameter twice", .unauthorized) { $0.append(("code", "two")) },
            Answer("a denial", .unauthorized) { $0 = [("error", "access_denied")] },
            Answer("a failure", .unknown) { $0[0] = ("error", "server_error") },
            Answer("an empty code", .unauthorized) { $0 = [("code", "")] },
            Answer("nothing", .unauthorized) { $0 = [] },
        ]
    }

    @Test(.tags(.providerSignIn), arguments: Answer.all)
    private func `Sign-ins at other providers refuse a response that is not an answer`(answer: Answer) async throws {
        try await expect(answer.error) { [backend] in .success(try backend.page($0, answer.change)) }
        #expect(backend.requests.isEmpty)
    }

    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers take a code without a state, which the challenge binds`() async throws {
        let pages = ScriptedPages { [backend] in .success(try backend.page($0) { $0.removeLast() }) }
        let auth = client(pages, try config())
        try await auth.loginWithGoogle(from: PresentationAnchor())
        #expect(auth.tokens != nil)
    }

    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers report that the backend refuses a code`() async throws {
        try await expect(.server(status: 400, message: "The code is not valid.")) { [backend] in
            .success(try backend.page($0) { $0[0].1 = "stolen" })
        }
    }

    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers take tokens from a URL unless refused, and tell the developer`()
        async throws
    {
        let tokens = [("accessToken", ScriptedBackend.accessToken), ("refreshToken", "refresh-2")]
        try await expect(.unauthorized) { [backend] in .success(try backend.page($0) { $0 = tokens }) }
        try await expect(.unauthorized, acceptsTokensInURL: true) { [backend] in
            .success(try backend.page($0) { $0 = [("accessToken", "")] })
        }
        let pages = ScriptedPages { [backend] in .success(try backend.page($0) { $0 = tokens }) }
        let log = Mutex<[String]>([])
        let auth = client(pages, try config(acceptsTokensInURL: true) { line in log.withLock { $0.append(line) } })
        let claims = try await auth.loginWithFacebook(from: PresentationAnchor())
        expectEqual(log.withLock { $0.map { $0.contains("facebook in the deep link") } }, [true])
        expectEqual(claims?.email, "ada@example.com")
        expectEqual(store.load()?.refreshToken, "refresh-2")
        expectEqual(store.load()?.expiry, Date(timeIntervalSince1970: 4_000_000_000))
        #expect(backend.requests.isEmpty)
    }

    @Test
    func `Sign-ins at other providers give tokens the expiry of their JWT, and keep errors of the app's pages`()
        async throws
    {
        let tokens = AuthPackage.Tokens(accessToken: ScriptedBackend.accessToken, refreshToken: "r")
        expectEqual(tokens.expiry, Date(timeIntervalSince1970: 4_000_000_000))
        expectNil(AuthPackage.Tokens(accessToken: "opaque").expiry)
        // A store that is chosen at run time.
        let stores: [any AuthPackage.TokenStore<AuthPackage.Tokens>] = [
            InMemoryTokenStore(), KeychainTokenStore(service: "a", account: "b"),
        ]
        let store = stores[0]
        try await store.save(tokens)
        let auth = AuthPackage.AuthClient(
            config: try config(), tokenStore: store,
            transport: ClosureHandler { _ in
                throw URLError(.notConnectedToInternet)
            })
        try await auth.restore()
        expectEqual(auth.tokens, tokens)
        await #expect(throws: APIError.network(URLError(.notConnectedToInternet))) {
            try await auth.requestPasswordReset(email: "ada@example.com")
        }
    }

    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers map each error to one of the package's messages`() async throws {
        let pages = ScriptedPages { [backend] in .success(try backend.page($0) { $0 = [("accessToken", "a")] }) }
        let refusing = client(pages, try config())
        await #expect(throws: APIError.unauthorized) { try await refusing.loginWithGoogle(from: PresentationAnchor()) }
        expectEqual(refusing.lastFailure.map { "\($0)" }?.contains("does not accept in a URL"), true)
        let lan = client(pages, try config("http://192.168.1.20:3000"))
        let error = await #expect(throws: APIError.self) { try await lan.login(email: "a@b.c", password: "p") }
        expectEqual(error, .invalidURL)
        expectEqual(error?.localizedDescription.contains("allowingInsecureHTTP"), true)
        expectEqual((lan.lastFailure as? HTTPError)?.code, HTTPError.insecureURL.code)
        #expect(backend.requests.isEmpty)
    }

    @Test(.tags(.providerSignIn, .pathPrefix))
    func `Sign-ins at other providers reach a LAN address if the program allows it`() async throws {
        let config = AuthConfiguration(
            baseURL: try #require(URL(string: "http://192.168.1.20:3000")), redirectScheme: "authdemo",
            microsoftEnabled: true, allowingInsecureHTTP: .anyHostWithoutEncryption, log: { _ in })
        let pages = ScriptedPages { [backend] in .success(try backend.page($0)) }
        let auth = client(pages, config)
        try await auth.loginWithMicrosoft(from: PresentationAnchor())
        #expect(auth.tokens != nil)
        expectEqual(pages.opened.first?.host(), "192.168.1.20")
        #expect(backend.requests.allSatisfy { $0.scheme == "http" })
    }

    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers report a store that fails, and do not succeed`() async throws {
        let config = try config()
        let pages = ScriptedPages { [backend] in .success(try backend.page($0)) }
        let auth = AuthClient(
            config: config, tokenStore: FailingStore(), transport: backend,
            authenticator: OAuthWebAuthenticator(config: config, transport: backend, sessions: pages))
        await #expect(throws: APIError.self) { try await auth.loginWithGoogle(from: PresentationAnchor()) }
        expectNil(auth.tokens)
    }

    /// The guide's "inject a fake authenticator that returns `Tokens` (no UI)".
    @Test(.tags(.providerSignIn))
    func `Sign-ins at other providers can be replaced by tokens without a page`() async throws {
        struct Fake: OAuthAuthenticating {
            func signInMicrosoft(from anchor: PresentationAnchor) async throws -> Tokens { Tokens(accessToken: "a") }
            func signInGoogle(from anchor: PresentationAnchor) async throws -> Tokens { throw APIError.cancelled }
            func signInFacebook(from anchor: PresentationAnchor) async throws -> Tokens { throw APIError.unauthorized }
        }
        let auth = AuthClient(config: try config(), tokenStore: store, transport: backend, authenticator: Fake())
        try await expectNil(auth.loginWithMicrosoft(from: PresentationAnchor()))
        expectEqual(store.load()?.accessToken, "a")
        await #expect(throws: APIError.cancelled) { try await auth.loginWithGoogle(from: PresentationAnchor()) }
        await #expect(throws: APIError.unauthorized) { try await auth.loginWithFacebook(from: PresentationAnchor()) }
        expectEqual(auth.tokens?.accessToken, "a")
    }
}

/// The deep links that were seen.
private final class Links: Sendable {
    private let links = Mutex<[URL]>([])
    func add(_ link: URL) { links.withLock { $0.append(link) } }
    var all: [URL] { links.withLock { $0 } }
}

/// A store that cannot write.
private struct FailingStore: TokenStore {
    func save(_ tokens: Tokens) throws { throw CocoaError(.fileWriteOutOfSpace) }
    func load() throws -> Tokens? { nil }
    func clear() throws {}
}
