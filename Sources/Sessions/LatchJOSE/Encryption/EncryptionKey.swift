// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
public import LatchCrypto

/// A key for encrypting tokens, with its only algorithm and its ID.
///
/// A key decrypts only with its own algorithm, whichever the token names (RFC 8725 §3.1). Its description is redacted.
public struct EncryptionKey: Sendable {
    /// The ID that the `kid` of a token refers to.
    public let id: String?
    /// The algorithm, which belongs to the key and not to the token.
    public let algorithm: KeyManagementAlgorithm
    /// The key material, which fits the algorithm.
    let material: EncryptionKeyMaterial
    /// The permitted operations (RFC 7517 §4.3).
    let operations: EncryptionOperations
    /// The only content encryption algorithm, if a key for direct use names one; nil for any.
    let contentEncryption: ContentEncryptionAlgorithm?

    /// A curve of the key agreement.
    public enum Curve: Sendable, Hashable, CaseIterable {
        /// NIST P-256.
        case p256
        /// NIST P-384.
        case p384
        /// NIST P-521.
        case p521
        /// X25519 (RFC 8037).
        case x25519
    }

    /// Creates a key from parts that fit together.
    init(
        id: String?, algorithm: KeyManagementAlgorithm, material: EncryptionKeyMaterial,
        operations: EncryptionOperations = .all, contentEncryption: ContentEncryptionAlgorithm? = nil
    ) {
        self.id = id
        self.algorithm = algorithm
        self.material = material
        self.operations = operations
        self.contentEncryption = contentEncryption
    }

    /// Creates a key from a shared secret, for the AES key wrap, AES-GCM or direct use.
    ///
    /// AES-GCM is safe for 2^32 texts under one secret (NIST SP 800-38D §8.3), whether it wraps keys or is used
    /// directly.
    ///
    /// - Throws: `JOSEError.unsuitableKey` for an algorithm of another kind, or if the secret has another size than the
    ///   algorithm requires.
    public init(secret: SymmetricKey, algorithm: KeyManagementAlgorithm, id: String? = nil) throws(JOSEError) {
        let material = try EncryptionKeyMaterial(secret: secret, algorithm: algorithm)
        self.init(id: id, algorithm: algorithm, material: material)
    }

    /// Creates a key from a password, for PBES2 (RFC 7518 §4.8).
    ///
    /// The sender of a token chooses the number of iterations, and with it the time of each attempt to decrypt
    /// (CVE-2023-52428 and others). Every such key therefore has a limit.
    ///
    /// - Parameters:
    ///   - password: The bytes of the password, or of another secret.
    ///   - iterations: The number of iterations for encryption, and the maximum for decryption; at least 1000 (RFC 7518
    ///     §4.8.1.2).
    ///   - algorithm: One of the algorithms whose name begins with `PBES2`.
    ///   - id: The ID; nil for none.
    /// - Throws: `JOSEError.unsuitableKey` for an empty password, too few iterations, or an algorithm of another kind.
    public init(
        password: [UInt8], iterations: Int, algorithm: KeyManagementAlgorithm = .pbes2HS512A256KW, id: String? = nil
    ) throws(JOSEError) {
        guard case .password = algorithm.mode else { throw .unsuitableKey("its algorithm is not one for passwords") }
        guard !password.isEmpty, iterations >= PasswordBasedKey.fewestIterations, iterations <= Int(Int32.max) else {
            throw .unsuitableKey("a password is empty, or its iterations are out of bounds")
        }
        self.init(
            id: id, algorithm: algorithm,
            material: .password(PasswordBasedKey(password: SymmetricKey(data: password), iterations: iterations)))
    }

    /// Generates a random key.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm of the key, except those for passwords and direct use.
    ///   - curve: The curve of a key for a key agreement.
    ///   - id: The ID; nil for the thumbprint (RFC 7638), or for a random ID of a shared secret.
    ///   - rsaBits: The size of an RSA key in bits, from 2048 to 8192.
    /// - Throws: `JOSEError.unsuitableKey` for another algorithm or an invalid size.
    public static func generate(
        _ algorithm: KeyManagementAlgorithm, curve: Curve = .p256, id: String? = nil, rsaBits: Int = 2048
    ) throws(JOSEError) -> EncryptionKey {
        let material: EncryptionKeyMaterial
        do {
            material = try EncryptionKeyMaterial.generate(algorithm, curve: curve, rsaBits: rsaBits)
        } catch let error as JOSEError {
            throw error
        } catch {
            throw .unsuitableKey("it could not be made")
        }
        let fallback =
            material.publicHalf == nil
            ? Base64URL.encode(SecureRandom.bytes(16)) : Key.thumbprint(of: material.publicMembers)
        return EncryptionKey(id: id ?? fallback, algorithm: algorithm, material: material)
    }

    /// Whether the operations of the key permit encrypting.
    ///
    /// If a key may only decrypt, its ``publicKey`` can still encrypt.
    public var canEncrypt: Bool { operations.contains(.encrypt) }

    /// Whether the key can decrypt, and its operations permit it.
    public var canDecrypt: Bool { material.isPrivate && operations.contains(.decrypt) }

    /// The public key; nil for a shared secret and a password.
    public var publicKey: EncryptionKey? {
        material.publicHalf.map { EncryptionKey(id: id, algorithm: algorithm, material: $0) }
    }
}

extension EncryptionKey: CustomStringConvertible, CustomReflectable {
    /// The algorithm; the key is redacted.
    public var description: String {
        "EncryptionKey(\(algorithm), \(canDecrypt ? "decrypts" : "encrypts"), redacted)"
    }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A password with the limit of its iterations.
struct PasswordBasedKey: Sendable {
    let password: SymmetricKey
    /// The number of iterations for encryption, and the maximum for decryption.
    let iterations: Int

    /// The minimum number of iterations that is accepted (RFC 7518 §4.8.1.2).
    static let fewestIterations = 1000
}

/// The numbers of an encryption key.
enum EncryptionKeyMaterial: Sendable {
    /// An RSA key, with the private half if it can decrypt.
    case rsa(RSA.Encryption.PublicKey, RSA.Encryption.PrivateKey?)
    case agreement(AgreementKey)
    /// A shared secret.
    case secret(SymmetricKey)
    case password(PasswordBasedKey)

    /// Creates material from a shared secret of the right size.
    init(secret: SymmetricKey, algorithm: KeyManagementAlgorithm) throws(JOSEError) {
        switch algorithm.mode {
        case .keyWrap(let bits), .gcmKeyWrap(let bits):
            guard secret.bitCount == bits else { throw .unsuitableKey("the secret has not \(bits) bits") }
        case .direct:
            // RFC 7518 §5.1: the sizes of the keys of all content encryption algorithms.
            guard [128, 192, 256, 384, 512].contains(secret.bitCount) else {
                throw .unsuitableKey("the secret fits no content encryption algorithm")
            }
        case .rsa, .agreement, .password, nil: throw .unsuitableKey("a shared secret does not serve that algorithm")
        }
        self = .secret(secret)
    }

    static func generate(
        _ algorithm: KeyManagementAlgorithm, curve: EncryptionKey.Curve, rsaBits: Int
    ) throws -> EncryptionKeyMaterial {
        switch algorithm.mode {
        case .rsa:
            let key = try RSA.Encryption.PrivateKey(keySizeInBits: rsaBits)
            return .rsa(key.publicKey, key)
        case .agreement: return .agreement(try AgreementKey.generate(curve))
        case .keyWrap(let bits), .gcmKeyWrap(let bits): return .secret(SymmetricKey(size: .init(bitCount: bits)))
        case .direct, .password: throw JOSEError.unsuitableKey("its algorithm does not determine its size")
        case nil: throw JOSEError.unsuitableKey("its algorithm is not known")
        }
    }

    /// Whether it can decrypt.
    var isPrivate: Bool {
        switch self {
        case .rsa(_, let key): key != nil
        case .agreement(let key): key.isPrivate
        case .secret, .password: true
        }
    }

    /// The public key; nil for a shared secret and a password.
    var publicHalf: EncryptionKeyMaterial? {
        switch self {
        case .rsa(let key, _): .rsa(key, nil)
        case .agreement(let key): .agreement(key.publicHalf)
        case .secret, .password: nil
        }
    }
}
