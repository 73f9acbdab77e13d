// SPDX-License-Identifier: Apache-2.0

import Synchronization
public import PortableFoundation
public import LatchCore

/// Keeps the cookies of many servers, and tells which go with a request (RFC 6265bis §5.7 and §5.8).
///
/// ```swift
/// let jar = CookieJar()
/// let client = Client(baseURL: url, interceptors: [CookieInterceptor(jar)])
/// ```
///
/// One jar is one user: what two accounts must not share needs two jars. Every task may use it at any time.
public final class CookieJar: Sendable {
    /// All that changes, behind one lock, which is never held while anybody waits.
    private struct Contents {
        var cookies = CookieSet()
        /// Who watches; a stream takes itself out when its consumer stops.
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextWatcher = 0
    }

    private let contents = Mutex(Contents())
    private let policy: CookiePolicy
    private let clock: WallClock

    /// A jar that holds `cookies`, as another jar's `cookies` gave them.
    public init(_ cookies: [Cookie] = [], policy: CookiePolicy = CookiePolicy(), clock: WallClock = .system) {
        self.policy = policy
        self.clock = clock
        insert(cookies)
    }

    deinit {
        for watcher in contents.withLock({ $0.watchers }).values { watcher.finish() }
    }

    /// All cookies that have not expired, with every attribute, in the order of their creation.
    public var cookies: [Cookie] {
        let now = clock.now
        return contents.withLock { $0.cookies.cookies }.filter { !$0.isExpired(at: now) }
    }

    /// The cookies that go with a request, in the order in which they are sent; they count as used by that.
    ///
    /// - Parameter forScripts: Leaves out the `HttpOnly` ones, as for code that a server has sent.
    public func cookies(for request: HTTPRequest, forScripts: Bool = false) -> [Cookie] {
        let now = clock.now
        return contents.withLock { $0.cookies.use(for: request, forScripts: forScripts, at: now, under: policy) }
    }

    /// The cookies that go with a GET of `url`.
    ///
    /// - Throws: `HTTPError.invalidURL` where the URL cannot be requested.
    public func cookies(for url: URL) throws(HTTPError) -> [Cookie] { cookies(for: try HTTPRequest(url: url)) }

    /// Takes what an answer sets; what its server may not set is ignored.
    ///
    /// - Parameter request: The request as it was sent, after all redirects.
    public func receive(_ response: HTTPResponse, to request: HTTPRequest) {
        let asked = response.fields.values(of: .setCookie).compactMap(SetCookie.init)
        guard !asked.isEmpty else { return }
        let now = clock.now
        change { cookies in
            asked.reduce(false) { cookies.receive($1, to: request, at: now, under: policy) || $0 }
        }
    }

    /// Puts cookies in, each in place of the one of its name, domain and path.
    ///
    /// Where they come from is for the caller to know: a jar, or a login that this program has made itself.
    public func insert(_ cookies: some Sequence<Cookie>) {
        let now = clock.now
        change { kept in cookies.reduce(false) { kept.insert($1, at: now, under: policy) || $0 } }
    }

    /// Removes the cookies that `condition` holds for.
    public func removeAll(where condition: (Cookie) -> Bool) {
        change { $0.removeAll(where: condition) }
    }

    /// Removes all cookies: the person has signed out.
    public func clear() { removeAll { _ in true } }

    /// Removes the cookies that end with the session (RFC 6265bis §5.7).
    public func endSession() { removeAll { !$0.isPersistent } }

    /// An element after each change, or one for several; sending cookies changes nothing.
    ///
    /// The stream ends with the jar, or when its consumer stops.
    public var changes: AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let id = contents.withLock { contents in
            contents.nextWatcher += 1
            contents.watchers[contents.nextWatcher] = continuation
            return contents.nextWatcher
        }
        continuation.onTermination = { [weak self] _ in
            self?.contents.withLock { $0.watchers[id] = nil }
        }
        return stream
    }

    /// Changes the contents, and tells it where that had an effect.
    private func change(_ body: (inout CookieSet) -> Bool) {
        contents.withLock { contents in
            guard body(&contents.cookies) else { return }
            // Yielding runs no foreign code.
            for watcher in contents.watchers.values { watcher.yield() }
        }
    }
}
