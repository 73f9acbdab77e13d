// SPDX-License-Identifier: Apache-2.0

import AxiomArchitecture
public import AxiomCore
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

    /// The signed-in user, regardless of other users in the state.
    public private(set) var currentUser: User?
    /// The pending step of a sign-in.
    public private(set) var pending: Pending?
    /// The last error; nil after a success.
    public private(set) var error: AxiomError?

    /// The generated client, for everything that is not a sign-in.
    @ObservationIgnored public let client: UserManagerClient
    /// The tokens, and who keeps them fresh.
    @ObservationIgnored public let session: Session<Tokens>
    @ObservationIgnored private let challenge: ChallengeHolder
    /// The service's pages of other providers.
    @ObservationIgnored private let pages: ProviderSignIn

    /// Creates a manager for the service at a URL.
    ///
    /// - Parameters:
    ///   - store: The only store of the tokens.
    ///   - transport: The transport of all calls.
    ///   - clock: The clock of the session and the client.
    ///   - refreshesInBackground: Whether tokens are refreshed five minutes before they expire, also while no request needs them.
    public init(
        url: String, store: any TokenStore<Tokens>, transport: any Handler = Transport.live,
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
            service: service, reducer: SessionReducer(), settings: ClientSettings(clock: clock))
        (self.session, self.challenge) = (session, challenge)
        pages = ProviderSignIn(baseURL: address, transport: transport, clock: clock)
    }

    /// Whether a user is signed in, without a call to the server.
    public var isAuthenticated: Bool { session.currentState.isSignedIn && pending == nil }

    /// Restores the session from the store, and loads the user's account.
    ///
    /// An unreachable network does not end the session: the account is loaded later.
    public func restore() async throws {
        try await session.restore()
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
        try await noting { try await adopt(try await client.register(request), email: email) }
    }

    /// Signs in with a password; a second factor may be required afterwards.
    public func login(email: String, password: String, rememberMe: Bool = false, device: String = "") async throws {
        let request = LoginRequest(email: email, password: password, rememberMe: rememberMe, deviceInfo: device)
        try await noting { try await adopt(try await client.login(request), email: email) }
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
        try await noting {
            let answer = try await client.verifyTwoFactor(VerifyTwoFactorRequest(code: code))
            challenge.forget()
            pending = nil
            guard let session = answer.session, session.isActive else { return }
            try await adopt(answer, email: "")
        }
    }

    /// Begins a second factor; what it gives is shown once.
    public func setupTwoFactorAuth() async throws -> SetupTwoFactorResponse {
        try await noting { try await client.setupTwoFactor(SetupTwoFactorRequest()) }
    }

    /// Signs out here, or on every device.
    ///
    /// The tokens are removed first: the user is signed out even if the call fails, and a running refresh does not bring
    /// them back.
    public func logout(allDevices: Bool = false) async throws {
        let request = try await session.signOut().map {
            LogoutRequest(sessionToken: allDevices ? $0.access : $0.refresh ?? $0.access, logoutAllDevices: allDevices)
        }
        challenge.forget()
        (currentUser, pending) = (nil, nil)
        guard let request else { return }
        try await noting { try await client.logout(request) }
    }

    /// Replaces the password.
    public func changePassword(from current: String, to new: String, logoutOthers: Bool) async throws {
        let request = ChangePasswordRequest(
            currentPassword: current, newPassword: new, logoutOtherSessions: logoutOthers)
        try await noting { try await client.changePassword(request) }
    }

    /// Changes what the account tells about its owner.
    public func updateProfile(_ change: (inout UpdateProfileRequest) -> Void) async throws {
        guard let id = session.currentState.credential?.userID else { throw AuthError.missingToken }
        var request = UpdateProfileRequest(userId: id)
        change(&request)
        let asked = request
        currentUser = try await noting { try await client.updateProfile(asked) }
    }

    /// The devices on which this account is signed in.
    public func getActiveDevices() async throws -> [UserDevice] {
        try await noting { try await client.getActiveDevices(GetActiveDevicesRequest()).devices }
    }

    /// Signs one of them out.
    public func revokeDevice(_ id: String) async throws {
        try await noting { try await client.revokeDevice(RevokeDeviceRequest(deviceId: id)) }
    }

    /// Reads the account of whoever is signed in.
    public func loadUser(_ id: String) async throws {
        let request = GetProfileRequest(userId: id, includePreferences: true, includeDevices: false)
        currentUser = try await noting { try await client.getProfile(request) }
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
            (currentUser, pending) = (answer.user, nil)
        }
    }

    /// Signs in with tokens of a page, and loads the user's account, which the page does not tell.
    private func adopt(_ tokens: Tokens) async throws {
        try await session.signIn(tokens)
        challenge.forget()
        (currentUser, pending) = (nil, nil)
        let subject = try? JWT(unverified: tokens.access).claims.subject
        guard let id = tokens.userID ?? subject else { return }
        // Offline, the user is signed in all the same.
        do { try await loadUser(id) } catch { self.error = await client.getCurrentState().error }
    }

    /// Keeps what went wrong for the views, beside throwing it.
    private func noting<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            error = nil
            return result
        } catch {
            self.error = await client.getCurrentState().error
            throw error
        }
    }

    /// A refused refresh token ends the session; everything else leaves it as it is.
    private nonisolated static func refresh(_ request: RefreshRequest<Tokens>, by service: UserServiceStub) async throws
        -> Tokens
    {
        guard let refresh = request.credential.refresh else { throw AuthError.reauthenticationRequired }
        var options = CallOptions()
        options.metadata[.idempotencyKey] = request.idempotencyKey
        do {
            let answer = try await service.refreshToken(RefreshTokenRequest(refreshToken: refresh), options: options)
            guard let session = answer.session else { throw AuthError.reauthenticationRequired }
            return Tokens(session)
        } catch let error as RPCError where error.status == .unauthenticated {
            throw AuthError.reauthenticationRequired
        }
    }
}
