// SPDX-License-Identifier: Apache-2.0

/// RSA signatures (RFC 8017).
public enum RSA {
    /// Keys and schemes of RSA signatures.
    public enum Signing {}
}

extension RSA.Signing {
    /// How a digest becomes the number that is signed.
    public enum Padding: Sendable, Hashable, CaseIterable {
        /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2), which RS256 stands on.
        case pkcs1v15
        /// RSASSA-PSS (RFC 8017 §8.1) with MGF1 of the same digest and a salt as long as it.
        case pss
    }

    /// The digest that is signed.
    public enum Hash: Sendable, Hashable, CaseIterable {
        /// SHA-256.
        case sha256
        /// SHA-384.
        case sha384
        /// SHA-512.
        case sha512
    }
}
