// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage
import LatchJOSE

/// The one-time link with which the operator of a new server becomes its first administrator (decision 0121).
///
/// The token of the link is a date and its MAC under a key of the store. So every node accepts it, and no row waits for
/// it. It works until the date, and only as long as the store has no administrator.
package struct FirstAdministratorService: Sendable {
    package let store: IdentityStore
    package let clock: WallClock
    package let dates: DateCheck
    package let random: RandomSource
    package let passwords: PasswordHasher
    package let limits: RateLimits
    package let metrics: Metrics
    package let admission: SignInAdmission
    private let key: SymmetricKey

    package init(
        store: IdentityStore, clock: WallClock, dates: DateCheck, random: RandomSource, pepper: SymmetricKey,
        passwords: PasswordHasher, limits: RateLimits, metrics: Metrics, admission: SignInAdmission
    ) {
        self.store = store
        self.clock = clock
        self.dates = dates
        self.random = random
        self.passwords = passwords
        self.limits = limits
        self.metrics = metrics
        self.admission = admission
        key = pepper.derived(for: "latch first administrator")
    }

    /// The time in seconds for which a link works.
    package static let lifetime = 86_400

    /// Returns the token of a new link; nil if there is an administrator.
    package func token() async throws(IdentityError) -> String? {
        guard try await !store.hasAdministrator else { return nil }
        return token(until: Int(clock.now.timeIntervalSince1970) + Self.lifetime)
    }

    private func token(until end: Int) -> String {
        let code = key.derived(for: "\(end)").withUnsafeBytes { Base64URL.encode(Array($0)) }
        return "\(end).\(code)"
    }

    /// Checks the token of a link.
    ///
    /// - Throws: `IdentityError.invalidLink` if it is wrong or old, or there is an administrator; or a store's error.
    package func require(_ typed: String) async throws(IdentityError) {
        try dates.require()
        let now = Int(clock.now.timeIntervalSince1970)
        let digits = typed.utf8.prefix { $0 != UInt8(ascii: ".") }
        guard typed.utf8.count < 100, let end = Int(String(Substring(digits))),
            (now...now + Self.lifetime).contains(end),
            constantTimeEquals(Array(token(until: end).utf8), Array(typed.utf8)),
            try await !store.hasAdministrator
        else { throw .invalidLink }
    }

    /// Whether the first administrator chooses a password.
    package var takesPassword: Bool { admission.ways.permits(.password) }

    /// Creates the account of the first administrator, with a confirmed address.
    ///
    /// - Parameter password: The password; not used on a server without passwords.
    /// - Returns: The proof of the sign-in that creates it.
    /// - Throws: The errors of ``require(_:)``; `IdentityError.invalidEmail`, `.weakPassword`, `.invalidInput`,
    ///   `.alreadyExists`, `.tooManyAttempts`, `.overloaded`, or a store's error.
    package func create(
        _ token: String, email: String, password: String, name: String?, from origin: RequestOrigin
    ) async throws(IdentityError) -> AdmittedProof {
        try await require(token)
        let email = try EmailAddress(email)
        let name = try AccountService.validated(name: name)
        if takesPassword { try await passwords.check(password, for: email) }
        try limits.take(limits.attempts(of: .signUp, from: origin.address))
        var hash: String?
        if takesPassword { hash = try await passwords.hash(password, for: .signUp, from: origin.address) }
        let now = clock.now
        let account = Account(
            id: random.newID(at: now), email: email, name: name, passwordHash: hash, passwordChangedAt: now,
            emailVerifiedAt: now, roles: Role.superAdmin.words, ownerProvedAt: now, createdAt: now)
        guard try await store.insert(firstAdministrator: account) else { throw .invalidLink }
        metrics.count(.accountsCreated)
        return try await admission.admit(
            // The operator's link is the proof, also on a server without passwords.
            SignInProof(account: account, grantType: .password, authenticatedAt: now, by: nil), code: nil, from: origin)
    }
}
