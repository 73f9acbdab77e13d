// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
package import LatchFoundation
package import LatchIdentityStorage

/// Codes that are mailed to an address, and typed on a page or in an app within ten minutes.
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

    /// Emails a code to an address, once for each form, in the language of the page or the app.
    ///
    /// A form that is sent again causes no second email, and counts once.
    ///
    /// - Parameters:
    ///   - earlier: The challenge whose code is sent again while it can be entered; nil for a new code.
    ///   - language: The language of the email; nil for the server's default language.
    /// - Returns: The ID of the challenge, which ``check(_:of:for:sentTo:from:usingUp:)`` needs.
    /// - Throws: `IdentityError.tooManyAttempts`, `.overloaded` or a store's error.
    func send(
        _ purpose: OutboxMail.Purpose, to email: EmailAddress, by form: CodeForm, again earlier: String? = nil,
        in language: String?, from origin: RequestOrigin
    ) async throws(IdentityError) -> String {
        let now = clock.now
        let requests = form.ids.map { id in
            let use = "\(purpose.rawValue) \(id) \(email.key)"
            let mail = OutboxMail(
                purpose, to: email, id: MailedTokens(pepper: pepper).id(ofForm: use), at: now,
                causedBy: MailCause(language: language))
            return CodeRequest(
                mail: mail, expiresAt: now.addingTimeInterval(AddressChallenge.lifetime), earlier: earlier,
                form: "code \(use)".digest, formExpiresAt: form.expiresAt)
        }
        for request in requests {
            if let sent = try await store.challengeID(of: request) { return sent }
        }
        var attempts = limits.attempts(of: .mail, from: origin.address)
        try limits.take(attempts)
        do throws(IdentityError) {
            attempts.append(
                try await take(
                    limits.mail(purpose, emailKey: email.key),
                    or: limits.mail(purpose, emailKey: email.key, fromKnown: origin.address), email, from: origin))
            let (challengeID, isMailed) = try await store.mailCode(requests[0], at: now)
            if isMailed { mails.wake() } else { limits.refund(attempts) }
            return challengeID
        } catch {
            // An email that was not stored does not count.
            limits.refund(attempts)
            throw error
        }
    }

    /// Checks a typed code, and uses it up.
    ///
    /// - Parameters:
    ///   - purpose: The purpose of the email with the code.
    ///   - isUsedUp: Whether a right code is used up; otherwise the caller uses it up.
    /// - Returns: The time of the proof.
    /// - Throws: `IdentityError.invalidMailedCode`, after which the user can try again; `.tooManyAttempts`;
    ///   `.codeEnded`; `.doubtfulDate`; or a store's error.
    func check(
        _ code: String, of challengeID: String, for purpose: OutboxMail.Purpose, sentTo email: EmailAddress,
        from origin: RequestOrigin, usingUp isUsedUp: Bool = true
    ) async throws(IdentityError) -> Date {
        try dates.require()
        let attempt = try await take(
            limits.mailedCode(purpose, emailKey: email.key),
            or: limits.mailedCode(purpose, emailKey: email.key, fromKnown: origin.address), email, from: origin)
        let isRight = MailedTokens(pepper: pepper).isCode(code, of: challengeID)
        let now = clock.now
        guard
            let failure = try await store.answer(
                challengeID, isRight: isRight, usingUp: isUsedUp, at: now)
        else {
            limits.refund([attempt])
            return now
        }
        guard failure != .ended else {
            // Nothing was guessed, so the owner of the address has not one try less.
            limits.refund([attempt])
            throw .codeEnded
        }
        guard failure == .wrong else { throw .codeEnded }
        let use = purpose == .signUpCode ? "sign-up" : "sign-in"
        try await store.audit(
            "address.failed", account: nil, detail: "\(use) from \(origin.address)".sanitized(200), at: clock.now)
        throw .invalidMailedCode
    }

    /// Takes and returns an attempt, or another one of an owner who is signed in from the network: strangers must not keep
    /// the owner waiting.
    private func take(
        _ attempt: AttemptLimiter.Attempt, or known: AttemptLimiter.Attempt, _ email: EmailAddress,
        from origin: RequestOrigin
    ) async throws(IdentityError) -> AttemptLimiter.Attempt {
        do throws(IdentityError) {
            try limits.take([attempt])
            return attempt
        } catch {
            guard try await store.isSignedIn(emailKey: email.key, from: origin.address, at: clock.now) else {
                throw error
            }
            try limits.take([known])
            return known
        }
    }
}

/// The form of a page, or the request of an app, that asks for a code.
package struct CodeForm: Sendable {
    /// The identifiers of the form, which are unique to one rendered page, or to a request and its repetitions.
    ///
    /// The first one is used up, and a form that has used up one of the others is a repetition.
    let ids: [String]
    /// The time from which the form is invalid.
    let expiresAt: Date

    package init(ids: [String], expiresAt: Date) { (self.ids, self.expiresAt) = (ids, expiresAt) }
}
