// SPDX-License-Identifier: Apache-2.0

package import LatchProto

/// Which fields hold secrets by their names alone.
///
/// A field is secret if it says so (`debug_redact = true`), if an option of a client says so, or if it is text or bytes
/// and its name is one of those here, or ends in one of them after an underscore. A number or a bool that is called so
/// (`password_length`, `requires_token`) is none; an identifier of a secret (`token_id`) is none either.
package enum SecretNames {
    /// Names, and ends of names.
    package static let ends: Set<String> = [
        "password", "passwd", "passphrase", "passcode", "pin_code", "secret", "token", "captcha", "credential",
        "credentials", "api_key", "apikey", "private_key", "secret_key", "access_key", "signing_key", "encryption_key",
        "client_secret", "session_key", "otp", "totp", "otp_code", "totp_code", "one_time_code", "verification_code",
        "recovery_code", "recovery_codes", "backup_code", "backup_codes", "two_factor_code", "mfa_code",
        "security_code", "auth_code", "authorization_code", "authorization", "cookie", "cvv", "cvc", "ssn", "tokens",
        "passwords", "secrets",
    ]

    private static let lastWords = Set(ends.compactMap { $0.split(separator: "_").last.map(String.init) })

    /// Names that end like a secret and are none: they say where somebody is in a list.
    package static let exceptions: Set<String> = ["page_token", "next_page_token", "continuation_token", "sync_token"]

    /// Whether a field holds a secret, by what it says and what it is called.
    package static func isSecret(_ field: FieldDescriptor) -> Bool {
        if let says = field.options.message.bool(16) { return says }
        let value = field.isMap ? field.message?.fields.last?.type : field.type
        guard value == .string || value == .bytes else { return false }
        return isSecret(name: field.name)
    }

    /// Whether text of this name is a secret.
    package static func isSecret(name: String) -> Bool {
        let words = SwiftNames.words(name).map { String(decoding: $0, as: UTF8.self).lowercased() }
        // Most names end otherwise.
        guard let last = words.last, lastWords.contains(last) else { return false }
        guard !exceptions.contains(words.joined(separator: "_")) else { return false }
        return words.indices.contains { ends.contains(words[$0...].joined(separator: "_")) }
    }
}
