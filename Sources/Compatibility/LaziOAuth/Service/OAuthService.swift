// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
public import LatchHTTP
public import LatchOAuth
public import Observation
public import PortableFoundation

/// Signs a user in with a password, and keeps the session.
///
/// ```swift
/// OAuthService.shared = OAuthService(baseURL: url)     // once, where the program begins
/// ```
///
/// What it publishes is observed by Observation; it changes on the main actor, wherever a change comes from.
@MainActor
@Observable
public final class OAuthService {
    /// The service of the program; until the program sets its own, every request fails with `OAuthError.invalidURL`.
    public static var shared = OAuthService(baseURL: URL(filePath: "/"), store: InMemoryTokenStore())

    /// Names the app where the platform keeps secrets.
    public nonisolated static let keychainService = "lazi"

    /// The base URL of the backend.
    public nonisolated let baseURL: URL
    /// The session behind this service, for its states and for clients of the program's own.
    public nonisolated let session: Session<Tokens>
    /// A client whose requests carry the access token, renewed when needed.
    public nonisolated let http: Client

    /// The difference between the granted scopes and those that the last login requested; nil before the first one.
    public internal(set) var scopeChange: ScopeChange?
    /// The error of the last operation that cannot throw; nil after a success.
    public internal(set) var lastError: (any Error)?

    /// Whether a stored account is being renewed before anybody uses it.
    var isRenewingStored = false
    /// Tells observers of the session's changes.
    private let observed: ObservableSession<Tokens>
    /// The name that the current user signed in with; kept in memory only.
    var loginName: (userID: String, name: String)?

    nonisolated let endpoint: TokenEndpoint
    /// Carries no credential and follows no redirect: what it sends is a password.
    nonisolated let open: Client
    @ObservationIgnored private var check: Task<Void, Never>?
    /// Brings an account over from the original's layout; whatever needs the store waits for it.
    @ObservationIgnored private var migration: Task<Void, Never>?

    /// A service of the backend at `baseURL`; it begins to look for a stored account at once.
    ///
    /// - Parameters:
    ///   - store: Keeps the session, as one record; nil for the place where the platform keeps secrets.
    ///   - legacy: Where the original kept its five items, whose account is brought over once; nil for nowhere.
    ///   - registration: The client registration, if the backend requires one.
    ///   - transport: What sends the requests; a fake here replaces the network in tests.
    ///   - interceptors: Steps around each request, such as logs.
    ///   - allowingInsecureHTTP: Where plain http may be spoken; never needed outside of a network of one's own.
    ///   - clock: The time.
    ///   - random: For idempotency keys.
    public init(
        baseURL: URL, store: (any TokenStore<Tokens>)? = nil, migratingFrom legacy: (any SecretStore)? = nil,
        registration: ClientRegistration = .none, transport: any Handler = Transport.live,
        interceptors: [any Interceptor] = [], allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        clock: WallClock = .system, random: RandomSource = .system
    ) {
        self.baseURL = baseURL
        let store = store ?? KeychainTokenStore(service: OAuthService.keychainService, account: "session")
        let endpoint = TokenEndpoint(
            server: .lazi(at: baseURL), registration: registration, transport: transport, interceptors: interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP, timeout: .seconds(30), clock: clock)
        // Five minutes before the expiry, as the app's documents promise.
        let session = Session(
            tokenEndpoint: endpoint, store: store, policy: RefreshPolicy(lead: .seconds(300), jitter: .zero),
            random: random)
        self.endpoint = endpoint
        self.session = session
        open = Client(
            baseURL: baseURL, transport: transport, interceptors: interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP, redirects: .none)
        // Without an origin every request fails for its URL, and there is nothing to authorise.
        let carrying = HTTPOrigin(baseURL).map { [SessionInterceptor(session, for: .origin($0))] } ?? []
        http = Client(
            baseURL: baseURL, transport: transport, interceptors: carrying + interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP)
        observed = ObservableSession(session, restores: false)
        if let legacy, let records = store as? any TokenRecordStore<Tokens> {
            migration = Task { await migrate(LegacyMigration(.lazi, in: legacy, random: random), into: records) }
        }
        checkAuthState()
    }

    /// Waits until the store holds what it is to hold.
    func prepared() async { await migration?.value }

    private func migrate(_ migration: LegacyMigration, into store: any TokenRecordStore<Tokens>) async {
        // What fails changes nothing, and is tried again at the next launch.
        do { try await migration.run(into: store) } catch { _ = noted(error) }
    }

    /// The session's state at this moment; observers are notified when it changes.
    ///
    /// Observers are updated one main-actor turn later, so this property reads the session itself.
    var state: SessionState<Tokens> {
        _ = observed.state
        return session.currentState
    }

    /// Restores the session from the store, and refreshes an expired token.
    ///
    /// - Returns: The work, for who wants to wait for it; a second call joins the first.
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
    /// Signs a user in, in place of the user who was signed in before.
    ///
    /// - Returns: The token response; `scopeChange` holds the difference between requested and granted scopes.
    /// - Throws: `OAuthError`; `AuthError` with a `store…` code where the device cannot keep the tokens.
    @discardableResult
    public func login(
        username: String, password: String, scopes: [OAuthScope] = OAuthScope.defaults
    ) async throws -> OAuthTokenResponse {
        try await login(username: username, password: password, requesting: Scopes(scopes))
    }

    /// The same for scopes of any kind.
    @discardableResult
    public func login(username: String, password: String, requesting scopes: Scopes) async throws -> OAuthTokenResponse
    {
        do {
            let grant = PasswordGrant(username: username, password: password, scopes: scopes)
            let response = try await session.signIn(with: grant, at: endpoint)
            scopeChange = response.scopeChange
            loginName = AuthUser(response.tokens, username: nil).map { ($0.userId, username) }
            lastError = nil
            return OAuthTokenResponse(response)
        } catch {
            throw noted(error)
        }
    }

    /// Creates an account and signs the user in.
    ///
    /// - Throws: As `login(username:password:scopes:)`; where the account could not be made, no user is signed in.
    @discardableResult
    public func signup(
        username: String, email: String, password: String, scopes: [OAuthScope] = OAuthScope.defaults
    ) async throws -> OAuthTokenResponse {
        do {
            try await makeAccount(username: username, email: email, password: password)
        } catch {
            throw noted(error)
        }
        return try await login(username: username, password: password, scopes: scopes)
    }

    /// Signs the user out: here at once, whatever the network does, and then both tokens at the server.
    ///
    /// Where the device cannot forget them, `lastError` says so, the tokens are revoked nevertheless, and the user is
    /// still signed in.
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

    /// The password travels in the content, never in the URL.
    private func makeAccount(username: String, email: String, password: String) async throws {
        let content: JSONObject = [
            "username": .string(username), "email": .string(email), "password": .string(password),
        ]
        let request = try open.request(
            .post, "auth/signup", fields: [.contentType: "application/json", .accept: "application/json"],
            body: HTTPBody(JSONValue.object(content).serialized()))
        let response = try await open.respond(to: request)
        // A backend of this family answers a taken name with 200 and says `failed` in the content.
        let said = try? JSONValue(parsing: response.body.bytes)["status"]?.stringValue
        guard !response.status.isSuccess || said == "failed" || said == "error" else { return }
        let error = LatchOAuth.OAuthError(response, hiding: [password], now: endpoint.clock.now)
        if error == .tooManyRequests || response.status.isServerError { throw error }
        throw OAuthError.serverError(error.issuerMessage ?? "The account could not be made; the name may be taken.")
    }
}

/// The sign-in state, in the detail that a screen needs.
public enum AuthState: Sendable, Equatable {
    /// The store has not been read.
    case unknown
    /// The store is being read, or its tokens are being refreshed.
    case restoring
    /// A user is signed in.
    case authenticated
    /// A user is signed in, and the access token could not be refreshed yet: offline, for instance.
    case expired
    /// No user is signed in.
    case signedOut
    /// The state is unknown now, since the keychain is locked for instance; this signs no user out.
    case unavailable
}

extension OAuthService {
    /// Whether a user is signed in.
    public var authState: AuthState {
        switch state {
        case .unknown: .unknown
        case .restoring: .restoring
        case .signedIn: isRenewingStored ? .restoring : .authenticated
        case .expired: isRenewingStored ? .restoring : .expired
        case .signedOut: .signedOut
        case .unavailable: .unavailable
        }
    }

    /// Whether a user is signed in; also while an expired token waits to be refreshed, so that no login screen shows
    /// up.
    public var isAuthenticated: Bool { state.isSignedIn }

    /// The signed-in user; nil where there is none, or where the server does not describe it.
    public var currentUser: AuthUser? {
        guard let tokens = state.credential else { return nil }
        let user = AuthUser(tokens, username: nil)
        guard let loginName, user?.userId == loginName.userID else { return user }
        return AuthUser(tokens, username: loginName.name)
    }

    /// The scopes of the signed-in user; empty where there is none.
    public var grantedScopes: GrantedScopes { GrantedScopes(state.credential?.grantedScopes ?? []) }

    /// Returns the access token, refreshed if it expires within five minutes; nil if none is available.
    ///
    /// While the old token is accepted, it is what comes when the network is down. `lastError` tells why nothing came.
    public func getValidToken() async -> String? {
        do { return try await validToken() } catch { return nil }
    }

    /// The same with the reason where there is none.
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

    /// Renews now, due or not.
    ///
    /// - Returns: Whether there is a new token. The session ends only where the server says so: never for want of a
    ///   network.
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

    /// Reads the store, and renews what has expired there.
    func restore() async {
        await prepared()
        do {
            try await session.restore()
        } catch AuthError.storeCorrupt {
            return await forgetDamaged()
        } catch {
            _ = noted(error)
            return
        }
        guard case .expired = session.currentState else { return }
        isRenewingStored = true
        _ = await getValidToken()
        isRenewingStored = false
    }

    /// A record that cannot be decoded belongs to no session; the store sets it aside.
    private func forgetDamaged() async {
        do { try await session.signOut() } catch { _ = noted(error) }
    }

    /// Keeps an error for `lastError`, in the words of this package.
    func noted(_ error: any Error) -> any Error {
        let error = OAuthError.map(error)
        if !(error is CancellationError) { lastError = error }
        return error
    }
}
