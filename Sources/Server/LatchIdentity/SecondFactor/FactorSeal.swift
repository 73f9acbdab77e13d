// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCrypto

/// Encrypts the secrets of authenticator apps in the store, under a key made from the server's pepper.
///
/// Unlike a password, such a secret must be read again to check a code. Where the pepper has a part outside of the store, a
/// copy of the store makes no codes.
struct FactorSeal: Sendable {
    private let key: SymmetricKey

    init(pepper: SymmetricKey) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: pepper, salt: [UInt8](), info: Array("latch second factor".utf8), outputByteCount: 32)
    }

    /// The secret as the store keeps it; it opens for this account alone.
    func seal(_ secret: [UInt8], of accountID: String) throws(IdentityError) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(secret, using: key, authenticating: Array(accountID.utf8))
            guard let bytes = box.combined else { throw IdentityError.factorUnreadable }
            return Array(bytes)
        } catch {
            throw .factorUnreadable
        }
    }

    /// The secret again.
    ///
    /// - Throws: `IdentityError.factorUnreadable` where the pepper is another one than then, or the row was changed.
    func open(_ sealed: [UInt8], of accountID: String) throws(IdentityError) -> [UInt8] {
        do {
            let box = try AES.GCM.SealedBox(combined: sealed)
            return Array(try AES.GCM.open(box, using: key, authenticating: Array(accountID.utf8)))
        } catch {
            throw .factorUnreadable
        }
    }
}

extension FactorSeal: CustomStringConvertible, CustomReflectable {
    var description: String { "FactorSeal(redacted)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}
