// SPDX-License-Identifier: Apache-2.0

public import AuthPackage
import LatchAuth
public import LatchCore
public import LatchTexts
public import LatchUI
public import Observation
public import PortableFoundation

/// The model behind `AuthFlow`: which screen is shown, and the models of the screens.
///
/// It restores a stored account when it is created, and follows the client's state from then on: a user whom the server
/// signs out is back at the sign-in.
@MainActor @Observable
public final class AuthViewModel {
    /// The screen that is shown.
    public enum Route: Hashable, Sendable, CaseIterable {
        /// No screen yet: a stored account is being read.
        case restoring
        /// A notice and a button: the store cannot be read now, which is not a sign-out.
        case unavailable
        /// The sign-in.
        case login
        /// The registration.
        case registration
        /// The password reset, until the mail is sent and after its link has opened the app.
        case passwordReset
        /// The content for a signed-in user.
        case postLogin
    }

    /// A notice above the screen.
    ///
    /// A success goes away after ``successDuration``; a failure, and what asks the user for something, stays until the user goes on.
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

    /// The state of the client, as far as it decides about the screen.
    private enum Phase { case restoring, unavailable, signedOut, signedIn }

    /// The claims of the signed-in user's token.
    public private(set) var claims: JWTClaims?
    /// The notice; nil for none.
    public private(set) var notice: Notice?
    /// Whether a request is under way.
    public private(set) var isLoading = false
    /// The URL to open now, since the user has signed in; nil for none.
    public private(set) var postLoginURL: URL?

    /// The model of the sign-in; another one for each visit.
    @ObservationIgnored public private(set) lazy var signIn = makeSignIn(email: "")
    /// The model of the registration; another one for each visit.
    @ObservationIgnored public private(set) lazy var registration = makeRegistration(email: "")
    /// The model of the password reset; another one for each visit.
    @ObservationIgnored public private(set) lazy var passwordReset = makePasswordReset(email: "")
    /// Returns the window of the view that shows the screens; nil while there is none.
    @ObservationIgnored package var window: @MainActor () -> PresentationAnchor? = { nil }

    let client: any AuthClientProtocol
    let config: AuthUIConfig
    @ObservationIgnored private let clock: WallClock
    private var phase = Phase.restoring
    /// The screen of a user who is not signed in; the password reset is shown to a signed-in one, too.
    private var visit = Route.login
    /// The state of the client that `phase` was derived from.
    @ObservationIgnored private var known: SessionState<Tokens>
    @ObservationIgnored private var followers: [Task<Void, Never>] = []
    @ObservationIgnored private var expiry: Task<Void, Never>?

    /// Creates the model of a client, whatever its type.
    ///
    /// - Parameters:
    ///   - config: The configuration.
    ///   - client: The client, whose state decides about the screens.
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

    /// The screen that is shown.
    public var route: Route {
        if visit == .passwordReset { return visit }
        return switch phase {
        case .restoring: .restoring
        case .unavailable: .unavailable
        case .signedOut: visit
        case .signedIn: .postLogin
        }
    }

    /// The name of the user as the token has it: a name, else the address, else the subject.
    public var displayName: String {
        let names = ["name", "given_name", "preferred_username", "email", "unique_name", "sub"]
        let found = names.lazy.compactMap { [claims] in claims?.raw[$0]?.stringValue }.first { !$0.isEmpty }
        return found ?? client.currentUser?.name ?? client.currentUser?.email ?? ""
    }

    /// Shows the sign-in, the registration or the password reset; any other route is the client's to decide, and ends these.
    ///
    /// The address as typed so far goes along.
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

    /// Reads the store, or reads it once more.
    public func restore() async {
        do {
            try await client.restore()
            follow()
        } catch {
            follow()
            if phase == .restoring { enter(.unavailable) }
        }
    }

    /// The password reset that waits for its mail, to be stored for the next start; empty for none.
    ///
    /// It has no token.
    public var pendingReset: Data {
        guard visit == .passwordReset, case .waiting = passwordReset.screen.step else { return Data() }
        let encoder = JSONEncoder()
        // The same screen is the same data: a scene that stores it would never rest.
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(passwordReset.screen)) ?? Data()
    }

    /// Shows the password reset of the last run again, unless the user is elsewhere already, and returns what to store.
    ///
    /// - Parameter stored: What ``pendingReset`` was; what cannot be read is ignored.
    public func exchangePendingReset(_ stored: Data) -> Data {
        if visit == .login, phase != .signedIn,
            let screen = try? JSONDecoder().decode(PasswordResetScreen.self, from: stored)
        {
            passwordReset = PasswordResetModel(self, screen: screen, clock: clock)
            visit = .passwordReset
        }
        return pendingReset
    }

    /// Opens the screen of a link; returns whether it was one of this app's.
    ///
    /// A link is `<scheme>://reset-password?token=…`; the scheme is compared without regard to case. The screen is shown at
    /// once, also while a stored account is still being read. The same link a second time changes nothing.
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
    /// It is the state of this moment, and not the one that was announced: a user may have signed in since.
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
            // A restored user has not signed in now.
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

    /// Adopts the end of a sign-in that began in a state.
    func finishSignIn(_ claims: JWTClaims?, since state: SessionState<Tokens>) {
        follow()
        // A client that reports no states has none but its answers.
        if client.state == state { enter(.signedIn) }
        if phase == .signedIn, let claims { self.claims = claims }
    }

    /// Adopts the end of a sign-out that began in a state.
    private func finishSignOut(isDone: Bool, since state: SessionState<Tokens>) {
        follow()
        // A client that failed and still has the tokens has signed nobody out.
        if client.state == state, isDone || !state.isSignedIn { enter(.signedOut) }
    }
}

// MARK: - Screens

extension AuthViewModel {
    /// The address as typed so far on the screen that is shown.
    private var typedEmail: String {
        switch visit {
        case .registration: registration.screen.fields.value(.email)
        case .passwordReset: passwordReset.screen.fields.value(.email)
        case .restoring, .unavailable, .login, .postLogin: signIn.screen.fields.value(.email)
        }
    }

    /// Begins a visit of a screen, with a model of its own.
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

    /// Shows a notice; a success for a while.
    func show(notice: Notice?) {
        self.notice = notice
        expiry?.cancel()
        expiry = nil
        guard notice?.style == .success else { return }
        expiry = Task { [weak self, clock] in
            // A cancelled sleep belongs to a notice that is gone.
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

    /// Signs the user out; whom the client cannot sign out stays signed in, with a notice.
    public func logout() async {
        let before = client.state
        let isDone = await perform { [client] in try await client.logout() }
        finishSignOut(isDone: isDone, since: before)
    }
}
