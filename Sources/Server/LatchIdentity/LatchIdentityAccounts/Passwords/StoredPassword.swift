// SPDX-License-Identifier: Apache-2.0

import LatchCrypto

/// The password hash of an account: this server's own, or that of the system from which the account was imported.
enum StoredPassword: Sendable {
    case own(PasswordHash)
    case imported(ImportedPasswordHash)

    /// Parses a stored text; nil if it is malformed or its cost exceeds the bounds (attack D12).
    ///
    /// The bounds do not follow the settings: a lowered setting must not lock out users who signed up before.
    init?(_ text: String) {
        if let own = try? PasswordHash(parsing: text) {
            self = .own(own)
        } else if let imported = ImportedPasswordHash(stored: text) {
            self = .imported(imported)
        } else {
            return nil
        }
    }

    /// Whether the hash belongs to a password.
    func verifies(_ password: String) throws(CryptoError) -> Bool {
        switch self {
        case .own(let hash): try hash.verifies(password)
        case .imported(let hash): try hash.verifies(password)
        }
    }

    /// Whether a login with a password should store a new hash.
    ///
    /// A function that ignores the end of a password has not verified it: a typing error there would become the password.
    func needsRehash(_ parameters: Argon2Parameters, of password: String) -> Bool {
        switch self {
        case .own(let hash): hash.needsRehash(parameters)
        case .imported(let hash): hash.readsAll(of: password)
        }
    }
}
