// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchFoundation
public import LatchHTTP
import Synchronization

/// A credential of the cookies from a login, each of which is sent where its domain, path and security allow it.
///
/// In a `Session` the login is the refresh; see `Session.init(cookiesIn:…)`. A credential without cookies counts as
/// expired, so that its session logs in before the first request.
public struct CookieCredential: SessionCredential {
    /// The cookies with all attributes, in the order of their creation.
    public let cookies: [Cookie]
    /// The latest expiry of all cookies, or the earliest one of the named cookies.
    public let expiry: Date?

    /// The cookies as a set that selects by request.
    private let set: CookieSet
    /// The names of the required cookies; empty if they are not known.
    private let names: Set<String>
    private let policy: CookiePolicy
    private let clock: WallClock
    /// The identifier of the login.
    ///
    /// A response to an earlier login must not change the cookies of a later one.
    private let login: String

    /// Creates a credential of cookies.
    ///
    /// - Parameters:
    ///   - names: The names of the required cookies, if they are known. Without one of them, the credential has
    ///     expired. Without names, it expires with the last cookie.
    ///   - policy: The rules for cookies in responses.
    package init(
        _ cookies: [Cookie], named names: Set<String> = [], policy: CookiePolicy = CookiePolicy(),
        clock: WallClock = .system
    ) {
        let now = clock.now
        var set = CookieSet()
        for cookie in cookies { _ = set.insert(cookie, at: now, under: policy) }
        self.init(set, named: names, policy: policy, clock: clock, login: RandomSource.system.identifier())
    }

    /// Creates a credential of cookies that are already checked.
    private init(_ set: CookieSet, named names: Set<String>, policy: CookiePolicy, clock: WallClock, login: String) {
        self.set = set
        self.names = names
        self.policy = policy
        self.clock = clock
        self.login = login
        cookies = set.cookies
        expiry = Self.expiry(of: cookies, named: names)
    }

    /// Adds the cookies for the request's URL; each replaces an existing cookie with its name.
    public func authorize(_ request: inout HTTPRequest) {
        request.add(set.cookies(for: request, at: clock.now, under: policy), replacing: true)
    }

    /// Whether both carry the same cookies.
    public func hasSameAccessToken(as other: CookieCredential) -> Bool { pairs == other.pairs }

    /// Whether both carry the same cookies, because a login does not depend on its predecessor.
    public func hasSameRefreshToken(as other: CookieCredential) -> Bool { pairs == other.pairs }

    /// Returns the credential with the cookies of a response.
    ///
    /// The cookies of a 401 are ignored: usually they delete cookies, and the session may have logged in again before
    /// the response arrives. A response that only moves the expiry by less than a minute does not change the record.
    public func rotated(
        by response: HTTPResponse, to request: HTTPRequest, sentWith sent: CookieCredential
    ) -> CookieCredential? {
        guard response.status != .unauthorized, login == sent.login else { return nil }
        let now = clock.now
        let received = response.setCookies(at: now)
        guard !received.isEmpty else { return nil }
        var set = set
        for cookie in received { _ = set.receive(cookie, to: request, at: now, under: policy) }
        let rotated = CookieCredential(set, named: names, policy: policy, clock: clock, login: login)
        let isNews = !rotated.cookies.elementsEqual(cookies) { $0.isNearly($1) }
        return isNews ? rotated : nil
    }

    /// Compares the cookies.
    public static func == (one: CookieCredential, other: CookieCredential) -> Bool {
        one.cookies == other.cookies && one.names == other.names
    }

    /// The parts of cookies that a server sees.
    private var pairs: Set<[String]> { Set(cookies.map { [$0.name, $0.value, $0.domain, $0.path] }) }

    private static func expiry(of cookies: [Cookie], named names: Set<String>) -> Date? {
        guard names.isEmpty else {
            let proofs = cookies.filter { names.contains($0.name) }
            return names.isSubset(of: proofs.map(\.name)) ? proofs.compactMap(\.expiry).min() : .distantPast
        }
        guard !cookies.isEmpty else { return .distantPast }
        return cookies.allSatisfy(\.isPersistent) ? cookies.compactMap(\.expiry).max() : nil
    }
}

extension Cookie {
    /// Whether only times differ, and the expiry by less than a minute.
    fileprivate func isNearly(_ other: Cookie) -> Bool {
        isSame(as: other) && value == other.value && isSecure == other.isSecure && isHTTPOnly == other.isHTTPOnly
            && sameSite == other.sameSite
            && abs((expiry ?? .distantFuture).timeIntervalSince(other.expiry ?? .distantFuture)) < 60
    }
}

extension CookieCredential: Redacting {
    /// The names and domains without the values.
    public var description: String { "CookieCredential(\(cookies.map(\.description).joined(separator: ", ")))" }
}

extension Session where Value == CookieCredential {
    /// Creates a session whose credential is a set of cookies, and whose refresh is the login that sets them.
    ///
    /// ```swift
    /// let session = Session(cookiesIn: SecretCookieStore(secrets, name: "legacy")) {
    ///     let jar = CookieJar()
    ///     let client = Client(baseURL: url, interceptors: [CookieInterceptor(jar)])
    ///     try await client.perform(.post("login", sending: .form([("user", name), ("password", password)])))
    ///     return jar.cookies
    /// }
    /// let client = Client(baseURL: url, interceptors: [SessionInterceptor(session, for: .host("legacy.example.com"))])
    /// ```
    ///
    /// Without cookies, the next request logs in before it is sent, once for all concurrent requests. A 401 and the
    /// expiry of the cookies also cause a login. After `signOut()` no request logs in until `signIn()`. The cookies of
    /// responses are adopted and stored. A failed login throws its error, and the next request tries again. If the
    /// server refused the login, only `signIn()` tries again, so that a wrong password is not repeated forever. Any
    /// JSON object with a 401 or 403 counts as the server's refusal. An empty response, or HTML, may come from a
    /// gateway: the login is repeated once after a pause.
    ///
    /// - Parameters:
    ///   - store: The store of the cookies, such as a `SecretCookieStore`.
    ///   - names: The names of the required cookies, if they are known. The session logs in if one is missing, and when
    ///     the first of them expires.
    ///   - cookiePolicy: The rules for cookies in responses.
    ///   - policy: The times at which the session logs in again before the cookies expire.
    ///   - clock: The clock of the session.
    ///   - random: The source of jitter and identifiers.
    ///   - executor: The executor of the session's own tasks; nil for the global pool.
    ///   - login: Logs in, and returns the received cookies.
    public init(
        cookiesIn store: any TokenStore<[Cookie]>,
        named names: Set<String> = [],
        cookiePolicy: CookiePolicy = CookiePolicy(),
        policy: RefreshPolicy = RefreshPolicy(),
        clock: WallClock = .system,
        random: RandomSource = .system,
        executor: (any TaskExecutor)? = nil,
        login: @escaping @Sendable () async throws -> [Cookie]
    ) {
        let credential: @Sendable ([Cookie]) -> CookieCredential = { cookies in
            CookieCredential(cookies, named: names, policy: cookiePolicy, clock: clock)
        }
        let store = LoginCookieStore(store, credential: credential)
        var policy = policy
        // A login uses up no token, so an unanswered one need not be repeated.
        policy.repeatsUnanswered = false
        self.init(store: store, policy: policy, clock: clock, random: random, executor: executor) { _ in
            let cookies: CookieCredential
            do {
                cookies = credential(try await login())
            } catch let error as HTTPError where error.response?.refusesLogin ?? false {
                throw AuthError.reauthenticationRequired.caused(by: error)
            }
            // Storing expired cookies would make every request log in.
            if let expiry = cookies.expiry, expiry <= clock.now { throw AuthError.loginWithoutCookies }
            return cookies
        }
    }

    /// Logs in now, even after a sign-out or a refused login.
    ///
    /// - Throws: The error of the login, a `store…` code, or `AuthError.superseded` after another sign-in or sign-out
    ///   in the meantime.
    public func signIn() async throws {
        let generation = machine.generation
        let request = RefreshRequest(credential: CookieCredential([]), idempotencyKey: random.identifier())
        let cookies: CookieCredential
        do {
            cookies = try await ActiveRefreshes.of(self) { try await refresh(request) }
        } catch let error as AuthError {
            throw error.cause ?? error
        }
        try await replaceCredential(with: cookies, since: generation)
    }
}

/// An adapter between a session and the store of its cookies.
///
/// An empty store counts as an expired credential, because a login needs no predecessor.
private final class LoginCookieStore: TokenStore {
    private let store: any TokenStore<[Cookie]>
    private let credential: @Sendable ([Cookie]) -> CookieCredential
    /// Whether the store is known to have held cookies.
    ///
    /// If they are gone, another process has signed out.
    private let hasCookies = Mutex(false)
    /// The cookies that were stored last, because a store may keep only cookies that outlive the process.
    private let saved = Mutex<[Cookie]>([])

    init(
        _ store: any TokenStore<[Cookie]>, credential: @escaping @Sendable ([Cookie]) -> CookieCredential
    ) {
        self.store = store
        self.credential = credential
    }

    func save(_ value: CookieCredential) async throws {
        try await store.save(value.cookies)
        hasCookies.withLock { $0 = true }
        saved.withLock { $0 = value.cookies }
    }

    /// Returns the stored cookies; nil only if there were cookies that are now gone.
    ///
    /// The store sets a damaged record aside, and a login replaces it. If the second read also fails, the whole store
    /// is damaged, and a login must not overwrite it.
    func load() async throws -> CookieCredential? {
        do {
            return try await read()
        } catch AuthError.storeCorrupt {
            return try await read()
        }
    }

    private func read() async throws -> CookieCredential? {
        guard let cookies = try await store.load() else { return hasCookies.withLock { $0 } ? nil : credential([]) }
        hasCookies.withLock { $0 = true }
        let saved = saved.withLock { $0 }
        return credential(saved.filter(\.isPersistent) == cookies ? saved : cookies)
    }

    func clear() async throws {
        try await store.clear()
        hasCookies.withLock { $0 = false }
    }
}
