// SPDX-License-Identifier: Apache-2.0

import LatchCrypto
import PortableFoundation

/// A cipher for stored TOTP secrets, with a key derived from the server's pepper.
///
/// Unlike a password, such a secret must be readable to verify a code. If the pepper is configured outside the store, a copy
/// of the store alone cannot make codes.
struct TOTPSecretCipher: Sendable {
    private let key: SymmetricKey

    init(pepper: SymmetricKey) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: pepper, salt: [UInt8](), info: Array("latch second factor".utf8), outputByteCount: 32)
    }

    /// Encrypts a secret, bound to the account.
    func seal(_ secret: [UInt8], of accountID: String) throws(IdentityError) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(secret, using: key, authenticating: Array(accountID.utf8))
            guard let bytes = box.combined else { throw IdentityError.factorUnreadable }
            return Array(bytes)
        } catch {
            throw .factorUnreadable
        }
    }

    /// Decrypts a secret.
    ///
    /// - Throws: `IdentityError.factorUnreadable` if the pepper has changed, or the row was manipulated.
    func open(_ sealed: [UInt8], of accountID: String) throws(IdentityError) -> [UInt8] {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            return Array(try AES.GCM.open(box, using: key, authenticating: Array(accountID.utf8)))
        } catch {
            throw .factorUnreadable
        }
    }
}

extension TOTPSecretCipher: Redacted {}
