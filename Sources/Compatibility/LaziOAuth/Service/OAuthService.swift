// SPDX-License-Identifier: Apache-2.0

import LatchAccounts
public import LatchAuth
public import LatchCore
public import LatchFoundation
public import LatchHTTP
public import LatchOAuth
public import Observation

/// Signs a user in with a password, and keeps the session.
///
/// ```swift
/// OAuthService.shared = OAuthService(baseURL: url)     // once, at launch
/// ```
///
/// Its properties are observable, and change on the main actor.
@MainActor
@Observable
public final class OAuthService {
    /// The service of the program; before the program sets it, every request fails with `OAuthError.invalidURL`.
    public static var shared = OAuthService(baseURL: URL(filePath: "/"), store: InMemoryTokenStore())

    /// The name of the app in the platform's secret store.
    public nonisolated static let keychainService = "lazi"

    /// The base URL of the backend.
    public nonisolated let baseURL: URL
    /// The session behind this service, for its states and for other clients of the program.
    public nonisolated let session: Session<Tokens>
    /// A client whose requests carry the access token, refreshed when needed.
    public nonisolated let http: Client

    /// The difference between the granted scopes and those that the last login requested; nil before the first login.
    public internal(set) var scopeChange: ScopeChange?
    /// The error of the last operation that cannot throw; nil after a success.
    public internal(set) var lastError: (any Error)?

    /// Whether the tokens of a stored account are being refreshed before their first use.
    var isRefreshingStored = false
    /// Notifies observers of the session's changes.
    private let observed: ObservableSession<Tokens>
    /// The user name of the current user's login; kept only in memory.
    var loginName: (userID: String, name: String)?

    nonisolated let endpoint: TokenEndpoint
    /// A client without credentials and redirects, because its requests contain passwords.
    nonisolated let unauthenticated: Client
    @ObservationIgnored private var check: Task<Void, Never>?
    /// The migration of an account from the original's layout; operations that need the store wait for its end.
    @ObservationIgnored private var migration: Task<Void, Never>?

    /// Creates a service of the backend at `baseURL`, and starts to restore a stored account.
    ///
    /// - Parameters:
    ///   - baseURL: The base URL of the backend.
    ///   - store: The store of the session's record; nil for the platform's secret store.
    ///   - legacy: The store with the original's five items, whose account is migrated once; nil for none.
    ///   - registration: The client registration, if the backend requires one.
    ///   - transport: The transport of the requests; a fake replaces the network in tests.
    ///   - interceptors: The interceptors of each request, such as logs.
    ///   - allowingInsecureHTTP: The hosts to which plain http is allowed.
    ///   - clock: The clock.
    ///   - random: The source of idempotency keys.
    public convenience init(
        baseURL: URL, store: (any TokenStore<Tokens>)? = nil, migratingFrom legacy: (any SecretStore)? = nil,
        registration: ClientRegistration = .none, transport: any Handler = Transport.live,
        interceptors: [any Interceptor] = [], allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        clock: WallClock = .system, random: RandomSource = .system
    ) {
        let store =
            store ?? KeychainTokenStore(service: OAuthService.keychainService, account: Self.account(at: baseURL))
        let endpoint = TokenEndpoint(
            server: .lazi(at: baseURL), registration: registration, transport: transport, interceptors: interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP, timeout: .seconds(30), clock: clock)
        // Five minutes before the expiry, as the app's documents promise.
        let session = Session(
            tokenEndpoint: endpoint, store: store, policy: RefreshPolicy(lead: .seconds(300), jitter: .zero),
            random: random)
        self.init(
            baseURL: baseURL, session: session, endpoint: endpoint, transport: transport, interceptors: interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP)
        if let legacy, let records = store as? any TokenRecordStore<Tokens> {
            migration = Task { await migrate(LegacyMigration(.lazi, in: legacy, random: random), into: records) }
        }
        checkAuthState()
    }

    /// Creates a service over an existing session, such as that of another client for the same account.
    ///
    /// ```swift
    /// let service = OAuthService(baseURL: url, session: session)
    /// ```
    ///
    /// All clients of the session share its refreshes, sign-ins and sign-outs. The session keeps its own refresh,
    /// refresh times and store.
    ///
    /// - Parameters:
    ///   - baseURL: The base URL of the backend.
    ///   - session: The session.
    ///   - registration: The client registration, if the backend requires one for a login.
    ///   - transport: The transport of the requests; a fake replaces the network in tests.
    ///   - interceptors: The interceptors of each request, such as logs.
    ///   - allowingInsecureHTTP: The hosts to which plain http is allowed.
    ///   - clock: The clock that dates the responses to a login.
    public convenience init(
        baseURL: URL, session: Session<Tokens>, registration: ClientRegistration = .none,
        transport: any Handler = Transport.live, interceptors: [any Interceptor] = [],
        allowingInsecureHTTP: InsecureHTTP = .loopbackOnly, clock: WallClock = .system
    ) {
        let endpoint = TokenEndpoint(
            server: .lazi(at: baseURL), registration: registration, transport: transport, interceptors: interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP, timeout: .seconds(30), clock: clock)
        self.init(
            baseURL: baseURL, session: session, endpoint: endpoint, transport: transport, interceptors: interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP)
        checkAuthState()
    }

    /// Returns the name of the session's record; it contains the origin, because tokens are valid only at their server.
    package static func account(at baseURL: URL) -> String {
        HTTPOrigin(baseURL).map { "session at \($0)" } ?? "session"
    }

    private init(
        baseURL: URL, session: Session<Tokens>, endpoint: TokenEndpoint, transport: any Handler,
        interceptors: [any Interceptor], allowingInsecureHTTP: InsecureHTTP
    ) {
        self.baseURL = baseURL
        self.endpoint = endpoint
        self.session = session
        unauthenticated = Client(
            baseURL: baseURL, transport: transport, interceptors: interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP, redirects: .none)
        // Without an origin, every request fails because of its URL, so there is nothing to authorize.
        let carrying = HTTPOrigin(baseURL).map { [SessionInterceptor(session, for: .origin($0))] } ?? []
        http = Client(
            baseURL: baseURL, transport: transport, interceptors: carrying + interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP)
        observed = ObservableSession(session, restores: false)
    }

    /// Waits for the migration.
    func prepared() async { await migration?.value }

    private func migrate(_ migration: LegacyMigration, into store: any TokenRecordStore<Tokens>) async {
        // A failure changes nothing, and the next launch tries again.
        do { try await migration.run(into: store) } catch { _ = noted(error) }
    }

    /// The session's current state; observers are notified when it changes.
    ///
    /// Observers are updated one main-actor turn later, so this property reads the session directly.
    var state: SessionState<Tokens> {
        _ = observed.state
        return session.currentState
    }

    /// Restores the session from the store, and refreshes an expired token.
    ///
    /// - Returns: The task, for callers that wait for it; a second call returns the running task.
    @discardableResult
    public func checkAuthState() -> Task<Void, Never> {
        if let check { return check }
        let task = Task {
            await restore()
            check = nil
        }
        check = task
        return task
    }
}

extension AuthorizationServer {
    /// The routes of the app's backend.
    static func lazi(at url: URL) -> AuthorizationServer {
        var server = AuthorizationServer.latchwork(at: url)
        server.jsonRefreshEndpoint = url.appending(path: "oauth/token/refresh")
        return server
    }
}

extension OAuthService {
    /// Signs a user in, and replaces the previous user.
    ///
    /// - Parameters:
    ///   - username: The user name, or the email address.
    ///   - password: The password.
    ///   - scopes: The requested scopes.
    ///   - code: A code of the second factor, or a recovery code, if the account has one.
    /// - Returns: The token response; `scopeChange` holds the difference between requested and granted scopes.
    /// - Throws: `OAuthError`; `AccountError.secondFactorRequired` if the server requests a code, or `wrongCode` if it
    ///   refuses a login with a code. If the device cannot store the tokens, the error is an `AuthError` with a
    ///   `store…` code.
    @discardableResult
    public func login(
        username: String, password: String, scopes: [OAuthScope] = OAuthScope.defaults, code: String? = nil
    ) async throws -> OAuthTokenResponse {
        try await login(username: username, password: password, requesting: Scopes(scopes), code: code)
    }

    /// Signs a user in with scopes of any type.
    @discardableResult
    public func login(
        username: String, password: String, requesting scopes: Scopes, code: String? = nil
    ) async throws -> OAuthTokenResponse {
        do {
            let grant = PasswordGrant(username: username, password: password, scopes: scopes, code: code)
            let response = try await session.signIn(with: grant, at: endpoint)
            scopeChange = response.scopeChange
            loginName = AuthUser(response.tokens, username: nil).map { ($0.userId, username) }
            lastError = nil
            return OAuthTokenResponse(response)
        } catch let error as LatchOAuth.OAuthError where code != nil && error == .invalidGrant {
            throw noted(AccountError.wrongCode)
        } catch {
            throw noted(error)
        }
    }

    /// Creates an account and signs the user in.
    ///
    /// - Throws: Like `login(username:password:scopes:)`; if the account could not be created, no user is signed in.
    @discardableResult
    public func signup(
        username: String, email: String, password: String, scopes: [OAuthScope] = OAuthScope.defaults
    ) async throws -> OAuthTokenResponse {
        do {
            try await createAccount(username: username, email: email, password: password)
        } catch {
            throw noted(error)
        }
        return try await login(username: username, password: password, scopes: scopes)
    }

    /// Signs the user out on this device immediately, even without a network, and then revokes both tokens at the
    /// server.
    ///
    /// If the device cannot delete the tokens, `lastError` reports it. They are still revoked, and the user stays
    /// signed in.
    public func logout() async {
        await prepared()
        do {
            try await session.signOut(revokingAt: endpoint)
            loginName = nil
            scopeChange = nil
            lastError = nil
        } catch {
            _ = noted(error)
        }
    }

    /// Creates an account; the password is sent in the content, never in the URL.
    private func createAccount(username: String, email: String, password: String) async throws {
        let content: JSONObject = [
            "username": .string(username), "email": .string(email), "password": .string(password),
        ]
        let request = try unauthenticated.request(
            .post, "auth/signup", fields: [.contentType: "application/json", .accept: "application/json"],
            body: HTTPBody(JSONValue.object(content).serialized()))
        let response = try await unauthenticated.respond(to: request)
        // These backends respond to a taken name with 200 and `failed` in the content.
        let result = try? JSONValue(parsing: response.body.bytes)["status"]?.stringValue
        guard !response.status.isSuccess || result == "failed" || result == "error" else { return }
        let error = LatchOAuth.OAuthError(response, hiding: [password], now: endpoint.clock.now)
        if error == .tooManyRequests || response.status.isServerError { throw error }
        throw OAuthError.serverError(error.issuerMessage ?? "The account could not be created; the name may be taken.")
    }
}

/// The sign-in state, with the details that a screen needs.
public enum AuthState: Sendable, Equatable {
    /// The store has not been read.
    case unknown
    /// The store is being read, or its tokens are being refreshed.
    case restoring
    /// A user is signed in.
    case authenticated
    /// A user is signed in, but the access token could not be refreshed yet, for example because the device is offline.
    case expired
    /// The state without a signed-in user.
    case signedOut
    /// The state is unknown, for example because the keychain is locked; the user is not signed out.
    case unavailable
}

extension OAuthService {
    /// Whether a user is signed in.
    public var authState: AuthState {
        switch state {
        case .unknown: .unknown
        case .restoring: .restoring
        case .signedIn: isRefreshingStored ? .restoring : .authenticated
        case .expired: isRefreshingStored ? .restoring : .expired
        case .signedOut: .signedOut
        case .unavailable: .unavailable
        }
    }

    /// Whether a user is signed in, even if an expired token is still to be refreshed.
    public var isAuthenticated: Bool { state.isSignedIn }

    /// The signed-in user; nil if there is none, or if the server does not describe the user.
    public var currentUser: AuthUser? {
        guard let tokens = state.credential else { return nil }
        let user = AuthUser(tokens, username: nil)
        guard let loginName, user?.userId == loginName.userID else { return user }
        return AuthUser(tokens, username: loginName.name)
    }

    /// The scopes of the signed-in user; empty if there is none.
    public var grantedScopes: GrantedScopes { GrantedScopes(state.credential?.grantedScopes ?? []) }

    /// Returns the access token, refreshed if it expires within five minutes; nil if none is available.
    ///
    /// Without a network it is the old token, while the server still accepts that. `lastError` has the reason for nil.
    public func getValidToken() async -> String? {
        do { return try await validToken() } catch { return nil }
    }

    /// Returns the access token, refreshed if it expires within five minutes.
    ///
    /// - Throws: `OAuthError`, or an `AuthError` of the session or its store.
    public func validToken() async throws -> String {
        await prepared()
        do {
            let access = try await session.credential().access
            lastError = nil
            return access
        } catch {
            throw noted(error)
        }
    }

    /// Refreshes the token now, even if it has not expired.
    ///
    /// - Returns: Whether there is a new token. Only the server's rejection ends the session.
    @discardableResult
    public func refreshToken() async -> Bool {
        await prepared()
        do {
            let current = try await session.currentCredential()
            _ = try await session.refreshed(replacing: current)
            lastError = nil
            return true
        } catch {
            _ = noted(error)
            return false
        }
    }

    /// Reads the store, and refreshes an expired token.
    func restore() async {
        await prepared()
        do {
            try await session.restore()
        } catch AuthError.storeCorrupt {
            return await discardDamaged()
        } catch {
            _ = noted(error)
            return
        }
        guard case .expired = session.currentState else { return }
        isRefreshingStored = true
        _ = await getValidToken()
        isRefreshingStored = false
    }

    /// Signs out after a record that cannot be decoded; the store keeps that record separately.
    private func discardDamaged() async {
        do { try await session.signOut() } catch { _ = noted(error) }
    }

    /// Converts an error to one of this package, and records it in `lastError`.
    ///
    /// The absence of a signed-in user is not recorded, because it is not the failure of an operation.
    func noted(_ error: any Error) -> any Error {
        let mapped = OAuthError.map(error)
        if !(mapped is CancellationError), (error as? AuthError) != .missingToken { lastError = mapped }
        return mapped
    }
}
