// SPDX-License-Identifier: Apache-2.0

public import LatchCore
internal import LatchCrypto

extension EncryptionKey {
    /// Creates a key from a JSON Web Key (RFC 7517): RSA, EC on P-256, P-384 or P-521, OKP on X25519, or oct.
    ///
    /// A secret whose `alg` is a content encryption, such as `A128GCM`, is for direct use with it.
    ///
    /// - Parameters:
    ///   - jwk: The members of the JSON Web Key.
    ///   - algorithm: The algorithm of the key; nil for that of `alg`, which must then be present. A guessed algorithm
    ///     would decide how tokens are decrypted.
    /// - Throws: `JOSEError.unsuitableKey` if a member is missing or contradicts another, or if the key is weak, not on
    ///   its curve, or not for encryption.
    public init(jwk: JSONObject, algorithm: KeyManagementAlgorithm? = nil) throws(JOSEError) {
        var named = try jwk.setText("alg").map { KeyManagementAlgorithm(rawValue: $0) }
        let content = try jwk.setText("alg").map { ContentEncryptionAlgorithm(rawValue: $0) }.flatMap {
            $0.cipher == nil ? nil : $0
        }
        if content != nil { named = .dir }
        guard named == nil || algorithm == nil || named == algorithm else {
            throw .unsuitableKey("its alg is another one than it is wanted for")
        }
        guard let actual = algorithm ?? named else { throw .unsuitableKey("it has no alg") }
        let material = try EncryptionKeyMaterial.read(jwk, algorithm: actual)
        if let bits = content?.cipher?.keyBits, case .secret(let secret) = material {
            guard secret.bitCount == bits else { throw .unsuitableKey("the secret has not \(bits) bits") }
        }
        let operations = try EncryptionOperations(jwk, algorithm: actual)
        guard material.isPrivate || operations.contains(.encrypt) else {
            throw .unsuitableKey("its key_ops permit decrypting, but it has no private part")
        }
        self.init(
            id: try jwk.text("kid"), algorithm: actual, material: material, operations: operations,
            contentEncryption: content)
    }

    /// The public key as a JSON Web Key (RFC 7517); only the ID for a shared secret or a password.
    public var jwk: JSONObject {
        var jwk = material.publicMembers
        if let id { jwk["kid"] = .string(id) }
        jwk["alg"] = .string(contentEncryption?.rawValue ?? algorithm.rawValue)
        jwk["use"] = "enc"
        return jwk
    }

    /// Returns the private key as a JSON Web Key; the caller must protect it.
    ///
    /// - Throws: `JOSEError.unsuitableKey` if the key only encrypts, or is a password.
    public func jwkWithSecretsForStorage() throws(JOSEError) -> JSONObject {
        guard material.isPrivate else { throw .unsuitableKey("it has no secret part") }
        if case .password = material { throw .unsuitableKey("a password is stored with its iterations, not as a key") }
        var whole = jwk
        if operations != .all { whole["key_ops"] = .array(operations.names(for: algorithm)) }
        do {
            for member in try material.secretMembers() { whole[member.key] = member.value }
        } catch {
            throw .unsuitableKey("its numbers could not be read")
        }
        return whole
    }
}

extension EncryptionKeyMaterial {
    /// Decodes the key material for an algorithm.
    ///
    /// Unknown members are ignored (RFC 7517 §4). Every error becomes `JOSEError.unsuitableKey` and contains none of
    /// the key's numbers.
    fileprivate static func read(
        _ jwk: JSONObject, algorithm: KeyManagementAlgorithm
    ) throws(JOSEError) -> EncryptionKeyMaterial {
        do {
            // RFC 7517 §4.1 compares by code points, but String considers the Kelvin sign equal to a K.
            guard let type = jwk["kty"]?.stringValue, type.utf8.allSatisfy({ $0 < 0x80 }) else {
                throw JOSEError.unsuitableKey("its kty is missing or not ASCII")
            }
            switch (type, algorithm.mode) {
            case ("RSA", .rsa): return try rsa(jwk)
            case ("EC", .agreement), ("OKP", .agreement): return .agreement(try AgreementKey(jwk))
            case ("oct", .keyWrap), ("oct", .gcmKeyWrap), ("oct", .direct):
                return try EncryptionKeyMaterial(secret: SymmetricKey(data: jwk.bytes("k")), algorithm: algorithm)
            case ("oct", .password):
                throw JOSEError.unsuitableKey(
                    "a password needs a limit for its iterations, which a JSON Web Key cannot contain")
            default: throw JOSEError.unsuitableKey("its alg is not known, or does not fit its kty")
            }
        } catch let error as JOSEError {
            throw error
        } catch {
            throw .unsuitableKey("its numbers make no key, or a weak one")
        }
    }

    private static func rsa(_ jwk: JSONObject) throws -> EncryptionKeyMaterial {
        let key = try RSA.Encryption.PublicKey(modulus: jwk.bytes("n"), exponent: jwk.bytes("e"))
        guard let numbers = try RSA.Signing.PrivateNumbers(jwk, modulus: key.modulus, exponent: key.exponent) else {
            return .rsa(key, nil)
        }
        return .rsa(key, try RSA.Encryption.PrivateKey(numbers))
    }

    /// The members that RFC 7638 §3.2 requires of a public key: type, curve and numbers.
    var publicMembers: JSONObject {
        switch self {
        case .rsa(let key, _): ["kty": "RSA", "n": .base64URL(key.modulus), "e": .base64URL(key.exponent)]
        case .agreement(let key): key.publicMembers
        case .secret, .password: ["kty": "oct"]
        }
    }

    /// Returns the additional members of a private key (RFC 7518 §6.2.2, §6.3.2 and §6.4.1, RFC 8037 §2).
    fileprivate func secretMembers() throws -> JSONObject {
        switch self {
        case .rsa(_, let key?): .members(of: try key.numbers)
        case .agreement(let key): try key.secretMembers()
        case .secret(let secret): ["k": .base64URL(secret.withUnsafeBytes { Array($0) })]
        case .rsa, .password: [:]
        }
    }
}

/// The permitted operations of an encryption key (`use` and `key_ops`, RFC 7517 §4.2 and §4.3).
struct EncryptionOperations: OptionSet, Sendable {
    let rawValue: Int

    static let encrypt = EncryptionOperations(rawValue: 1)
    static let decrypt = EncryptionOperations(rawValue: 2)
    /// The operations of a key without restrictions.
    static let all: EncryptionOperations = [.encrypt, .decrypt]

    init(rawValue: Int) { self.rawValue = rawValue }

    /// Parses the operations of a JSON Web Key.
    ///
    /// A key agreement is one operation for both parties. For a key that encrypts or wraps other keys, either pair of
    /// names is used in practice.
    ///
    /// - Throws: `JOSEError.unsuitableKey` if the key is not for encryption, or its operations contradict each other.
    init(_ jwk: JSONObject, algorithm: KeyManagementAlgorithm) throws(JOSEError) {
        let use = try jwk.setText("use")
        guard use == nil || use == "enc" else { throw .unsuitableKey("its use is not enc") }
        guard let names = try jwk.keyOperations() else {
            self = .all
            return
        }
        // RFC 7517 §4.3: `key_ops` must agree with `use`.
        guard use == nil || !names.contains("sign") && !names.contains("verify") else {
            throw .unsuitableKey("its key_ops contradict its use")
        }
        let known = Self.knownNames(for: algorithm)
        self = []
        if names.contains(where: known.encrypt.contains) { insert(.encrypt) }
        if names.contains(where: known.decrypt.contains) { insert(.decrypt) }
        guard !isEmpty else { throw .unsuitableKey("its key_ops are not those of its alg") }
    }

    /// The operations in the notation of a JSON Web Key.
    func names(for algorithm: KeyManagementAlgorithm) -> [JSONValue] {
        let known = Self.knownNames(for: algorithm)
        var names: [String] = contains(.encrypt) ? Array(known.encrypt.prefix(1)) : []
        if contains(.decrypt), let name = known.decrypt.first, !names.contains(name) { names.append(name) }
        return names.map { .string($0) }
    }

    /// Returns the names that permit each operation; the first name of each is the one that is written.
    private static func knownNames(for algorithm: KeyManagementAlgorithm) -> (encrypt: [String], decrypt: [String]) {
        switch algorithm.mode {
        case .agreement: (["deriveKey", "deriveBits"], ["deriveKey", "deriveBits"])
        case .direct: (["encrypt"], ["decrypt"])
        case .rsa, .keyWrap, .gcmKeyWrap, .password, nil: (["wrapKey", "encrypt"], ["unwrapKey", "decrypt"])
        }
    }
}
