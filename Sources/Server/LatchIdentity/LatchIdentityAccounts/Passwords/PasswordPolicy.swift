// SPDX-License-Identifier: Apache-2.0

import LatchCrypto
package import LatchIdentityStorage

/// The requirements of new passwords (NIST SP 800-63B-4 §3.1.1.2).
///
/// A password has a minimum length and must not be a common one. Rules of composition do not apply.
package enum PasswordPolicy {
    /// The maximum length in bytes, which bounds the cost of a hash; NIST requires at least 64 characters.
    static let maximumByteCount = 1024

    /// Checks a new password against length, address and common passwords.
    ///
    /// - Throws: `IdentityError.weakPassword` with the reason.
    package static func check(_ password: String, for email: EmailAddress) throws(IdentityError) {
        try checkLength(password)
        switch PasswordAdvice(on: password, of: email.key) {
        case .short:
            let minimum = PasswordAdvice.minimumLength
            throw .weakPassword("it has fewer than \(minimum) characters", pageKey: "shortPassword")
        case .common:
            throw .weakPassword("it is among the first that others would try", pageKey: "commonPassword")
        case .accepted: break
        }
    }

    /// Checks the length of a password before it is hashed, also at a login.
    static func checkLength(_ password: String) throws(IdentityError) {
        guard password.utf8.count <= maximumByteCount else {
            throw .weakPassword("it has more than \(maximumByteCount) bytes", pageKey: "longPassword")
        }
    }
}
