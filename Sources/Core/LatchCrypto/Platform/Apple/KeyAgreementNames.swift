// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
package import CryptoKit

extension P256.KeyAgreement.PrivateKey {
    /// Generates a private key.
    package static func generate() throws(CryptoError) -> Self { Self() }

    /// The private number, in big-endian order and of the curve's length.
    package func secretBytes() throws(CryptoError) -> [UInt8] { Array(rawRepresentation) }
}

extension P384.KeyAgreement.PrivateKey {
    /// Generates a private key.
    package static func generate() throws(CryptoError) -> Self { Self() }

    /// The private number, in big-endian order and of the curve's length.
    package func secretBytes() throws(CryptoError) -> [UInt8] { Array(rawRepresentation) }
}

extension P521.KeyAgreement.PrivateKey {
    /// Generates a private key.
    package static func generate() throws(CryptoError) -> Self { Self() }

    /// The private number, in big-endian order and of the curve's length.
    package func secretBytes() throws(CryptoError) -> [UInt8] { Array(rawRepresentation) }
}

extension Curve25519.KeyAgreement.PrivateKey {
    /// Generates a private key.
    package static func generate() throws(CryptoError) -> Self { Self() }
}
#endif
