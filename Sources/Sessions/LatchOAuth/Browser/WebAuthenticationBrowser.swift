// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation
import Synchronization

/// A browser in a window of the system, which returns to the app by one of the app's URLs (RFC 8252).
///
/// ```swift no-check
/// let browser = WebAuthenticationBrowser(from: window, redirectURI: URL(string: "com.example.notes:/callback"))
/// let session = try await Session.signIn(with: .google(clientID: "…"), using: browser, store: store)
/// ```
///
/// On Apple's platforms this is `ASWebAuthenticationSession`, which gives the URL only to this app, even if another app
/// claims the same scheme. One page is shown at a time.
public struct WebAuthenticationBrowser: Browser {
    private let sessions: any WebAuthenticationSessionFactory
    private let redirectURI: URL?
    private let timeout: Duration
    private let clock: WallClock
    private let turn = BrowserTurn()

    /// Creates a browser.
    ///
    /// - Parameters:
    ///   - sessions: The factory of the system's sessions.
    ///   - redirectURI: The URL of this app if the configuration has none. It has a scheme of this app, or is an https
    ///     URL of an associated domain.
    ///   - timeout: The time that a user has to sign in.
    ///   - clock: The clock for the timeout.
    public init(
        sessions: any WebAuthenticationSessionFactory, redirectURI: URL? = nil, timeout: Duration = .seconds(600),
        clock: WallClock = .system
    ) {
        self.sessions = sessions
        self.redirectURI = redirectURI
        self.timeout = timeout
        self.clock = clock
    }

    /// Shows the page of an attempt, and returns the URL that the server redirects to.
    ///
    /// - Throws: `OAuthError.cancelled`, `signInTimedOut` and `browserUnavailable`; `CancellationError` as soon as the
    ///   task is canceled; and the errors of `begin`.
    public func authorize(
        redirectingTo redirectURI: URL?, _ begin: @Sendable (URL) async throws -> AuthorizationAttempt
    ) async throws -> URL {
        guard let redirectURI = redirectURI ?? self.redirectURI else {
            throw OAuthError.browserUnavailable("neither the configuration nor the browser has a redirect URI")
        }
        _ = try WebAuthenticationCallback(redirectURI)
        let attempt = try await begin(redirectURI)
        return try await open(attempt.url, redirectingTo: redirectURI)
    }

    /// Shows any page until it redirects to a URL of this app, and returns that URL.
    ///
    /// - Throws: As ``authorize(redirectingTo:_:)``, and `OAuthError.invalidAuthorizationResponse` if the page
    ///   redirects to another URL.
    public func open(_ url: URL, redirectingTo redirectURI: URL) async throws -> URL {
        let callback = try WebAuthenticationCallback(redirectURI)
        guard turn.begin() else { throw OAuthError.browserUnavailable("another sign-in is running") }
        defer { turn.end() }
        try Task.checkCancellation()
        let result = SharedResult<URL>()
        let session = await sessions.session(for: url, callback: callback) { outcome in
            result.finish(outcome.mapError { $0 })
        }
        guard await session.start() else {
            throw OAuthError.browserUnavailable("the system cannot show the page now")
        }
        let timer = Task { [timeout, clock] in
            try await clock.sleep(for: timeout)
            result.finish(.failure(OAuthError.signInTimedOut))
        }
        defer { timer.cancel() }
        let response = try await response(in: result) { session.cancel() }
        guard response.isCallback(to: redirectURI) else {
            throw OAuthError.invalidAuthorizationResponse("it was sent to another redirect URI")
        }
        return response
    }
}

/// Waits for the result of a page or dialog of the system, and closes it unless a result has arrived.
///
/// The caller resumes immediately, because the main actor may be busy.
package func response<Value: Sendable>(
    in result: SharedResult<Value>, closing: @escaping @MainActor @Sendable () -> Void
) async throws -> Value {
    do { return try await result.value() } catch {
        Task { @MainActor in closing() }
        throw error
    }
}

/// The right to show a page, which one sign-in has at a time.
private final class BrowserTurn: Sendable {
    private let isTaken = Mutex(false)

    func begin() -> Bool {
        isTaken.withLock { isTaken in
            defer { isTaken = true }
            return !isTaken
        }
    }

    func end() { isTaken.withLock { $0 = false } }
}
