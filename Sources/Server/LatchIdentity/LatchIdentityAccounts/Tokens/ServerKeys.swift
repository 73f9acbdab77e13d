// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage

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
        async let signingKeys = signingKeys(in: store, keyring, clock: clock)
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

    /// Returns the stored keys; if there are none, creates a key and the list of the keys.
    private static func signingKeys(
        in store: IdentityStore, _ keyring: Keyring, clock: WallClock
    ) async throws(IdentityError) -> [SigningKey] {
        let (stored, now) = (try await store.storedKeys(), clock.now)
        let isDue = try keyring.isListDue(for: stored)
        guard isDue || stored.signing.isEmpty else { return try keyring.signingKeys(stored) }
        var ended: [String] = []
        if stored.signingKeyList == nil {
            // The store has an earlier version, or its list was removed: the audit log has the ended keys.
            for event in ["key.revoked", "key.ended", "key.refused"] {
                var query = AuditQuery(limit: 10_000)
                query.event = event
                ended += try await store.auditRecords(query).compactMap(\.detail)
            }
        }
        // Another node may be starting on the same store: both sign with the key that the transaction returns.
        let changed = try await store.changeSigningKeys(at: now) { [ended] stored throws(IdentityError) in
            let present = try keyring.list(of: stored).present(among: stored.signing)
            let isEmpty = present.allSatisfy { ended.contains($0.id) }
            let first = isEmpty ? try keyring.newSigningKey(at: now, signsAt: now) : nil
            return try keyring.change(of: stored, ended: ended, to: first)
        }
        return try keyring.signingKeys(changed ?? stored)
    }
}
