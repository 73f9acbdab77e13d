// SPDX-License-Identifier: Apache-2.0

import AuthPackage
import LatchAccounts
import LatchTexts
import LatchUI

// The operations for an app with custom screens.

extension AuthViewModel {
    /// Signs a user in; returns whether it succeeded.
    @discardableResult
    public func login(email: String, password: String) async -> Bool {
        let before = client.state
        return await perform(isSignIn: true) { [client] in
            try await client.login(email: email, password: password)
        } then: {
            finishSignIn($0, since: before)
        }
    }

    /// Creates an account; returns whether it succeeded.
    ///
    /// The user signs in afterwards.
    @discardableResult
    public func register(email: String, password: String, name: String? = nil) async -> Bool {
        await perform { [client] in
            _ = try await client.register(email: email, password: password, name: name, roles: nil)
        } then: {
            show(notice: .registered(email))
        }
    }

    /// Requests an email with a link for a new password; returns whether it succeeded.
    @discardableResult
    public func requestPasswordReset(email: String) async -> Bool {
        await perform { [client] in
            _ = try await client.requestPasswordReset(email: email)
        } then: {
            show(notice: Notice(phrase: Phrase("reset.sent", .text(email)), style: .information))
        }
    }

    /// Sets a new password with the token of an email; returns whether it succeeded.
    @discardableResult
    public func confirmPasswordReset(token: String, newPassword: String) async -> Bool {
        await perform { [client] in
            _ = try await client.resetPassword(token: token, newPassword: newPassword)
        } then: {
            show(notice: Notice(phrase: Phrase("reset.done"), style: .success))
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

    private func login(through provider: IdentityProvider) async -> Bool {
        let before = client.state
        return await perform { [self] in
            try await claims(through: provider)
        } then: {
            finishSignIn($0, since: before)
        }
    }

    /// Signs the client in on a provider's page, above the configured window, or else above the window of the screens.
    func claims(through provider: IdentityProvider) async throws -> JWTClaims? {
        guard let anchor = config.presentationAnchor() ?? window() else { throw ScreenFailure(.browserUnavailable) }
        switch provider {
        case .microsoft: return try await client.loginWithMicrosoft(from: anchor)
        case .google: return try await client.loginWithGoogle(from: anchor)
        case .facebook: return try await client.loginWithFacebook(from: anchor)
        default: throw ScreenFailure(.refused)
        }
    }

    /// The providers that are enabled here, and that the client accepts.
    var providers: [IdentityProvider] {
        let own = (client as? AuthPackage.AuthClient)?.configuration
        let offers: [(IdentityProvider, Bool)] = [
            (.microsoft, config.microsoftEnabled && own?.microsoftEnabled ?? true),
            (.google, config.googleEnabled && own?.googleEnabled ?? true),
            (.facebook, config.facebookEnabled && own?.facebookEnabled ?? true),
        ]
        return offers.filter(\.1).map(\.0)
    }
}

extension AuthViewModel.Notice {
    /// Returns the notice about a created account, which stays because it asks the user to open the email.
    static func registered(_ email: String) -> Self {
        Self(phrase: Phrase("registration.created", .text(email)), style: .information)
    }
}
