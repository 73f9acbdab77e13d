// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto

/// The padding and the digest of an RSA algorithm.
///
/// MGF1 uses the same digest, and PSS salts are as long as the digest (RFC 7518 §3.5).
struct RSAScheme: Sendable {
    let padding: RSA.Signing.Padding
    let hash: RSA.Signing.Hash

    /// Creates the scheme of an RSA algorithm; fails for other algorithms.
    init?(_ algorithm: SignatureAlgorithm) {
        switch algorithm {
        case .rs256: (padding, hash) = (.pkcs1v15, .sha256)
        case .rs384: (padding, hash) = (.pkcs1v15, .sha384)
        case .rs512: (padding, hash) = (.pkcs1v15, .sha512)
        case .ps256: (padding, hash) = (.pss, .sha256)
        case .ps384: (padding, hash) = (.pss, .sha384)
        case .ps512: (padding, hash) = (.pss, .sha512)
        default: return nil
        }
    }
}
