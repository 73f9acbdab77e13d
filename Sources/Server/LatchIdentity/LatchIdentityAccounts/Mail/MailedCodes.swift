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
        let use = "\(purpose.rawValue) \(form.id) \(email.key)"
        let mail = OutboxMail(
            purpose, to: email, id: MailedTokens(pepper: pepper).id(ofForm: use), at: now,
            causedBy: MailCause(language: language))
        let request = CodeRequest(
            mail: mail, expiresAt: now.addingTimeInterval(AddressChallenge.lifetime), earlier: earlier,
            form: "code \(use)".digest, formExpiresAt: form.expiresAt)
        if let sent = try await store.challengeID(of: request) { return sent }
        // The requests of strangers must not keep an owner waiting who is signed in from this network.
        let attempts =
            limits.attempts(of: .mail, from: origin.address)
            + [
                try await unless(limits.mail(purpose, emailKey: email.key), email, from: origin) {
                    limits.mail(purpose, emailKey: email.key, fromKnown: $0)
                }
            ]
        try limits.take(attempts)
        do throws(IdentityError) {
            let (challengeID, isMailed) = try await store.mailCode(request, at: now)
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
        let attempt = try await unless(limits.mailedCode(purpose, emailKey: email.key), email, from: origin) {
            limits.mailedCode(purpose, emailKey: email.key, fromKnown: $0)
        }
        try limits.take([attempt])
        let isRight = MailedTokens(pepper: pepper).isCode(code, of: challengeID)
        let now = clock.now
        guard
            let failure = try await store.answer(
                challengeID, isRight: isRight, usingUp: isUsedUp, at: now)
        else {
            limits.refund([attempt])
            return now
        }
        guard failure == .wrong else { throw .codeEnded }
        let use = purpose == .signUpCode ? "sign-up" : "sign-in"
        try await store.audit(
            "address.failed", account: nil, detail: "\(use) from \(origin.address)".sanitized(200), at: clock.now)
        throw .invalidMailedCode
    }

    /// Returns an attempt, or that of an owner who is signed in from the network, if strangers have used the first one up.
    private func unless(
        _ attempt: AttemptLimiter.Attempt, _ email: EmailAddress, from origin: RequestOrigin,
        known: (_ address: String) -> AttemptLimiter.Attempt
    ) async throws(IdentityError) -> AttemptLimiter.Attempt {
        guard limits.rejection(taking: [attempt]) != nil,
            try await store.isSignedIn(emailKey: email.key, from: origin.address, at: clock.now)
        else { return attempt }
        return known(origin.address)
    }
}

/// The form of a page, or the request of an app, that asks for a code.
package struct CodeForm: Sendable {
    /// The identifier of the form, which is unique to one rendered page, or to a request and its repetitions.
    let id: String
    /// The time from which the form is invalid.
    let expiresAt: Date

    package init(id: String, expiresAt: Date) { (self.id, self.expiresAt) = (id, expiresAt) }
}
