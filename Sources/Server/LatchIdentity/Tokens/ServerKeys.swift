// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchJOSE
import PortableFoundation

/// The server's keys, read from the store or created at its first start.
struct ServerKeys: Sendable {
    /// The signing keys, the latest to sign first.
    let signing: [SigningKey]
    /// The key of the refresh tokens' MACs, combined with the secret of their device.
    let pepper: SymmetricKey
    /// The key of the audit log's digests.
    let auditKey: [UInt8]
    /// The encryption of the keys in the store.
    let keyring: Keyring

    /// Reads the keys, and creates them at the first start of a store; encrypts those of a store that had no key so far.
    ///
    /// - Throws: `IdentityError.corruptStore` if a key cannot be read, `.storeKeyNeeded` if it is encrypted with a key
    ///   other than `storeKey`, or a store's error. Damaged keys are not replaced: that would sign out all users and
    ///   hide the damage.
    static func load(
        from store: any IdentityStore, configuration: IdentityConfiguration, clock: WallClock, random: RandomSource
    ) async throws(IdentityError) -> ServerKeys {
        let keyring = try Keyring(configuration.storeKey)
        // Before every change that is recorded.
        let proposal = random.bytes(32)
        try await keyring.beginAudit(in: store, proposing: proposal, at: clock.now)
        let isNewlySealed = try await keyring.sealPlainRows(of: store)
        let auditKey = try await keyring.secret(named: auditKeyName, in: store, proposing: proposal)
        try await store.chainAudit(with: auditKey)
        if isNewlySealed { try await store.audit("key.sealed", account: nil, detail: nil, at: clock.now) }
        // Concurrently, so that a first start creates both with one commit.
        async let signingKeys = signingKeys(in: store, keyring, clock: clock)
        async let storedPepper = keyring.secret(named: "token_pepper", in: store, proposing: random.bytes(32))
        let (signing, stored): ([SigningKey], [UInt8])
        do {
            (signing, stored) = try await (signingKeys, storedPepper)
        } catch {
            throw error as? IdentityError ?? .storeUnavailable
        }
        // The configured pepper is mixed with the stored one, so that both are needed.
        let outside = Array((configuration.tokenPepper ?? "").utf8)
        return ServerKeys(
            signing: signing, pepper: SymmetricKey(data: stored).derived(for: "latch pepper", salt: outside),
            auditKey: auditKey, keyring: keyring)
    }

    /// The name of the audit log's key in the store.
    fileprivate static let auditKeyName = "audit_key"

    /// Returns the stored keys; creates one if there is none.
    private static func signingKeys(
        in store: any IdentityStore, _ keyring: Keyring, clock: WallClock
    ) async throws(IdentityError) -> [SigningKey] {
        var stored = try await store.signingKeys()
        // Another node may start on the same store right now: both sign with the key that the transaction returns.
        if stored.isEmpty {
            let now = clock.now
            stored = try await store.signingKeys(proposing: try keyring.newSigningKey(at: now, signsAt: now))
        }
        return try keyring.signingKeys(stored)
    }
}

/// A signing key with the times that determine its use.
struct SigningKey: Sendable {
    let key: Key
    let createdAt: Date
    /// The time from which the key signs; before, it is only published, so that caches have it by then.
    let signsAt: Date
    /// The time at which the last token of the key has expired; nil as long as the key has no successor.
    let endsAt: Date?

    /// The time for which a key is published before it signs: the five minutes for which caches keep the key set, the
    /// seconds until all nodes publish it, and a margin for clocks.
    static let publicationLead: TimeInterval = 600
    /// The longest lifetime of an access token that the configuration permits, with a margin for clocks.
    static let longestToken: TimeInterval = 86_400 + 60
}

/// The encryption of the server's keys and secrets in the store: with a store key, or none.
struct Keyring: Sendable {
    private let storeKey: StoreKey?

    /// Creates a keyring for the setting `store_key`.
    init(_ storeKey: String?) throws(IdentityError) {
        self.storeKey = if let storeKey { try StoreKey(storeKey) } else { nil }
    }

    /// Creates the key of the audit log, and begins its chain, in a store that has none.
    ///
    /// It is as plain as the rows of an earlier store, which are then encrypted together. So among encrypted rows it cannot
    /// be missing: somebody has removed it, to have a forged log chained anew.
    ///
    /// - Throws: `IdentityError.corruptStore` if it was removed.
    func beginAudit(
        in store: any IdentityStore, proposing key: [UInt8], at now: Date
    ) async throws(IdentityError) {
        let secrets = try await store.secrets()
        guard !secrets.contains(where: { $0.name == ServerKeys.auditKeyName }) else { return }
        let seals = try await store.signingKeys().map(\.sealedBy) + secrets.map(\.sealedBy)
        let isLogEmpty = try await store.auditRecords(before: nil, limit: 1).isEmpty
        guard storeKey == nil || (seals.isEmpty ? isLogEmpty : seals.allSatisfy { $0 == nil }) else {
            throw .corruptStore("the key of the audit log is missing")
        }
        let keyring = seals.isEmpty ? self : try Keyring(nil)
        _ = try await store.beginAudit(
            proposing: try keyring.sealed(key, named: ServerKeys.auditKeyName), key: key, at: now)
    }

    /// Encrypts all keys and secrets of a store that has none encrypted so far.
    ///
    /// - Returns: Whether there were any.
    /// - Throws: `IdentityError.corruptStore` if some are encrypted and some are not: an attacker has inserted a key.
    func sealPlainRows(of store: any KeyStore) async throws(IdentityError) -> Bool {
        let (keys, secrets) = (try await store.signingKeys(), try await store.secrets())
        let seals = keys.map(\.sealedBy) + secrets.map(\.sealedBy)
        guard storeKey != nil, seals.contains(nil) else { return false }
        guard seals.allSatisfy({ $0 == nil }) else { throw .corruptStore("a key is not encrypted, and others are") }
        try await reseal(keys, secrets, in: store, from: Keyring(nil))
        return true
    }

    /// Encrypts all keys and secrets, which another keyring has encrypted, with this one.
    func reseal(
        _ keys: [StoredKey], _ secrets: [StoredSecret], in store: any KeyStore, from earlier: Keyring
    ) async throws(IdentityError) {
        var (newKeys, newSecrets): ([StoredKey], [StoredSecret]) = ([], [])
        for key in keys {
            let plain = try earlier.open(key.privateJWK, of: "signing_key \(key.id)", sealedBy: key.sealedBy)
            newKeys.append(
                StoredKey(
                    id: key.id, privateJWK: try seal(plain, of: "signing_key \(key.id)"), createdAt: key.createdAt,
                    signsAt: key.signsAt, sealedBy: storeKey?.id))
        }
        for secret in secrets {
            let plain = try earlier.open(secret.content, of: "secret \(secret.name)", sealedBy: secret.sealedBy)
            newSecrets.append(try sealed(plain, named: secret.name))
        }
        try await store.reseal(newKeys, newSecrets)
    }

    /// Returns a secret; the proposal becomes the secret if there is none.
    func secret(
        named name: String, in store: any KeyStore, proposing proposal: [UInt8]
    ) async throws(IdentityError) -> [UInt8] {
        let stored = try await store.secret(proposing: try sealed(proposal, named: name))
        return try open(stored.content, of: "secret \(name)", sealedBy: stored.sealedBy)
    }

    /// Returns a new ES256 key: small tokens, fast signatures, supported by every client library.
    ///
    /// - Throws: `IdentityError.signingFailed` if the system provides no randomness or OpenSSL no key.
    func newSigningKey(at now: Date, signsAt: Date) throws(IdentityError) -> StoredKey {
        let key: Key
        var jwk: JSONObject
        do throws(JOSEError) {
            key = try Key.generate(.es256)
            jwk = try key.jwkWithSecretsForStorage()
        } catch {
            throw .signingFailed
        }
        // RFC 7638: two keys cannot have the same thumbprint.
        let id = key.thumbprint
        jwk["kid"] = .string(id)
        return StoredKey(
            id: id, privateJWK: try seal(JSONValue.object(jwk).serialized(), of: "signing_key \(id)"), createdAt: now,
            signsAt: signsAt, sealedBy: storeKey?.id)
    }

    /// Decrypts and parses stored keys, the latest to sign first.
    func signingKeys(_ stored: [StoredKey]) throws(IdentityError) -> [SigningKey] {
        var keys: [SigningKey] = []
        for key in stored {
            let endsAt = keys.last?.signsAt.addingTimeInterval(SigningKey.longestToken)
            keys.append(
                SigningKey(key: try parsed(key), createdAt: key.createdAt, signsAt: key.signsAt, endsAt: endsAt))
        }
        return keys
    }

    /// Parses a stored key, which must name its algorithm (RFC 7517 §4.4), so that a file cannot choose a weaker one.
    private func parsed(_ stored: StoredKey) throws(IdentityError) -> Key {
        let plain = try open(stored.privateJWK, of: "signing_key \(stored.id)", sealedBy: stored.sealedBy)
        guard let jwk = try? JSONValue(parsing: plain).objectValue, let key = try? Key(jwk: jwk) else {
            throw .corruptStore("a signing key cannot be read")
        }
        return key
    }

    private func sealed(_ content: [UInt8], named name: String) throws(IdentityError) -> StoredSecret {
        StoredSecret(name: name, content: try seal(content, of: "secret \(name)"), sealedBy: storeKey?.id)
    }

    private func seal(_ content: [UInt8], of row: String) throws(IdentityError) -> [UInt8] {
        guard let storeKey else { return content }
        return try storeKey.seal(content, of: row)
    }

    /// Decrypts a row; a plain one among encrypted ones could be anybody's.
    private func open(_ content: [UInt8], of row: String, sealedBy id: String?) throws(IdentityError) -> [UInt8] {
        guard let id else {
            guard storeKey == nil else { throw .corruptStore("a key is not encrypted") }
            return content
        }
        guard let storeKey, storeKey.id == id else { throw .storeKeyNeeded(id) }
        return try storeKey.open(content, of: row)
    }
}

extension Keyring: Redacted {}

extension SymmetricKey {
    /// Returns a key of 32 bytes for one purpose (RFC 5869).
    func derived(for purpose: String, salt: [UInt8] = []) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self, salt: salt, info: Array(purpose.utf8), outputByteCount: 32)
    }
}
