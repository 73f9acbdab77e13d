// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation
public import LatchAuth
public import LatchCore
public import LatchHTTP
public import LatchOAuth
public import Observation

/// Signs a person in with a password, and keeps the session.
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

    /// Where the backend's routes begin.
    public nonisolated let baseURL: URL
    /// The session behind this service, for its states and for clients of the program's own.
    public nonisolated let session: Session<Tokens>
    /// A client whose requests carry the access token, renewed when needed.
    public nonisolated let http: Client

    /// How what was granted differs from what the last login asked for; nil before the first one.
    public internal(set) var scopeChange: ScopeChange?
    /// What kept the last operation from success that cannot throw; nil after a success.
    public internal(set) var lastError: (any Error)?

    /// Whether a stored account is being renewed before anybody uses it.
    var isRenewingStored = false
    /// Tells observers of the session's changes.
    private let observed: ObservableSession<Tokens>
    /// The name that the current person signed in with; kept in memory only.
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
    ///   - registration: As whom the app is known, where the backend knows apps.
    ///   - transport: What sends the requests; a fake here replaces the network in tests.
    ///   - interceptors: Steps around each request, such as logs.
    ///   - allowingInsecureHTTP: Where plain http may be spoken; never needed outside of a network of one's own.
    ///   - clock: The time.
    ///   - random: For idempotency keys.
    public init(
        baseURL: URL, store: (any TokenStore<Tokens>)? = nil, migratingFrom legacy: (any SecretStore)? = nil,
        registration: AppRegistration = .none, transport: any Handler = Transport.live,
        interceptors: [any Interceptor] = [], allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        clock: WallClock = .system, random: RandomSource = .system
    ) {
        self.baseURL = baseURL
        let store = store ?? KeychainTokenStore(service: OAuthService.keychainService, account: "session")
        let endpoint = TokenEndpoint(
            provider: .lazi(at: baseURL), registration: registration, transport: transport, interceptors: interceptors,
            allowingInsecureHTTP: allowingInsecureHTTP, timeout: .seconds(30), clock: clock)
        // Five minutes before the expiry, as the app's documents promise.
        let session = Session(
            tokenEndpoint: endpoint, store: store, policy: RenewalPolicy(lead: .seconds(300), jitter: .zero),
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
        observed = ObservableSession(session)
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

    /// The session's state at this moment; who reads it is told when it changes.
    ///
    /// What is observed follows a turn later: right after a login that would still be the state before.
    var state: SessionState<Tokens> {
        _ = observed.state
        return session.currentState
    }

    /// Looks whether somebody is signed in here, and renews what has expired.
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

extension Provider {
    /// The routes of the app's backend.
    static func lazi(at url: URL) -> Provider {
        var provider = Provider.latchwork(at: url)
        provider.jsonRenewalEndpoint = url.appending(path: "oauth/token/refresh")
        return provider
    }
}
