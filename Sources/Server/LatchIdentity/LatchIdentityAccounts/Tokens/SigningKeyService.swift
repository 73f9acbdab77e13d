// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchFoundation
package import LatchIdentityStorage
package import LatchJOSE

/// The rotation of the signing keys, of each algorithm separately.
///
/// A new key is published first, and signs when every cache has it. The previous key verifies until its last token has
/// expired. Each node reads the keys every fifteen seconds, so that all nodes agree within that time.
package struct SigningKeyService: Sendable {
    /// The time after which a key is replaced.
    package let keyLifetime: Duration
    package let store: IdentityStore
    package let clock: WallClock
    package let dates: DateCheck
    package let keyring: Keyring
    package let accessTokens: AccessTokenIssuer

    package init(
        keyLifetime: Duration, store: IdentityStore, clock: WallClock, dates: DateCheck, keyring: Keyring,
        accessTokens: AccessTokenIssuer
    ) {
        self.keyLifetime = keyLifetime
        self.store = store
        self.clock = clock
        self.dates = dates
        self.keyring = keyring
        self.accessTokens = accessTokens
    }

    /// The maximum time until a running server uses a change of the keys.
    package static let refreshInterval = Duration.seconds(15)

    /// Returns the keys, the latest `signsAt` first.
    package func list() async throws(IdentityError) -> [SigningKeyDescription] {
        let (keys, now) = (try await keys(), clock.now)
        let signers = Self.algorithms(of: keys).compactMap {
            $0 == algorithmOfAccessTokens
                ? AccessTokenIssuer.signerOfAccessTokens($0, among: keys, at: now)?.key.id
                : AccessTokenIssuer.signer($0, among: keys, at: now)?.key.id
        }
        var descriptions: [SigningKeyDescription] = []
        for key in keys {
            let pem: String
            do throws(JOSEError) { pem = try key.key.pem() } catch { throw .signingFailed }
            descriptions.append(
                SigningKeyDescription(
                    id: key.key.id ?? key.key.thumbprint, algorithm: key.key.algorithm,
                    state: signers.contains { $0 == key.key.id }
                        ? .signing : key.signsAt > now ? .published : .verifying,
                    createdAt: key.createdAt, signsAt: key.signsAt, endsAt: key.endsAt, pem: pem))
        }
        return descriptions
    }

    /// The algorithm of access tokens.
    package var algorithmOfAccessTokens: SignatureAlgorithm { accessTokens.algorithm }

    /// The algorithms of the keys in the store.
    package var algorithms: [SignatureAlgorithm] {
        get async throws(IdentityError) { Self.algorithms(of: try await keys()) }
    }

    static func algorithms(of keys: [SigningKey]) -> [SignatureAlgorithm] {
        SignatureAlgorithm.ofSigningKeys.filter { algorithm in keys.contains { $0.key.algorithm == algorithm } }
    }

    /// Adds a key, which signs after ten minutes.
    ///
    /// - Parameters:
    ///   - algorithm: Nil for that of access tokens.
    ///   - newest: The key that the caller takes for the newest; nil for any.
    ///   - isCompromised: Whether the new key signs immediately, and all other keys of the algorithm end. Every access
    ///     token then becomes invalid, and clients refresh.
    ///   - actor: The account of the administrator, for the audit log.
    /// - Returns: The ID of the new key; nil if another node has added one at the same time.
    package func rotate(
        _ algorithm: SignatureAlgorithm? = nil, after known: String? = nil, isCompromised: Bool = false,
        by actor: String? = nil
    ) async throws(IdentityError) -> String? {
        let algorithm = algorithm ?? algorithmOfAccessTokens
        let newest = try await keys().first { $0.key.algorithm == algorithm }
        guard known == nil || known == newest?.key.id else { return nil }
        return try await rotate(algorithm, after: newest, isCompromised: isCompromised, by: actor)
    }

    /// Adds a key after the one that an administrator has seen as the newest of its algorithm, so that a repeated request
    /// adds no second one.
    ///
    /// - Parameters:
    ///   - isCompromised: Whether the new key signs immediately, and all other keys of the algorithm end.
    ///   - actor: The account of the administrator, for the audit log; nil for the operator.
    /// - Returns: The ID of the new key.
    /// - Throws: `IdentityError.keyChanged` if there is a newer key, or a store's error.
    package func rotate(
        afterSeen newest: String, isCompromised: Bool = false, by actor: String?
    ) async throws(IdentityError) -> String {
        guard let seen = try await list().first(where: { $0.id == newest }),
            let id = try await rotate(seen.algorithm, after: newest, isCompromised: isCompromised, by: actor)
        else { throw .keyChanged }
        return id
    }

    /// Makes the first key of an algorithm, which signs immediately: no cache has an earlier one.
    package func require(_ algorithm: SignatureAlgorithm) async throws(IdentityError) {
        guard try await !algorithms.contains(algorithm) else { return }
        let (now, keyring) = (clock.now, keyring)
        let key = try keyring.newSigningKey(algorithm, at: now, signsAt: now)
        _ = try await store.changeSigningKeys(at: now) { stored throws(IdentityError) in
            // Another node may have made one in the meantime.
            let present = try keyring.signingKeys(stored).map(\.key.algorithm)
            guard !present.contains(algorithm) else { return nil }
            return try keyring.change(of: stored, adding: [key])
        }
        try await useKeys()
    }

    private func rotate(
        _ algorithm: SignatureAlgorithm, after newest: SigningKey?, isCompromised: Bool, by actor: String? = nil
    ) async throws(IdentityError) -> String? {
        let now = clock.now
        // Later than every other key of the algorithm, so that it is the one that signs last.
        let next = max(
            now.addingTimeInterval(SigningKey.publicationLead), (newest?.signsAt ?? now).addingTimeInterval(0.001))
        let keyring = keyring
        let key = try keyring.newSigningKey(algorithm, at: now, signsAt: isCompromised ? now : next)
        let changed = try await store.changeSigningKeys(by: actor, at: now) { stored throws(IdentityError) in
            // Another node may have added a key in the meantime.
            let present = try keyring.signingKeys(stored).filter { $0.key.algorithm == algorithm }.map(\.key.id)
            guard present.first == newest?.key.id else { return nil }
            return try keyring.change(
                of: stored, adding: [key], ending: isCompromised ? present.compactMap(\.self) : [],
                recording: "key.revoked")
        }
        guard changed != nil else { return nil }
        try await useKeys()
        return key.id
    }

    /// Encrypts all keys and secrets with another store key, which running servers need at their next start.
    package func reseal(with storeKey: String) async throws(IdentityError) {
        let (next, earlier) = (try Keyring(storeKey), keyring)
        try await store.reseal(recording: "key.resealed", at: clock.now) {
            stored throws(IdentityError) in try next.resealed(stored, from: earlier)
        }
    }

    /// Reads the keys from the store, adds a key where the newest is old enough, and removes the ended keys.
    package func refresh() async throws(IdentityError) {
        let now = clock.now
        var keys = try await useKeys()
        guard dates.isBelieved else { return }
        let age = keyLifetime.inSeconds
        for algorithm in Self.algorithms(of: keys) {
            guard let newest = keys.first(where: { $0.key.algorithm == algorithm }),
                newest.signsAt.addingTimeInterval(age) <= now
            else { continue }
            _ = try await rotate(algorithm, after: newest, isCompromised: false)
            keys = try await useKeys()
        }
        let ended = keys.filter { $0.endsAt.map { $0 <= now } ?? false }.compactMap(\.key.id)
        let keyring = keyring
        let stored = try await store.storedKeys()
        let isDue = try keyring.isListDue(for: stored)
        guard isDue || !ended.isEmpty else { return }
        _ = try await store.changeSigningKeys(at: now) { stored throws(IdentityError) in
            try keyring.change(of: stored, ending: ended)
        }
        try await useKeys()
    }

    /// Reads and uses the stored keys.
    ///
    /// A store without any key is damaged; the server then continues with its current keys.
    @discardableResult
    private func useKeys() async throws(IdentityError) -> [SigningKey] {
        let reading = accessTokens.beginReading()
        let keys = try await keys()
        if !keys.isEmpty { accessTokens.use(keys, of: reading) }
        return keys
    }

    private func keys() async throws(IdentityError) -> [SigningKey] {
        try keyring.signingKeys(try await store.storedKeys())
    }
}

/// A signing key in the form for operators.
package struct SigningKeyDescription: Sendable, Hashable {
    /// The use of a key.
    package enum State: String, Sendable {
        case published, signing, verifying
    }

    package let id: String
    package let algorithm: SignatureAlgorithm
    package let state: State
    package let createdAt: Date
    /// The time from which the key signs.
    package let signsAt: Date
    /// The time until which the key verifies; nil while it has no successor.
    package let endsAt: Date?
    /// The public key as SubjectPublicKeyInfo in PEM.
    package let pem: String
}

extension SignatureAlgorithm {
    /// The algorithms of the server's keys, the one first that clients expect if they say nothing (OpenID Connect
    /// Registration §2).
    package static let ofSigningKeys: [SignatureAlgorithm] = [.rs256, .es256, .eddsa]
}
