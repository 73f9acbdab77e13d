// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
package import LatchCrypto
package import LatchFoundation
package import LatchJOSE
import Synchronization

/// A signing key with the times that determine its use.
package struct SigningKey: Sendable {
    package let key: Key
    package let createdAt: Date
    /// The time from which the key signs; before that time it is only published, so that caches already have it.
    package let signsAt: Date
    /// The time at which the key's last token expires; nil while the key has no successor.
    package let endsAt: Date?

    /// The time between the publication of a key and its first signature.
    ///
    /// It covers the five minutes for which caches keep the key set, the seconds until all nodes publish it, and a
    /// margin for clocks.
    package static let publicationLead: TimeInterval = 600
    /// The longest lifetime of an access token that the configuration permits, with a margin for clocks.
    static let longestToken: TimeInterval = 86_400 + 60
}

/// The encryption of the server's keys and secrets in the store, with a store key or without encryption.
package struct Keyring: Sendable {
    private let storeKey: StoreKey?
    /// The ended keys that this server has seen, including those from before a reload.
    package let ended: EndedKeys
    private let cache = ParsedKeys()

    /// Creates a keyring for the setting `store_key`.
    package init(_ storeKey: String?, ended: EndedKeys = EndedKeys()) throws(IdentityError) {
        self.ended = ended
        self.storeKey = if let storeKey { try StoreKey(storeKey) } else { nil }
    }

    /// Checks that unencrypted keys are used only without a store key.
    ///
    /// This does not encrypt them: an attacker who can write the store could have inserted unencrypted keys.
    ///
    /// - Throws: `IdentityError.storeNotEncrypted` if no row is encrypted. `.corruptStore` if only some rows are
    ///   encrypted: an attacker has inserted a key.
    package func checkSeals(of stored: StoredKeys) throws(IdentityError) {
        guard storeKey != nil, stored.seals.contains(nil) else { return }
        guard stored.seals.allSatisfy({ $0 == nil }) else {
            throw .corruptStore("a key is not encrypted, and others are")
        }
        throw .storeNotEncrypted
    }

    /// Creates the key of the audit log and begins its chain, if the store has none.
    ///
    /// If other rows are encrypted, the key cannot be missing: an attacker has removed it, so that a forged log gets a
    /// new chain.
    ///
    /// - Throws: `IdentityError.corruptStore` if it was removed.
    package func beginAudit(
        in store: IdentityStore, with key: [UInt8], at now: Date
    ) async throws(IdentityError) {
        guard try await store.storedKeys().auditKey == nil else { return }
        // Decided in the transaction: another node may be starting on the same store.
        try await store.beginAudit(with: key, at: now) { stored, isLogEmpty throws(IdentityError) in
            guard stored.auditKey == nil else { return nil }
            guard storeKey == nil || (stored.seals.isEmpty && isLogEmpty) else {
                throw .corruptStore("the key of the audit log is missing")
            }
            return try sealed(key, named: StoredKeys.auditKeyName)
        }
    }

    /// Returns the key of the audit log.
    package func auditKey(in store: IdentityStore) async throws(IdentityError) -> [UInt8] {
        try auditKey(of: try await store.storedKeys())
    }

    /// Returns the key of the audit log among the stored keys.
    package func auditKey(of stored: StoredKeys) throws(IdentityError) -> [UInt8] {
        guard let secret = stored.auditKey else { throw .corruptStore("the key of the audit log is missing") }
        return try open(secret)
    }

    /// Mixes the setting `token_pepper` with the stored secret, so that both are needed.
    package static func pepper(_ stored: [UInt8], mixedWith setting: String?) -> SymmetricKey {
        SymmetricKey(data: stored).derived(for: "latch pepper", salt: Array((setting ?? "").utf8))
    }

    /// Checks that the pepper is that of the store's other servers, or replaces theirs.
    ///
    /// With another pepper, each refresh would end its session, and no second factor could be read. The first server
    /// stores a digest of the pepper. A reader of the store can test guesses with it, as with a refresh token that was
    /// issued to the reader.
    ///
    /// - Throws: `IdentityError.anotherPepper`.
    package func check(
        _ pepper: SymmetricKey, in store: IdentityStore, isReplacing: Bool, at now: Date
    ) async throws(IdentityError) {
        let digest = Self.digest(of: pepper)
        let stored = try await secret(named: StoredKeys.pepperDigestName, in: store, proposing: digest)
        guard stored != digest else { return }
        guard isReplacing else { throw .anotherPepper }
        try await store.replacePepper(with: try sealed(digest, named: StoredKeys.pepperDigestName), at: now)
    }

    /// Checks a setting `token_pepper` against the stored keys; a store that no server has used accepts any setting.
    ///
    /// - Throws: `IdentityError.anotherPepper`, or an error of a secret that cannot be read.
    package func check(tokenPepper setting: String?, of stored: StoredKeys) throws(IdentityError) {
        guard let secret = stored.pepper, let digest = stored.pepperDigest else { return }
        let (plain, expected) = (try open(secret), try open(digest))
        func isRight(_ setting: String?) -> Bool {
            expected == Self.digest(of: Self.pepper(plain, mixedWith: setting))
        }
        guard !isRight(setting) else { return }
        guard let setting else { throw .anotherPepper }
        // A variable or a file keeps its final line break; a credential of systemd does not.
        let end = setting.utf8.lastIndex { $0 != 0x0A && $0 != 0x0D }.map { setting.utf8.index(after: $0) }
        let text = String(setting[..<(end ?? setting.startIndex)])
        throw [text, text + "\n", text + "\r\n"].contains(where: isRight) ? .pepperWithLineBreak : .anotherPepper
    }

    private static func digest(of pepper: SymmetricKey) -> [UInt8] {
        pepper.derived(for: "latch pepper digest").withUnsafeBytes { Array($0) }
    }

    /// Returns all keys and secrets of another keyring, encrypted with this one.
    package func resealed(_ stored: StoredKeys, from earlier: Keyring) throws(IdentityError) -> StoredKeys {
        var resealed = StoredKeys(signing: [], secrets: [])
        for key in stored.signing {
            let plain = try earlier.open(key.privateJWK, of: "signing_key \(key.id)", sealedBy: key.sealedBy)
            resealed.signing.append(
                StoredKey(
                    id: key.id, privateJWK: try seal(plain, of: "signing_key \(key.id)"), createdAt: key.createdAt,
                    signsAt: key.signsAt, sealedBy: storeKey?.id))
        }
        for secret in stored.secrets {
            resealed.secrets.append(try sealed(try earlier.open(secret), named: secret.name))
        }
        return resealed
    }

    /// Returns a secret; if there is none, stores and returns the proposal.
    package func secret(
        named name: String, in store: IdentityStore, proposing proposal: [UInt8]
    ) async throws(IdentityError) -> [UInt8] {
        let stored = try await store.secret(proposing: try sealed(proposal, named: name))
        return try open(stored)
    }

    /// Returns a new key; an RSA key has 2,048 bits, and takes a tenth of a second or more.
    ///
    /// - Throws: `IdentityError.signingFailed` if the system provides no randomness or OpenSSL creates no key.
    package func newSigningKey(
        _ algorithm: SignatureAlgorithm = .es256, at now: Date, signsAt: Date
    ) throws(IdentityError) -> StoredKey {
        let key: Key
        var jwk: JSONObject
        do throws(JOSEError) {
            key = try Key.generate(algorithm)
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

    /// Decrypts and parses the stored keys that have not ended, the latest `signsAt` first.
    package func signingKeys(_ stored: StoredKeys) throws(IdentityError) -> [SigningKey] {
        // Each algorithm has keys that follow one another.
        var successors: [SignatureAlgorithm: Date] = [:]
        let known = cache.keys.withLock { $0 }
        var keys: [StoredKey: Key] = [:]
        defer { cache.keys.withLock { [keys] in $0 = keys } }
        return try list(of: stored).present(among: stored.signing).map { stored throws(IdentityError) in
            let key = if let key = known[stored] { key } else { try parsed(stored) }
            keys[stored] = key
            let successor = successors.updateValue(stored.signsAt, forKey: key.algorithm)
            return SigningKey(
                key: key, createdAt: stored.createdAt, signsAt: stored.signsAt,
                endsAt: successor?.addingTimeInterval(SigningKey.longestToken))
        }
    }

    /// Parses a stored key, which must name its algorithm (RFC 7517 §4.4), so that a store cannot choose a weaker one.
    private func parsed(_ stored: StoredKey) throws(IdentityError) -> Key {
        let plain = try open(stored.privateJWK, of: "signing_key \(stored.id)", sealedBy: stored.sealedBy)
        guard let jwk = try? JSONValue(parsing: plain).objectValue, let key = try? Key(jwk: jwk) else {
            throw .corruptStore("a signing key cannot be read")
        }
        return key
    }

    package func open(_ secret: StoredSecret) throws(IdentityError) -> [UInt8] {
        try open(secret.content, of: "secret \(secret.name)", sealedBy: secret.sealedBy)
    }

    package func sealed(_ content: [UInt8], named name: String) throws(IdentityError) -> StoredSecret {
        StoredSecret(name: name, content: try seal(content, of: "secret \(name)"), sealedBy: storeKey?.id)
    }

    private func seal(_ content: [UInt8], of row: String) throws(IdentityError) -> [UInt8] {
        guard let storeKey else { return content }
        return try storeKey.seal(content, of: row)
    }

    /// Decrypts a row; an unencrypted row among encrypted ones may be an attacker's.
    private func open(_ content: [UInt8], of row: String, sealedBy id: String?) throws(IdentityError) -> [UInt8] {
        guard let id else {
            guard storeKey == nil else { throw .corruptStore("a key is not encrypted") }
            return content
        }
        guard let storeKey, storeKey.id == id else { throw .storeKeyNeeded(id) }
        return try storeKey.open(content, of: row)
    }
}

extension Keyring: Redacting {}

/// The keys that were parsed last, by their rows: the check of an RSA key takes 50 ms, and the keys are read every few
/// seconds.
private final class ParsedKeys: Sendable {
    let keys = Mutex<[StoredKey: Key]>([:])
}

extension StoredKeys {
    /// The name of the audit log's key.
    static let auditKeyName = "audit_key"
    /// The name of the secret that is mixed with the setting `token_pepper`.
    package static let pepperName = "token_pepper"
    /// The name of the secret that holds the pepper's digest.
    static let pepperDigestName = "token_pepper_digest"

    /// The secret that is mixed with the setting `token_pepper`.
    package var pepper: StoredSecret? { secrets.first { $0.name == Self.pepperName } }

    /// The digest of the pepper; nil before a server of this version has started.
    var pepperDigest: StoredSecret? { secrets.first { $0.name == Self.pepperDigestName } }

    /// The key of the audit log; nil before the log begins.
    package var auditKey: StoredSecret? { secrets.first { $0.name == Self.auditKeyName } }
}

extension SymmetricKey {
    /// Returns a key of 32 bytes for one purpose (RFC 5869).
    package func derived(for purpose: String, salt: [UInt8] = []) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self, salt: salt, info: Array(purpose.utf8), outputByteCount: 32)
    }
}
