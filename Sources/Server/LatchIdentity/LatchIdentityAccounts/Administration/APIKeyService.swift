// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchCrypto
package import LatchFoundation
package import LatchIdentityStorage
import LatchJOSE

/// API keys, with which programs call the routes of the administration.
///
/// A key acts for an administrator, with the scopes that it was made for. It ends at its date, and with the rights of
/// the account. The store has only its digest.
package struct APIKeyService: Sendable {
    /// The lifetimes in seconds that an administrator may choose: from a minute to two years.
    package static let lifetimes = 60...63_072_000
    /// The lifetime in seconds of a key whose administrator chooses none: ninety days.
    package static let lifetime = 7_776_000
    /// The greatest number of keys of one account.
    package static let maximumCount = 100
    /// The start of each key, by which scanners for leaked secrets can recognize it.
    private static let prefix = "ak1."
    /// The seconds between two updates of the last use.
    private static let useInterval = 300.0

    package let store: IdentityStore
    package let clock: WallClock
    package let random: RandomSource
    package let mails: MailQueue
    package let limits: RateLimits

    package init(
        store: IdentityStore, clock: WallClock, random: RandomSource, mails: MailQueue, limits: RateLimits
    ) {
        (self.store, self.clock, self.random, self.mails, self.limits) = (store, clock, random, mails, limits)
    }

    /// Makes a key for an administrator, who gets an email.
    ///
    /// - Parameters:
    ///   - name: What the key is for.
    ///   - lifetime: In seconds.
    ///   - account: The administrator whom the key acts for.
    ///   - actor: The administrator who makes it, who has proved a second factor or a passkey; nil for the operator.
    ///   - cause: The request, for the email.
    /// - Returns: The key, which is shown once, and its row.
    /// - Throws: `IdentityError.invalidInput`, which names the member, also for a scope above the account's role;
    ///   `.administrationNeedsFactor`, `.forbidden`, `.tooManyAPIKeys`, or a store's error.
    package func make(
        _ name: String, scopes: [String], lifetime: Int, for account: Account, by actor: AccountActor?,
        causedBy cause: MailCause
    ) async throws(IdentityError) -> (text: String, key: APIKey) {
        let name = String(name.trimmingSpace())
        guard (1...100).contains(name.utf8.count), name.isPlain else {
            throw .invalid("name", "must have 1 to 100 bytes, without control characters")
        }
        var chosen = Set<AdministrationScope>()
        for word in scopes {
            guard let scope = AdministrationScope(rawValue: word) else {
                let known = AdministrationScope.allCases.map(\.rawValue).joined(separator: ", ")
                throw .invalid("scopes", "must be some of \(known)")
            }
            chosen.insert(scope)
        }
        guard !chosen.isEmpty else { throw .missing("scopes") }
        guard Self.lifetimes.contains(lifetime) else {
            throw .invalid(
                "lifetime", "is not a number from \(Self.lifetimes.lowerBound) to \(Self.lifetimes.upperBound)")
        }
        let role = chosen.map(\.minimumRole).max() ?? .admin
        guard account.isAdministrator else { throw .forbidden }
        guard account.role >= role else { throw .invalid("scopes", "need the role \(role.name)") }
        let (text, now) = (Self.prefix + Base64URL.encode(random.bytes(32)), clock.now)
        let words = AdministrationScope.allCases.filter(chosen.contains).map(\.rawValue)
        let key = APIKey(
            digest: text.digest, accountID: account.id, name: name, scope: words.joined(separator: " "),
            createdAt: now, expiresAt: now.addingTimeInterval(Double(lifetime)))
        try await store.insert(key, for: role, by: actor, causedBy: cause, limit: Self.maximumCount)
        mails.wake()
        return (text, key)
    }

    /// Returns the keys that have not ended, the newest first.
    ///
    /// - Parameters:
    ///   - administrator: The administrator who asks: a super administrator sees the keys of all, and others see their
    ///     own; nil for the operator.
    ///   - position: The date and the first bytes of the digest of the key after which to begin; nil for the newest.
    package func list(
        for administrator: Account? = nil, after position: (date: Date, digest: [UInt8])? = nil, limit: Int = 1000
    ) async throws(IdentityError) -> [APIKey] {
        let owner = administrator.flatMap { $0.role == .superAdmin ? nil : $0.id }
        return try await store.apiKeys(of: owner, after: position, limit: limit, at: clock.now)
    }

    /// Removes a key by its ID.
    ///
    /// - Throws: `IdentityError.noSuchAPIKey`, the errors of the check of `actor`, or a store's error.
    package func remove(_ id: String, by actor: AccountActor?) async throws(IdentityError) {
        guard let start = Hex.decode(id, count: APIKey.idBytes),
            try await store.remove(apiKey: start, by: actor, at: clock.now)
        else { throw .noSuchAPIKey }
    }

    /// Whether a credential is a key, valid or not.
    package static func isKey(_ text: String) -> Bool { text.utf8.starts(with: prefix.utf8) }

    /// Returns the administrator whom a key acts for.
    ///
    /// The requests of a key count together, from whatever network they come: a key that many machines have, or that was
    /// stolen, takes no more of the server than one program does.
    ///
    /// - Throws: `IdentityError.invalidAPIKey`, `.tooManyAttempts`, `.insufficientScope`, or a store's error.
    package func administrator(
        presenting text: String, for scope: AdministrationScope
    ) async throws(IdentityError) -> Administrator {
        let now = clock.now
        guard let key = try await store.apiKey(digest: text.digest), now < key.expiresAt,
            let account = try await store.account(id: key.accountID), account.isAdministrator
        else { throw .invalidAPIKey }
        try limits.take([limits.apiKey(key.id)])
        let isPermitted = key.scope.utf8.split(separator: UInt8(ascii: " ")).contains {
            $0.elementsEqual(scope.rawValue.utf8)
        }
        guard isPermitted, account.role >= scope.minimumRole else { throw .scopeMissing(scope.rawValue) }
        do throws(IdentityError) {
            try await store.note(useOf: key, at: now, ifBefore: now.addingTimeInterval(-Self.useInterval))
        } catch {
            // The store has reported it. A read must not fail for its note.
        }
        return Administrator(account, with: key)
    }
}
