// SPDX-License-Identifier: Apache-2.0

package import LatchAuth
package import LatchCore
import LatchFoundation
package import LatchIdentityStorage

/// A service that signs users in by a password.
package struct SignInService: Sendable {
    package let store: IdentityStore
    package let clock: WallClock
    package let passwords: PasswordHasher
    package let admission: SignInAdmission
    package let limits: RateLimits
    package let metrics: Metrics
    package let tokens: TokenService
    /// The import of users who sign in for the first time.
    package let imports: FirstSignInImport

    package init(
        store: IdentityStore, clock: WallClock, passwords: PasswordHasher, admission: SignInAdmission,
        limits: RateLimits, metrics: Metrics, tokens: TokenService, imports: FirstSignInImport
    ) {
        self.store = store
        self.clock = clock
        self.passwords = passwords
        self.admission = admission
        self.limits = limits
        self.metrics = metrics
        self.tokens = tokens
        self.imports = imports
    }

    // MARK: Surfaces

    /// Signs in a new device by a password, and by a code if the account has a second factor.
    ///
    /// - Parameters:
    ///   - name: The email address or the user name.
    ///   - code: A code of the second factor, or a recovery code.
    ///   - client: The requesting client; nil for the server's own.
    ///   - requested: The requested scopes; nil for the default ones.
    ///   - conditions: What the request adds to the conditions of the grant.
    /// - Throws: `IdentityError.invalidCredentials`, the same for every cause; `.tooManyAttempts`, `.overloaded`; or a
    ///   store's error. After the right password: `.accountSuspended`, `.accountClosed`, `.addressUnverified`,
    ///   `.invalidScope`, `.secondFactorRequired`, `.invalidCode`.
    package func signIn(
        name: String, password: String, code: String? = nil, from origin: RequestOrigin, by client: OAuthClient? = nil,
        requesting requested: Scopes? = nil, on conditions: TokenConditions = TokenConditions()
    ) async throws(IdentityError) -> IssuedTokens {
        guard client?.accepts(.password) ?? true else { throw .unauthorizedClient }
        let proof = try await checkPassword(password, of: name, from: origin)
        return try await counting(proof, from: origin) { () throws(IdentityError) in
            try admission.require(proof.account)
            let scopes = try tokens.granted(requested, to: proof.account, by: client)
            let (admitted, plan) = try await admission.admit(
                proof, code: code, from: origin
            ) { () throws(IdentityError) in
                try await tokens.plan(
                    for: proof.account, grant: proof.grantType, by: client, scopes: scopes, on: conditions)
            }
            return try await tokens.startSession(admitted, plan, from: origin)
        }
    }

    /// Signs in the device on which an account was just created, whose password is thus known.
    ///
    /// - Returns: Nil if the server requires a verified address first.
    package func signIn(
        registered account: Account, from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens? {
        guard admission.refusal(of: account) != .addressUnverified else { return nil }
        let proof = SignInProof(account: account, grantType: .password, authenticatedAt: clock.now, by: .password)
        let admitted = try await admission.admit(proof, code: nil, from: origin)
        let plan = try await tokens.plan(for: account, grant: proof.grantType)
        return try await tokens.startSession(admitted, plan, from: origin)
    }

    /// Signs in a new device by a password, or returns a challenge for the second factor.
    ///
    /// - Parameter isRemembered: Whether the session lasts for more than a day.
    /// - Throws: The errors of ``signIn(name:password:code:from:by:requesting:on:)``.
    package func beginSignIn(
        name: String, password: String, isRemembered: Bool, from origin: RequestOrigin
    ) async throws(IdentityError) -> SignInResult<IssuedTokens> {
        let proof = try await checkPassword(password, of: name, from: origin)
        return try await counting(proof, from: origin, isComplete: \.isSuccess) { () throws(IdentityError) in
            try admission.require(proof.account)
            let scopes = try tokens.granted(nil, to: proof.account, by: nil)
            let begun = try await admission.admitOrChallenge(
                proof, on: .app, scopes: scopes.text, isRemembered: isRemembered)
            switch begun {
            case .challenged(let text, let challenge): return .challenged(text: text, challenge)
            case .success(let admitted):
                let plan = try await tokens.plan(for: admitted.account, grant: admitted.grantType, scopes: scopes)
                return .success(
                    try await tokens.startSession(admitted, plan, from: origin, isRemembered: isRemembered))
            }
        }
    }

    /// Signs in the device of a challenge, by a code of the second factor.
    ///
    /// - Throws: `IdentityError.invalidToken` if the challenge has ended, `.invalidCode`, `.tooManyAttempts`, or a
    ///   store's error.
    package func finishSignIn(
        challenge text: String, code: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens {
        let (proof, (plan, isRemembered)) = try await admission.answerChallenge(
            challenge: text, on: .app, code: code, grantType: .password, by: .password, from: origin
        ) { account, challenge throws(IdentityError) in
            let scopes = tokens.allowed(Scopes(parsing: challenge.scope), to: account)
            return (
                try await tokens.plan(for: account, grant: .password, scopes: scopes), challenge.isRemembered
            )
        }
        return try await tokens.startSession(proof, plan, from: origin, isRemembered: isRemembered)
    }

    /// Checks the password that a user enters on a page.
    ///
    /// Returns the proof, or a challenge for the second factor.
    ///
    /// - Throws: `IdentityError.invalidCredentials`, `.tooManyAttempts`, `.overloaded`, or a store's error.
    package func beginOnPage(
        name: String, password: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> SignInResult<AdmittedProof> {
        let proof = try await checkPassword(password, of: name, from: origin)
        return try await counting(proof, from: origin, isComplete: \.isSuccess) { () throws(IdentityError) in
            try await admission.admitOrChallenge(proof, on: .page)
        }
    }

    /// Checks a code of the second factor that a user enters on a page, and returns the proof of both.
    ///
    /// - Parameter way: The way of the first factor; nil if the page of an earlier version does not know it.
    /// - Throws: `IdentityError.loginEnded` if the challenge has ended, `.invalidCode`, `.tooManyAttempts`, or a
    ///   store's error.
    package func finishOnPage(
        challenge text: String, code: String, by way: SignInWay?, from origin: RequestOrigin
    ) async throws(IdentityError) -> AdmittedProof {
        try await admission.answerChallenge(
            challenge: text, on: .page, code: code, grantType: .password, by: way, from: origin
        ) { _, _ in }.0
    }

    /// Authenticates the user of a session again, and updates the session's authentication time (RFC 9470).
    ///
    /// - Parameter code: A code of the second factor, or a recovery code.
    /// - Throws: `IdentityError.forbidden` for another client's token, and the errors of
    ///   ``signIn(name:password:code:from:by:requesting:on:)``.
    package func reauthenticate(
        _ session: AuthenticatedSession, password: String, code: String?, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try session.requireFirstParty()
        let name = try session.account.requireAddress().key
        let proof = try await checkPassword(password, of: name, from: origin, for: .reauthentication)
        try await counting(proof, for: .reauthentication, from: origin) { () throws(IdentityError) in
            let admitted = try await admission.admit(proof, code: code, from: origin)
            let isDone = try await store.authenticate(
                device: session.device.id, of: admitted.account, factorAt: admitted.factorAt, at: clock.now)
            guard isDone else { throw .invalidCredentials }
        }
    }

    /// Checks the password of a user who is signed in, or who reads the email of the account's address, verified or
    /// not.
    ///
    /// Guesses count like those of a sign-in.
    ///
    /// - Throws: The errors of ``signIn(name:password:code:from:by:requesting:on:)``.
    package func confirmPassword(
        _ password: String, of account: Account, from origin: RequestOrigin, for purpose: Purpose
    ) async throws(IdentityError) -> Account {
        let name = try account.requireAddress().key
        let proof = try await checkPassword(password, of: name, from: origin, for: purpose)
        return try await counting(proof, for: purpose, from: origin) { () throws(IdentityError) in
            if let closure = proof.account.closure { throw closure }
            return proof.account
        }
    }

    /// Ends the wait for an account's names after its owner has set the password by a mailed link.
    ///
    /// The limits of the network stay, and so do the limits of the account's names in other networks.
    func forgetFailures(of account: Account, from address: String) {
        for name in account.loginKeys {
            limits.forget(limits.loginByName(name, address: address))
        }
    }

    // MARK: Passwords

    /// The purpose of a password check, for the audit log.
    package enum Purpose: String {
        case login, reauthentication, passwordChange, addressProof
    }

    /// Checks a password within the limits, and refunds the attempt if it is right.
    ///
    /// A wrong one is recorded. Without passwords none is checked, so a response reveals nothing about one.
    private func checkPassword(
        _ password: String, of name: String, from origin: RequestOrigin, for purpose: Purpose = .login
    ) async throws(IdentityError) -> SignInProof {
        try admission.ways.require(.password)
        try PasswordPolicy.checkLength(password)
        let key = name.trimmingSpace().lowercased()
        let found = try await store.account(named: key)
        let attempts = try await attempts(on: key, of: found, from: origin.address)
        let account: Account
        do throws(IdentityError) {
            account = try await authenticate(
                found, password, named: key, typed: String(name.trimmingSpace()), from: origin.address, for: purpose)
        } catch {
            // Only a wrong password counts as a guess.
            if error == .invalidCredentials {
                count("failure")
                let isUsable = found?.passwordHash.map(passwords.isUsable) ?? true
                // The write is the same for unknown names. The typed name is not recorded, since it may be a password.
                try await store.audit(
                    "\(purpose.rawValue).failed", account: found?.id,
                    detail: "\(isUsable ? "" : "unusable hash, ")from \(origin.address)".sanitized(200), at: clock.now)
            } else if error != .hookUnavailable {
                // Without the other system, names that it may know are guessed within the same limits.
                limits.refund(attempts)
            }
            throw error
        }
        limits.refund(attempts)
        return SignInProof(account: account, grantType: .password, authenticatedAt: clock.now, by: .password)
    }

    /// Counts the result of the steps after the right password, such as a missing second factor, and records that the
    /// account's state refuses it.
    ///
    /// - Parameter isComplete: Returns whether nothing is missing; by default nothing is.
    func counting<Result>(
        _ proof: SignInProof, for purpose: Purpose = .login, from origin: RequestOrigin,
        isComplete: (Result) -> Bool = { _ in true }, _ body: () async throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        do throws(IdentityError) {
            let result = try await body()
            count(isComplete(result) ? "success" : "incomplete")
            return result
        } catch {
            count("incomplete")
            if [.accountSuspended, .accountClosed, .addressUnverified].contains(error) {
                try await store.audit(
                    "\(purpose.rawValue).refused", account: proof.account.id,
                    detail: "\(error.code) from \(origin.address)".sanitized(200), at: clock.now)
            }
            throw error
        }
    }

    /// Takes one attempt from every limit that applies to a name, whether an account has it or not.
    ///
    /// - Throws: `IdentityError.tooManyAttempts`, or a store's error.
    private func attempts(
        on key: String, of account: Account?, from address: String
    ) async throws(IdentityError) -> [AttemptLimiter.Attempt] {
        let now = clock.now
        let all = limits.login(name: key, address: address)
        guard var rejection = limits.rejection(taking: all) else { return all }
        if limits.isShared(rejection),
            try await store.isSignedIn(emailKey: account?.email?.key ?? key, from: address, at: now)
        {
            let known = limits.loginFromKnownAddress(name: key, address: address)
            guard let other = limits.rejection(taking: known) else { return known }
            rejection = other
        }
        count("limited")
        throw .tooManyAttempts(rejection)
    }

    /// Returns the account if the password is right.
    ///
    /// Error and response time are the same for an unknown address, a wrong password, a deleted account and a missing
    /// password (OWASP ASVS 5.0 §6.3.8). The reason why an account is closed is shown only after the right password.
    private func authenticate(
        _ found: Account?, _ password: String, named name: String, typed login: String, from address: String,
        for purpose: Purpose
    ) async throws(IdentityError) -> Account {
        // The work is the same in every case. Without a hash, the password is checked against a decoy, which costs as
        // much as a stored hash.
        let decoy = passwords.decoy(for: name, among: try await store.passwordCosts())
        let matches = try await passwords.verify(
            password, against: found?.passwordHash, or: decoy, from: address)
        guard matches, let account = found, account.status != .deleted, let hash = account.passwordHash else {
            // The system that users are moving from is asked last, so that it decides about no password of this server.
            if purpose == .login,
                let account = try await imports.account(
                    named: name, typed: login, found, password: password, from: address)
            {
                return account
            }
            throw .invalidCredentials
        }
        // The hash of a closed account stays as it is.
        if account.closure == nil, let upgraded = try await passwords.upgrade(hash, of: password, from: address) {
            try await store.upgradePasswordHash(of: account.id, from: hash, to: upgraded)
        }
        return account
    }

    private func count(_ result: String) { metrics.count(.logins, result) }
}

extension SignInResult {
    var isSuccess: Bool { if case .success = self { true } else { false } }
}
