// SPDX-License-Identifier: Apache-2.0

package import LatchCrypto

/// A content encryption algorithm of a JWE (`enc`), by its registered name (RFC 7518 §5.1).
///
/// Each of them authenticates the content and the header.
public struct ContentEncryptionAlgorithm: RawRepresentable, Sendable, Hashable {
    /// The registered name.
    public let rawValue: String

    /// Creates an algorithm from its registered name, which is case-sensitive (RFC 7516 §4.1.2).
    ///
    /// A name that is not ASCII becomes the empty name, which no content has.
    public init(rawValue: String) { self.rawValue = rawValue.registeredName }

    /// AES-GCM with a key of 128 bits.
    public static let a128GCM = ContentEncryptionAlgorithm(rawValue: "A128GCM")

    /// AES-GCM with a key of 192 bits.
    public static let a192GCM = ContentEncryptionAlgorithm(rawValue: "A192GCM")

    /// AES-GCM with a key of 256 bits.
    public static let a256GCM = ContentEncryptionAlgorithm(rawValue: "A256GCM")

    /// AES-128 in CBC mode with HMAC SHA-256.
    public static let a128CBCHS256 = ContentEncryptionAlgorithm(rawValue: "A128CBC-HS256")

    /// AES-192 in CBC mode with HMAC SHA-384.
    public static let a192CBCHS384 = ContentEncryptionAlgorithm(rawValue: "A192CBC-HS384")

    /// AES-256 in CBC mode with HMAC SHA-512.
    public static let a256CBCHS512 = ContentEncryptionAlgorithm(rawValue: "A256CBC-HS512")
}

extension ContentEncryptionAlgorithm: CustomStringConvertible {
    /// The registered name.
    public var description: String { rawValue }
}

extension ContentEncryptionAlgorithm {
    /// The cipher; nil for an algorithm that is not supported.
    var cipher: ContentCipher? {
        switch self {
        case .a128GCM: .gcm(bits: 128)
        case .a192GCM: .gcm(bits: 192)
        case .a256GCM: .gcm(bits: 256)
        case .a128CBCHS256: .cbc(bits: 128)
        case .a192CBCHS384: .cbc(bits: 192)
        case .a256CBCHS512: .cbc(bits: 256)
        default: nil
        }
    }
}

/// A ciphertext with the values that decryption needs besides the key.
package struct SealedContent: Sendable, Hashable {
    /// The initialization vector.
    package let iv: [UInt8]
    /// The encrypted content.
    package let ciphertext: [UInt8]
    /// The tag that authenticates the content.
    package let tag: [UInt8]

    /// Creates a value from its parts.
    package init(iv: [UInt8], ciphertext: [UInt8], tag: [UInt8]) {
        self.iv = iv
        self.ciphertext = ciphertext
        self.tag = tag
    }
}

/// An authenticated cipher for content, with the size of its AES key.
package enum ContentCipher: Sendable, Hashable {
    /// AES-GCM (RFC 7518 §5.3).
    case gcm(bits: Int)
    /// AES in CBC mode with an HMAC over it.
    ///
    /// The HMAC's digest has twice the size of the AES key (RFC 7518 §5.2).
    case cbc(bits: Int)

    /// The size of the key in bits; CBC has another key of the same size for its HMAC.
    package var keyBits: Int {
        switch self {
        case .gcm(let bits): bits
        case .cbc(let bits): bits * 2
        }
    }

    /// Encrypts content with a random initialization vector, and authenticates it together with `data`.
    package func seal(
        _ content: [UInt8], using key: SymmetricKey, authenticating data: [UInt8]
    ) throws -> SealedContent {
        switch self {
        case .gcm:
            let box = try AES.GCM.seal(content, using: key, authenticating: data)
            return SealedContent(iv: Array(box.nonce), ciphertext: Array(box.ciphertext), tag: Array(box.tag))
        case .cbc(let bits):
            let (mac, cipher) = Self.halves(of: key)
            let iv = SecureRandom.bytes(16)
            let ciphertext = try AES.CBC.encrypt(content, using: cipher, iv: iv)
            let tag = Self.tag(of: ciphertext, iv: iv, data: data, key: mac, bits: bits)
            return SealedContent(iv: iv, ciphertext: ciphertext, tag: tag)
        }
    }

    /// Decrypts content after verifying its tag.
    ///
    /// - Throws: Any error if a value is wrong; the caller must not distinguish the errors.
    package func open(
        _ sealed: SealedContent, using key: SymmetricKey, authenticating data: [UInt8]
    ) throws -> [UInt8] {
        switch self {
        case .gcm:
            // RFC 7518 §5.3: a vector of 96 bits and a tag of 128, which these initializers require.
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: sealed.iv), ciphertext: sealed.ciphertext, tag: sealed.tag)
            return Array(try AES.GCM.open(box, using: key, authenticating: data))
        case .cbc(let bits):
            let (mac, cipher) = Self.halves(of: key)
            // RFC 7518 §5.2.2.2: the tag is verified before anything is decrypted, and has its full length.
            let tag = Self.tag(of: sealed.ciphertext, iv: sealed.iv, data: data, key: mac, bits: bits)
            guard constantTimeEquals(tag, sealed.tag) else { throw JOSEError.decryptionFailed }
            return try AES.CBC.decrypt(sealed.ciphertext, using: cipher, iv: sealed.iv)
        }
    }

    /// Returns the key of the HMAC, which is the first half, and the key of the cipher (RFC 7518 §5.2.2.1).
    private static func halves(of key: SymmetricKey) -> (mac: SymmetricKey, cipher: SymmetricKey) {
        key.withUnsafeBytes { bytes in
            let half = bytes.count / 2
            return (
                SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes.prefix(half))),
                SymmetricKey(data: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(half)))
            )
        }
    }

    /// Returns the tag: the first half of the HMAC over data, vector, ciphertext and the data's length in bits.
    private static func tag(
        of ciphertext: [UInt8], iv: [UInt8], data: [UInt8], key: SymmetricKey, bits: Int
    ) -> [UInt8] {
        let length = UInt64(data.count) * 8
        let bytes = data + iv + ciphertext + (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
        let code =
            switch bits {
            case 128: Array(HMAC<SHA256>.authenticationCode(for: bytes, using: key))
            case 192: Array(HMAC<SHA384>.authenticationCode(for: bytes, using: key))
            default: Array(HMAC<SHA512>.authenticationCode(for: bytes, using: key))
            }
        return Array(code.prefix(bits / 8))
    }
}
