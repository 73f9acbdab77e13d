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

    private static func signingKeys(
        in store: any IdentityStore, clock: WallClock
    ) async throws(IdentityError) -> [Key] {
        var keys: [Key] = []
        for stored in try await store.signingKeys() { keys.append(try key(stored)) }
        return keys.isEmpty ? [try await makeKey(in: store, clock: clock)] : keys
    }

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

    private static func makeKey(
        in store: any IdentityStore, clock: WallClock
    ) async throws(IdentityError) -> Key {
        let id: String
        let key: Key
        let jwk: JSONObject
        do throws(JOSEError) {
            // RFC 7638: the thumbprint is a name that two servers cannot give to two keys.
            id = try Key.generate(.es256).thumbprint
            key = try Key.generate(.es256, id: id)
            jwk = try key.jwkWithSecretsForStorage()
        } catch {
            throw .signingFailed
        }
        try await store.insert(
            StoredKey(id: id, privateJWK: JSONValue.object(jwk).serialized(), createdAt: clock.now))
        return key
    }
}

extension IdentityError {
    static let unusableKey = IdentityError.corruptStore("a signing key cannot be read")
}
