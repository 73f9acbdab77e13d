// SPDX-License-Identifier: Apache-2.0

public import LatchCore
internal import LatchCrypto

extension Key {
    /// The public half as a JSON Web Key (RFC 7517), fit to be published; of a shared secret only its name.
    public var jwk: JSONObject {
        var jwk = material.publicMembers
        if let id { jwk["kid"] = .string(id) }
        jwk["alg"] = .string(algorithm.rawValue)
        jwk["use"] = "sig"
        return jwk
    }

    /// Gives the whole key away as a JSON Web Key, secret and all, to whoever stores it.
    ///
    /// - Throws: `JOSEError.unsuitableKey` where the key only verifies.
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

    /// The key's thumbprint (RFC 7638): a name that follows from the key and is the same everywhere.
    ///
    /// It is SHA-256 over the required members, in base64url: 43 characters. A private key has that of its public half.
    /// For a shared secret it is as good as a hash of the secret, and not to be shown.
    public var thumbprint: String {
        var members = material.publicMembers
        if case .secret(let secret) = material { members["k"] = .base64URL(secret.key.withUnsafeBytes { Array($0) }) }
        // RFC 7638 §3.3: the required members in lexicographic order, without whitespace.
        let ordered = JSONObject(members.sorted { $0.key < $1.key })
        return Base64URL.encode(SHA256.hash(data: JSONValue.object(ordered).serialized()).map(\.self))
    }

    /// The thumbprint as a URI (RFC 9278), for where a name of a key has to say what kind of name it is.
    public var thumbprintURI: String { "urn:ietf:params:oauth:jwk-thumbprint:sha-256:\(thumbprint)" }
}

extension KeyMaterial {
    /// The members that RFC 7638 §3.2 requires of a public key: kind, curve and numbers.
    fileprivate var publicMembers: JSONObject {
        switch self {
        case .p256(let key, _): Self.point("P-256", Array(key.rawRepresentation))
        case .p384(let key, _): Self.point("P-384", Array(key.rawRepresentation))
        case .p521(let key, _): Self.point("P-521", Array(key.rawRepresentation))
        case .ed25519(let key, _): ["kty": "OKP", "crv": "Ed25519", "x": .base64URL(Array(key.rawRepresentation))]
        case .rsa(let key, _, _): ["kty": "RSA", "n": .base64URL(key.modulus), "e": .base64URL(key.exponent)]
        case .secret: ["kty": "oct"]
        }
    }

    /// The members beyond the public ones that a private key has (RFC 7518 §6.2.2, §6.3.2 and §6.4.1, RFC 8037 §2).
    fileprivate func secretMembers() throws -> JSONObject {
        switch self {
        case .p256(_, let key): ["d": try .base64URL(Array(key?.rawRepresentation ?? []))]
        case .p384(_, let key): ["d": try .base64URL(Array(key?.rawRepresentation ?? []))]
        case .p521(_, let key): ["d": try .base64URL(Array(key?.rawRepresentation ?? []))]
        case .ed25519(_, let key): ["d": .base64URL(Array(key?.rawRepresentation ?? []))]
        case .rsa(_, let key, _): try key.map { Self.members(of: try $0.numbers) } ?? [:]
        case .secret(let secret): ["k": .base64URL(secret.key.withUnsafeBytes { Array($0) })]
        }
    }

    /// A curve's coordinates, each at the curve's full length (RFC 7518 §6.2.1.2), which is half of the raw form.
    private static func point(_ curve: String, _ raw: [UInt8]) -> JSONObject {
        let half = raw.count / 2
        return [
            "kty": "EC", "crv": .string(curve), "x": .base64URL(Array(raw.prefix(half))),
            "y": .base64URL(Array(raw.dropFirst(half))),
        ]
    }

    /// The numbers of RSA without leading zeros (RFC 7518 §2, Base64urlUInt).
    private static func members(of numbers: RSA.Signing.PrivateNumbers) -> JSONObject {
        [
            "d": .base64URL(numbers.privateExponent), "p": .base64URL(numbers.firstPrime),
            "q": .base64URL(numbers.secondPrime), "dp": .base64URL(numbers.firstExponent),
            "dq": .base64URL(numbers.secondExponent), "qi": .base64URL(numbers.coefficient),
        ]
    }
}

extension JSONValue {
    /// Bytes as the text that all numbers of a key are written in.
    fileprivate static func base64URL(_ bytes: [UInt8]) -> JSONValue { .string(Base64URL.encode(bytes)) }
}
