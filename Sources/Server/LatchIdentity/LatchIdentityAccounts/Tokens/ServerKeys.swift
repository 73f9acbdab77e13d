// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage
import LatchJOSE

/// The server's keys, read from the store or created at its first start.
package struct ServerKeys: Sendable {
    /// The signing keys, the latest `signsAt` first.
    package let signing: [SigningKey]
    /// The root key, from which other keys are derived.
    ///
    /// These are the keys of refresh tokens, TOTP secrets, mailed links, list cursors and decoy hashes.
    package let pepper: SymmetricKey
    /// The key of the audit log's digests.
    package let auditKey: [UInt8]
    /// The encryption of the keys in the store.
    package let keyring: Keyring

    /// Reads the keys, and creates them at the first start of a store.
    ///
    /// Damaged keys are not replaced: that would sign out all users and hide the damage.
    ///
    /// - Parameter isServer: Whether to store the digest of the pepper if the store has none. The operator's command
    ///   may have no pepper, so it only compares, unless it replaces the pepper.
    /// - Throws: `IdentityError.corruptStore` if a key cannot be read. `.storeKeyNeeded` if it is encrypted with a key
    ///   other than `storeKey`. `.anotherPepper` if the store's servers have another pepper. Otherwise an error of the
    ///   store.
    package static func load(
        from store: IdentityStore, configuration: IdentityConfiguration, isServer: Bool = true, clock: WallClock,
        random: RandomSource, ended: EndedKeys = EndedKeys()
    ) async throws(IdentityError) -> ServerKeys {
        let keyring = try Keyring(configuration.storeKey, ended: ended)
        try keyring.checkSeals(of: try await store.storedKeys())
        // The chain must begin before the first audited change.
        try await keyring.beginAudit(in: store, with: random.bytes(32), at: clock.now)
        let auditKey = try await keyring.auditKey(in: store)
        try await store.chainAudit(with: auditKey)
        // Concurrently, so that a first start creates both with one commit.
        let algorithms = isServer ? try OAuthClients(configuration).idTokenAlgorithms(of: configuration) : []
        async let signingKeys = signingKeys(
            in: store, keyring, algorithms: Set(algorithms),
            ofAccessTokens: isServer ? configuration.accessTokenAlgorithm : nil, clock: clock)
        async let storedPepper = keyring.secret(named: StoredKeys.pepperName, in: store, proposing: random.bytes(32))
        let (signing, stored): ([SigningKey], [UInt8])
        do {
            (signing, stored) = try await (signingKeys, storedPepper)
        } catch {
            throw error as? IdentityError ?? .storeUnavailable
        }
        let pepper = Keyring.pepper(stored, mixedWith: configuration.tokenPepper)
        if isServer || configuration.acceptsAnotherPepper {
            do throws(IdentityError) {
                try await keyring.check(
                    pepper, in: store, isReplacing: configuration.acceptsAnotherPepper, at: clock.now)
            } catch {
                // This check may find a more precise reason.
                try keyring.check(tokenPepper: configuration.tokenPepper, of: try await store.storedKeys())
                throw error
            }
        } else {
            try keyring.check(tokenPepper: configuration.tokenPepper, of: try await store.storedKeys())
        }
        return ServerKeys(signing: signing, pepper: pepper, auditKey: auditKey, keyring: keyring)
    }

    /// Returns the stored keys; creates the list of the keys, and a key of each algorithm that has none.
    ///
    /// The first key of an algorithm signs immediately, since its clients expect no earlier one. One for access tokens
    /// is published first if other keys have signed them, which nodes and resource servers have in their caches.
    private static func signingKeys(
        in store: IdentityStore, _ keyring: Keyring, algorithms: Set<SignatureAlgorithm>,
        ofAccessTokens accessTokens: SignatureAlgorithm?, clock: WallClock
    ) async throws(IdentityError) -> [SigningKey] {
        let (stored, now) = (try await store.storedKeys(), clock.now)
        let keys = try keyring.signingKeys(stored)
        // An operator's command may not have the settings of the server.
        let accessTokens = accessTokens ?? (keys.isEmpty ? IdentityConfiguration().accessTokenAlgorithm : nil)
        let algorithms = algorithms.union([accessTokens].compactMap(\.self))
        let isDue = try keyring.isListDue(for: stored)
        guard isDue || !algorithms.isSubset(of: keys.map(\.key.algorithm)) else { return keys }
        var ended: [String] = []
        if stored.signingKeyList == nil {
            // The store has an earlier version, or its list was removed: the audit log has the ended keys.
            for event in ["key.revoked", "key.ended", "key.refused"] {
                var query = AuditQuery(limit: 10_000)
                query.event = event
                ended += try await store.auditRecords(query).compactMap(\.detail)
            }
        }
        // Made before the transaction, which must be short.
        var proposals: [SignatureAlgorithm: StoredKey] = [:]
        let present = keys.filter { !ended.contains($0.key.id ?? "") }.map(\.key.algorithm)
        for algorithm in algorithms.subtracting(present) {
            let isAwaited = algorithm == accessTokens && !present.isEmpty
            proposals[algorithm] = try keyring.newSigningKey(
                algorithm, at: now, signsAt: isAwaited ? now.addingTimeInterval(SigningKey.publicationLead) : now)
        }
        // Another node may be starting on the same store: both sign with the keys that the transaction returns.
        let changed = try await store.changeSigningKeys(at: now) { [ended, proposals] stored throws(IdentityError) in
            let present = Set(
                try keyring.signingKeys(stored).filter { !ended.contains($0.key.id ?? "") }.map(\.key.algorithm))
            let added = proposals.filter { !present.contains($0.key) }.map(\.value)
            return try keyring.change(of: stored, ended: ended, adding: added)
        }
        return try keyring.signingKeys(changed ?? stored)
    }
}
