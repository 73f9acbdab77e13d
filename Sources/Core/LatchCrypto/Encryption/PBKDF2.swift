// SPDX-License-Identifier: Apache-2.0

/// The derivation of a key from a password (RFC 8018 §5.2), for formats that require it.
///
/// For new password hashes, use ``PasswordHash``.
package enum PBKDF2 {
    /// The digest of its HMAC.
    package enum Hash: Sendable, Hashable {
        /// HMAC with SHA-1, for password digests of other systems.
        case sha1
        /// HMAC with SHA-256.
        case sha256
        /// HMAC with SHA-384.
        case sha384
        /// HMAC with SHA-512.
        case sha512
    }
}
