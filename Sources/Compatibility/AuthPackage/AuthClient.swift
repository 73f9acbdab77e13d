// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchAuth
import LatchCore
public import LatchHTTP
import LatchJOSE
import Synchronization

/// The operations of the backend's client.
public protocol AuthClientProtocol: Sendable {
    /// Signs a user in; the claims are nil if the access token cannot be decoded.
    @discardableResult
    func login(email: String, password: String) async throws -> JWTClaims?
    /// Signs a user in with a code of the second factor, after ``lastFailure`` has asked for one.
    @discardableResult
    func login(email: String, password: String, code: String) async throws -> JWTClaims?
    /// Returns the access token, refreshed if that is due; nil if no user is signed in.
    func refreshIfNeeded() async throws -> String?
    /// Signs the user out, first on this device and then at the backend.
    func logout() async throws
    /// Creates an account.
    func register(email: String, password: String, name: String?, roles: [String]?) async throws -> User
    /// Requests an email with a token for a new password.
    @discardableResult
    func requestPasswordReset(email: String) async throws -> String?
    /// Sets a new password with the token of such an email.
    @discardableResult
    func resetPassword(token: String, newPassword: String) async throws -> String?
    /// Signs a user in with Microsoft, on a page above a window; throws `APIError.unknown` if that is not enabled.
    @MainActor @discardableResult
    func loginWithMicrosoft(from anchor: PresentationAnchor) async throws -> JWTClaims?
    /// Signs a user in with Google, on a page above a window; throws `APIError.unknown` if that is not enabled.
    @MainActor @discardableResult
    func loginWithGoogle(from anchor: PresentationAnchor) async throws -> JWTClaims?
    /// Signs a user in with Facebook, on a page above a window; throws `APIError.unknown` if that is not enabled.
    @MainActor @discardableResult
    func loginWithFacebook(from anchor: PresentationAnchor) async throws -> JWTClaims?
    /// The signed-in user, as the access token describes it.
    var currentUser: User? { get }
    /// The tokens of the signed-in user.
    var tokens: Tokens? { get }
    /// Reads a stored account; needed only for a client whose `state` is still `unknown`.
    func restore() async throws
    /// The sign-in state.
    var state: SessionState<Tokens> { get }
    /// The changes of the state; a stream that ends immediately if the client reports none.
    var states: AsyncStream<SessionState<Tokens>> { get }
    /// The pause that the backend requested with its last rejection; nil if it requested none.
    var retryAfter: Duration? { get }
    /// The error behind the last `APIError`, such as `AccountError.secondFactorRequired`; nil if there is none.
    var lastFailure: (any Error)? { get }
}

extension AuthClientProtocol {
    /// Returns immediately, because a client without a store has nothing to read.
    public func restore() async throws {}

    /// Signed in if there are tokens.
    public var state: SessionState<Tokens> { tokens.map(SessionState.signedIn) ?? .signedOut(.noAccount) }

    /// No changes.
    public var states: AsyncStream<SessionState<Tokens>> { AsyncStream { $0.finish() } }

    /// No pause.
    public var retryAfter: Duration? { nil }

    /// No error except the `APIError` itself.
    public var lastFailure: (any Error)? { nil }

    /// Throws `APIError.unknown`: a client supports codes only if it implements this method.
    @discardableResult
    public func login(email: String, password: String, code: String) async throws -> JWTClaims? {
        throw APIError.unknown
    }

    /// Throws `APIError.unknown`: a client offers this provider only if it implements this method.
    @MainActor @discardableResult
    public func loginWithGoogle(from anchor: PresentationAnchor) async throws -> JWTClaims? { throw APIError.unknown }

    /// Throws `APIError.unknown`: a client offers this provider only if it implements this method.
    @MainActor @discardableResult
    public func loginWithFacebook(from anchor: PresentationAnchor) async throws -> JWTClaims? { throw APIError.unknown }
}

/// The client of an account backend; every error is an `APIError`.
///
/// It is a facade over ``core``, so several libraries in one app can share an account through the same session.
public final class AuthClient: AuthClientProtocol {
    /// The backend and its features, as given to the initializer.
    public let configuration: AuthConfiguration
    /// The underlying client, for features that the package does not have: devices, passkeys, screens.
    ///
    /// This class converts its errors.
    public let core: LatchAccounts.AuthClient
    /// The sign-ins at other providers.
    private let authenticator: any OAuthAuthenticating
    /// The pause that the backend requested with its last rejection.
    private let pause = Mutex<Duration?>(nil)
    private let failure = Mutex<(any Error)?>(nil)

    /// Creates a client and starts to read the store; `restore()` waits for the end of the reading.
    ///
    /// - Parameters:
    ///   - config: The configuration, with the base URL of the backend.
    ///   - tokenStore: The store of the session's tokens; by default the memory of the process.
    ///   - transport: The transport of the requests; a fake replaces the network in tests.
    ///   - authenticator: The sign-ins at other providers; nil to use the backend's pages.
    public convenience init(
        config: AuthConfiguration, tokenStore: some LatchAuth.TokenStore<Tokens> = InMemoryTokenStore(),
        transport: any Handler = Transport.live, authenticator: (any OAuthAuthenticating)? = nil
    ) {
        self.init(
            config: config,
            core: LatchAccounts.AuthClient(
                baseURL: config.baseURL, store: tokenStore, refreshUsesCookie: config.refreshUsesCookie,
                transport: transport, allowingInsecureHTTP: config.allowingInsecureHTTP),
            transport: transport, authenticator: authenticator)
    }

    /// Creates a client for an account that another part of the app also uses.
    ///
    /// All clients of the session share its sign-ins, refreshes and sign-outs.
    ///
    /// - Parameters:
    ///   - config: The configuration, with the base URL of the backend.
    ///   - session: The session, such as that of another facade or of an account in a list.
    ///   - transport: The transport of the requests; a fake replaces the network in tests.
    ///   - authenticator: The sign-ins at other providers; nil to use the backend's pages.
    public convenience init(
        config: AuthConfiguration, session: Session<Tokens>, transport: any Handler = Transport.live,
        authenticator: (any OAuthAuthenticating)? = nil
    ) {
        self.init(
            config: config,
            core: LatchAccounts.AuthClient(
                baseURL: config.baseURL, session: session, transport: transport,
                allowingInsecureHTTP: config.allowingInsecureHTTP),
            transport: transport, authenticator: authenticator)
    }

    private init(
        config: AuthConfiguration, core: LatchAccounts.AuthClient, transport: any Handler,
        authenticator: (any OAuthAuthenticating)?
    ) {
        configuration = config
        self.core = core
        self.authenticator = authenticator ?? OAuthWebAuthenticator(config: config, transport: transport)
        // If the store cannot be read now, the first call that needs it reports the error.
        Task { [session = core.session] in try? await session.restore() }
    }

    /// The session behind this client, for its states and for the program's own requests.
    public var session: Session<Tokens> { core.session }

    /// A client whose requests carry the access token, refreshed when needed.
    public var http: Client { core.client }

    /// Waits until the store has been read.
    public func restore() async throws { try await mapped { try await core.session.restore() } }

    /// Signs a user in.
    @discardableResult
    public func login(email: String, password: String) async throws -> JWTClaims? {
        try await login(email: email, password: password, code: nil)
    }

    /// Signs a user in with a code of the second factor.
    ///
    /// If a login needs a code, `lastFailure` is `AccountError.secondFactorRequired`.
    @discardableResult
    public func login(email: String, password: String, code: String) async throws -> JWTClaims? {
        try await login(email: email, password: password, code: .some(code))
    }

    private func login(email: String, password: String, code: String?) async throws -> JWTClaims? {
        try await mapped { () -> JWTClaims? in
            do {
                return JWTClaims(of: try await core.signIn(email: email, password: password, code: code))
            } catch AccountError.invalidResponse {
                throw APIError.unauthorized
            }
        }
    }

    /// Returns the access token, refreshed if that is due; nil if no user is signed in.
    public func refreshIfNeeded() async throws -> String? {
        try await mapped { () -> String? in
            do {
                return try await core.session.credential().access
            } catch AuthError.missingToken {
                return nil
            }
        }
    }

    /// Signs the user out.
    public func logout() async throws { try await mapped { _ = try await core.signOut() } }

    /// Creates an account.
    public func register(
        email: String, password: String, name: String? = nil, roles: [String]? = nil
    ) async throws -> User {
        try await mapped {
            User(try await core.signUp(email: email, password: password, name: name, roles: roles ?? []))
        }
    }

    /// Invites a person; the signed-in user needs the permission to do so.
    public func inviteUser(email: String, name: String? = nil, roles: [String]? = nil) async throws -> User {
        try await mapped { User(try await core.invite(email: email, name: name, roles: roles ?? [])) }
    }

    /// Requests an email with a token for a new password.
    @discardableResult
    public func requestPasswordReset(email: String) async throws -> String? {
        try await mapped { try await Self.orNothing { try await core.requestPasswordReset(email: email) } }
    }

    /// Sets a new password with the token of such an email.
    @discardableResult
    public func resetPassword(token: String, newPassword: String) async throws -> String? {
        try await mapped {
            try await Self.orNothing { try await core.resetPassword(token: token, newPassword: newPassword).message }
        }
    }

    /// Returns the result of `body`, or nil for a 204.
    ///
    /// The results of the guide's operations are optional, and some backends send none.
    private static func orNothing(_ body: () async throws -> String?) async throws -> String? {
        do {
            return try await body()
        } catch let error as AccountError where error.status == .noContent {
            return nil
        }
    }

    /// The signed-in user, as the access token describes it.
    public var currentUser: User? { core.account.map(User.init) }

    /// The tokens of the signed-in user.
    public var tokens: Tokens? { core.session.currentState.credential }

    /// The sign-in state.
    public var state: SessionState<Tokens> { core.session.currentState }

    /// The changes of the state, beginning with the current one.
    public var states: AsyncStream<SessionState<Tokens>> { core.session.states }

    /// The pause that the backend requested with its last rejection; nil if it requested none.
    public var retryAfter: Duration? { pause.withLock(\.self) }

    /// The error behind the last `APIError` that this client threw.
    ///
    /// It has a message and a hint for the developer. The cases of `APIError` follow the guide and contain less.
    public var lastFailure: (any Error)? { failure.withLock(\.self) }

    /// Runs `body`, and converts its errors to `APIError`.
    private func mapped<Value>(_ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw converted(error)
        }
    }

    /// Returns the error as the package documents it, and stores its cause and the pause that it requests.
    private func converted(_ error: any Error) -> APIError {
        let requested = (error as? HTTPError)?.response?.retryDelay(now: WallClock.system.now)
        pause.withLock { $0 = (error as? any RetryAfterError)?.retryAfter ?? requested }
        failure.withLock { $0 = error }
        return APIError(error)
    }
}

// MARK: - Other providers

extension AuthClient {
    /// Signs a user in with Microsoft, on a page above a window.
    @MainActor @discardableResult
    public func loginWithMicrosoft(from anchor: PresentationAnchor) async throws -> JWTClaims? {
        try await login(if: configuration.microsoftEnabled) { try await authenticator.signInMicrosoft(from: anchor) }
    }

    /// Signs a user in with Google, on a page above a window.
    @MainActor @discardableResult
    public func loginWithGoogle(from anchor: PresentationAnchor) async throws -> JWTClaims? {
        try await login(if: configuration.googleEnabled) { try await authenticator.signInGoogle(from: anchor) }
    }

    /// Signs a user in with Facebook, on a page above a window.
    @MainActor @discardableResult
    public func loginWithFacebook(from anchor: PresentationAnchor) async throws -> JWTClaims? {
        try await login(if: configuration.facebookEnabled) { try await authenticator.signInFacebook(from: anchor) }
    }

    @MainActor
    private func login(if isEnabled: Bool, _ tokens: () async throws -> Tokens) async throws -> JWTClaims? {
        guard isEnabled else {
            configuration.log(
                "The configuration does not offer this provider: microsoftEnabled, googleEnabled, facebookEnabled.")
            throw APIError.unknown
        }
        do {
            let tokens = try await tokens()
            try await core.session.signIn(tokens)
            return JWTClaims(of: tokens)
        } catch let error as APIError {
            let cause = (authenticator as? OAuthWebAuthenticator)?.lastFailure ?? error
            throw converted(cause)
        } catch {
            throw converted(error)
        }
    }
}
