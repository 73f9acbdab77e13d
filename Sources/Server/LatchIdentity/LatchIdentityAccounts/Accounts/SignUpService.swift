// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage

/// A service for users who sign up on the server's pages or in an app: an address, its code, and then the account.
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
    private let redemption: CodeRedemption

    package init(
        configuration: IdentityConfiguration, store: IdentityStore, clock: WallClock, dates: DateCheck,
        random: RandomSource, passwords: PasswordHasher, limits: RateLimits, codes: MailedCodes,
        metrics: Metrics, hooks: Hooks, admission: SignInAdmission, tokens: TokenService
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
        redemption = CodeRedemption(codes: codes, tokens: tokens)
    }

    /// Whether a new account has a password; without, its owner signs in with mailed codes.
    package var takesPasswords: Bool { admission.ways.permits(.password) }

    /// The time within which a user who has proved an address enters the details.
    private static let lifetimeOfProof: TimeInterval = 1800

    /// Emails a code to an address, or the notice that it has an account.
    ///
    /// Both take the same work, and only the email tells which it is.
    ///
    /// - Parameters:
    ///   - earlier: The challenge whose code is sent again while it can be entered; nil for a new code.
    ///   - language: The language of the email; nil for the server's default language.
    /// - Returns: The ID of the challenge, which ``prove(_:of:sentTo:from:)`` needs.
    /// - Throws: `IdentityError.signInWayOff` on a server with neither passwords nor codes, `.signUpClosed`,
    ///   `.signUpDomain`, `.tooManyAttempts`, `.overloaded` or a store's error.
    package func begin(
        _ email: EmailAddress, by form: CodeForm, again earlier: String?, in language: String?,
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

    /// Creates the account of an address by its mailed code, and signs in the device of an app.
    ///
    /// The code is checked first, so that the response tells nothing about an address to a stranger (attack E2). Only
    /// the session uses it up, so the user can correct the details.
    ///
    /// - Parameter key: The Idempotency-Key of the request; a repetition gets the same session.
    /// - Throws: `IdentityError.invalidMailedCode`, and the errors of ``create(_:provedAt:with:from:preparing:)``.
    package func signUp(
        _ code: String, of challenge: MailedCodeChallenge, with details: SignUpDetails, key: String?,
        from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens {
        try await redemption.session(
            for: code, of: challenge, key: key, from: origin
        ) { now, email, device throws(IdentityError) in
            let tokens = redemption.tokens
            let (proof, plan) = try await create(
                email, provedAt: now, with: details, from: origin
            ) { account throws(IdentityError) in
                try await tokens.plan(for: account, grant: .password)
            }
            return try await tokens.startSession(
                proof, plan, from: origin, as: device.id, inserting: device.insert)
        }
    }

    /// Creates the account of a proved address.
    ///
    /// - Parameters:
    ///   - provedAt: The time of the proof, which a page that is shown again does not prolong.
    ///   - prepare: What the session needs and may fail, so that it comes before the account is stored.
    /// - Returns: The proof of the sign-in that creates it, and what `prepare` returns.
    /// - Throws: `IdentityError.codeEnded` for an old proof; `.alreadyExists` if the address got an account in the
    ///   meantime; `.emailOrUsernameTaken`, `.signUpClosed`, `.signUpDomain`, `.signUpDenied`, `.hookUnavailable`,
    ///   `.weakPassword`, `.invalidInput`, `.termsRequired`, `.tooManyAttempts`, `.overloaded`, `.doubtfulDate`, or a
    ///   store's error.
    package func create<Prepared>(
        _ email: EmailAddress, provedAt: Date, with details: SignUpDetails, from origin: RequestOrigin,
        preparing prepare: (Account) async throws(IdentityError) -> Prepared
    ) async throws(IdentityError) -> (AdmittedProof, Prepared) {
        try dates.require()
        guard (-60..<Self.lifetimeOfProof).contains(clock.now.timeIntervalSince(provedAt)) else { throw .codeEnded }
        if !takesPasswords { try admission.ways.require(.code) }
        try rule.require(email)
        let registration = details.registration
        let name = try AccountService.validated(name: details.name)
        let username = try AccountService.validated(username: details.username, of: email)
        let password = takesPasswords ? details.password : nil
        if let password {
            try await passwords.check(password, for: email)
        } else if !admission.ways.permits(.code) {
            // The owner could not sign in again.
            throw .missing("password")
        }
        try registration.check(configuration)
        let attempts = limits.attempts(of: .signUp, from: origin.address) + [limits.signUp(emailKey: email.key)]
        try limits.take(attempts)
        let now = clock.now
        var account = Account(
            id: random.newID(at: now), email: email, username: username, name: name, passwordChangedAt: now,
            emailVerifiedAt: now, ownerProvedAt: now, createdAt: now, attributes: registration.attributes,
            acceptedTerms: registration.acceptedTerms.map { AcceptedTerms(version: $0, acceptedAt: now) })
        var stored = AccountDetails()
        stored.preferences.language = details.language ?? ""
        let prepared: Prepared
        do throws(IdentityError) {
            account = try await hooks.admit(account, by: details.way, isVerified: true, from: origin)
            prepared = try await prepare(account)
            if let password {
                account.passwordHash = try await passwords.hash(password, for: .signUp, from: origin.address)
            }
            try await store.insert(account, details: stored)
        } catch {
            // Only accounts count, and refusals of the hook. The reader of the address may learn that it has one.
            // A taken user name counts, or names could be tried without a limit.
            let isProbe = username != nil && error == .alreadyExists
            if error != .signUpDenied, error != .hookUnavailable, !isProbe { limits.refund(attempts) }
            guard error == .alreadyExists else { throw error }
            throw username == nil ? error.at("email") : .emailOrUsernameTaken
        }
        metrics.count(.accountsCreated)
        let proof = SignInProof(
            account: account, grantType: .password, authenticatedAt: now, by: password == nil ? .code : .password,
            method: password == nil ? "otp" : nil)
        return (try await admission.admit(proof, code: nil, from: origin), prepared)
    }
}

/// The details of the account of a proved address.
package struct SignUpDetails: Sendable {
    /// The way in which the user signs up, for the hook.
    let way: IdentityHooks.SignUpAttempt.Way
    /// The password; nil for an account whose owner signs in with mailed codes.
    let password: String?
    let name, username: String?
    /// The language of the page or of the app, which later emails to the owner keep; nil for none.
    let language: String?
    let registration: Registration

    package init(
        by way: IdentityHooks.SignUpAttempt.Way, password: String?, name: String?, username: String? = nil,
        language: String?, registration: Registration
    ) {
        (self.way, self.password, self.name, self.username) = (way, password, name, username)
        (self.language, self.registration) = (language, registration)
    }
}

extension SignUpDetails: Redacting {}
