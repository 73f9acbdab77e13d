// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
package import CryptoKit

// Accounts are imported on Linux. Apple's systems have none of these functions, and libargon2 is loaded there for
// argon2id only.

extension Argon2id {
    /// Throws an error, since only argon2id of version 19 is available.
    ///
    /// - Throws: `CryptoError.unavailable`.
    package static func hash(
        password: [UInt8], salt: [UInt8], variant: Argon2Variant, version: Int, memoryKiB: Int, passes: Int, lanes: Int,
        outputByteCount: Int
    ) throws(CryptoError) -> [UInt8] {
        throw .unavailable
    }
}

/// The password hash function scrypt (RFC 7914), which these platforms do not have.
package enum Scrypt {
    /// Throws an error, since the function is not available.
    ///
    /// - Throws: `CryptoError.unavailable`.
    package static func deriveKey(
        password: [UInt8], salt: [UInt8], log2Cost: Int, blockSize: Int, parallelism: Int, outputByteCount: Int
    ) throws(CryptoError) -> [UInt8] {
        throw .unavailable
    }
}

extension AES {
    /// AES in counter mode, which only digests of scrypt need here.
    package enum CTR {
        /// Throws an error, since the mode is not available.
        ///
        /// - Throws: `CryptoError.unavailable`.
        package static func encrypt(_ message: [UInt8], using key: SymmetricKey) throws(CryptoError) -> [UInt8] {
            throw .unavailable
        }
    }
}
#endif
