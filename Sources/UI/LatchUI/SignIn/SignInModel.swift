// SPDX-License-Identifier: Apache-2.0

public import LatchAccounts
public import LatchCore

/// The model of a ``SignInScreen``.
public typealias SignInModel = ScreenModel<SignInScreen>

extension ScreenModel where S == SignInScreen {
    /// Creates the sign-in of a client.
    ///
    /// - Parameters:
    ///   - client: The client whose session is signed in.
    ///   - screen: The screen, with its options.
    ///   - clock: The clock of the challenge's expiry, and of locks.
    ///   - signInThrough: Signs the client in through a provider, by `AuthClient.signIn(through:using:redirectingTo:)`;
    ///     without it, the screen offers no providers.
    ///   - passkeys: The passkeys of this device, which the screen then offers; nil for none.
    ///   - didSignIn: Is called before the screen ends with a signed-in user, such as to store the account; its error
    ///     is shown.
    ///   - onFinish: Is called when the user is signed in, or goes another way.
    public convenience init(
        _ client: AuthClient, screen: SignInScreen = SignInScreen(), clock: WallClock = .system,
        signInThrough: (@Sendable (IdentityProvider) async throws -> Void)? = nil,
        passkeys: (any PasskeyProvider)? = nil, didSignIn: @escaping @Sendable () async throws -> Void = {},
        onFinish: @escaping @MainActor (SignInScreen.Outcome) -> Void = { _ in }
    ) {
        var screen = screen
        if signInThrough == nil { screen.options.providers = [] }
        if let passkeys, passkeys.isAvailable {
            screen.options.offersPasskey = true
            screen.options.suggestsPasskeys = passkeys.isConditionalMediationAvailable
        }
        self.init(screen, clock: clock, onFinish: onFinish) { request in
            switch request {
            case .loadWays: return .ways(try await ways(of: client))
            case .signIn(let name, let password, let code):
                if !code.value.isEmpty {
                    try await client.signIn(email: name, password: password.value, code: code.value)
                } else if let challenge = try await client.beginSignIn(name: name, password: password.value) {
                    return .challenged(challenge)
                }
            case .verify(let challenge, let code):
                try await client.completeSignIn(challenge, code: code.value)
            case .requestCode(let email): return .mailed(try await client.beginCodeSignIn(email: email))
            case .resendCode(let challenge): return .mailed(try await client.resendCode(challenge))
            case .redeemCode(let challenge, let code, let factor):
                let factor = factor.value.isEmpty ? nil : factor.value
                try await client.completeCodeSignIn(challenge, code: code.value, secondFactor: factor)
            case .passkey(let mediation):
                guard let passkeys else { throw AccountError.passkeysUnavailable }
                return try await signIn(client, withPasskeyFrom: passkeys, mediation, didSignIn)
            case .provider(let provider):
                guard let signInThrough else { throw ScreenFailure(.browserUnavailable) }
                try await signInThrough(provider)
            }
            try await didSignIn()
            return .signedIn
        }
    }
}

/// Returns the ways of a client's server; nil if they cannot be read, since the sign-in itself shows what is wrong.
private func ways(of client: AuthClient) async throws -> SignInWays? {
    do { return try await client.signInWays() } catch {
        try Task.checkCancellation()
        return nil
    }
}

/// Signs a client in with a passkey that the user chooses in the system's dialog, or among the keyboard's suggestions.
private func signIn(
    _ client: AuthClient, withPasskeyFrom passkeys: any PasskeyProvider, _ mediation: PasskeyMediation,
    _ didSignIn: @escaping @Sendable () async throws -> Void
) async throws -> SignInScreen.Response {
    let assertion: PasskeyAssertion
    do {
        assertion = try await client.passkeyAssertion(from: passkeys, mediation: mediation)
    } catch  where mediation == .conditional {
        // The user did not ask for suggestions, so their failure is not shown: the form's requests show what is wrong.
        throw ScreenFailure(.cancelled)
    }
    // The user has chosen a passkey: the sign-in completes even if another request ends the suggestions now.
    try await Task {
        try await client.signIn(with: assertion)
        try await didSignIn()
    }.value
    return .signedIn
}

// MARK: - In an app

extension AuthRoute {
    /// Returns the route to the sign-in, with the address if it is known.
    public static func signIn(email: String) -> AuthRoute { AuthRoute(.signIn, email: email) }
}

extension SignInScreen: RoutedScreen {
    static var kind: AuthRoute.Kind { .signIn }
    static var needsUser: Bool { false }

    var route: AuthRoute { AuthRoute(Self.kind, email: storableEmail) }

    static func makeModel(at route: AuthRoute, by factory: AuthScreenFactory) -> SignInModel? {
        var options = factory.configuration.options
        // Where there is content to return to.
        if factory.user != nil || factory.isForGuest {
            options.isDismissible = true
        } else if !factory.isCancellable {
            // A user who has none can only leave for what the app has.
            options.isDismissible = false
        }
        // A signed-out user has no menu that leads there.
        options.offersAccounts = factory.user == nil && factory.hasOtherAccounts
        let (client, accountSignIn) = (factory.signInClient, factory.accountSignIn)
        var signIn: (@Sendable (IdentityProvider) async throws -> Void)?
        if let signInThrough = factory.configuration.signInThrough {
            signIn = { try await signInThrough(client, $0) }
        }
        return SignInModel(
            client, screen: SignInScreen(name: route.email ?? "", options: options), clock: factory.clock,
            signInThrough: signIn, passkeys: factory.passkeys, didSignIn: { try await accountSignIn?.adopt(client) })
    }

    static func move(after outcome: Outcome) -> AuthFlow.Move {
        switch outcome {
        // Without a press it is a passkey that the keyboard has suggested.
        case .signedIn: .signedIn(by: .passkey)
        case .registration(let email): .open(.registration(email: email))
        case .passwordReset(let email): .open(.passwordReset(PasswordResetScreen(email: email)))
        case .verification(let email): .open(.verification(EmailVerificationScreen(email: email, isSent: false)))
        case .accounts: .open(.accounts)
        case .cancelled: .cancelSignIn
        }
    }

    func move(after outcome: Outcome) -> AuthFlow.Move {
        if outcome == .signedIn, let way { return .signedIn(by: way) }
        return Self.move(after: outcome)
    }
}
