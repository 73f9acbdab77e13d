// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage

/// Codes that are mailed to an address, and typed on a page within ten minutes.
///
/// Asking for one takes the same work for every address, and only the email tells whether it has an account (attack E2).
package struct MailedCodes: Sendable {
    package let store: IdentityStore
    package let clock: WallClock
    package let dates: DateCheck
    package let random: RandomSource
    package let pepper: SymmetricKey
    package let limits: RateLimits
    package let mails: MailQueue

    package init(
        store: IdentityStore, clock: WallClock, dates: DateCheck, random: RandomSource, pepper: SymmetricKey,
        limits: RateLimits, mails: MailQueue
    ) {
        (self.store, self.clock, self.dates, self.random) = (store, clock, dates, random)
        (self.pepper, self.limits, self.mails) = (pepper, limits, mails)
    }

    /// Emails a code to an address, in the language of the page.
    ///
    /// - Returns: The ID of the email, which ``check(_:of:for:from:)`` needs.
    /// - Throws: `IdentityError.tooManyAttempts`, `.overloaded` or a store's error.
    func send(
        _ purpose: OutboxMail.Purpose, to email: EmailAddress, in language: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> String {
        let attempts = limits.attempts(of: .mail, from: origin.address) + [limits.mail(purpose, emailKey: email.key)]
        try limits.take(attempts)
        let now = clock.now
        let mail = OutboxMail(
            purpose, to: email, id: random.identifier(), at: now, causedBy: MailCause(language: language))
        let end = now.addingTimeInterval(AddressChallenge.lifetime)
        do throws(IdentityError) {
            try await store.insert(AddressChallenge(id: mail.id, expiresAt: end), mail: mail)
        } catch {
            // An email that was not stored does not count.
            limits.refund(attempts)
            throw error
        }
        mails.wake()
        return mail.id
    }

    /// Checks a typed code, and uses it up.
    ///
    /// - Parameter use: What the code is for, in the audit log.
    /// - Returns: The time of the proof.
    /// - Throws: `IdentityError.invalidMailedCode`, after which the user can try again; `.codeEnded`; `.doubtfulDate`;
    ///   or a store's error.
    func check(
        _ code: String, of mailID: String, for use: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> Date {
        try dates.require()
        let isRight = MailedTokens(pepper: pepper).isCode(code, of: mailID)
        let now = clock.now
        guard let failure = try await store.answer(mailID, isRight: isRight, at: now) else { return now }
        guard failure == .wrong else { throw .codeEnded }
        try await store.audit(
            "address.failed", account: nil, detail: "\(use) from \(origin.address)".sanitized(200), at: clock.now)
        throw .invalidMailedCode
    }
}
