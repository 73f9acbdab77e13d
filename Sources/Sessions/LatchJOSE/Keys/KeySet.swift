// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// A set of keys, such as those of an issuer (RFC 7517 §5).
public struct KeySet: Sendable {
    /// The keys for signatures, in order.
    public let keys: [Key]
    /// The keys for encryption, in order.
    public let encryptionKeys: [EncryptionKey]

    /// The maximum number of keys: more than issuers use, yet few enough to try each on a token without `kid`.
    private static let mostKeys = 200

    /// Creates a set of keys.
    public init(_ keys: [Key] = [], encryptionKeys: [EncryptionKey] = []) {
        self.keys = keys
        self.encryptionKeys = encryptionKeys
    }

    /// Creates a set from a serialized JSON Web Key Set.
    ///
    /// Entries that are not usable keys are ignored, as RFC 7517 §5 requires. Several keys may share an ID (§4.5), such
    /// as one RSA key for several algorithms: each of them can verify a token. A key is for encryption according to its
    /// `use`, or else its `alg`, which an encryption key always needs.
    ///
    /// - Throws: `JOSEError.unsuitableKey` if the text is not a key set, mixes shared secrets and public keys, or has
    ///   two shared secrets with one ID.
    public init(jwks bytes: [UInt8]) throws(JOSEError) {
        let value: JSONValue
        do {
            // RFC 8259 §8.1: a reader may ignore a byte order mark.
            value = try JSONValue(parsing: bytes.withoutByteOrderMark, limits: JSONLimits(depth: 16, bytes: 1 << 20))
        } catch {
            throw .unsuitableKey("the key set is not JSON")
        }
        try self.init(jwks: value)
    }

    /// Creates a set from a JSON Web Key Set.
    ///
    /// - Throws: As ``init(jwks:)-([UInt8])``.
    public init(jwks value: JSONValue) throws(JOSEError) {
        guard let list = value["keys"]?.arrayValue, list.count <= Self.mostKeys else {
            throw .unsuitableKey("the key set has no list of keys, or too long a one")
        }
        var keys: [Key] = []
        var encryptionKeys: [EncryptionKey] = []
        var names: Set<String> = []
        for jwk in list.lazy.compactMap(\.objectValue) {
            let key = Self.key(jwk)
            switch key {
            case .signature(let key): keys.append(key)
            case .encryption(let key): encryptionKeys.append(key)
            case nil: break
            }
            // No issuer publishes shared secrets, so two with one ID are a mistake of the set's owner.
            guard jwk["kty"] == "oct", jwk["use"] != "enc", let id = jwk["kid"]?.stringValue else { continue }
            if case .encryption = key { continue }
            guard names.insert(id).inserted else {
                throw .unsuitableKey("two shared secrets of the set have the same ID")
            }
        }
        // RFC 8725 §3.1: in a set that mixes both, a public key could be taken for a shared secret.
        let secrets = keys.count { $0.publicKey == nil }
        guard secrets == 0 || secrets == keys.count else {
            throw .unsuitableKey("the set mixes secrets and public keys")
        }
        self.keys = keys
        self.encryptionKeys = encryptionKeys
    }

    /// A key of a JSON Web Key Set, by its use.
    private enum Member {
        case signature(Key)
        case encryption(EncryptionKey)
    }

    /// Returns the key of an entry; nil if its type or its use is not supported.
    private static func key(_ jwk: JSONObject) -> Member? {
        do {
            guard jwk["use"] != "enc" else { return .encryption(try EncryptionKey(jwk: jwk)) }
            let algorithm = KeyManagementAlgorithm(rawValue: jwk["alg"]?.stringValue ?? "")
            return algorithm.mode == nil
                ? .signature(try Key(jwk: jwk)) : .encryption(try EncryptionKey(jwk: jwk))
        } catch {
            // RFC 7517 §5: such keys are ignored.
            return nil
        }
    }

    /// Returns the signature key with an ID.
    ///
    /// If several keys share the ID, it is the first.
    public subscript(id: String) -> Key? { keys.first { $0.id == id } }

    /// Returns the public keys as a JSON Web Key Set; shared secrets are left out.
    public func jwks() -> JSONValue {
        [
            "keys": .array(
                keys.compactMap(\.publicKey).map { .object($0.jwk) }
                    + encryptionKeys.compactMap(\.publicKey).map { .object($0.jwk) })
        ]
    }

    /// Returns the keys that may have signed a token.
    ///
    /// They have its algorithm, and its ID if both the token and the key have one.
    func candidates(id: String?, algorithm: SignatureAlgorithm) -> [Key] {
        keys.compactMap { key in
            guard key.canVerify, id == nil || key.id == nil || key.id == id else { return nil }
            return key.key(for: algorithm)
        }
    }

    /// Returns the keys that a token may be encrypted for.
    ///
    /// They have its algorithm, and its ID if both the token and the key have one.
    func decryptionCandidates(id: String?, algorithm: KeyManagementAlgorithm) -> [EncryptionKey] {
        encryptionKeys.filter { key in
            key.algorithm == algorithm && key.canDecrypt && (id == nil || key.id == nil || key.id == id)
        }
    }
}
