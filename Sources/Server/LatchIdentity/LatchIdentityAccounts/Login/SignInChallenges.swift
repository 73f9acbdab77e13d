// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage
import LatchJOSE

/// Sign-ins that wait for another step: the second factor, or a confirmation.
///
/// A challenge is valid for five minutes, and only for its surface and its step.
package struct SignInChallenges: Sendable {
    /// The place at which a sign-in continues.
    package enum Surface: String, CaseIterable {
        /// An app that calls an RPC.
        case app = "lc1."
        /// A page of this server.
        case page = "pc1."
        /// A page after a provider's response.
        case provider = "uc1."
        /// A page on which the user confirms the app of a sign-in through a provider.
        case confirmation = "cc1."

        /// The error for a challenge that has ended.
        package var ended: IdentityError {
            switch self {
            case .app: .invalidToken
            case .page: .loginEnded
            case .provider, .confirmation: .signInEnded
            }
        }
    }

    package let store: IdentityStore
    package let clock: WallClock
    package let random: RandomSource

    package init(store: IdentityStore, clock: WallClock, random: RandomSource) {
        self.store = store
        self.clock = clock
        self.random = random
    }

    /// The time for which a sign-in may wait.
    package static let lifetime: TimeInterval = 300

    /// Stores a challenge and returns its text; nil if the account's credentials have changed since it was read.
    ///
    /// The prefix of the text distinguishes it from tokens and from the challenges of other surfaces (attack F4).
    package func issue(
        for account: Account, on surface: Surface, scopes: String = "", isRemembered: Bool = true
    ) async throws(IdentityError) -> (text: String, challenge: LoginChallenge)? {
        let text = surface.rawValue + Base64URL.encode(random.bytes(32))
        let now = clock.now
        let challenge = LoginChallenge(
            digest: text.digest, accountID: account.id, passwordChangedAt: account.passwordChangedAt, scope: scopes,
            isRemembered: isRemembered, createdAt: now, expiresAt: now.addingTimeInterval(Self.lifetime))
        return try await store.insert(challenge, for: account) ? (text, challenge) : nil
    }

    /// Returns whether the text has the form of a challenge for a surface.
    package static func isChallenge(_ text: String, on surface: Surface) -> Bool {
        text.utf8.count < 100 && text.utf8.starts(with: surface.rawValue.utf8)
    }

    /// Returns a challenge without using it up.
    ///
    /// - Throws: The surface's error for an ended challenge, or a store's error.
    package func find(_ text: String, on surface: Surface) async throws(IdentityError) -> LoginChallenge {
        guard Self.isChallenge(text, on: surface), let found = try await store.challenge(text.digest, at: clock.now)
        else { throw surface.ended }
        return found
    }
}

extension LoginChallenge {
    /// Returns whether the account is still the one of the proof; a password reset in the meantime ends the challenge.
    package func isOpen(to account: Account) -> Bool {
        account.id == accountID && account.passwordChangedAt == passwordChangedAt
    }
}
