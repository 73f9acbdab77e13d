// SPDX-License-Identifier: Apache-2.0

import LatchProtoCompiler

/// The names of fields that contain secrets.
///
/// A field is secret if it sets `debug_redact = true`. A string or bytes field is also secret if its name is one of
/// these, or ends with one of them after an underscore. Numbers, Booleans (`password_length`, `requires_token`) and
/// identifiers of secrets (`token_id`) are not secret.
enum SecretNames {
    /// The names and suffixes of names.
    static let ends: Set<String> = [
        "password", "passwd", "passphrase", "passcode", "pin_code", "secret", "token", "captcha", "credential",
        "credentials", "api_key", "apikey", "private_key", "secret_key", "access_key", "signing_key", "encryption_key",
        "client_secret", "session_key", "otp", "totp", "otp_code", "totp_code", "one_time_code", "verification_code",
        "recovery_code", "recovery_codes", "backup_code", "backup_codes", "two_factor_code", "mfa_code",
        "security_code", "auth_code", "authorization_code", "authorization", "cookie", "cvv", "cvc", "ssn", "tokens",
        "passwords", "secrets",
    ]

    private static let lastWords = Set(ends.compactMap { $0.split(separator: "_").last.map(String.init) })

    /// The names with such a suffix that are not secret: pagination cursors.
    static let exceptions: Set<String> = ["page_token", "next_page_token", "continuation_token", "sync_token"]

    /// Whether a field contains a secret, according to its options and its name.
    static func isSecret(_ field: FieldDescriptor) -> Bool {
        if let debugRedact = field.debugRedact { return debugRedact }
        let value = field.isMap ? field.message?.fields.last?.type : field.type
        guard value == .string || value == .bytes else { return false }
        return isSecret(name: field.name)
    }

    /// Whether a text field with this name contains a secret.
    static func isSecret(name: String) -> Bool {
        let words = SwiftNames.words(name).map { String(decoding: $0, as: UTF8.self).lowercased() }
        // This is the fast path for most names.
        guard let last = words.last, lastWords.contains(last) else { return false }
        guard !exceptions.contains(words.joined(separator: "_")) else { return false }
        return words.indices.contains { ends.contains(words[$0...].joined(separator: "_")) }
    }
}
