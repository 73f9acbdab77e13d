// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
/// The function that makes guessing passwords expensive (RFC 9106), which Apple's frameworks do not have.
///
/// Passwords are hashed by servers, which run on Linux.
public enum Argon2id {
    /// Refuses.
    ///
    /// - Throws: `CryptoError.unavailable`.
    public static func hash(
        password: [UInt8], salt: [UInt8], parameters: Argon2Parameters
    ) throws(CryptoError) -> [UInt8] {
        throw .unavailable
    }
}
#endif
