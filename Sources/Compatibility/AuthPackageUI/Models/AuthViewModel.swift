// SPDX-License-Identifier: Apache-2.0

public import AuthPackage
import LatchAccounts
import LatchCore
public import LatchTexts
public import LatchUI
public import Observation
public import PortableFoundation

/// The model behind `AuthFlow`: which screen is shown, and the models of the screens.
@MainActor @Observable
public final class AuthViewModel {
    /// The screen that is shown.
    public enum Route: Hashable, Sendable {
        /// The sign-in.
        case login
        /// The registration.
        case registration
        /// The password reset, until the mail is sent and after its link has opened the app.
        case passwordReset
        /// The content for a signed-in user.
        case postLogin
    }

    /// A notice above the screen; a failure stays until the user goes on.
    public struct Notice: Hashable, Sendable {
        /// The sentence.
        public let phrase: Phrase
        /// Whether it reports a failure.
        public let isFailure: Bool
    }

    /// The screen that is shown.
    public private(set) var route: Route
    /// The claims of the signed-in user's token.
    public private(set) var claims: JWTClaims?
    /// The notice; nil for none.
    public private(set) var notice: Notice?
    /// Whether a request is under way.
    public private(set) var isLoading = false

    /// The model of the sign-in.
    @ObservationIgnored public private(set) lazy var signIn = makeSignIn()
    /// The model of the registration.
    @ObservationIgnored public private(set) lazy var registration = makeRegistration()
    /// The model of the password reset.
    @ObservationIgnored public private(set) lazy var passwordReset = makePasswordReset()

    private let client: any AuthClientProtocol
    private let config: AuthUIConfig

    /// Creates the model of a client, whatever its type.
    public init(config: AuthUIConfig, client: any AuthClientProtocol) {
        self.config = config
        self.client = client
        route = client.tokens == nil ? .login : .postLogin
    }

    /// The name of the user as the token has it: a name, else the address, else the subject.
    public var displayName: String {
        let names = ["name", "given_name", "preferred_username", "email", "unique_name", "sub"]
        let found = names.lazy.compactMap { [claims] in claims?.raw[$0]?.stringValue }.first { !$0.isEmpty }
        return found ?? client.currentUser?.name ?? client.currentUser?.email ?? ""
    }

    /// Shows another screen.
    public func show(_ route: Route) {
        self.route = route
        notice = nil
    }

    /// Removes the notice.
    public func dismissNotice() { notice = nil }

    /// Signs a user in; returns whether it succeeded.
    @discardableResult
    public func login(email: String, password: String) async -> Bool {
        await perform(isSignIn: true) { [client] in
            try await client.login(email: email, password: password)
        } then: { [self] in
            finishSignIn($0)
        }
    }

    /// Signs the user out, on this device in any case.
    public func logout() async {
        await perform(isSignIn: false) { [client] in try await client.logout() }
        claims = nil
        route = .login
    }

    /// Creates an account, with which the user signs in afterwards; returns whether it succeeded.
    @discardableResult
    public func register(email: String, password: String, name: String? = nil) async -> Bool {
        await perform(isSignIn: false) { [client] in
            _ = try await client.register(email: email, password: password, name: name, roles: nil)
        }
    }

    /// Requests a mail with a link for a new password; returns whether it succeeded.
    @discardableResult
    public func requestPasswordReset(email: String) async -> Bool {
        await perform(isSignIn: false) { [client] in _ = try await client.requestPasswordReset(email: email) }
    }

    /// Sets a new password with the token of a mail; returns whether it succeeded.
    @discardableResult
    public func confirmPasswordReset(token: String, newPassword: String) async -> Bool {
        await perform(isSignIn: false) { [client] in
            _ = try await client.resetPassword(token: token, newPassword: newPassword)
        }
    }

    /// Signs a user in with Microsoft, on a page above the app's window; returns whether it succeeded.
    @discardableResult
    public func loginWithMicrosoft() async -> Bool { await login(through: .microsoft) }

    /// Signs a user in with Google, on a page above the app's window; returns whether it succeeded.
    @discardableResult
    public func loginWithGoogle() async -> Bool { await login(through: .google) }

    /// Signs a user in with Facebook, on a page above the app's window; returns whether it succeeded.
    @discardableResult
    public func loginWithFacebook() async -> Bool { await login(through: .facebook) }

    /// Opens the screen of a link; returns whether it was one of this app's.
    ///
    /// A link is `<scheme>://reset-password?token=…`; the scheme is compared without regard to case.
    @discardableResult
    public func handle(url: URL) -> Bool {
        guard let link = ResetLink(url, scheme: config.appScheme) else { return false }
        show(.passwordReset)
        passwordReset.send(.open(link.screenLink))
        return true
    }
}

// MARK: - Requests

extension AuthViewModel {
    private func login(through provider: IdentityProvider) async -> Bool {
        await perform(isSignIn: false) { [self] in
            try await claims(through: provider)
        } then: { [self] in
            finishSignIn($0)
        }
    }

    private func claims(through provider: IdentityProvider) async throws -> JWTClaims? {
        guard let anchor = config.presentationAnchor() else { throw ScreenFailure(.browserUnavailable) }
        switch provider {
        case .microsoft: return try await client.loginWithMicrosoft(from: anchor)
        case .google: return try await client.loginWithGoogle(from: anchor)
        case .facebook: return try await client.loginWithFacebook(from: anchor)
        default: throw ScreenFailure(.refused)
        }
    }

    private func finishSignIn(_ claims: JWTClaims?) {
        self.claims = claims
        route = .postLogin
    }

    /// Runs one request at a time, and shows its failure.
    @discardableResult
    private func perform<Value: Sendable>(
        isSignIn: Bool, _ request: @MainActor () async throws -> Value, then: (Value) -> Void = { _ in }
    ) async -> Bool {
        guard !isLoading else { return false }
        isLoading = true
        notice = nil
        defer { isLoading = false }
        do {
            then(try await request())
            return true
        } catch {
            let failure = Self.failure(of: error, isSignIn: isSignIn)
            if failure.reason != .cancelled { notice = Notice(phrase: failure.phrase, isFailure: true) }
            return false
        }
    }

    nonisolated private static func failure(of error: any Error, isSignIn: Bool) -> ScreenFailure {
        (error as? APIError).map { ScreenFailure($0, isSignIn: isSignIn) } ?? ScreenFailure(error)
    }
}

// MARK: - Screens

extension AuthViewModel {
    private func makeSignIn() -> SignInModel {
        var options = SignInScreen.Options()
        let offered: [(IdentityProvider, Bool)] = [
            (.microsoft, config.microsoftEnabled), (.google, config.googleEnabled), (.facebook, config.facebookEnabled),
        ]
        options.providers = offered.filter(\.1).map(\.0)
        return SignInModel(SignInScreen(options: options)) { [weak self] outcome in
            switch outcome {
            case .signedIn: self?.route = .postLogin
            case .registration: self?.show(.registration)
            case .passwordReset: self?.show(.passwordReset)
            case .cancelled: break
            }
        } perform: { [weak self, client] request in
            var claims: JWTClaims?
            switch request {
            case .signIn(let name, let password, _):
                claims = try await Self.mapped(isSignIn: true) {
                    try await client.login(email: name, password: password.value)
                }
            case .verify: throw ScreenFailure(.refused)
            case .provider(let provider):
                claims = try await Self.mapped(isSignIn: false) { try await self?.claims(through: provider) ?? nil }
            }
            await self?.setClaims(claims)
            return .signedIn
        }
    }

    private func setClaims(_ claims: JWTClaims?) { self.claims = claims }

    private func makeRegistration() -> RegistrationModel {
        RegistrationModel(RegistrationScreen()) { [weak self] outcome in
            self?.show(.login)
            if case .registered(let email) = outcome { self?.showSignIn(of: email) }
        } perform: { [client] request in
            switch request {
            case .signUp(let name, let email, let password):
                try await Self.mapped(isSignIn: false) {
                    _ = try await client.register(
                        email: email, password: password.value, name: name.isEmpty ? nil : name, roles: nil)
                }
                return .signedUp(email: email)
            }
        }
    }

    /// Fills in the address of the sign-in, which has ended by leading here.
    private func showSignIn(of email: String) {
        signIn.send(.appear)
        signIn.edit(.email, email)
    }

    private func makePasswordReset() -> PasswordResetModel {
        PasswordResetModel(PasswordResetScreen()) { [weak self] outcome in
            self?.show(.login)
            if case .signIn(let email) = outcome, !email.isEmpty { self?.showSignIn(of: email) }
        } perform: { [client] request in
            try await Self.mapped(isSignIn: false) {
                switch request {
                case .send(let email):
                    _ = try await client.requestPasswordReset(email: email)
                    return .sent(email: email)
                case .reset(let token, let password):
                    _ = try await client.resetPassword(token: token.value, newPassword: password.value)
                    return .reset
                }
            }
        }
    }

    /// Runs a request, and converts the errors of the package's client to those of screens.
    nonisolated private static func mapped<Value>(
        isSignIn: Bool, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw failure(of: error, isSignIn: isSignIn)
        }
    }
}
