// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchCrypto
import LatchJOSE

/// The server's own secrets, read from the store or made at the first start.
struct ServerKeys: Sendable {
    /// The newest signs, all verify.
    let signing: [Key]
    /// What refresh tokens are authenticated with, beside the secret of their device.
    let pepper: SymmetricKey

    /// Reads the keys, and makes them at the first start of a store.
    ///
    /// - Throws: `IdentityError.corruptStore` where a key cannot be read, or a store's error. Damaged keys are not
    ///   replaced: that would sign everybody out and hide the damage.
    static func load(
        from store: any IdentityStore, configuration: IdentityConfiguration, clock: WallClock, random: RandomSource
    ) async throws(IdentityError) -> ServerKeys {
        // Both at once, so that a first start makes them with one commit.
        async let making = signingKeys(in: store, clock: clock)
        async let keeping = store.secret(named: "token_pepper", proposing: random.bytes(32))
        let (signing, kept): ([Key], [UInt8])
        do {
            (signing, kept) = try await (making, keeping)
        } catch {
            throw error as? IdentityError ?? .storeUnavailable
        }
        // A pepper from outside of the store is mixed with the one inside, so that both are needed.
        let outside = Array((configuration.tokenPepper ?? "").utf8)
        let pepper = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: kept), salt: outside, info: Array("latch pepper".utf8),
            outputByteCount: 32)
        return ServerKeys(signing: signing, pepper: pepper)
    }

    /// The keys as the store has them, the newest first; a new one where there is none.
    private static func signingKeys(
        in store: any IdentityStore, clock: WallClock
    ) async throws(IdentityError) -> [Key] {
        var stored = try await store.signingKeys()
        // Another server may start on the same store right now: what the transaction answers is what both sign with.
        if stored.isEmpty { stored = try await store.signingKeys(proposing: try newKey(at: clock)) }
        var keys: [Key] = []
        for one in stored { keys.append(try key(one)) }
        return keys
    }

    /// A stored key, which must carry its algorithm (RFC 7517 §4.4), so that a file cannot choose a weaker one.
    private static func key(_ stored: StoredKey) throws(IdentityError) -> Key {
        do {
            guard let jwk = try JSONValue(parsing: stored.privateJWK).objectValue else {
                throw IdentityError.unusableKey
            }
            return try Key(jwk: jwk)
        } catch {
            throw .unusableKey
        }
    }

    /// An ES256 key: small tokens, fast signatures, understood by every client library.
    ///
    /// - Throws: `IdentityError.signingFailed` where the system gives no randomness or OpenSSL no key.
    private static func newKey(at clock: WallClock) throws(IdentityError) -> StoredKey {
        do throws(JOSEError) {
            let key = try Key.generate(.es256)
            var jwk = try key.jwkWithSecretsForStorage()
            // RFC 7638: the thumbprint is a name that two servers cannot give to two keys.
            jwk["kid"] = .string(key.thumbprint)
            return StoredKey(
                id: key.thumbprint, privateJWK: JSONValue.object(jwk).serialized(), createdAt: clock.now)
        } catch {
            throw .signingFailed
        }
    }
}

extension IdentityError {
    /// A key row that is no JWK, or whose halves do not fit together.
    static let unusableKey = IdentityError.corruptStore("a signing key cannot be read")
}
