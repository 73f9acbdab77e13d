// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation
import Synchronization

/// A cookie store for any number of servers that selects the cookies of a request (RFC 6265bis §5.7 and §5.8).
///
/// ```swift
/// let jar = CookieJar()
/// let client = Client(baseURL: url, interceptors: [CookieInterceptor(jar)])
/// ```
///
/// One jar belongs to one user: accounts that must not share cookies need separate jars. It can be used concurrently.
public final class CookieJar: Sendable {
    /// The mutable state, behind one lock that is never held across a suspension.
    private struct Contents {
        var cookies = CookieSet()
        /// The observers of changes; a stream removes itself when its consumer stops.
        var watchers: [Int: AsyncStream<Void>.Continuation] = [:]
        var nextWatcher = 0
    }

    private let contents = Mutex(Contents())
    private let policy: CookiePolicy
    private let clock: WallClock

    /// Creates a jar with `cookies`, such as another jar's `cookies`.
    public init(_ cookies: [Cookie] = [], policy: CookiePolicy = CookiePolicy(), clock: WallClock = .system) {
        self.policy = policy
        self.clock = clock
        insert(cookies)
    }

    deinit {
        for watcher in contents.withLock({ $0.watchers }).values { watcher.finish() }
    }

    /// The cookies that have not expired, with every attribute, in the order of their creation.
    public var cookies: [Cookie] {
        let now = clock.now
        return contents.withLock { $0.cookies.cookies }.filter { !$0.isExpired(at: now) }
    }

    /// Returns the cookies of a request in the order in which they are sent, and updates their last access.
    ///
    /// - Parameter forScripts: Whether to omit `HttpOnly` cookies, as for code that a server has sent.
    package func cookies(for request: HTTPRequest, forScripts: Bool = false) -> [Cookie] {
        let now = clock.now
        return contents.withLock { $0.cookies.use(for: request, forScripts: forScripts, at: now, under: policy) }
    }

    /// Returns the cookies of a GET request for `url`.
    ///
    /// - Throws: `HTTPError.invalidURL` if the URL cannot be requested.
    public func cookies(for url: URL) throws(HTTPError) -> [Cookie] { cookies(for: try HTTPRequest(url: url)) }

    /// Stores the cookies that a response sets; cookies that its server may not set are ignored.
    ///
    /// - Parameter request: The request as it was sent, after all redirects.
    package func receive(_ response: HTTPResponse, to request: HTTPRequest) {
        let now = clock.now
        let setCookies = response.setCookies(at: now)
        guard !setCookies.isEmpty else { return }
        change { cookies in
            setCookies.reduce(false) { cookies.receive($1, to: request, at: now, under: policy) || $0 }
        }
    }

    /// Inserts cookies; each one replaces the cookie with the same name, domain and path.
    ///
    /// The caller is responsible for their source, such as another jar or a login of this program.
    public func insert(_ cookies: some Sequence<Cookie>) {
        let now = clock.now
        change { kept in cookies.reduce(false) { kept.insert($1, at: now, under: policy) || $0 } }
    }

    /// Removes the cookies that satisfy `condition`.
    public func removeAll(where condition: (Cookie) -> Bool) {
        change { $0.removeAll(where: condition) }
    }

    /// Removes all cookies, as after a sign-out.
    public func clear() { removeAll { _ in true } }

    /// Removes the session cookies (RFC 6265bis §5.7).
    public func endSession() { removeAll { !$0.isPersistent } }

    /// A stream with an element after one or more changes; sending cookies is not a change.
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

    /// Changes the contents, and notifies the observers if anything changed.
    private func change(_ body: (inout CookieSet) -> Bool) {
        let watchers = contents.withLock { contents in body(&contents.cookies) ? contents.watchers : [:] }
        // Yielding under the lock could deadlock: a consumer that is being canceled holds a lock that `yield` needs,
        // and waits for this one.
        for watcher in watchers.values { watcher.yield() }
    }
}
