// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin) && !os(macOS)
/// The password hash function argon2id (RFC 9106), which these platforms do not have.
///
/// Servers hash passwords. They run on Linux, and on macOS for development.
public enum Argon2id {
    /// Throws an error, since the library is not available.
    ///
    /// - Throws: `CryptoError.unavailable`.
    public static func hash(
        password: [UInt8], salt: [UInt8], parameters: Argon2Parameters
    ) throws(CryptoError) -> [UInt8] {
        throw .unavailable
    }

    /// Throws an error, since the library is not available.
    ///
    /// - Throws: `CryptoError.unavailable`.
    package static func requireLibrary() throws(CryptoError) { throw .unavailable }
}
#endif
