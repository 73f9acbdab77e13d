// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchJOSE
import PortableFoundation

/// Logins on the server's own pages, which yield the account and no tokens.
extension LoginService {
    /// The result of a login with the right password.
    enum PageResult: Sendable {
        case authenticated(Account)
        /// The account has a second factor: the challenge is valid for proving it on a page, and for nothing else.
        case challenged(String)
    }

    /// The prefix that distinguishes these challenges from those of other logins (attack F4).
    private static let pagePrefix = "pc1."

    /// Verifies the password, within the limits of every login.
    ///
    /// - Throws: `IdentityError.invalidCredentials`, `.tooManyAttempts`, `.overloaded`, or a store's error.
    func beginOnPage(
        name: String, password: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> PageResult {
        try await verifying(name, password, from: origin) { account throws(IdentityError) in
            guard try await secondFactors.isConfirmed(of: account.id) else { return .authenticated(account) }
            let text = Self.pagePrefix + Base64URL.encode(dependencies.random.bytes(32))
            let now = dependencies.now
            let challenge = LoginChallenge(
                digest: text.digest, accountID: account.id, passwordChangedAt: account.passwordChangedAt, scope: "",
                isRemembered: true, createdAt: now, expiresAt: now.addingTimeInterval(Self.challengeLifetime))
            guard try await dependencies.store.insert(challenge, for: account) else { throw .invalidCredentials }
            return .challenged(text)
        }
    }

    /// Verifies a code of the second factor, and returns the account of the challenge.
    ///
    /// - Throws: `IdentityError.loginEnded` if the challenge has ended, `.invalidCode`, `.tooManyAttempts`, or a store's
    ///   error.
    func completeOnPage(
        challenge text: String, code: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> Account {
        guard text.utf8.starts(with: Self.pagePrefix.utf8), text.utf8.count < 100,
            let challenge = try await dependencies.store.challenge(text.digest, at: dependencies.now),
            let account = try await dependencies.store.account(id: challenge.accountID), account.status == .active,
            // A password reset in the meantime ends the challenge.
            account.passwordChangedAt == challenge.passwordChangedAt
        else { throw .loginEnded }
        try await secondFactors.verify(
            code, of: account.id, for: .login(challenge: challenge.digest), from: origin)
        return account
    }
}
