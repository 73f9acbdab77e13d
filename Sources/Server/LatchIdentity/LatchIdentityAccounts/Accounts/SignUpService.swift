// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage

/// A service for users who sign up on the server's pages: an address, its code, and then the account.
///
/// The account is created when its address is proved. So a stranger leaves neither a row nor a hash behind, and a page
/// does not reveal which addresses have an account (attack E2).
package struct SignUpService: Sendable {
    package let configuration: IdentityConfiguration
    package let rule: SignUpRule
    package let store: IdentityStore
    package let clock: WallClock
    package let dates: DateCheck
    package let random: RandomSource
    package let passwords: PasswordHasher
    package let limits: RateLimits
    package let codes: MailedCodes
    package let metrics: Metrics
    package let hooks: Hooks
    package let admission: SignInAdmission

    package init(
        configuration: IdentityConfiguration, store: IdentityStore, clock: WallClock, dates: DateCheck,
        random: RandomSource, passwords: PasswordHasher, limits: RateLimits, codes: MailedCodes,
        metrics: Metrics, hooks: Hooks, admission: SignInAdmission
    ) {
        self.configuration = configuration
        rule = SignUpRule(configuration)
        self.store = store
        self.clock = clock
        self.dates = dates
        self.random = random
        self.passwords = passwords
        self.limits = limits
        self.codes = codes
        self.metrics = metrics
        self.hooks = hooks
        self.admission = admission
    }

    /// Whether a new account has a password; without, its owner signs in with mailed codes.
    package var takesPasswords: Bool { admission.ways.permits(.password) }

    /// The time within which a user who has proved an address enters the details.
    private static let lifetimeOfProof: TimeInterval = 1800

    /// Emails a code to an address, or the notice that it has an account.
    ///
    /// Both take the same work, and only the email tells which it is.
    ///
    /// - Parameter earlier: The challenge whose code is sent again while it can be entered; nil for a new code.
    /// - Returns: The ID of the challenge, which ``prove(_:of:sentTo:from:)`` needs.
    /// - Throws: `IdentityError.signInWayOff` on a server with neither passwords nor codes, `.signUpClosed`,
    ///   `.signUpDomain`, `.tooManyAttempts`, `.overloaded` or a store's error.
    package func begin(
        _ email: EmailAddress, by form: CodeForm, again earlier: String?, in language: String,
        from origin: RequestOrigin
    ) async throws(IdentityError) -> String {
        if !takesPasswords { try admission.ways.require(.code) }
        try rule.require(email)
        return try await codes.send(.signUpCode, to: email, by: form, again: earlier, in: language, from: origin)
    }

    /// Checks a mailed code, and uses it up.
    ///
    /// - Returns: The time of the proof.
    /// - Throws: `IdentityError.invalidMailedCode`, after which the user can try again; `.tooManyAttempts`;
    ///   `.codeEnded`; `.doubtfulDate`; or a store's error.
    package func prove(
        _ code: String, of challengeID: String, sentTo email: EmailAddress, from origin: RequestOrigin
    ) async throws(IdentityError) -> Date {
        try await codes.check(code, of: challengeID, for: .signUpCode, sentTo: email, from: origin)
    }

    /// Creates the account of a proved address.
    ///
    /// - Parameters:
    ///   - provedAt: The time of the proof, which a page that is shown again does not prolong.
    ///   - password: The password; ignored on a server without passwords.
    ///   - language: The language of the page, which later emails to the owner keep.
    /// - Returns: The proof of the sign-in that creates it.
    /// - Throws: `IdentityError.codeEnded` for an old proof; `.alreadyExists` if the address got an account in the
    ///   meantime; `.signUpClosed`, `.signUpDomain`, `.signUpDenied`, `.hookUnavailable`, `.weakPassword`,
    ///   `.invalidInput`, `.termsRequired`, `.tooManyAttempts`, `.overloaded`, `.doubtfulDate`, or a store's error.
    package func create(
        _ email: EmailAddress, provedAt: Date, password: String, name: String?, language: String,
        registration: Registration, from origin: RequestOrigin
    ) async throws(IdentityError) -> AdmittedProof {
        try dates.require()
        guard (-60..<Self.lifetimeOfProof).contains(clock.now.timeIntervalSince(provedAt)) else { throw .codeEnded }
        if !takesPasswords { try admission.ways.require(.code) }
        try rule.require(email)
        let name = try AccountService.validated(name: name)
        if takesPasswords { try await passwords.check(password, for: email) }
        try registration.check(configuration)
        let attempts = limits.attempts(of: .signUp, from: origin.address) + [limits.signUp(emailKey: email.key)]
        try limits.take(attempts)
        let now = clock.now
        var account = Account(
            id: random.newID(at: now), email: email, name: name, passwordChangedAt: now, emailVerifiedAt: now,
            ownerProvedAt: now, createdAt: now, attributes: registration.attributes,
            acceptedTerms: registration.acceptedTerms.map { AcceptedTerms(version: $0, acceptedAt: now) })
        var details = AccountDetails()
        details.preferences.language = language
        do throws(IdentityError) {
            account = try await hooks.admit(account, by: .page, isVerified: true, from: origin)
            if takesPasswords {
                account.passwordHash = try await passwords.hash(password, for: .signUp, from: origin.address)
            }
            try await store.insert(account, details: details)
        } catch {
            // Only accounts count, and refusals of the hook. The reader of the address may learn that it has one.
            if error != .signUpDenied, error != .hookUnavailable { limits.refund(attempts) }
            throw error == .alreadyExists ? error.at("email") : error
        }
        metrics.count(.accountsCreated)
        let proof = SignInProof(
            account: account, grantType: .password, authenticatedAt: now, by: takesPasswords ? .password : .code,
            method: takesPasswords ? nil : "otp")
        return try await admission.admit(proof, code: nil, from: origin)
    }
}
