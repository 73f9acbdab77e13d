// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) && !os(macOS)
/// The function that makes guessing passwords expensive (RFC 9106), which these platforms do not have.
///
/// Passwords are hashed by servers, which run on Linux, and on macOS for development.
public enum Argon2id {
    /// Refuses.
    ///
    /// - Throws: `CryptoError.unavailable`.
    public static func hash(
        password: [UInt8], salt: [UInt8], parameters: Argon2Parameters
    ) throws(CryptoError) -> [UInt8] {
        throw .unavailable
    }

    /// Refuses.
    ///
    /// - Throws: `CryptoError.unavailable`.
    package static func requireLibrary() throws(CryptoError) { throw .unavailable }
}
#endif
