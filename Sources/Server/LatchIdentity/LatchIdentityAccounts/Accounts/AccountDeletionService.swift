// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage

/// A service that deletes accounts at their owners' request, after a delay in which they can cancel it.
package struct AccountDeletionService: Sendable {
    /// The time from the request to the deletion.
    package let delay: Duration
    package let store: IdentityStore
    package let clock: WallClock
    package let limits: RateLimits
    package let mails: MailQueue
    package let recentAuthentication: RecentAuthenticationRule

    package init(
        delay: Duration, store: IdentityStore, clock: WallClock, limits: RateLimits, mails: MailQueue,
        recentAuthentication: RecentAuthenticationRule
    ) {
        self.delay = delay
        self.store = store
        self.clock = clock
        self.limits = limits
        self.mails = mails
        self.recentAuthentication = recentAuthentication
    }

    /// Requests the deletion of a session's account, and emails its owner.
    ///
    /// - Throws: `IdentityError.signInAgain`, `.forbidden` for another client's token, `.lastAdministrator`,
    ///   `.tooManyAttempts`, `.accountChanged`, `.invalidToken`, or a store's error.
    package func request(for session: AuthenticatedSession, from origin: RequestOrigin) async throws(IdentityError) {
        try session.requireFirstParty()
        try recentAuthentication.require(session)
        try limits.take([limits.mail(.deletionRequested, emailKey: session.account.ownerKey)])
        try await store.requestDeletion(
            of: session.account, dueAt: dueDate, on: session.device.id, causedBy: origin.mailCause, at: clock.now)
        mails.wake()
    }

    /// The time at which a deletion that is requested now is due.
    package var dueDate: Date { clock.now.addingTimeInterval(delay.inSeconds) }

    /// Cancels the deletion of a session's account.
    package func cancel(for session: AuthenticatedSession) async throws(IdentityError) {
        try session.requireFirstParty()
        try await store.cancelDeletion(of: session.accountID, at: clock.now)
    }
}
