// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
public import LatchCrypto

/// A key with the one algorithm that it is for, and the name by which tokens refer to it.
///
/// A key verifies with its own algorithm and no other, whatever a token asks for (RFC 8725 §3.1). It prints redacted.
public struct Key: Sendable {
    /// The name that a token's `kid` refers to.
    ///
    /// It is a hint and no proof: which key signed is what the signature says.
    public let id: String?
    /// The algorithm.
    ///
    /// It is part of the key, not of the token (RFC 8725 §3.1).
    public let algorithm: SignatureAlgorithm
    /// The numbers, of the kind that fits the algorithm, as every initialiser sees to.
    let material: KeyMaterial

    /// Joins parts of which the caller knows that they fit.
    init(id: String?, algorithm: SignatureAlgorithm, material: KeyMaterial) {
        self.id = id
        self.algorithm = algorithm
        self.material = material
    }

    /// A key for ES256.
    public init(_ key: P256.Signing.PrivateKey, id: String? = nil) {
        self.init(id: id, algorithm: .es256, material: .p256(key.publicKey, key))
    }

    /// A key for EdDSA.
    public init(_ key: Curve25519.Signing.PrivateKey, id: String? = nil) {
        self.init(id: id, algorithm: .eddsa, material: .ed25519(key.publicKey, key))
    }

    /// A shared secret for HS256, HS384 or HS512.
    ///
    /// - Throws: `JOSEError.unsuitableKey` where it is shorter than the digest (RFC 7518 §3.2).
    public init(
        secret: SymmetricKey, algorithm: SignatureAlgorithm = .hs256, id: String? = nil
    ) throws(JOSEError) {
        let material = KeyMaterial.secret(try SharedSecret(secret, algorithm: algorithm))
        self.init(id: id, algorithm: algorithm, material: material)
    }

    /// A fresh random key.
    ///
    /// - Parameter id: Its name; where none is given its thumbprint, or a random one for a shared secret.
    /// - Throws: `JOSEError.unsuitableKey` for an algorithm that is not known.
    public static func generate(_ algorithm: SignatureAlgorithm, id: String? = nil) throws(JOSEError) -> Key {
        let material: KeyMaterial
        do {
            material = try KeyMaterial.generate(algorithm)
        } catch let error as JOSEError {
            throw error
        } catch {
            throw .unsuitableKey("it could not be made")
        }
        let nameless = Key(id: nil, algorithm: algorithm, material: material)
        // The thumbprint of a secret would be something to guess it by.
        let fallback = material.publicHalf == nil ? Base64URL.encode(SecureRandom.bytes(16)) : nameless.thumbprint
        return Key(id: id ?? fallback, algorithm: algorithm, material: material)
    }

    /// Whether the key can sign, and not only verify.
    public var canSign: Bool { material.isPrivate }

    /// The key without its secret; nil for a shared secret, which is nothing else.
    public var publicKey: Key? {
        material.publicHalf.map { Key(id: id, algorithm: algorithm, material: $0) }
    }

    /// Whether the signature is this key's for `data`.
    ///
    /// The signature is raw, as tokens carry it: r and s for ECDSA (RFC 7518 §3.4). Any number of tasks may ask at
    /// once.
    public func isValidSignature(_ signature: [UInt8], for data: [UInt8]) -> Bool {
        material.isValidSignature(signature, for: data[...])
    }

    /// The signature of `data`.
    ///
    /// - Throws: `JOSEError.unsuitableKey` where the key only verifies.
    public func signature(for data: [UInt8]) throws(JOSEError) -> [UInt8] {
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
    /// Fresh numbers for an algorithm: RSA of 2048 bits, secrets of 64 bytes.
    fileprivate static func generate(_ algorithm: SignatureAlgorithm) throws -> KeyMaterial {
        switch algorithm {
        case .es256:
            let key = try P256.Signing.PrivateKey()
            return .p256(key.publicKey, key)
        case .es384:
            let key = try P384.Signing.PrivateKey()
            return .p384(key.publicKey, key)
        case .es512:
            let key = try P521.Signing.PrivateKey()
            return .p521(key.publicKey, key)
        case .eddsa:
            let key = try Curve25519.Signing.PrivateKey()
            return .ed25519(key.publicKey, key)
        case .hs256, .hs384, .hs512:
            return .secret(try SharedSecret(SymmetricKey(size: .init(bitCount: 512)), algorithm: algorithm))
        default:
            guard let scheme = RSAScheme(algorithm) else { throw JOSEError.unsuitableKey("its algorithm is not known") }
            let key = try RSA.Signing.PrivateKey()
            return .rsa(key.publicKey, key, scheme)
        }
    }
}

extension Key: CustomStringConvertible, CustomReflectable {
    /// The algorithm and the kind, and nothing of the key.
    public var description: String { "Key(\(algorithm), \(canSign ? "signs" : "verifies"), redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
