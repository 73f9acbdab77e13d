// SPDX-License-Identifier: Apache-2.0

import LatchAuth
package import LatchCrypto
import LatchFoundation
package import LatchIdentityStorage

/// A cipher for stored TOTP secrets, with a key derived from the server's pepper.
///
/// Unlike a password, such a secret must be readable to verify a code. If the pepper is configured outside the store, a
/// copy of the store is not enough to create codes.
package struct TOTPSecretCipher: Sendable {
    private let key: SymmetricKey

    package init(pepper: SymmetricKey) { key = pepper.derived(for: "latch second factor") }

    /// Encrypts a secret, bound to the account.
    package func seal(_ secret: [UInt8], of accountID: String) throws(IdentityError) -> [UInt8] {
        let box = try? AES.GCM.seal(secret, using: key, authenticating: Array(accountID.utf8))
        guard let bytes = box?.combined else { throw .factorUnreadable }
        return Array(bytes)
    }

    /// Decrypts a secret.
    ///
    /// - Throws: `IdentityError.factorUnreadable` if the pepper has changed, or the row was manipulated.
    package func open(_ sealed: [UInt8], of accountID: String) throws(IdentityError) -> [UInt8] {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let secret = try? AES.GCM.open(box, using: key, authenticating: Array(accountID.utf8))
        else { throw .factorUnreadable }
        return Array(secret)
    }
}

extension TOTPSecretCipher: Redacting {}
