// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import LatchCrypto

/// The functions of crypt(5), which Apple's systems do not have; accounts are imported on Linux.
enum CryptFunction {
    /// Throws an error, since the function is not available.
    ///
    /// - Throws: `CryptoError.unavailable`.
    static func text(password: [UInt8], setting: String) throws(CryptoError) -> [UInt8] { throw .unavailable }
}
#endif
