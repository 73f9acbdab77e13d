// SPDX-License-Identifier: Apache-2.0

/// What a new password must be (NIST SP 800-63B-4 §3.1.1.2): long enough, not among the first that anybody tries, and
/// nothing about which characters it is made of.
enum PasswordRules {
    /// In Unicode scalars (NIST SP 800-63B-4 §3.1.1.2 counts code points).
    static let minimumLength = 8
    /// 64 characters must be accepted; the bound in bytes only keeps the cost of one hash the same for all.
    static let maximumByteCount = 1024

    /// NIST SP 800-63B-4 §3.1.1.2: no rules of composition, since they make passwords worse; a list of those that are
    /// tried first, and nothing that stands in the account itself.
    ///
    /// - Throws: `IdentityError.weakPassword`, with the reason and without the password.
    static func check(_ password: String, for email: EmailAddress) throws(IdentityError) {
        guard password.unicodeScalars.count >= minimumLength else {
            throw .weakPassword("it has fewer than \(minimumLength) characters")
        }
        try checkLength(password)
        let folded = password.lowercased()
        guard folded != email.key, !common.contains(folded), Set(folded.unicodeScalars).count > 1 else {
            throw .weakPassword("it is among the first that others would try")
        }
    }

    /// What is checked before any hashing, also of a password that somebody logs in with.
    static func checkLength(_ password: String) throws(IdentityError) {
        guard password.utf8.count <= maximumByteCount else {
            throw .weakPassword("it has more than \(maximumByteCount) bytes")
        }
    }

    /// The most frequent ones of eight characters or more, in lower case.
    ///
    /// A list of millions would be better and would be a file; a limit on guesses makes the first ten the ones that
    /// matter.
    private static let common: Set<String> = [
        "password", "passwort", "password1", "password123", "12345678", "123456789", "1234567890", "87654321",
        "qwertyui", "qwertyuiop", "qwerty123", "1q2w3e4r", "1qaz2wsx", "iloveyou", "princess", "sunshine", "football",
        "baseball", "superman", "trustno1", "letmein1", "welcome1", "abcd1234", "abcdefgh", "11223344", "changeme",
        "computer", "whatever", "starwars", "dragon123", "monkey123", "admin123", "administrator", "p@ssw0rd",
        "passw0rd",
    ]
}

extension IdentityError {
    /// The new password is refused.
    public static let weakPassword = IdentityError.weakPassword("it is too short")

    /// The reason is told in full: it is said to the person who chose the password.
    static func weakPassword(_ why: String) -> IdentityError {
        IdentityError(
            code: "weakPassword", message: "The password cannot be used: \(why).",
            hint: "Use 8 characters or more; a sentence is easy to remember.")
    }
}
