// SPDX-License-Identifier: Apache-2.0

public import LatchCore
internal import LatchCrypto

extension Key {
    /// Creates a key from a JSON Web Key (RFC 7517): EC on P-256, P-384 or P-521, OKP on Ed25519, RSA, or oct.
    ///
    /// - Parameters:
    ///   - jwk: The members of the JSON Web Key.
    ///   - algorithm: The algorithm of the key; nil for that of `alg` or of the curve. An RSA key without one signs by
    ///     RS256, and verifies by each RSA algorithm that a verifier accepts.
    /// - Throws: `JOSEError.unsuitableKey` if a member is missing or contradicts another, or if the key is weak, not on
    ///   its curve, or not for signatures.
    public init(jwk: JSONObject, algorithm: SignatureAlgorithm? = nil) throws(JOSEError) {
        let operations = try KeyOperations(jwk)
        let named = try jwk.setText("alg").map(SignatureAlgorithm.init)
        guard named == nil || algorithm == nil || named == algorithm else {
            throw .unsuitableKey("its alg is another one than it is wanted for")
        }
        let (actual, material) = try KeyMaterial.read(jwk, algorithm: algorithm ?? named)
        guard material.isPrivate || operations.contains(.verify) else {
            throw .unsuitableKey("its key_ops permit signing, but it has no private part")
        }
        var isRSA = false
        if case .rsa = material { isRSA = true }
        self.init(
            id: try jwk.text("kid"), algorithm: actual, material: material, operations: operations,
            hasAnyScheme: isRSA && named == nil && algorithm == nil)
    }
}

extension KeyMaterial {
    /// Decodes the key material, and returns it with its only algorithm.
    ///
    /// Unknown members are ignored (RFC 7517 §4). Every error becomes `JOSEError.unsuitableKey` and contains none of
    /// the key's numbers.
    fileprivate static func read(
        _ jwk: JSONObject, algorithm: SignatureAlgorithm?
    ) throws(JOSEError) -> (SignatureAlgorithm, KeyMaterial) {
        do {
            // RFC 7517 §4.1 compares by code points, but String considers the Kelvin sign equal to a K.
            guard jwk["kty"]?.stringValue?.utf8.allSatisfy({ $0 < 0x80 }) == true else {
                throw JOSEError.unsuitableKey("its kty is missing or not ASCII")
            }
            switch (jwk["kty"]?.stringValue, jwk["crv"]?.stringValue) {
            case ("EC", "P-256"): return (try fit(algorithm, .es256), try p256(jwk))
            case ("EC", "P-384"): return (try fit(algorithm, .es384), try p384(jwk))
            case ("EC", "P-521"): return (try fit(algorithm, .es512), try p521(jwk))
            case ("OKP", "Ed25519"): return (try fit(algorithm, .eddsa), try ed25519(jwk))
            case ("RSA", _): return (algorithm ?? .rs256, try rsa(jwk, algorithm: algorithm ?? .rs256))
            case ("oct", _):
                guard let algorithm else { throw JOSEError.unsuitableKey("it has no alg") }
                let secret = SymmetricKey(data: try jwk.bytes("k"))
                return (algorithm, .secret(try HMACSecret(secret, algorithm: algorithm)))
            default: throw JOSEError.unsuitableKey("its kty or crv is not known")
            }
        } catch let error as JOSEError {
            throw error
        } catch {
            throw .unsuitableKey("its numbers make no key, or a weak one")
        }
    }

    /// Returns the only algorithm of a curve; a key that claims another is rejected.
    private static func fit(
        _ wanted: SignatureAlgorithm?, _ only: SignatureAlgorithm
    ) throws(JOSEError) -> SignatureAlgorithm {
        guard wanted == nil || wanted == only else { throw .unsuitableKey("its alg does not fit its curve") }
        return only
    }

    /// Decodes a key on P-256, with coordinates of 32 bytes.
    private static func p256(_ jwk: JSONObject) throws -> KeyMaterial {
        let key = try P256.Signing.PublicKey(rawRepresentation: jwk.point(count: 32))
        guard let secret = try jwk.optionalBytes("d") else { return .p256(key, nil) }
        let whole = try P256.Signing.PrivateKey(rawRepresentation: secret)
        try require(Array(whole.publicKey.rawRepresentation) == Array(key.rawRepresentation))
        return .p256(key, whole)
    }

    /// Decodes a key on P-384, with coordinates of 48 bytes.
    private static func p384(_ jwk: JSONObject) throws -> KeyMaterial {
        let key = try P384.Signing.PublicKey(rawRepresentation: jwk.point(count: 48))
        guard let secret = try jwk.optionalBytes("d") else { return .p384(key, nil) }
        let whole = try P384.Signing.PrivateKey(rawRepresentation: secret)
        try require(Array(whole.publicKey.rawRepresentation) == Array(key.rawRepresentation))
        return .p384(key, whole)
    }

    /// Decodes a key on P-521, with coordinates of 66 bytes.
    private static func p521(_ jwk: JSONObject) throws -> KeyMaterial {
        let key = try P521.Signing.PublicKey(rawRepresentation: jwk.point(count: 66))
        guard let secret = try jwk.optionalBytes("d") else { return .p521(key, nil) }
        let whole = try P521.Signing.PrivateKey(rawRepresentation: secret)
        try require(Array(whole.publicKey.rawRepresentation) == Array(key.rawRepresentation))
        return .p521(key, whole)
    }

    /// Decodes an Ed25519 key (RFC 8037 §2), with 32 bytes each for the public and the secret part.
    private static func ed25519(_ jwk: JSONObject) throws -> KeyMaterial {
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: jwk.bytes("x"))
        guard let secret = try jwk.optionalBytes("d") else { return .ed25519(key, nil) }
        let whole = try Curve25519.Signing.PrivateKey(rawRepresentation: secret)
        try require(Array(whole.publicKey.rawRepresentation) == Array(key.rawRepresentation))
        return .ed25519(key, whole)
    }

    /// Decodes an RSA key with the scheme of its algorithm; a private key must have all of its numbers.
    private static func rsa(_ jwk: JSONObject, algorithm: SignatureAlgorithm) throws -> KeyMaterial {
        guard let scheme = RSAScheme(algorithm) else { throw JOSEError.unsuitableKey("its alg does not fit its kty") }
        let key = try RSA.Signing.PublicKey(modulus: jwk.bytes("n"), exponent: jwk.bytes("e"))
        guard let numbers = try RSA.Signing.PrivateNumbers(jwk, modulus: key.modulus, exponent: key.exponent) else {
            return .rsa(key, nil, scheme)
        }
        return .rsa(key, try RSA.Signing.PrivateKey(numbers), scheme)
    }

    /// Rejects a private key with the public part of another key.
    ///
    /// The published key could not verify its signatures, or would belong to another party.
    private static func require(_ halvesMatch: Bool) throws(JOSEError) {
        guard halvesMatch else { throw .unsuitableKey("its public and its secret half do not belong together") }
    }
}

extension RSA.Signing.PrivateNumbers {
    /// Decodes the numbers of a private key, which must be complete; nil for a public key.
    init?(_ jwk: JSONObject, modulus: [UInt8], exponent: [UInt8]) throws(JOSEError) {
        guard let secret = try jwk.optionalBytes("d") else { return nil }
        // RFC 7518 §6.3.2: d would be enough, but without the primes it is slow and cannot be checked.
        self.init(
            modulus: modulus, exponent: exponent, privateExponent: secret, firstPrime: try jwk.bytes("p"),
            secondPrime: try jwk.bytes("q"), firstExponent: try jwk.bytes("dp"), secondExponent: try jwk.bytes("dq"),
            coefficient: try jwk.bytes("qi"))
    }
}

extension JSONObject {
    /// Returns a member that is a string; nil if it is missing or null.
    func text(_ name: String) throws(JOSEError) -> String? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let text = value.stringValue else { throw .unsuitableKey("its \(name) is not a string") }
        return text
    }

    /// Returns a member that is a string; nil if it is missing, null or empty, which restricts nothing.
    func setText(_ name: String) throws(JOSEError) -> String? { try text(name).flatMap { $0.isEmpty ? nil : $0 } }

    /// Returns a member that is base64url; nil if it is missing.
    func optionalBytes(_ name: String) throws(JOSEError) -> [UInt8]? {
        guard let text = try text(name) else { return nil }
        do { return try Base64URL.decode(text) } catch { throw .unsuitableKey("its \(name) is not base64url") }
    }

    /// Returns a member that is base64url and not empty.
    func bytes(_ name: String) throws(JOSEError) -> [UInt8] {
        guard let bytes = try optionalBytes(name), !bytes.isEmpty else {
            throw .unsuitableKey("its \(name) is missing or empty")
        }
        return bytes
    }

    /// Returns the coordinates, both at full length (RFC 7518 §6.2.1.2).
    func point(count: Int) throws(JOSEError) -> [UInt8] {
        let (x, y) = (try bytes("x"), try bytes("y"))
        guard x.count == count, y.count == count else { throw .unsuitableKey("a coordinate has another length") }
        return x + y
    }
}

extension Key {
    /// The public key as a JSON Web Key (RFC 7517); only the ID for a shared secret.
    public var jwk: JSONObject {
        var jwk = material.publicMembers
        if let id { jwk["kid"] = .string(id) }
        jwk["alg"] = .string(algorithm.rawValue)
        jwk["use"] = "sig"
        return jwk
    }

    /// Returns the private key as a JSON Web Key; the caller must protect it.
    ///
    /// - Throws: `JOSEError.unsuitableKey` if the key only verifies.
    public func jwkWithSecretsForStorage() throws(JOSEError) -> JSONObject {
        guard material.isPrivate else { throw .unsuitableKey("it has no secret part") }
        var whole = jwk
        if operations != .all { whole["key_ops"] = .array(operations.names) }
        do {
            for member in try material.secretMembers() { whole[member.key] = member.value }
        } catch {
            throw .unsuitableKey("its numbers could not be read")
        }
        return whole
    }

    /// The thumbprint (RFC 7638): an ID that is derived from the key.
    ///
    /// It is the SHA-256 digest of the required members in base64url: 43 characters. A private key has the thumbprint
    /// of its public key. The thumbprint of a shared secret is a hash of the secret, and must not be published.
    public var thumbprint: String {
        var members = material.publicMembers
        if case .secret(let secret) = material { members["k"] = .base64URL(secret.key.withUnsafeBytes { Array($0) }) }
        return Self.thumbprint(of: members)
    }

    /// Returns the thumbprint of the required members.
    static func thumbprint(of members: JSONObject) -> String {
        // RFC 7638 §3.3: the required members in lexicographic order, without whitespace.
        let ordered = JSONObject(members.sorted { $0.key < $1.key })
        return Base64URL.encode(SHA256.hash(data: JSONValue.object(ordered).serialized()).map(\.self))
    }

    /// The thumbprint as a URI (RFC 9278), for contexts that must show the kind of an ID.
    public var thumbprintURI: String { "urn:ietf:params:oauth:jwk-thumbprint:sha-256:\(thumbprint)" }
}

extension KeyMaterial {
    /// The members that RFC 7638 §3.2 requires of a public key: type, curve and numbers.
    fileprivate var publicMembers: JSONObject {
        switch self {
        case .p256(let key, _): JSONObject.point("P-256", Array(key.rawRepresentation))
        case .p384(let key, _): JSONObject.point("P-384", Array(key.rawRepresentation))
        case .p521(let key, _): JSONObject.point("P-521", Array(key.rawRepresentation))
        case .ed25519(let key, _): ["kty": "OKP", "crv": "Ed25519", "x": .base64URL(Array(key.rawRepresentation))]
        case .rsa(let key, _, _): ["kty": "RSA", "n": .base64URL(key.modulus), "e": .base64URL(key.exponent)]
        case .secret: ["kty": "oct"]
        }
    }

    /// Returns the additional members of a private key (RFC 7518 §6.2.2, §6.3.2 and §6.4.1, RFC 8037 §2).
    fileprivate func secretMembers() throws -> JSONObject {
        switch self {
        case .p256(_, let key?): ["d": .base64URL(try key.secretBytes())]
        case .p384(_, let key?): ["d": .base64URL(try key.secretBytes())]
        case .p521(_, let key?): ["d": .base64URL(try key.secretBytes())]
        case .ed25519(_, let key?): ["d": .base64URL(Array(key.rawRepresentation))]
        case .rsa(_, let key?, _): JSONObject.members(of: try key.numbers)
        case .secret(let secret): ["k": .base64URL(secret.key.withUnsafeBytes { Array($0) })]
        default: [:]
        }
    }
}

extension JSONObject {
    /// Returns the members of a point, whose coordinates are the halves of the raw form (RFC 7518 §6.2.1.2).
    static func point(_ curve: String, _ raw: [UInt8]) -> JSONObject {
        let half = raw.count / 2
        return [
            "kty": "EC", "crv": .string(curve), "x": .base64URL(Array(raw.prefix(half))),
            "y": .base64URL(Array(raw.dropFirst(half))),
        ]
    }

    /// Returns the members of the secret numbers, without leading zeros (RFC 7518 §2, Base64urlUInt).
    static func members(of numbers: RSA.Signing.PrivateNumbers) -> JSONObject {
        [
            "d": .base64URL(numbers.privateExponent), "p": .base64URL(numbers.firstPrime),
            "q": .base64URL(numbers.secondPrime), "dp": .base64URL(numbers.firstExponent),
            "dq": .base64URL(numbers.secondExponent), "qi": .base64URL(numbers.coefficient),
        ]
    }
}

extension JSONValue {
    /// Encodes bytes in base64url, as the numbers of a key are written.
    static func base64URL(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}
