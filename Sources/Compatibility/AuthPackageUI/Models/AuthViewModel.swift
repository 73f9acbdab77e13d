// SPDX-License-Identifier: Apache-2.0

public import AuthPackage
import LatchAuth
public import LatchCore
public import LatchFoundation
public import LatchTexts
public import LatchUI
public import Observation

/// The model behind `AuthFlow`: the current screen, and the models of the screens.
///
/// When it is created, it restores a stored account. Then it follows the client's state: after a sign-out by the
/// server, the sign-in is shown.
@MainActor @Observable
public final class AuthViewModel {
    /// The screen that is shown.
    public enum Route: Hashable, Sendable, CaseIterable {
        /// No screen yet, because a stored account is being read.
        case restoring
        /// A notice and a button: the store cannot be read now, but the user is not signed out.
        case unavailable
        /// The sign-in.
        case login
        case registration
        /// The password reset, before the email is sent and after its link has opened the app.
        case passwordReset
        /// The content for a signed-in user.
        case postLogin
    }

    /// A notice above the screen.
    ///
    /// A success disappears after ``successDuration``. A failure, or a notice that asks the user to do something, stays
    /// until the next step.
    public struct Notice: Hashable, Sendable {
        /// The time for which a success is shown.
        public static let successDuration = Duration.milliseconds(2500)

        /// The sentence.
        public let phrase: Phrase
        /// The meaning.
        public let style: Control.NoticeStyle
        /// Whether it reports a failure.
        public var isFailure: Bool { style == .failure }
    }

    /// The client's state, reduced to what determines the screen.
    private enum Phase { case restoring, unavailable, signedOut, signedIn }

    /// The claims of the signed-in user's token.
    public private(set) var claims: JWTClaims?
    /// The notice; nil for none.
    public private(set) var notice: Notice?
    /// Whether a request is running.
    public private(set) var isLoading = false
    /// The URL to open now that the user has signed in; nil for none.
    public private(set) var postLoginURL: URL?

    /// The model of the sign-in; each visit has a new one.
    @ObservationIgnored public private(set) lazy var signIn = makeSignIn(email: "")
    /// The model of the registration; each visit has a new one.
    @ObservationIgnored public private(set) lazy var registration = makeRegistration(email: "")
    /// The model of the password reset; each visit has a new one.
    @ObservationIgnored public private(set) lazy var passwordReset = makePasswordReset(email: "")
    /// Returns the window of the view that shows the screens; nil if there is none.
    @ObservationIgnored package var window: @MainActor () -> PresentationAnchor? = { nil }

    let client: any AuthClientProtocol
    let config: AuthUIConfig
    @ObservationIgnored private let clock: WallClock
    private var phase = Phase.restoring
    /// The screen for a user who is not signed in; the password reset is also shown to a signed-in user.
    private var visit = Route.login
    /// The state of the client from which `phase` was derived.
    @ObservationIgnored private var known: SessionState<Tokens>
    @ObservationIgnored private var followers: [Task<Void, Never>] = []
    @ObservationIgnored private var expiry: Task<Void, Never>?

    /// Creates the model of a client of any type.
    ///
    /// - Parameters:
    ///   - config: The configuration.
    ///   - client: The client, whose state determines the screens.
    ///   - clock: The clock of notices and locks.
    public init(config: AuthUIConfig, client: any AuthClientProtocol, clock: WallClock = .system) {
        self.config = config
        self.client = client
        self.clock = clock
        known = client.state
        let changes = client.states
        adopt(known)
        followers.append(
            Task { [weak self] in
                for await _ in changes { self?.follow() }
            })
        followers.append(Task { [weak self] in await self?.restore() })
    }

    deinit {
        for follower in followers { follower.cancel() }
        expiry?.cancel()
    }

    /// The current screen.
    public var route: Route {
        if visit == .passwordReset { return visit }
        return switch phase {
        case .restoring: .restoring
        case .unavailable: .unavailable
        case .signedOut: visit
        case .signedIn: .postLogin
        }
    }

    /// The name of the user from the token: a name, or else the address, or else the subject.
    public var displayName: String {
        let names = ["name", "given_name", "preferred_username", "email", "unique_name", "sub"]
        let found = names.lazy.compactMap { [claims] in claims?.raw[$0]?.stringValue }.first { !$0.isEmpty }
        return found ?? client.currentUser?.name ?? client.currentUser?.email ?? ""
    }

    /// Shows the sign-in, the registration or the password reset.
    ///
    /// For any other route it ends these, because the client's state determines the screen. The next screen receives
    /// the typed address.
    public func show(_ route: Route) {
        show(notice: nil)
        go(to: route, email: typedEmail)
    }

    /// Removes the notice.
    public func dismissNotice() { show(notice: nil) }

    /// Returns the URL to open, once.
    public func takePostLoginURL() -> URL? {
        defer { postLoginURL = nil }
        return postLoginURL
    }

    /// Reads the store, for the first time or again.
    public func restore() async {
        do {
            try await client.restore()
            follow()
        } catch {
            follow()
            if phase == .restoring { enter(.unavailable) }
        }
    }

    /// The password reset that waits for its email, to be stored for the next start; empty for none.
    ///
    /// It contains no token.
    public var pendingReset: Data {
        guard visit == .passwordReset, case .waiting = passwordReset.screen.step else { return Data() }
        let encoder = JSONEncoder()
        // The same screen must produce the same data; otherwise a scene that stores it would never stop updating.
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(passwordReset.screen)) ?? Data()
    }

    /// Shows the password reset of the last run again, and returns the data to store.
    ///
    /// It does so only if the user has not opened another screen.
    ///
    /// - Parameter stored: The last value of ``pendingReset``; unreadable data is ignored.
    public func exchangePendingReset(_ stored: Data) -> Data {
        if visit == .login, phase != .signedIn,
            let screen = try? JSONDecoder().decode(PasswordResetScreen.self, from: stored)
        {
            passwordReset = PasswordResetModel(self, screen: screen, clock: clock)
            visit = .passwordReset
        }
        return pendingReset
    }

    /// Opens the screen for a link; returns whether the link belongs to this app.
    ///
    /// A link is `<scheme>://reset-password?token=…`; the scheme is compared without regard to case. The screen is
    /// shown immediately, even while a stored account is being read. Opening the same link again changes nothing.
    @discardableResult
    public func handle(url: URL) -> Bool {
        guard let link = ResetLink(url, scheme: config.appScheme)?.screenLink else { return false }
        let isOpen = passwordReset.screen.step == .password(FieldText(link.token, isSecret: true))
        guard visit != .passwordReset || !isOpen else { return true }
        show(notice: nil)
        go(to: .passwordReset, email: typedEmail)
        passwordReset.send(.open(link))
        return true
    }
}

// MARK: - The client's state

extension AuthViewModel {
    /// Adopts the state of the client, if it has changed.
    ///
    /// It reads the current state instead of the announced one, because the user may have signed in since.
    private func follow() {
        let state = client.state
        if state != known { adopt(state) }
    }

    private func adopt(_ state: SessionState<Tokens>) {
        known = state
        if let tokens = state.credential { claims = JWTClaims(of: tokens) ?? claims }
        switch state {
        case .unknown, .restoring: enter(.restoring)
        case .unavailable: enter(.unavailable)
        case .signedIn, .expired: enter(.signedIn)
        case .signedOut(let reason):
            enter(.signedOut)
            if reason == .issuer { show(notice: Notice(phrase: Phrase("failure.signedOut"), style: .warning)) }
        }
    }

    private func enter(_ next: Phase) {
        let last = phase
        phase = next
        switch (last, next) {
        case (.signedOut, .signedIn):
            // A restored user has not signed in just now.
            postLoginURL = config.postLoginDeeplink
            show(notice: nil)
            if visit == .registration { visit = .login }
        case (_, .signedOut):
            claims = nil
            postLoginURL = nil
            if last == .signedIn { signIn = makeSignIn(email: "") }
            if last == .signedIn, visit == .registration { visit = .login }
        default: break
        }
    }

    /// Adopts the end of a sign-in that began in the given state.
    func finishSignIn(_ claims: JWTClaims?, since state: SessionState<Tokens>) {
        follow()
        // For a client that reports no states, only its responses show the sign-in.
        if client.state == state { enter(.signedIn) }
        if phase == .signedIn, let claims { self.claims = claims }
    }

    /// Adopts the end of a sign-out that began in the given state.
    private func finishSignOut(isDone: Bool, since state: SessionState<Tokens>) {
        follow()
        // If the client failed and still has the tokens, the user is not signed out.
        if client.state == state, isDone || !state.isSignedIn { enter(.signedOut) }
    }
}

// MARK: - Screens

extension AuthViewModel {
    /// The address typed so far on the current screen.
    private var typedEmail: String {
        switch visit {
        case .registration: registration.screen.fields.value(.email)
        case .passwordReset: passwordReset.screen.fields.value(.email)
        case .restoring, .unavailable, .login, .postLogin: signIn.screen.fields.value(.email)
        }
    }

    /// Begins a visit of a screen, with a new model.
    func go(to route: Route, email: String) {
        let next = route == .registration || route == .passwordReset ? route : .login
        guard next != visit else { return }
        switch next {
        case .registration: registration = makeRegistration(email: email)
        case .passwordReset: passwordReset = makePasswordReset(email: email)
        case .restoring, .unavailable, .login, .postLogin: signIn = makeSignIn(email: email)
        }
        visit = next
    }

    /// Shows a notice; a success disappears after a while.
    func show(notice: Notice?) {
        self.notice = notice
        expiry?.cancel()
        expiry = nil
        guard notice?.style == .success else { return }
        expiry = Task { [weak self, clock] in
            // A canceled sleep belongs to an earlier notice.
            do { try await clock.sleep(for: Notice.successDuration) } catch { return }
            if !Task.isCancelled { self?.notice = nil }
        }
    }

    private func makeSignIn(email: String) -> SignInModel { SignInModel(self, email: email, clock: clock) }
    private func makeRegistration(email: String) -> RegistrationModel {
        RegistrationModel(self, email: email, clock: clock)
    }
    private func makePasswordReset(email: String) -> PasswordResetModel {
        PasswordResetModel(self, screen: PasswordResetScreen(email: email), clock: clock)
    }

    /// Runs one request at a time, and shows its failure.
    @discardableResult
    func perform<Value: Sendable>(
        isSignIn: Bool = false, _ request: @MainActor () async throws -> Value, then: (Value) -> Void = { _ in }
    ) async -> Bool {
        guard !isLoading else { return false }
        isLoading = true
        show(notice: nil)
        defer { isLoading = false }
        do {
            then(try await request())
            return true
        } catch {
            let failure = client.failure(of: error, isSignIn: isSignIn, at: clock.now)
            if failure.reason != .cancelled { show(notice: Notice(phrase: failure.phrase, style: .failure)) }
            return false
        }
    }

    /// Signs the user out; if the client fails, the user stays signed in and sees a notice.
    public func logout() async {
        let before = client.state
        let isDone = await perform { [client] in try await client.logout() }
        finishSignOut(isDone: isDone, since: before)
    }
}
