// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
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
        /// The device whose tokens they are, as its row was before they were made.
        let device: Device
    }

    /// Where a request comes from, as far as the server knows.
    struct Origin: Sendable {
        /// The peer of the connection; what a request claims in X-Forwarded-For is not believed.
        let address: String
        /// As it was sent, for the list of devices; at most 200 characters of it are kept.
        let userAgent: String?
        /// What the app calls the device it runs on, for the same list and with the same bound.
        var deviceName: String?
    }

    /// How a login goes on whose password was right.
    enum Step: Sendable {
        case signedIn(Grant)
        /// The account has a second factor: the challenge is good for proving it, and for nothing else.
        case challenged(text: String, SignInChallenge)
    }

    let parts: IdentityParts

    /// Signs in a new device.
    ///
    /// - Parameters:
    ///   - name: The e-mail address or the username.
    ///   - code: A code of the second factor, or a recovery code.
    ///   - app: Who asks; nil for the server's own.
    ///   - asked: The scopes that are wanted; nil where the request names none.
    /// - Throws: `IdentityError.invalidCredentials`, the same for every cause; `.tooManyAttempts`, `.overloaded`; and
    ///   `.invalidScope`, `.secondFactorRequired` and `.invalidCode`, which only somebody gets to know who has the
    ///   password.
    func signIn(
        name: String, password: String, code: String? = nil, from origin: Origin, by app: RegisteredApp? = nil,
        asking asked: Scopes? = nil
    ) async throws(IdentityError) -> Grant {
        try await checking(name, password, from: origin) { account throws(IdentityError) in
            let scopes = try parts.scopes.granted(asked, to: account, by: app ?? parts.apps.firstParty)
            var factorAt: Date?
            if try await parts.store.secondFactor(of: account.id, isConfirmed: true) != nil {
                guard let code else { throw .secondFactorRequired }
                try await prove(code, of: account.id, from: origin)
                factorAt = parts.clock.now
            }
            return try await open(account, from: origin, by: app, scopes: scopes, factorAt: factorAt)
        }
    }

    /// The same in two steps: where a second factor is needed, the answer is a challenge and no device.
    ///
    /// - Parameter isRemembered: Whether the device stays signed in beyond a day.
    /// - Throws: As ``signIn(name:password:code:from:by:asking:)``.
    func begin(
        name: String, password: String, isRemembered: Bool, from origin: Origin
    ) async throws(IdentityError) -> Step {
        try await checking(name, password, from: origin) { account throws(IdentityError) in
            let scopes = try parts.scopes.granted(nil, to: account, by: parts.apps.firstParty)
            guard try await parts.store.secondFactor(of: account.id, isConfirmed: true) == nil else {
                return try await challenge(account, scopes: scopes, isRemembered: isRemembered)
            }
            return .signedIn(
                try await open(account, from: origin, by: nil, scopes: scopes, isRemembered: isRemembered))
        }
    }

    /// Checks a password within the limits, and gives back what they took where it is right.
    private func checking<Result>(
        _ name: String, _ password: String, from origin: Origin,
        then goOn: (Account) async throws(IdentityError) -> Result
    ) async throws(IdentityError) -> Result {
        try PasswordRules.checkLength(password)
        let key = name.trimmingSpace().lowercased()
        let found = try await account(named: key)
        // Both names of an account use up the same attempts.
        let attempts = try await attempts(on: found?.email.key ?? key, from: origin.address)
        do throws(IdentityError) {
            let result = try await goOn(try await authenticate(found, password))
            parts.limiter.giveBack(attempts)
            count(.success)
            return result
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

    /// Whether the password is that of this account, for what needs more than an access token; guesses count as a login's.
    ///
    /// - Throws: As ``signIn(name:password:code:from:by:asking:)``.
    func check(_ password: String, of account: Account, from origin: Origin) async throws(IdentityError) -> Account {
        try await checking(account.email.key, password, from: origin) { $0 }
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
    func open(
        _ account: Account, from origin: Origin, by app: RegisteredApp?, scopes: Scopes, isRemembered: Bool = true,
        factorAt: Date? = nil
    ) async throws(IdentityError) -> Grant {
        let now = parts.clock.now
        let appID = app?.id == parts.apps.firstParty.id ? nil : app?.id
        let longest = parts.configuration.refreshTokenLifetime.inSeconds
        let device = Device(
            id: parts.random.bytes(16), accountID: account.id, appID: appID, scope: scopes.text,
            secret: parts.random.bytes(32), createdAt: now, lastUsedAt: now,
            expiresAt: now.addingTimeInterval(isRemembered ? longest : min(longest, 86_400)),
            userAgent: Self.kept(origin.userAgent), address: origin.address, name: Self.kept(origin.deviceName),
            factorAt: factorAt)
        let access = try parts.accessTokens.issue(to: account, on: device, scopes: scopes)
        guard try await parts.store.insert(device, for: account) else { throw .invalidCredentials }
        parts.metrics.count("latch_tokens_issued_total", ["grant": "password"])
        return grant(access, device, counter: 0, scopes: scopes)
    }

    /// What a client says about itself, bounded, and without what a list or a terminal would obey.
    private static func kept(_ text: String?) -> String? {
        guard let text, !text.isEmpty else { return nil }
        let plain = text.unicodeScalars.prefix(200).filter { $0.properties.generalCategory != .control }
        return String(String.UnicodeScalarView(plain))
    }

    /// The answer for one generation of a device.
    ///
    /// The refresh token is computed and not stored, so that a repeat of the same generation has the same text.
    func grant(_ access: String, _ device: Device, counter: UInt32, scopes: Scopes) -> Grant {
        Grant(
            accessToken: access, refreshToken: RefreshToken(of: device, counter: counter, pepper: parts.pepper).text,
            lifetime: parts.accessTokens.lifetime, accountID: device.accountID, scopes: scopes, device: device)
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
