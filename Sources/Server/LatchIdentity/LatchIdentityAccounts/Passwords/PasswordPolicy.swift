// SPDX-License-Identifier: Apache-2.0

package import LatchIdentityStorage

/// The requirements of new passwords (NIST SP 800-63B-4 §3.1.1.2).
///
/// A password has a minimum length and must not be a common one. Rules of composition do not apply.
package enum PasswordPolicy {
    /// The minimum length in Unicode scalars (NIST SP 800-63B-4 §3.1.1.2 counts code points).
    package static let minimumLength = 8
    /// The maximum length in bytes, which bounds the cost of a hash; NIST requires at least 64 characters.
    static let maximumByteCount = 1024

    /// Checks a new password against length, address and common passwords.
    ///
    /// - Throws: `IdentityError.weakPassword` with the reason.
    package static func check(_ password: String, for email: EmailAddress) throws(IdentityError) {
        guard password.unicodeScalars.count >= minimumLength else {
            throw .weakPassword("it has fewer than \(minimumLength) characters", pageKey: "shortPassword")
        }
        try checkLength(password)
        let folded = password.lowercased()
        guard folded != email.key, !common.contains(folded), Set(folded.unicodeScalars).count > 1 else {
            throw .weakPassword("it is among the first that others would try", pageKey: "commonPassword")
        }
    }

    /// Checks the length of a password before it is hashed, also at a login.
    static func checkLength(_ password: String) throws(IdentityError) {
        guard password.utf8.count <= maximumByteCount else {
            throw .weakPassword("it has more than \(maximumByteCount) bytes", pageKey: "longPassword")
        }
    }

    /// The most common passwords of eight characters or more, in lower case.
    ///
    /// A short list is enough: the limit on guesses allows an attacker few more than the first ten.
    private static let common: Set<String> = [
        "password", "passwort", "password1", "password123", "12345678", "123456789", "1234567890", "87654321",
        "qwertyui", "qwertyuiop", "qwerty123", "1q2w3e4r", "1qaz2wsx", "iloveyou", "princess", "sunshine", "football",
        "baseball", "superman", "trustno1", "letmein1", "welcome1", "abcd1234", "abcdefgh", "11223344", "changeme",
        "computer", "whatever", "starwars", "dragon123", "monkey123", "admin123", "administrator", "p@ssw0rd",
        "passw0rd",
    ]
}
