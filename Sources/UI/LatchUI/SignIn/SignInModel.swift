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
    ///   - signInThrough: Signs the client in through a provider, by `AuthClient.signIn(through:using:redirectingTo:)`; needed
    ///     only if the screen has providers.
    ///   - didSignIn: Is called before the screen ends with a signed-in user, such as to store the account; its error is shown.
    ///   - onFinish: Is called when the user is signed in, or goes another way.
    public convenience init(
        _ client: AuthClient, screen: SignInScreen = SignInScreen(), clock: WallClock = .system,
        signInThrough: (@Sendable (IdentityProvider) async throws -> Void)? = nil,
        didSignIn: @escaping @Sendable () async throws -> Void = {},
        onFinish: @escaping @MainActor (SignInScreen.Outcome) -> Void = { _ in }
    ) {
        self.init(screen, clock: clock, onFinish: onFinish) { request in
            switch request {
            case .signIn(let name, let password, let code):
                if !code.value.isEmpty {
                    try await client.signIn(email: name, password: password.value, code: code.value)
                } else if let challenge = try await client.beginSignIn(name: name, password: password.value) {
                    return .challenged(challenge)
                }
            case .verify(let challenge, let code):
                try await client.completeSignIn(challenge, code: code.value)
            case .provider(let provider):
                guard let signInThrough else { throw ScreenFailure(.browserUnavailable) }
                try await signInThrough(provider)
            }
            try await didSignIn()
            return .signedIn
        }
    }
}
