// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto

/// A key management algorithm of a JWE (`alg`), by its registered name (RFC 7518 §4.1, RFC 8037 §3.2).
///
/// `RSA1_5` is missing because its padding reveals the plaintext to an attacker who can try ciphertexts (RFC 8725
/// §3.2). Names other than the static members are valid values, but no key has them.
public struct KeyManagementAlgorithm: RawRepresentable, Sendable, Hashable {
    /// The registered name.
    public let rawValue: String

    /// Creates an algorithm from its registered name, which is case-sensitive (RFC 7516 §4.1.1).
    ///
    /// A name that is not ASCII becomes the empty name, which no key has.
    public init(rawValue: String) { self.rawValue = rawValue.registeredName }

    /// RSAES OAEP with SHA-1.
    public static let rsaOAEP = KeyManagementAlgorithm(rawValue: "RSA-OAEP")

    /// RSAES OAEP with SHA-256.
    public static let rsaOAEP256 = KeyManagementAlgorithm(rawValue: "RSA-OAEP-256")

    /// Elliptic-curve Diffie-Hellman, whose result is the content encryption key.
    public static let ecdhES = KeyManagementAlgorithm(rawValue: "ECDH-ES")

    /// Elliptic-curve Diffie-Hellman, whose result wraps the key with AES-128.
    public static let ecdhESA128KW = KeyManagementAlgorithm(rawValue: "ECDH-ES+A128KW")

    /// Elliptic-curve Diffie-Hellman, whose result wraps the key with AES-192.
    public static let ecdhESA192KW = KeyManagementAlgorithm(rawValue: "ECDH-ES+A192KW")

    /// Elliptic-curve Diffie-Hellman, whose result wraps the key with AES-256.
    public static let ecdhESA256KW = KeyManagementAlgorithm(rawValue: "ECDH-ES+A256KW")

    /// The AES key wrap with a secret of 128 bits.
    public static let a128KW = KeyManagementAlgorithm(rawValue: "A128KW")

    /// The AES key wrap with a secret of 192 bits.
    public static let a192KW = KeyManagementAlgorithm(rawValue: "A192KW")

    /// The AES key wrap with a secret of 256 bits.
    public static let a256KW = KeyManagementAlgorithm(rawValue: "A256KW")

    /// AES-GCM with a secret of 128 bits.
    public static let a128GCMKW = KeyManagementAlgorithm(rawValue: "A128GCMKW")

    /// AES-GCM with a secret of 192 bits.
    public static let a192GCMKW = KeyManagementAlgorithm(rawValue: "A192GCMKW")

    /// AES-GCM with a secret of 256 bits.
    public static let a256GCMKW = KeyManagementAlgorithm(rawValue: "A256GCMKW")

    /// Direct use of a shared secret as the content encryption key.
    public static let dir = KeyManagementAlgorithm(rawValue: "dir")

    /// PBES2 with HMAC SHA-256 and the AES key wrap, for passwords.
    public static let pbes2HS256A128KW = KeyManagementAlgorithm(rawValue: "PBES2-HS256+A128KW")

    /// PBES2 with HMAC SHA-512 and the AES key wrap, for passwords.
    public static let pbes2HS512A256KW = KeyManagementAlgorithm(rawValue: "PBES2-HS512+A256KW")
}

extension KeyManagementAlgorithm: CustomStringConvertible {
    /// The registered name.
    public var description: String { rawValue }
}

/// The procedure of a key management algorithm; sizes are in bits.
enum KeyManagementMode: Sendable, Hashable {
    /// Encryption with RSA-OAEP (RFC 7518 §4.3).
    case rsa(RSA.Encryption.Hash)
    /// Key agreement (RFC 7518 §4.6), whose result is the key itself or wraps it.
    case agreement(wrappingBits: Int?)
    /// The AES key wrap (RFC 7518 §4.4).
    case keyWrap(bits: Int)
    /// Encryption with AES-GCM (RFC 7518 §4.7).
    case gcmKeyWrap(bits: Int)
    /// Direct use of the key (RFC 7518 §4.5).
    case direct
    /// Derivation from a password (RFC 7518 §4.8).
    case password(PBKDF2.Hash, bits: Int)
}

extension KeyManagementAlgorithm {
    /// The procedure; nil for an algorithm that is not supported.
    var mode: KeyManagementMode? {
        switch self {
        case .rsaOAEP: .rsa(.sha1)
        case .rsaOAEP256: .rsa(.sha256)
        case .ecdhES: .agreement(wrappingBits: nil)
        case .ecdhESA128KW: .agreement(wrappingBits: 128)
        case .ecdhESA192KW: .agreement(wrappingBits: 192)
        case .ecdhESA256KW: .agreement(wrappingBits: 256)
        case .a128KW: .keyWrap(bits: 128)
        case .a192KW: .keyWrap(bits: 192)
        case .a256KW: .keyWrap(bits: 256)
        case .a128GCMKW: .gcmKeyWrap(bits: 128)
        case .a192GCMKW: .gcmKeyWrap(bits: 192)
        case .a256GCMKW: .gcmKeyWrap(bits: 256)
        case .dir: .direct
        case .pbes2HS256A128KW: .password(.sha256, bits: 128)
        case .pbes2HS512A256KW: .password(.sha512, bits: 256)
        default: nil
        }
    }
}
