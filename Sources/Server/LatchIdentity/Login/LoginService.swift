// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchJOSE
import PortableFoundation

/// The result of a login with the right password.
enum LoginResult: Sendable {
    case signedIn(IssuedTokens)
    /// The account has a second factor: the challenge is valid for proving it, and for nothing else.
    case challenged(text: String, LoginChallenge)
}

/// A service that verifies passwords and second factors, and signs in devices.
struct LoginService: Sendable {
    let dependencies: Dependencies

    private var tokens: TokenService { dependencies.tokens }
    var secondFactors: SecondFactorService { dependencies.secondFactors }

    /// Verifies the credentials and signs in a new device.
    ///
    /// - Parameters:
    ///   - name: The e-mail address or the username.
    ///   - code: A code of the second factor, or a recovery code.
    ///   - client: The requesting client; nil for the server's own.
    ///   - requested: The requested scopes; nil for the default ones.
    /// - Throws: `IdentityError.invalidCredentials`, the same for every cause; `.tooManyAttempts`, `.overloaded`; and
    ///   `.accountSuspended`, `.accountClosed`, `.addressUnverified`, `.invalidScope`, `.secondFactorRequired` and
    ///   `.invalidCode`, all of which require the right password.
    func login(
        name: String, password: String, code: String? = nil, from origin: RequestOrigin, by client: OAuthClient? = nil,
        requesting requested: Scopes? = nil
    ) async throws(IdentityError) -> IssuedTokens {
        try await verifying(name, password, from: origin) { account throws(IdentityError) in
            let scopes = try dependencies.scopes.granted(
                requested, to: account, by: client ?? dependencies.clients.firstParty)
            let factorAt = try await proveFactor(of: account, code, from: origin)
            return try await tokens.startSession(
                for: account, from: origin, by: client, grantType: .password, scopes: scopes, factorAt: factorAt)
        }
    }

    // MARK: Two steps

    /// The time for which a login may wait for its second factor.
    static let challengeLifetime: TimeInterval = 300
    /// The prefix that distinguishes a challenge from tokens, so that no token route accepts it (attack F4).
    private static let challengePrefix = "lc1."

    /// Verifies the password; signs in a new device, or returns a challenge for the second factor.
    ///
    /// - Parameter isRemembered: Whether the session outlives a day.
    /// - Throws: The errors of ``login(name:password:code:from:by:requesting:)``.
    func begin(
        name: String, password: String, isRemembered: Bool, from origin: RequestOrigin
    ) async throws(IdentityError) -> LoginResult {
        try await verifying(name, password, from: origin) { account throws(IdentityError) in
            let scopes = try dependencies.scopes.granted(nil, to: account, by: dependencies.clients.firstParty)
            guard try await !secondFactors.isConfirmed(of: account.id) else {
                return try await challenge(account, scopes: scopes, isRemembered: isRemembered)
            }
            return .signedIn(
                try await tokens.startSession(
                    for: account, from: origin, grantType: .password, scopes: scopes, isRemembered: isRemembered))
        }
    }

    /// Returns whether the text has the form of a challenge.
    static func isChallenge(_ text: String) -> Bool { text.utf8.starts(with: challengePrefix.utf8) }

    /// Signs in the device of a challenge, by a code of the second factor.
    ///
    /// - Throws: `IdentityError.invalidToken` if the challenge has ended, `.invalidCode`, `.tooManyAttempts`, or a
    ///   store's error.
    func complete(
        challenge text: String, code: String, from origin: RequestOrigin
    ) async throws(IdentityError) -> IssuedTokens {
        let now = dependencies.now
        guard Self.isChallenge(text), text.utf8.count < 100,
            let challenge = try await dependencies.store.challenge(text.digest, at: now),
            let account = try await dependencies.store.account(id: challenge.accountID), account.status == .active,
            // A password reset in the meantime ends the challenge.
            account.passwordChangedAt == challenge.passwordChangedAt
        else { throw .invalidToken }
        try await secondFactors.verify(
            code, of: account.id, for: .login(challenge: challenge.digest), from: origin)
        let scopes = dependencies.scopes.allowed(
            Scopes(parsing: challenge.scope), to: account, by: dependencies.clients.firstParty)
        return try await tokens.startSession(
            for: account, from: origin, grantType: .password, scopes: scopes, isRemembered: challenge.isRemembered,
            factorAt: now)
    }

    /// Stores that the password was right, and returns the challenge.
    private func challenge(
        _ account: Account, scopes: Scopes, isRemembered: Bool
    ) async throws(IdentityError) -> LoginResult {
        let text = Self.challengePrefix + Base64URL.encode(dependencies.random.bytes(32))
        let now = dependencies.now
        let challenge = LoginChallenge(
            digest: text.digest, accountID: account.id, passwordChangedAt: account.passwordChangedAt,
            scope: scopes.text, isRemembered: isRemembered, createdAt: now,
            expiresAt: now.addingTimeInterval(Self.challengeLifetime))
        guard try await dependencies.store.insert(challenge, for: account) else { throw .invalidCredentials }
        return .challenged(text: text, challenge)
    }

    // MARK: Passwords

    /// The purpose of a password, in the audit log.
    enum Purpose: String {
        case login, reauthentication, passwordChange, addressProof
    }

    /// Authenticates the user of a session again, and makes that the session's time of authentication (RFC 9470).
    ///
    /// - Parameter code: A code of the second factor, or a recovery code.
    /// - Throws: `IdentityError.forbidden` for another client's token, and the errors of
    ///   ``login(name:password:code:from:by:requesting:)``.
    func reauthenticate(
        _ session: AuthenticatedSession, password: String, code: String?, from origin: RequestOrigin
    ) async throws(IdentityError) {
        try session.requireFirstParty()
        try await verifying(session.account.email.key, password, from: origin, recording: .reauthentication) {
            account throws(IdentityError) in
            let factorAt = try await proveFactor(of: account, code, from: origin)
            let isDone = try await dependencies.store.authenticate(
                device: session.device.id, of: account, factorAt: factorAt, at: dependencies.now)
            guard isDone else { throw .invalidCredentials }
        }
    }

    /// Verifies and uses up a code if the account has a second factor, and returns the time; nil if it has none.
    func proveFactor(
        of account: Account, _ code: String?, from origin: RequestOrigin
    ) async throws(IdentityError) -> Date? {
        guard try await secondFactors.isConfirmed(of: account.id) else { return nil }
        guard let code else { throw .secondFactorRequired }
        try await secondFactors.verify(code, of: account.id, for: .login(challenge: nil), from: origin)
        return dependencies.now
    }

    /// Verifies the password of a user who is signed in or reads the mails of the account's address, verified or not;
    /// guesses count as those of a login do.
    ///
    /// - Throws: The errors of ``login(name:password:code:from:by:requesting:)``.
    func verify(
        _ password: String, of account: Account, from origin: RequestOrigin, for purpose: Purpose
    ) async throws(IdentityError) -> Account {
        try await verifying(
            account.email.key, password, from: origin, recording: purpose, requiresVerifiedEmail: false
        ) { $0 }
    }

    /// Verifies a password within the limits, and refunds the attempt if it is right; a wrong one is recorded.
    func verifying<Result>(
        _ name: String, _ password: String, from origin: RequestOrigin, recording purpose: Purpose = .login,
        requiresVerifiedEmail: Bool? = nil,
        then proceed: (Account) async throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try PasswordPolicy.checkLength(password)
        let key = name.trimmingSpace().lowercased()
        let found = try await account(named: key)
        let attempts = try await attempts(on: key, of: found, from: origin.address)
        let account: Account
        do throws(IdentityError) {
            let isStrict = requiresVerifiedEmail ?? dependencies.configuration.requireVerifiedEmail
            account = try await authenticate(
                found, password, named: key, from: origin.address, requiresVerifiedEmail: isStrict)
        } catch {
            // Only a wrong password is an attempt at guessing one.
            if error == .invalidCredentials {
                count("failure")
                let isUsable = found?.passwordHash.map(dependencies.passwords.isUsable) ?? true
                // The same write for unknown names; what was typed as one may be a password, and is not recorded.
                try await dependencies.store.audit(
                    "\(purpose.rawValue).failed", account: found?.id,
                    detail: "\(isUsable ? "" : "unusable hash, ")from \(origin.address)".sanitized(200),
                    at: dependencies.now)
            } else {
                dependencies.limiter.refund(attempts)
                try await note(error, for: purpose, of: found, from: origin.address)
            }
            throw error
        }
        dependencies.limiter.refund(attempts)
        do throws(IdentityError) {
            let result = try await proceed(account)
            count("success")
            return result
        } catch {
            // A second factor is missing, for example; the password was right.
            count("incomplete")
            throw error
        }
    }

    /// Records that an account was closed to its right password.
    private func note(
        _ error: IdentityError, for purpose: Purpose, of account: Account?, from address: String
    ) async throws(IdentityError) {
        guard [.accountSuspended, .accountClosed, .addressUnverified].contains(error) else { return }
        count("incomplete")
        try await dependencies.store.audit(
            "\(purpose.rawValue).refused", account: account?.id,
            detail: "\(error.code) from \(address)".sanitized(200), at: dependencies.now)
    }

    /// Returns the account of an address or a username; a username holds no `@`.
    private func account(named key: String) async throws(IdentityError) -> Account? {
        key.utf8.contains(UInt8(ascii: "@"))
            ? try await dependencies.store.account(emailKey: key)
            : try await dependencies.store.account(usernameKey: key)
    }

    /// Takes one attempt from every limit that applies to a name, whether an account has it or not.
    ///
    /// - Throws: `IdentityError.tooManyAttempts`, or a store's error.
    private func attempts(
        on key: String, of account: Account?, from address: String
    ) async throws(IdentityError) -> [AttemptLimiter.Attempt] {
        let now = dependencies.now
        let all = dependencies.limits.login(name: key, address: address)
        guard var rejection = dependencies.limiter.take(all, at: now) else { return all }
        if dependencies.limits.isShared(rejection),
            try await dependencies.store.isSignedIn(emailKey: account?.email.key ?? key, from: address, at: now)
        {
            let known = dependencies.limits.loginFromKnownAddress(name: key, address: address)
            guard let other = dependencies.limiter.take(known, at: now) else { return known }
            rejection = other
        }
        count("limited")
        throw .tooManyAttempts(rejection)
    }

    /// Ends the wait for an account's names after its owner has set the password by a mailed link.
    ///
    /// The limits of the network stay, and so do those of the account's names in other networks.
    func forgetFailures(of account: Account, from address: String) {
        for name in [account.email.key, account.username?.key].compactMap(\.self) {
            dependencies.limiter.forget(dependencies.limits.loginByName(name, address: address))
        }
    }

    /// Returns the account if the password is right and the account may log in.
    ///
    /// Error and response time of a failure are the same for an unknown address, a wrong password, a deleted account
    /// and an account without a password (OWASP ASVS 5.0 §6.3.8). Why an account is closed to its owner shows only after the
    /// right password.
    private func authenticate(
        _ found: Account?, _ password: String, named name: String, from address: String, requiresVerifiedEmail: Bool
    ) async throws(IdentityError) -> Account {
        // The same work in every case: without a hash, the password is checked against a decoy that costs as much as one
        // of the stored hashes.
        let decoy = dependencies.passwords.decoy(for: name, among: try await dependencies.store.passwordCosts())
        let matches = try await dependencies.passwords.verify(
            password, against: found?.passwordHash, or: decoy, from: address)
        guard matches, let account = found, account.status != .deleted, let hash = account.passwordHash else {
            throw .invalidCredentials
        }
        if let closure = account.closure { throw closure }
        guard account.emailVerifiedAt != nil || !requiresVerifiedEmail else { throw .addressUnverified }
        if let upgraded = try await dependencies.passwords.upgrade(hash, of: password, from: address) {
            try await dependencies.store.upgradePasswordHash(of: account.id, from: hash, to: upgraded)
        }
        return account
    }

    private func count(_ result: String) { dependencies.metrics.count(.logins, result) }
}
