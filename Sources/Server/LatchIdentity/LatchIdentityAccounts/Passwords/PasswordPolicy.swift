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
        let parts = email.key.utf8.split(separator: UInt8(ascii: "@")).map { String(Substring($0)) }
        let site = parts.last.map { String(Substring($0.utf8.prefix { $0 != UInt8(ascii: ".") })) }
        let names = [parts.first, site].compactMap(\.self)
        guard password.lowercased() != email.key, !CommonPassword.matches(password, knowing: names) else {
            throw .weakPassword("it is among the first that others would try", pageKey: "commonPassword")
        }
    }

    /// Checks the length of a password before it is hashed, also at a login.
    static func checkLength(_ password: String) throws(IdentityError) {
        guard password.utf8.count <= maximumByteCount else {
            throw .weakPassword("it has more than \(maximumByteCount) bytes", pageKey: "longPassword")
        }
    }
}
