// SPDX-License-Identifier: Apache-2.0

public import LatchCore
public import LatchHTTP

extension Session where Value == CookieCredential {
    /// A session whose credential is a set of cookies, and whose renewal is the login that sets them.
    ///
    /// ```swift
    /// let session = Session(cookiesIn: SecretCookieStore(secrets, name: "legacy")) {
    ///     let jar = CookieJar()
    ///     let client = Client(baseURL: url, interceptors: [CookieInterceptor(jar)])
    ///     try await client.perform(.post("login", form: [("user", name), ("password", password)]))
    ///     return jar.cookies
    /// }
    /// let client = Client(baseURL: url, interceptors: [SessionInterceptor(session, for: .host("legacy.example.com"))])
    /// ```
    ///
    /// While there are no cookies the next request logs in before it is sent, once for all that come meanwhile; so does
    /// a 401, and the expiry of the cookies. After `signOut()` nothing logs in until `signIn()`. What answers set is
    /// taken over and stored. A failed login is told as it failed and tried again by the next request, unless the server
    /// refused it with 401: then only `signIn()` tries again, so that a wrong password is not repeated for ever.
    ///
    /// - Parameters:
    ///   - store: Keeps the cookies, such as a `SecretCookieStore`.
    ///   - names: The names of the cookies that prove the login, where they are known: without one of them, and when the
    ///     first of them ends, the session logs in.
    ///   - cookiePolicy: How cookies are judged that come with answers.
    ///   - policy: When to log in again before the cookies end.
    ///   - clock: The time, and the means to wait for it.
    ///   - random: For jitter and identifiers.
    ///   - executor: Where the session's own tasks run; nil means the global pool.
    ///   - login: Logs in, and gives the cookies that it got.
    public init(
        cookiesIn store: any TokenStore<[Cookie]>,
        named names: Set<String> = [],
        cookiePolicy: CookiePolicy = CookiePolicy(),
        policy: RenewalPolicy = RenewalPolicy(),
        clock: WallClock = .system,
        random: RandomSource = .system,
        executor: (any TaskExecutor)? = nil,
        login: @escaping @Sendable () async throws -> [Cookie]
    ) {
        let credential: @Sendable ([Cookie]) -> CookieCredential = { cookies in
            CookieCredential(cookies, named: names, policy: cookiePolicy, clock: clock)
        }
        let store = LoginCookieStore(store, credential: credential)
        self.init(store: store, policy: policy, clock: clock, random: random, executor: executor) { _ in
            let proof = credential(try await login())
            // Committing what has expired already would make every request log in.
            if let expiry = proof.expiry, expiry <= clock.now { throw AuthError.loginWithoutCookies }
            return proof
        }
    }

    /// Logs in now, whether or not anybody is signed in: also after a sign-out, and after a refused login.
    ///
    /// - Throws: What the login throws, a `store…` code, or `AuthError.superseded` where somebody signed in or out
    ///   meanwhile.
    public func signIn() async throws {
        let generation = generation
        let renewal = Renewal(credential: CookieCredential([]), idempotencyKey: random.identifier())
        let scope = RenewalScope.sessions + [ObjectIdentifier(self)]
        let proof = try await RenewalScope.$sessions.withValue(scope) { try await renew(renewal) }
        guard generation == self.generation else { throw AuthError.superseded }
        try await signIn(proof)
    }
}
