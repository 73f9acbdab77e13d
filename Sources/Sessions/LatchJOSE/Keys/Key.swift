// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
public import LatchCrypto

/// A key with its only algorithm and its ID.
///
/// A key verifies only with its own algorithm, whichever the token names (RFC 8725 §3.1). Its description is redacted.
public struct Key: Sendable {
    /// The ID that the `kid` of a token refers to.
    ///
    /// It is only a hint: the signature proves which key signed.
    public let id: String?
    /// The algorithm.
    ///
    /// It belongs to the key, not to the token (RFC 8725 §3.1).
    public let algorithm: SignatureAlgorithm
    /// The key material, which fits the algorithm.
    let material: KeyMaterial
    /// The permitted operations (RFC 7517 §4.3).
    let operations: KeyOperations
    /// Whether it is an RSA key whose publisher names no algorithm, so that several apply.
    let hasAnyScheme: Bool

    /// Creates a key from parts that fit together.
    init(
        id: String?, algorithm: SignatureAlgorithm, material: KeyMaterial, operations: KeyOperations = .all,
        hasAnyScheme: Bool = false
    ) {
        self.hasAnyScheme = hasAnyScheme
        self.id = id
        self.algorithm = algorithm
        self.material = material
        self.operations = operations
    }

    /// Creates a key for ES256.
    public init(_ key: P256.Signing.PrivateKey, id: String? = nil) {
        self.init(id: id, algorithm: .es256, material: .p256(key.publicKey, key))
    }

    /// Creates a key for ES384.
    public init(_ key: P384.Signing.PrivateKey, id: String? = nil) {
        self.init(id: id, algorithm: .es384, material: .p384(key.publicKey, key))
    }

    /// Creates a key for ES512.
    public init(_ key: P521.Signing.PrivateKey, id: String? = nil) {
        self.init(id: id, algorithm: .es512, material: .p521(key.publicKey, key))
    }

    /// Creates a key for an RSA algorithm.
    ///
    /// - Throws: `JOSEError.unsuitableKey` for an algorithm of another kind.
    public init(
        _ key: RSA.Signing.PrivateKey, algorithm: SignatureAlgorithm = .rs256, id: String? = nil
    ) throws(JOSEError) {
        guard let scheme = RSAScheme(algorithm) else { throw .unsuitableKey("its algorithm is not one of RSA") }
        self.init(id: id, algorithm: algorithm, material: .rsa(key.publicKey, key, scheme))
    }

    /// Creates a key for EdDSA.
    public init(_ key: Curve25519.Signing.PrivateKey, id: String? = nil) {
        self.init(id: id, algorithm: .eddsa, material: .ed25519(key.publicKey, key))
    }

    /// Creates a shared secret for HS256, HS384 or HS512.
    ///
    /// - Throws: `JOSEError.unsuitableKey` if it is shorter than the digest (RFC 7518 §3.2).
    public init(
        secret: SymmetricKey, algorithm: SignatureAlgorithm = .hs256, id: String? = nil
    ) throws(JOSEError) {
        let material = KeyMaterial.secret(try HMACSecret(secret, algorithm: algorithm))
        self.init(id: id, algorithm: algorithm, material: material)
    }

    /// Generates a random key.
    ///
    /// - Parameters:
    ///   - algorithm: The algorithm of the key.
    ///   - id: The ID; nil for the thumbprint, or for a random ID of a shared secret.
    ///   - rsaBits: The size of an RSA key in bits, from 2048 to 8192.
    /// - Throws: `JOSEError.unsuitableKey` for an unknown algorithm or an invalid size.
    public static func generate(
        _ algorithm: SignatureAlgorithm, id: String? = nil, rsaBits: Int = 2048
    ) throws(JOSEError) -> Key {
        let material: KeyMaterial
        do {
            material = try KeyMaterial.generate(algorithm, rsaBits: rsaBits)
        } catch let error as JOSEError {
            throw error
        } catch {
            throw .unsuitableKey("it could not be made")
        }
        let nameless = Key(id: nil, algorithm: algorithm, material: material)
        // The thumbprint of a secret would help an attacker guess it.
        let fallback = material.publicHalf == nil ? Base64URL.encode(SecureRandom.bytes(16)) : nameless.thumbprint
        return Key(id: id ?? fallback, algorithm: algorithm, material: material)
    }

    /// Whether the key can sign, and its operations permit it.
    public var canSign: Bool { material.isPrivate && operations.contains(.sign) }

    /// Whether the operations of the key permit verifying.
    ///
    /// If a key may only sign, its ``publicKey`` can still verify.
    public var canVerify: Bool { operations.contains(.verify) }

    /// The public key; nil for a shared secret.
    public var publicKey: Key? {
        material.publicHalf.map {
            Key(id: id, algorithm: algorithm, material: $0, hasAnyScheme: hasAnyScheme)
        }
    }

    /// Returns whether the key can be used with an algorithm.
    package func fits(_ algorithm: SignatureAlgorithm) -> Bool { key(for: algorithm) != nil }

    /// Returns the key for use with an algorithm; nil if the key is for another one.
    ///
    /// A key of a set that names no algorithm is for each that its type allows (RFC 7517 §4.4). The verifier, not the
    /// token, decides which of them are accepted.
    func key(for algorithm: SignatureAlgorithm) -> Key? {
        if algorithm == self.algorithm { return self }
        guard hasAnyScheme, let scheme = RSAScheme(algorithm), case .rsa(let key, let secret, _) = material else {
            return nil
        }
        return Key(id: id, algorithm: algorithm, material: .rsa(key, secret, scheme), operations: operations)
    }

    /// Whether `signature` is this key's signature of `data`.
    ///
    /// The signature is raw, as in tokens: r and s for ECDSA (RFC 7518 §3.4). Any number of tasks may verify at the
    /// same time.
    public func isValidSignature(_ signature: [UInt8], for data: [UInt8]) -> Bool {
        canVerify && material.isValidSignature(signature, for: data[...])
    }

    /// Signs `data`.
    ///
    /// - Throws: `JOSEError.unsuitableKey` if the key only verifies.
    public func signature(for data: [UInt8]) throws(JOSEError) -> [UInt8] {
        guard operations.contains(.sign) else { throw .unsuitableKey("its key_ops do not let it sign") }
        let signature: [UInt8]?
        do {
            signature = try material.signature(for: data)
        } catch {
            throw .unsuitableKey("signing failed")
        }
        guard let signature else { throw .unsuitableKey("it verifies, and cannot sign") }
        return signature
    }
}

extension KeyMaterial {
    /// Generates key material for an algorithm; secrets have 64 bytes.
    fileprivate static func generate(_ algorithm: SignatureAlgorithm, rsaBits: Int) throws -> KeyMaterial {
        switch algorithm {
        case .es256:
            let key = try P256.Signing.PrivateKey.generate()
            return .p256(key.publicKey, key)
        case .es384:
            let key = try P384.Signing.PrivateKey.generate()
            return .p384(key.publicKey, key)
        case .es512:
            let key = try P521.Signing.PrivateKey.generate()
            return .p521(key.publicKey, key)
        case .eddsa:
            let key = try Curve25519.Signing.PrivateKey.generate()
            return .ed25519(key.publicKey, key)
        case .hs256, .hs384, .hs512:
            return .secret(try HMACSecret(SymmetricKey(size: .init(bitCount: 512)), algorithm: algorithm))
        default:
            guard let scheme = RSAScheme(algorithm) else { throw JOSEError.unsuitableKey("its algorithm is not known") }
            let key = try RSA.Signing.PrivateKey(keySizeInBits: rsaBits)
            return .rsa(key.publicKey, key, scheme)
        }
    }
}

extension Key: CustomStringConvertible, CustomReflectable {
    /// The algorithm; the key is redacted.
    public var description: String { "Key(\(algorithm), \(canSign ? "signs" : "verifies"), redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
