// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchJOSE

/// The server's keys, read from the store or created at its first start.
struct ServerKeys: Sendable {
    /// The signing keys: the first, newest one signs, all verify.
    let signing: [Key]
    /// The key of the refresh tokens' MACs, combined with the secret of their device.
    let pepper: SymmetricKey

    /// Reads the keys, and creates them at the first start of a store.
    ///
    /// - Throws: `IdentityError.corruptStore` if a key cannot be read, or a store's error. Damaged keys are not replaced:
    ///   that would sign out all users and hide the damage.
    static func load(
        from store: any IdentityStore, configuration: IdentityConfiguration, clock: WallClock, random: RandomSource
    ) async throws(IdentityError) -> ServerKeys {
        // Concurrently, so that a first start creates both with one commit.
        async let signingKeys = signingKeys(in: store, clock: clock)
        async let storedPepper = store.secret(named: "token_pepper", proposing: random.bytes(32))
        let (signing, stored): ([Key], [UInt8])
        do {
            (signing, stored) = try await (signingKeys, storedPepper)
        } catch {
            throw error as? IdentityError ?? .storeUnavailable
        }
        // The configured pepper is mixed with the stored one, so that both are needed.
        let outside = Array((configuration.tokenPepper ?? "").utf8)
        return ServerKeys(
            signing: signing, pepper: SymmetricKey(data: stored).derived(for: "latch pepper", salt: outside))
    }

    /// Returns the stored keys, the newest first; creates one if there is none.
    private static func signingKeys(
        in store: any IdentityStore, clock: WallClock
    ) async throws(IdentityError) -> [Key] {
        var stored = try await store.signingKeys()
        // Another node may start on the same store right now: both sign with the key that the transaction returns.
        if stored.isEmpty { stored = try await store.signingKeys(proposing: try newKey(at: clock)) }
        var keys: [Key] = []
        for key in stored { keys.append(try parsed(key)) }
        return keys
    }

    /// Parses a stored key, which must name its algorithm (RFC 7517 §4.4), so that a file cannot choose a weaker one.
    private static func parsed(_ stored: StoredKey) throws(IdentityError) -> Key {
        guard let jwk = try? JSONValue(parsing: stored.privateJWK).objectValue, let key = try? Key(jwk: jwk) else {
            throw .corruptStore("a signing key cannot be read")
        }
        return key
    }

    /// Returns a new ES256 key: small tokens, fast signatures, supported by every client library.
    ///
    /// - Throws: `IdentityError.signingFailed` if the system provides no randomness or OpenSSL no key.
    private static func newKey(at clock: WallClock) throws(IdentityError) -> StoredKey {
        do throws(JOSEError) {
            let key = try Key.generate(.es256)
            var jwk = try key.jwkWithSecretsForStorage()
            // RFC 7638: two keys cannot have the same thumbprint.
            jwk["kid"] = .string(key.thumbprint)
            return StoredKey(id: key.thumbprint, privateJWK: JSONValue.object(jwk).serialized(), createdAt: clock.now)
        } catch {
            throw .signingFailed
        }
    }
}

extension SymmetricKey {
    /// Returns a key of 32 bytes for one purpose (RFC 5869).
    func derived(for purpose: String, salt: [UInt8] = []) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: self, salt: salt, info: Array(purpose.utf8), outputByteCount: 32)
    }
}
