// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
public import CryptoKit

// CryptoKit takes `DataProtocol`; this module takes any collection of bytes. So code that compiles on Linux compiles
// here.

extension HashFunction {
    /// Returns the digest of bytes.
    public static func hash(data: some Collection<UInt8>) -> Digest { hash(data: Array(data)) }

    /// Adds bytes to the digest.
    public mutating func update(data: some Collection<UInt8>) { update(data: Array(data)) }
}

extension HMAC {
    /// Returns the authentication code of bytes.
    public static func authenticationCode(for data: some Collection<UInt8>, using key: SymmetricKey) -> MAC {
        authenticationCode(for: Array(data), using: key)
    }

    /// Adds bytes to the code.
    public mutating func update(data: some Collection<UInt8>) { update(data: Array(data)) }
}

extension P256.Signing.PublicKey {
    /// Whether the signature is this key's for `data`.
    public func isValidSignature(_ signature: P256.Signing.ECDSASignature, for data: some Collection<UInt8>) -> Bool {
        isValidSignature(signature, for: Array(data))
    }
}

extension P384.Signing.PublicKey {
    /// Whether the signature is this key's for `data`.
    public func isValidSignature(_ signature: P384.Signing.ECDSASignature, for data: some Collection<UInt8>) -> Bool {
        isValidSignature(signature, for: Array(data))
    }
}

extension P521.Signing.PublicKey {
    /// Whether the signature is this key's for `data`.
    public func isValidSignature(_ signature: P521.Signing.ECDSASignature, for data: some Collection<UInt8>) -> Bool {
        isValidSignature(signature, for: Array(data))
    }
}

extension P256.Signing.PrivateKey {
    /// Signs the SHA-256 digest of `data`, which is copied.
    public func signature(for data: some Collection<UInt8>) throws -> P256.Signing.ECDSASignature {
        try signature(for: Array(data))
    }
}

extension P384.Signing.PrivateKey {
    /// Signs the SHA-384 digest of `data`, which is copied.
    public func signature(for data: some Collection<UInt8>) throws -> P384.Signing.ECDSASignature {
        try signature(for: Array(data))
    }
}

extension P521.Signing.PrivateKey {
    /// Signs the SHA-512 digest of `data`, which is copied.
    public func signature(for data: some Collection<UInt8>) throws -> P521.Signing.ECDSASignature {
        try signature(for: Array(data))
    }
}
#endif
