// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation
public import LatchOAuth
import Synchronization

/// Pages of the system's browser that a test ends instead of a user.
///
/// ```swift
/// let pages = ScriptedPages { url in .success(try provider.approve(url)) }
/// let browser = WebAuthenticationBrowser(sessions: pages, redirectURI: redirectURI)
/// ```
///
/// They can report their end more than once, as a system does.
public final class ScriptedPages: WebAuthenticationSessionFactory {
    /// The end of a page: nil leaves it open, and an error means that the page cannot be used.
    public typealias Script = @Sendable (URL) throws -> Result<URL, OAuthError>?

    private struct State {
        var opened: [URL] = []
        var callbacks: [WebAuthenticationCallback] = []
    }

    private let state = Mutex(State())
    private let starts: Bool
    private let script: Script
    private let openings = AsyncStream.makeStream(of: Void.self)
    private let closings = AsyncStream.makeStream(of: Void.self)

    /// Creates pages.
    ///
    /// - Parameters:
    ///   - starts: Whether a page can be shown.
    ///   - script: Acts as the user of a page.
    public init(starts: Bool = true, _ script: @escaping Script) {
        self.starts = starts
        self.script = script
    }

    /// The pages that were shown.
    public var opened: [URL] { state.withLock { $0.opened } }

    /// The callbacks of all sessions, including those that did not start.
    public var callbacks: [WebAuthenticationCallback] { state.withLock { $0.callbacks } }

    /// Waits until another page is shown.
    public func waitUntilOpened() async { for await _ in openings.stream { return } }

    /// Waits until another page was closed by the program.
    public func waitUntilClosed() async { for await _ in closings.stream { return } }

    /// Returns a session whose page answers by the script.
    public func session(
        for url: URL, callback: WebAuthenticationCallback,
        completion: @escaping @Sendable (Result<URL, OAuthError>) -> Void
    ) -> any WebAuthenticationSession {
        state.withLock { $0.callbacks.append(callback) }
        return Page(url, of: self, completion)
    }

    private final class Page: WebAuthenticationSession {
        private let url: URL
        private let pages: ScriptedPages
        private let completion: @Sendable (Result<URL, OAuthError>) -> Void

        init(_ url: URL, of pages: ScriptedPages, _ completion: @escaping @Sendable (Result<URL, OAuthError>) -> Void) {
            (self.url, self.pages, self.completion) = (url, pages, completion)
        }

        func start() -> Bool {
            guard pages.starts else { return false }
            pages.state.withLock { $0.opened.append(url) }
            pages.openings.continuation.yield()
            do {
                guard let end = try pages.script(url) else { return true }
                completion(end)
                completion(.failure(.cancelled))
            } catch { completion(.failure(.browserUnavailable)) }
            return true
        }

        func cancel() {
            pages.closings.continuation.yield()
            completion(.failure(.cancelled))
        }
    }
}
