// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchIdentityAccounts
package import LatchIdentityStorage

/// A service that shows users their kept consents to clients of others, and withdraws them.
package struct ConsentService: Sendable {
    package let store: IdentityStore
    package let clock: WallClock

    /// Returns the kept consents of a session's user.
    ///
    /// - Throws: `IdentityError.forbidden` for another client's session, or a store's error.
    package func consents(of session: AuthenticatedSession) async throws(IdentityError) -> [Consent] {
        try session.requireFirstParty()
        return try await store.consents(of: session.accountID)
    }

    /// Withdraws the consents of a session's user to a client, whose codes and sessions for the user end.
    ///
    /// - Throws: `IdentityError.noSuchConsent` if there is none, `.forbidden` for another client's session, or a
    ///   store's error.
    package func withdraw(
        _ clientID: String, for session: AuthenticatedSession, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try session.requireFirstParty()
        let detail = AuthorizationService.auditDetail(clientID, nil, from: origin)
        guard
            try await store.withdrawConsents(of: session.accountID, to: clientID, detail: detail, at: clock.now)
        else { throw .noSuchConsent }
    }
}
