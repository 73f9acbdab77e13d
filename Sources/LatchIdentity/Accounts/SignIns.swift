// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchAuth
import LatchCore
import LatchCrypto
import LatchJOSE

/// What can be done with devices: sign one in, renew its tokens, sign it out, and ask who a token speaks for.
struct SignIns: Sendable {
    /// The tokens of a device, as they are given to it.
    struct Grant: Sendable {
        /// A JWT after RFC 9068, good for `lifetime`.
        let accessToken: String
        /// Good for one use, and for the same use again within the replay window.
        let refreshToken: String
        /// That of the access token; the refresh token lives as long as its device.
        let lifetime: Duration
        /// Whose tokens they are.
        let accountID: String
        /// What the access token may do, which can be less than was asked for.
        let scopes: Scopes
    }

    /// Where a request comes from, as far as the server knows.
    struct Origin: Sendable {
        /// The peer of the connection; what a request claims in X-Forwarded-For is not believed.
        let address: String
        /// As it was sent, for the list of devices; at most 200 characters of it are kept.
        let userAgent: String?
    }

    let parts: IdentityParts

    /// Signs in a new device.
    ///
    /// - Parameters:
    ///   - name: The e-mail address or the username.
    ///   - app: Who asks; nil for the server's own.
    ///   - asked: The scopes that are wanted; nil where the request names none.
    /// - Throws: `IdentityError.invalidCredentials`, the same for every cause; `.tooManyAttempts`, `.overloaded`; and
    ///   `.invalidScope`, which only somebody gets to know who has the password.
    func signIn(
        name: String, password: String, from origin: Origin, by app: RegisteredApp? = nil, asking asked: Scopes? = nil
    ) async throws(IdentityError) -> Grant {
        try PasswordRules.checkLength(password)
        let key = name.trimmingSpace().lowercased()
        let found = try await account(named: key)
        // Both names of an account use up the same attempts.
        let attempts = try await attempts(on: found?.email.key ?? key, from: origin.address)
        do throws(IdentityError) {
            let account = try await authenticate(found, password)
            let scopes = try parts.scopes.granted(asked, to: account, by: app ?? parts.apps.firstParty)
            let grant = try await open(account, from: origin, by: app, scopes: scopes)
            parts.limiter.giveBack(attempts)
            count(.success)
            return grant
        } catch {
            // Only a wrong password is an attempt at guessing one.
            if error.code == IdentityError.invalidCredentials.code {
                count(.failure)
            } else {
                parts.limiter.giveBack(attempts)
            }
            throw error
        }
    }

    /// No username holds an `@`, so that one look finds who is meant.
    private func account(named key: String) async throws(IdentityError) -> Account? {
        guard key.utf8.contains(UInt8(ascii: "@")) else { return try await parts.store.account(usernameKey: key) }
        return try await parts.store.account(emailKey: key)
    }

    /// Takes one attempt from every limit that applies.
    ///
    /// - Throws: `IdentityError.tooManyAttempts`, or a store's error.
    private func attempts(
        on key: String, from address: String
    ) async throws(IdentityError) -> [AttemptLimiter.Attempt] {
        let now = parts.clock.now
        let all = parts.limits.login(emailKey: key, address: address)
        guard var refusal = parts.limiter.take(all, at: now) else { return all }
        if parts.limits.isOfAccount(refusal),
            try await parts.store.isSignedIn(emailKey: key, from: address, at: now)
        {
            let known = parts.limits.loginFromKnownPlace(emailKey: key, address: address)
            guard let other = parts.limiter.take(known, at: now) else { return known }
            refusal = other
        }
        count(.limited)
        throw .tooManyAttempts(refusal)
    }

    /// The account, if the password is its own and it may log in.
    ///
    /// What the caller can see of a failure, its error and its time, is the same for an address without an account, a
    /// wrong password, a disabled account and one without a password (OWASP ASVS 5.0 §6.3.8).
    private func authenticate(_ found: Account?, _ password: String) async throws(IdentityError) -> Account {
        let isOpen = found.map(mayLogIn) ?? false
        // The same work for everybody: who is not there, is disabled or has no password is checked against a decoy.
        let verdict = try await parts.passwords.check(password, against: isOpen ? found?.passwordHash : nil)
        guard verdict.matches, let account = found, let hash = account.passwordHash else { throw .invalidCredentials }
        if let better = verdict.better {
            try await parts.store.upgradePasswordHash(of: account.id, from: hash, to: better)
        }
        return account
    }

    /// An account that may not log in is treated like one that is not there, before its hash is looked at: otherwise a
    /// right password would show that there is something to see.
    private func mayLogIn(_ account: Account) -> Bool {
        account.status == .active
            && (account.emailVerifiedAt != nil || !parts.configuration.requireVerifiedEmail)
    }

    /// Makes the device and its first tokens.
    ///
    /// The token is signed before the row is written: a server that cannot sign leaves no device behind that nobody can
    /// use. The store keeps the row only if the password is still the one that was checked, for a reset may have come
    /// in between.
    private func open(
        _ account: Account, from origin: Origin, by app: RegisteredApp?, scopes: Scopes
    ) async throws(IdentityError) -> Grant {
        let now = parts.clock.now
        let appID = app?.id == parts.apps.firstParty.id ? nil : app?.id
        let device = Device(
            id: parts.random.bytes(16), accountID: account.id, appID: appID, scope: scopes.text,
            secret: parts.random.bytes(32), createdAt: now,
            lastUsedAt: now, expiresAt: now.addingTimeInterval(parts.configuration.refreshTokenLifetime.inSeconds),
            userAgent: origin.userAgent.map { String($0.unicodeScalars.prefix(200)) }, address: origin.address)
        let access = try parts.accessTokens.issue(to: account, on: device, scopes: scopes)
        guard try await parts.store.insert(device, for: account) else { throw .invalidCredentials }
        parts.metrics.count("latch_tokens_issued_total", ["grant": "password"])
        return grant(access, device, counter: 0, scopes: scopes)
    }

    /// The answer for one generation of a device.
    ///
    /// The refresh token is computed and not stored, so that a repeat of the same generation has the same text.
    func grant(_ access: String, _ device: Device, counter: UInt32, scopes: Scopes) -> Grant {
        Grant(
            accessToken: access, refreshToken: RefreshToken(of: device, counter: counter, pepper: parts.pepper).text,
            lifetime: parts.accessTokens.lifetime, accountID: device.accountID, scopes: scopes)
    }

    /// How an attempt ended, as the metric `latch_logins_total` counts it.
    private enum Result: String {
        case success, failure, limited
    }

    /// Three values and no name of a person: a label that came from a request would be memory for whoever sends them.
    private func count(_ result: Result) {
        parts.metrics.count("latch_logins_total", ["result": result.rawValue])
    }
}
