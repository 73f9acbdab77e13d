// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
public import Foundation
import LatchAccounts
public import LatchAuth
public import LatchCore
public import LatchHTTP
import LatchJOSE
public import LatchOAuth
import LatchRPC
public import Observation
public import UserService

/// The authentication state of an app's views: the manager of Axiom's tutorial over the generated client.
///
/// The client knows users, sessions and devices; the session keeps the tokens, refreshes them once for all callers, and
/// is the only one that stores them.
///
/// ```swift
/// let manager = try AuthenticationManager(url: "https://id.example.com", store: KeychainTokenStore(service: "app", account: "me"))
/// try await manager.restore()
/// try await manager.login(email: "ada@example.com", password: password)
/// ```
@MainActor @Observable
public final class AuthenticationManager {
    /// The step that a sign-in still requires.
    public enum Pending: Sendable, Hashable {
        /// The address must be verified first.
        case verification(email: String)
        /// A code of the authenticator app is needed.
        case secondFactor
    }

    /// The pending step of a sign-in.
    public private(set) var pending: Pending?
    /// Whether a call is running that the views show as loading.
    public private(set) var isLoading = false
    /// The text of the last error; nil after a success, or when the views have shown it.
    public var error: String?

    /// The user whose account was loaded last.
    private var user: User?
    /// The session's state that observers have been notified of.
    private var state: SessionState<Tokens>

    /// The generated client, for everything that is not a sign-in.
    @ObservationIgnored public let client: UserManagerClient
    /// The tokens, and who keeps them fresh.
    @ObservationIgnored public let session: Session<Tokens>
    @ObservationIgnored private let challenge: ChallengeHolder
    /// The service's pages of other providers.
    @ObservationIgnored private let pages: ProviderSignIn
    /// The tasks that follow the session and the client; they end with this object.
    @ObservationIgnored private var followers: [Task<Void, Never>] = []
    /// Removes what is left of a user who has signed out.
    @ObservationIgnored private var forgetting: Task<Void, Never>?

    /// Creates a manager for the service at a URL.
    ///
    /// - Parameters:
    ///   - store: The only store of the tokens.
    ///   - folder: A private folder for the profile and the devices, which an offline start shows; nil keeps them in memory.
    ///   - transport: The transport of all calls.
    ///   - clock: The clock of the session and the client.
    ///   - refreshesInBackground: Whether tokens are refreshed five minutes before they expire, also while no request needs them.
    public init(
        url: String, store: any TokenStore<Tokens>, folder: String? = nil, transport: any Handler = Transport.live,
        clock: WallClock = .system, refreshesInBackground: Bool = true
    ) throws {
        guard let address = URL(string: url), let origin = HTTPOrigin(address) else { throw HTTPError.invalidURL }
        let challenge = ChallengeHolder()
        let open = UserServiceStub(try RPCChannel(url, through: transport, clock: clock))
        // Of tokens that live for a quarter of an hour the five minutes are a third.
        let policy = RefreshPolicy(
            lead: .seconds(300), jitter: .zero, refreshesInBackground: refreshesInBackground, greatestShare: 0.5)
        let session = Session<Tokens>(store: store, policy: policy, clock: clock) { request in
            try await Self.refresh(request, by: open)
        }
        let signedIn = SignedInInterceptor(session: session, challenge: challenge, origin: origin)
        let service = UserServiceStub(
            try RPCChannel(url, through: transport, interceptors: [signedIn], clock: clock))
        client = UserManagerClient(
            service: service, reducer: SessionReducer(),
            settings: ClientSettings(clock: clock, responseStore: folder.map { FileResponseStore(folder: $0) }))
        (self.session, self.challenge) = (session, challenge)
        state = session.currentState
        pages = ProviderSignIn(baseURL: address, transport: transport, clock: clock)
        followers = [
            Task { [weak self, states = session.states] in for await _ in states { await self?.show() } },
            Task { [weak self, client] in for await state in client.stateStream { self?.show(state) } },
        ]
    }

    deinit { for follower in followers { follower.cancel() } }

    /// Whether a user is signed in, without a call to the server.
    public var isAuthenticated: Bool { current.isSignedIn && pending == nil }

    /// The signed-in user, regardless of other users in the state; nil before the account is loaded.
    public var currentUser: User? {
        guard let credential = current.credential, let user else { return nil }
        return credential.userID.map { $0 == user.id } ?? true ? user : nil
    }

    /// The session as the service describes it, with the current tokens.
    public var currentSession: UserSession? { current.credential.map { UserSession($0) } }

    /// The date on which the access token expires, if the service tells it.
    public var sessionExpiry: Date? { current.credential?.expiry }

    /// The session's state at this moment; its readers are notified of the next one.
    private var current: SessionState<Tokens> {
        _ = state
        return session.currentState
    }

    /// Restores the session from the store, and loads the user's account.
    ///
    /// An unreachable network does not end the session: the account is loaded later.
    public func restore() async throws {
        try await session.restore()
        await show()
        guard let id = session.currentState.credential?.userID else { return }
        try await loadUser(id)
    }

    /// Creates an account, and signs in if no further step is required.
    public func register(
        email: String, password: String, firstName: String, lastName: String, username: String
    ) async throws {
        let request = RegisterRequest(
            email: email, password: password, username: username, firstName: firstName, lastName: lastName,
            acceptTerms: true)
        try await adopt(try await client.register(request), email: email)
    }

    /// Signs in with a password; a second factor may be required afterwards.
    public func login(email: String, password: String, rememberMe: Bool = false, device: String = "") async throws {
        let request = LoginRequest(email: email, password: password, rememberMe: rememberMe, deviceInfo: device)
        try await adopt(try await client.login(request), email: email)
    }

    /// Signs in with Google, on the service's page.
    ///
    /// - Parameters:
    ///   - browser: Shows the page: on Apple's platforms `WebAuthenticationBrowser(from: window)`.
    ///   - redirectURI: The deep link of the app, as the service knows it.
    public func loginWithGoogle(using browser: WebAuthenticationBrowser, redirectingTo redirectURI: URL) async throws {
        try await adopt(try await pages.tokens(from: .google, using: browser, redirectingTo: redirectURI))
    }

    /// Signs in with Apple, on the service's page.
    ///
    /// - Parameters:
    ///   - browser: Shows the page.
    ///   - redirectURI: The deep link of the app, as the service knows it.
    public func loginWithApple(using browser: WebAuthenticationBrowser, redirectingTo redirectURI: URL) async throws {
        try await adopt(try await pages.tokens(from: .apple, using: browser, redirectingTo: redirectURI))
    }

    /// Signs in with Apple, by the dialog of the device.
    ///
    /// - Parameters:
    ///   - apple: The dialog, whose identity token is verified here.
    ///   - exchange: Exchanges the verified user for tokens, at a backend that accepts identity tokens of this app. The name
    ///     comes once: it is kept until this function returns.
    public func loginWithApple(
        _ apple: AppleSignIn, exchange: (AppleUser) async throws -> Tokens
    ) async throws {
        let user = try await apple.signIn()
        try await adopt(try await exchange(user))
        // What cannot be forgotten now is there once more at the next sign-in, which is no failure of this one.
        do { try await apple.forgetDetails(ofUser: user.id) } catch {}
    }

    /// Completes a sign-in, or confirms a second factor that was just set up.
    public func verifyTwoFactorCode(_ code: String) async throws {
        let answer = try await client.verifyTwoFactor(VerifyTwoFactorRequest(code: code))
        challenge.forget()
        pending = nil
        guard let session = answer.session, session.isActive else { return }
        try await adopt(answer, email: "")
    }

    /// Begins a second factor; what it gives is shown once.
    public func setupTwoFactorAuth() async throws -> SetupTwoFactorResponse {
        try await client.setupTwoFactor(SetupTwoFactorRequest())
    }

    /// Signs out here, or on every device.
    ///
    /// The tokens, the cached responses and the client's state are removed first. The user is signed out even if the call
    /// fails, and a running refresh does not bring the tokens back.
    public func logout(logoutAllDevices: Bool = false) async throws {
        let request = try await session.signOut().map {
            LogoutRequest(
                sessionToken: logoutAllDevices ? $0.access : $0.refresh ?? $0.access, logoutAllDevices: logoutAllDevices
            )
        }
        challenge.forget()
        pending = nil
        await show()
        guard let request else { return }
        try await client.logout(request)
    }

    /// Refreshes the tokens if they expire within five minutes; every call does this by itself.
    public func refreshTokenIfNeeded() async throws { _ = try await session.credential() }

    /// Replaces the password.
    public func changePassword(from current: String, to new: String, logoutOthers: Bool) async throws {
        try await client.changePassword(
            ChangePasswordRequest(currentPassword: current, newPassword: new, logoutOtherSessions: logoutOthers))
    }

    /// Changes what the account tells about its owner.
    public func updateProfile(_ change: (inout UpdateProfileRequest) -> Void) async throws {
        guard let id = session.currentState.credential?.userID else { throw AuthError.missingToken }
        var request = UpdateProfileRequest(userId: id)
        change(&request)
        user = try await client.updateProfile(request)
        await refreshUser(id)
    }

    /// The devices on which this account is signed in.
    public func getActiveDevices() async throws -> [UserDevice] {
        try await client.getActiveDevices(GetActiveDevicesRequest()).devices
    }

    /// Signs one of them out.
    public func revokeDevice(_ id: String) async throws {
        try await client.revokeDevice(RevokeDeviceRequest(deviceId: id))
    }

    /// Reads the account of whoever is signed in.
    public func loadUser(_ id: String) async throws {
        user = try await client.getProfile(
            GetProfileRequest(userId: id, includePreferences: true, includeDevices: false))
    }

    /// Reads the account again, and keeps it for an offline start; the user is known already if that fails.
    private func refreshUser(_ id: String) async {
        do { try await loadUser(id) } catch { self.error = nil }
    }

    /// Signs in with an answer, or notes what it still waits for.
    private func adopt(_ answer: AuthResponse, email: String) async throws {
        if answer.requires2fa {
            challenge.keep(answer.session?.accessToken)
            pending = .secondFactor
        } else if answer.requiresVerification {
            pending = .verification(email: email)
        } else if let value = answer.session {
            try await session.signIn(Tokens(value))
            await show()
            (user, pending) = (answer.user, nil)
            await refreshUser(value.userId)
        }
    }

    /// Signs in with tokens of a page, and loads the user's account, which the page does not tell.
    private func adopt(_ tokens: Tokens) async throws {
        try await session.signIn(tokens)
        challenge.forget()
        await show()
        pending = nil
        let subject = try? JWT(unverified: tokens.access).claims.subject
        // Offline, the user is signed in all the same.
        if let id = tokens.userID ?? subject { await refreshUser(id) }
    }

    /// Notifies observers of the session's state, and forgets a user who has left it.
    private func show() async {
        let (old, new) = (state, session.currentState)
        if old != new { state = new }
        if let left = old.credential {
            let isSignedOut = if case .signedOut = new { true } else { false }
            if isSignedOut || new.credential.map({ $0.userID != left.userID }) ?? false { forget() }
        }
        await forgetting?.value
    }

    /// Removes the user, the client's state with its running actions, and the responses on disk.
    private func forget() {
        user = nil
        forgetting = Task { [weak self, client, forgetting] in
            await forgetting?.value
            do { try await client.reset(to: UserManagerState()) } catch { self?.error = "\(error)" }
        }
    }

    /// Shows what the client does for the views.
    private func show(_ state: UserManagerState) {
        if isLoading != state.isLoading { isLoading = state.isLoading }
        let text = state.error?.localizedDescription
        if error != text { error = text }
    }

    /// A refused refresh token ends the session; everything else leaves it as it is.
    private nonisolated static func refresh(_ request: RefreshRequest<Tokens>, by service: UserServiceStub) async throws
        -> Tokens
    {
        guard let refresh = request.credential.refresh else { throw AuthError.reauthenticationRequired }
        var options = CallOptions()
        options.metadata["Idempotency-Key"] = request.idempotencyKey
        do {
            let answer = try await service.refreshToken(RefreshTokenRequest(refreshToken: refresh), options: options)
            guard let session = answer.session else { throw AuthError.reauthenticationRequired }
            return Tokens(session)
        } catch let error as RPCError where error.status == .unauthenticated {
            throw AuthError.reauthenticationRequired
        }
    }
}
