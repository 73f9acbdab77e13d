// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
// Here the names of this module are CryptoKit's, visible to the modules that import LatchCrypto.
@_exported public import CryptoKit
internal import Foundation

extension P256.Signing.PublicKey {
    /// Returns the SubjectPublicKeyInfo in PEM.
    public func pem() throws(CryptoError) -> String { pemRepresentation }

    /// Whether a raw signature is this key's for `data`; false for any other length.
    package func isValidSignature(
        rawRepresentation raw: some Collection<UInt8>, for data: some Collection<UInt8>
    ) -> Bool {
        let signature = try? P256.Signing.ECDSASignature(rawRepresentation: Data(raw))
        return signature.map { isValidSignature($0, for: Data(data)) } ?? false
    }
}

extension P384.Signing.PublicKey {
    /// Returns the SubjectPublicKeyInfo in PEM.
    public func pem() throws(CryptoError) -> String { pemRepresentation }

    /// Whether a raw signature is this key's for `data`; false for any other length.
    package func isValidSignature(
        rawRepresentation raw: some Collection<UInt8>, for data: some Collection<UInt8>
    ) -> Bool {
        let signature = try? P384.Signing.ECDSASignature(rawRepresentation: Data(raw))
        return signature.map { isValidSignature($0, for: Data(data)) } ?? false
    }
}

extension P521.Signing.PublicKey {
    /// Returns the SubjectPublicKeyInfo in PEM.
    public func pem() throws(CryptoError) -> String { pemRepresentation }

    /// Whether a raw signature is this key's for `data`; false for any other length.
    package func isValidSignature(
        rawRepresentation raw: some Collection<UInt8>, for data: some Collection<UInt8>
    ) -> Bool {
        let signature = try? P521.Signing.ECDSASignature(rawRepresentation: Data(raw))
        return signature.map { isValidSignature($0, for: Data(data)) } ?? false
    }
}

extension P256.Signing.PrivateKey {
    /// Generates a private key.
    package static func generate() throws(CryptoError) -> Self { Self() }

    /// The private number, in big-endian order and of the curve's length.
    package func secretBytes() throws(CryptoError) -> [UInt8] { Array(rawRepresentation) }

    /// Returns the unencrypted private key as PKCS #8 in PEM; the caller must protect it.
    public func pem() throws(CryptoError) -> String { pemRepresentation }
}

extension P384.Signing.PrivateKey {
    /// Generates a private key.
    package static func generate() throws(CryptoError) -> Self { Self() }

    /// The private number, in big-endian order and of the curve's length.
    package func secretBytes() throws(CryptoError) -> [UInt8] { Array(rawRepresentation) }

    /// Returns the unencrypted private key as PKCS #8 in PEM; the caller must protect it.
    public func pem() throws(CryptoError) -> String { pemRepresentation }
}

extension P521.Signing.PrivateKey {
    /// Generates a private key.
    package static func generate() throws(CryptoError) -> Self { Self() }

    /// The private number, in big-endian order and of the curve's length.
    package func secretBytes() throws(CryptoError) -> [UInt8] { Array(rawRepresentation) }

    /// Returns the unencrypted private key as PKCS #8 in PEM; the caller must protect it.
    public func pem() throws(CryptoError) -> String { pemRepresentation }
}

extension Curve25519.Signing.PrivateKey {
    /// Generates a private key.
    package static func generate() throws(CryptoError) -> Self { Self() }
}
#endif
