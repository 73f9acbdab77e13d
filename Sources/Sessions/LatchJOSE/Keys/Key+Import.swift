// SPDX-License-Identifier: Apache-2.0

public import LatchCore
internal import LatchCrypto

extension Key {
    /// A key of a JSON Web Key (RFC 7517): EC on P-256, P-384 or P-521, OKP on Ed25519, RSA, or oct.
    ///
    /// - Parameter algorithm: What the key is for. It may be left out where `alg` or the curve says it; an RSA key that
    ///   says nothing is for RS256, as the key sets of large providers mean it.
    /// - Throws: `JOSEError.unsuitableKey` where a member is missing, contradicts another, or makes a key that is weak, not
    ///   on its curve, or for something else than signatures.
    public init(jwk: JSONObject, algorithm: SignatureAlgorithm? = nil) throws(JOSEError) {
        let operations = try KeyOperations(jwk)
        let named = try jwk.text("alg").map { SignatureAlgorithm(rawValue: $0 == "Ed25519" ? "EdDSA" : $0) }
        guard named == nil || algorithm == nil || named == algorithm else {
            throw .unsuitableKey("its alg is another one than it is wanted for")
        }
        let (actual, material) = try KeyMaterial.read(jwk, algorithm: algorithm ?? named)
        guard material.isPrivate || operations.contains(.verify) else {
            throw .unsuitableKey("its key_ops let it sign, which needs a secret that it has not")
        }
        self.init(id: try jwk.text("kid"), algorithm: actual, material: material, operations: operations)
    }
}

extension KeyMaterial {
    /// The numbers of a key, by its kind and curve, and the one algorithm that they are for.
    ///
    /// Unknown members are ignored (RFC 7517 §4). Every refusal becomes `JOSEError.unsuitableKey`, with no number in
    /// it.
    fileprivate static func read(
        _ jwk: JSONObject, algorithm: SignatureAlgorithm?
    ) throws(JOSEError) -> (SignatureAlgorithm, KeyMaterial) {
        do {
            // RFC 7517 §4.1 compares by code points, where String would take the Kelvin sign for a K.
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
                guard let algorithm else { throw JOSEError.unsuitableKey("it does not say its alg") }
                let secret = SymmetricKey(data: try jwk.bytes("k"))
                return (algorithm, .secret(try SharedSecret(secret, algorithm: algorithm)))
            default: throw JOSEError.unsuitableKey("its kty or crv is not known")
            }
        } catch let error as JOSEError {
            throw error
        } catch {
            throw .unsuitableKey("its numbers make no key, or a weak one")
        }
    }

    /// A curve has one algorithm; a key that claims another is refused.
    private static func fit(
        _ wanted: SignatureAlgorithm?, _ only: SignatureAlgorithm
    ) throws(JOSEError) -> SignatureAlgorithm {
        guard wanted == nil || wanted == only else { throw .unsuitableKey("its alg does not fit its curve") }
        return only
    }

    /// A key on P-256: coordinates of 32 bytes.
    private static func p256(_ jwk: JSONObject) throws -> KeyMaterial {
        let key = try P256.Signing.PublicKey(rawRepresentation: jwk.point(count: 32))
        guard let secret = try jwk.optionalBytes("d") else { return .p256(key, nil) }
        let whole = try P256.Signing.PrivateKey(rawRepresentation: secret)
        try require(Array(whole.publicKey.rawRepresentation) == Array(key.rawRepresentation))
        return .p256(key, whole)
    }

    /// A key on P-384: coordinates of 48 bytes.
    private static func p384(_ jwk: JSONObject) throws -> KeyMaterial {
        let key = try P384.Signing.PublicKey(rawRepresentation: jwk.point(count: 48))
        guard let secret = try jwk.optionalBytes("d") else { return .p384(key, nil) }
        let whole = try P384.Signing.PrivateKey(rawRepresentation: secret)
        try require(Array(whole.publicKey.rawRepresentation) == Array(key.rawRepresentation))
        return .p384(key, whole)
    }

    /// A key on P-521: coordinates of 66 bytes.
    private static func p521(_ jwk: JSONObject) throws -> KeyMaterial {
        let key = try P521.Signing.PublicKey(rawRepresentation: jwk.point(count: 66))
        guard let secret = try jwk.optionalBytes("d") else { return .p521(key, nil) }
        let whole = try P521.Signing.PrivateKey(rawRepresentation: secret)
        try require(Array(whole.publicKey.rawRepresentation) == Array(key.rawRepresentation))
        return .p521(key, whole)
    }

    /// A key on Ed25519 (RFC 8037 §2): 32 bytes of either half.
    private static func ed25519(_ jwk: JSONObject) throws -> KeyMaterial {
        let key = try Curve25519.Signing.PublicKey(rawRepresentation: jwk.bytes("x"))
        guard let secret = try jwk.optionalBytes("d") else { return .ed25519(key, nil) }
        let whole = try Curve25519.Signing.PrivateKey(rawRepresentation: secret)
        try require(Array(whole.publicKey.rawRepresentation) == Array(key.rawRepresentation))
        return .ed25519(key, whole)
    }

    /// A key of RSA with the scheme of its algorithm; a private one has to have all of its numbers.
    private static func rsa(_ jwk: JSONObject, algorithm: SignatureAlgorithm) throws -> KeyMaterial {
        guard let scheme = RSAScheme(algorithm) else { throw JOSEError.unsuitableKey("its alg does not fit its kty") }
        let key = try RSA.Signing.PublicKey(modulus: jwk.bytes("n"), exponent: jwk.bytes("e"))
        guard let secret = try jwk.optionalBytes("d") else { return .rsa(key, nil, scheme) }
        // RFC 7518 §6.3.2: d alone would do, but without the primes it signs slowly and cannot be checked.
        let numbers = RSA.Signing.PrivateNumbers(
            modulus: key.modulus, exponent: key.exponent, privateExponent: secret, firstPrime: try jwk.bytes("p"),
            secondPrime: try jwk.bytes("q"), firstExponent: try jwk.bytes("dp"), secondExponent: try jwk.bytes("dq"),
            coefficient: try jwk.bytes("qi"))
        return .rsa(key, try RSA.Signing.PrivateKey(numbers), scheme)
    }

    /// Refuses a private key whose public half is not its own.
    ///
    /// Who signs with it would publish a key that verifies nothing, or one of somebody else.
    private static func require(_ halvesMatch: Bool) throws(JOSEError) {
        guard halvesMatch else { throw .unsuitableKey("its public and its secret half do not belong together") }
    }
}

extension JSONObject {
    /// A member that is text, or nil where it is missing.
    func text(_ name: String) throws(JOSEError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.stringValue else { throw .unsuitableKey("its \(name) is not a string") }
        return text
    }

    fileprivate func optionalBytes(_ name: String) throws(JOSEError) -> [UInt8]? {
        guard let text = try text(name) else { return nil }
        do { return try Base64URL.decode(text) } catch { throw .unsuitableKey("its \(name) is not base64url") }
    }

    fileprivate func bytes(_ name: String) throws(JOSEError) -> [UInt8] {
        guard let bytes = try optionalBytes(name), !bytes.isEmpty else {
            throw .unsuitableKey("its \(name) is missing or empty")
        }
        return bytes
    }

    /// RFC 7518 §6.2.1.2: both coordinates at full length.
    fileprivate func point(count: Int) throws(JOSEError) -> [UInt8] {
        let (x, y) = (try bytes("x"), try bytes("y"))
        guard x.count == count, y.count == count else { throw .unsuitableKey("a coordinate has another length") }
        return x + y
    }
}
