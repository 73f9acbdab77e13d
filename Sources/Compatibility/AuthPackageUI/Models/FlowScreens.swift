// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import LatchAccounts
import LatchCore
import LatchFoundation
import LatchUI

// The screens of LatchUI for a client of the package, with the next screen of each.

extension ScreenModel where S == SignInScreen {
    @MainActor
    convenience init(_ flow: AuthViewModel, email: String, clock: WallClock) {
        var options = SignInScreen.Options()
        options.providers = flow.providers
        let client = flow.client
        self.init(SignInScreen(name: email, options: options), clock: clock) { [weak flow] outcome in
            switch outcome {
            case .registration(let email): flow?.go(to: .registration, email: email)
            case .passwordReset(let email): flow?.go(to: .passwordReset, email: email)
            // The client's state determines whether a user is signed in.
            case .signedIn, .verification, .accounts, .cancelled: break
            }
        } perform: { [weak flow] request in
            let before = client.state
            let claims =
                switch request {
                case .signIn(let name, let password, let code):
                    try await client.converting(isSignIn: true, clock) {
                        code.value.isEmpty
                            ? try await client.login(email: name, password: password.value)
                            : try await client.login(email: name, password: password.value, code: code.value)
                    }
                case .loadWays, .verify, .passkey, .requestCode, .resendCode, .redeemCode: throw ScreenFailure(.refused)
                case .provider(let provider):
                    try await client.converting(clock) { try await flow?.claims(through: provider) ?? nil }
                }
            await flow?.finishSignIn(claims, since: before)
            return .signedIn
        }
    }
}

extension ScreenModel where S == RegistrationScreen {
    @MainActor
    convenience init(_ flow: AuthViewModel, email: String, clock: WallClock) {
        let client = flow.client
        self.init(RegistrationScreen(email: email), clock: clock) { [weak flow] outcome in
            switch outcome {
            case .registered(let email):
                flow?.go(to: .login, email: email)
                flow?.show(notice: .registered(email))
            case .signIn(let email): flow?.go(to: .login, email: email)
            case .cancelled: flow?.show(.login)
            }
        } perform: { request in
            switch request {
            case .signUp(let name, let email, let password, _, _):
                try await client.converting(clock) {
                    _ = try await client.register(
                        email: email, password: password.value, name: name.isEmpty ? nil : name, roles: nil)
                }
                return .signedUp(email: email)
            }
        }
    }
}

extension ScreenModel where S == PasswordResetScreen {
    @MainActor
    convenience init(_ flow: AuthViewModel, screen: PasswordResetScreen, clock: WallClock) {
        let client = flow.client
        self.init(screen, clock: clock) { [weak flow] outcome in
            switch outcome {
            case .signIn(let email): flow?.go(to: .login, email: email)
            case .signedIn: break
            case .cancelled: flow?.show(.login)
            }
        } perform: { request in
            try await client.converting(clock) {
                switch request {
                case .send(let email):
                    _ = try await client.requestPasswordReset(email: email)
                    return .sent(email: email)
                case .reset(let token, let password, _):
                    _ = try await client.resetPassword(token: token.value, newPassword: password.value)
                    return .reset
                }
            }
        }
    }
}

extension AuthClientProtocol {
    /// Returns the failure for an error of this client or any other error.
    func failure(of error: any Error, isSignIn: Bool, at now: Date) -> ScreenFailure {
        guard let error = error as? APIError else { return ScreenFailure(error, at: now) }
        // `APIError` has no cases for a missing code, a missing permission, a suspension, or the refused field.
        if let cause = lastFailure as? AccountError {
            let failure = ScreenFailure(cause, at: now)
            let isKnown = [.codeRequired, .wrongCode, .suspended, .emailUnverified].contains(failure.reason)
            if isSignIn && isKnown || cause.field != nil { return failure }
        }
        return ScreenFailure(error, isSignIn: isSignIn, retryAfter: retryAfter, at: now)
    }

    /// Runs a request, and converts its errors to those of screens.
    func converting<Value: Sendable>(
        isSignIn: Bool = false, _ clock: WallClock, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch {
            throw failure(of: error, isSignIn: isSignIn, at: clock.now)
        }
    }
}
