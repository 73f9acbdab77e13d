// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
internal import LatchCrypto

/// A key for the key agreement on one curve (RFC 7518 §6.2, RFC 8037 §2).
///
/// Each case has the public half, and the private half if the key can decrypt.
enum AgreementKey: Sendable {
    case p256(P256.KeyAgreement.PublicKey, P256.KeyAgreement.PrivateKey?)
    case p384(P384.KeyAgreement.PublicKey, P384.KeyAgreement.PrivateKey?)
    case p521(P521.KeyAgreement.PublicKey, P521.KeyAgreement.PrivateKey?)
    case x25519(Curve25519.KeyAgreement.PublicKey, Curve25519.KeyAgreement.PrivateKey?)

    /// Whether it has a private half.
    var isPrivate: Bool {
        switch self {
        case .p256(_, let key): key != nil
        case .p384(_, let key): key != nil
        case .p521(_, let key): key != nil
        case .x25519(_, let key): key != nil
        }
    }

    /// The public key.
    var publicHalf: AgreementKey {
        switch self {
        case .p256(let key, _): .p256(key, nil)
        case .p384(let key, _): .p384(key, nil)
        case .p521(let key, _): .p521(key, nil)
        case .x25519(let key, _): .x25519(key, nil)
        }
    }

    var curve: EncryptionKey.Curve {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .x25519: .x25519
        }
    }

    static func generate(_ curve: EncryptionKey.Curve) throws -> AgreementKey {
        switch curve {
        case .p256:
            let key = try P256.KeyAgreement.PrivateKey.generate()
            return .p256(key.publicKey, key)
        case .p384:
            let key = try P384.KeyAgreement.PrivateKey.generate()
            return .p384(key.publicKey, key)
        case .p521:
            let key = try P521.KeyAgreement.PrivateKey.generate()
            return .p521(key.publicKey, key)
        case .x25519:
            let key = try Curve25519.KeyAgreement.PrivateKey.generate()
            return .x25519(key.publicKey, key)
        }
    }

    /// Derives a key from the secret that this private key shares with a public key (RFC 7518 §4.6.2).
    ///
    /// - Throws: `JOSEError.unsuitableKey` if the keys are on different curves, or the private half is missing.
    func derivedKey(with other: AgreementKey, info: [UInt8], bits: Int) throws -> SymmetricKey {
        let secret =
            switch (self, other) {
            case (.p256(_, let own?), .p256(let key, _)): try own.sharedSecretFromKeyAgreement(with: key)
            case (.p384(_, let own?), .p384(let key, _)): try own.sharedSecretFromKeyAgreement(with: key)
            case (.p521(_, let own?), .p521(let key, _)): try own.sharedSecretFromKeyAgreement(with: key)
            case (.x25519(_, let own?), .x25519(let key, _)): try own.sharedSecretFromKeyAgreement(with: key)
            default: throw JOSEError.unsuitableKey("its curve is another one")
            }
        // RFC 8037 §3.2.1, RFC 7748 §6.1: with a point of small order, every attacker would know the secret.
        guard !secret.isZero else { throw JOSEError.unsuitableKey("the other key has a small order") }
        return secret.concatKDFDerivedSymmetricKey(otherInfo: info, outputByteCount: bits / 8)
    }
}

extension AgreementKey {
    /// Decodes the numbers of a JSON Web Key.
    ///
    /// Points must be on the curve, and the halves must belong together.
    init(_ jwk: JSONObject) throws {
        let secret = try jwk.optionalBytes("d")
        switch (jwk["kty"]?.stringValue, jwk["crv"]?.stringValue) {
        case ("EC", "P-256"):
            let key = try P256.KeyAgreement.PublicKey(rawRepresentation: jwk.point(count: 32))
            let whole = try secret.map { try P256.KeyAgreement.PrivateKey(rawRepresentation: $0) }
            self = .p256(key, whole)
            try Self.requireMatch(Array(key.rawRepresentation), whole.map { Array($0.publicKey.rawRepresentation) })
        case ("EC", "P-384"):
            let key = try P384.KeyAgreement.PublicKey(rawRepresentation: jwk.point(count: 48))
            let whole = try secret.map { try P384.KeyAgreement.PrivateKey(rawRepresentation: $0) }
            self = .p384(key, whole)
            try Self.requireMatch(Array(key.rawRepresentation), whole.map { Array($0.publicKey.rawRepresentation) })
        case ("EC", "P-521"):
            let key = try P521.KeyAgreement.PublicKey(rawRepresentation: jwk.point(count: 66))
            let whole = try secret.map { try P521.KeyAgreement.PrivateKey(rawRepresentation: $0) }
            self = .p521(key, whole)
            try Self.requireMatch(Array(key.rawRepresentation), whole.map { Array($0.publicKey.rawRepresentation) })
        case ("OKP", "X25519"):
            let key = try Curve25519.KeyAgreement.PublicKey(rawRepresentation: jwk.bytes("x"))
            let whole = try secret.map { try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0) }
            self = .x25519(key, whole)
            try Self.requireMatch(Array(key.rawRepresentation), whole.map { Array($0.publicKey.rawRepresentation) })
        default: throw JOSEError.unsuitableKey("its kty or crv is not known")
        }
    }

    private static func requireMatch(_ key: [UInt8], _ computed: [UInt8]?) throws(JOSEError) {
        guard computed == nil || computed == key else {
            throw .unsuitableKey("its public and its secret half do not belong together")
        }
    }

    /// The members of the public key, which are also those of `epk` (RFC 7518 §4.6.1.1).
    var publicMembers: JSONObject {
        switch self {
        case .p256(let key, _): .point("P-256", Array(key.rawRepresentation))
        case .p384(let key, _): .point("P-384", Array(key.rawRepresentation))
        case .p521(let key, _): .point("P-521", Array(key.rawRepresentation))
        case .x25519(let key, _): ["kty": "OKP", "crv": "X25519", "x": .base64URL(Array(key.rawRepresentation))]
        }
    }

    /// Returns the additional members of the private key.
    func secretMembers() throws -> JSONObject {
        switch self {
        case .p256(_, let key?): ["d": .base64URL(try key.secretBytes())]
        case .p384(_, let key?): ["d": .base64URL(try key.secretBytes())]
        case .p521(_, let key?): ["d": .base64URL(try key.secretBytes())]
        case .x25519(_, let key?): ["d": .base64URL(Array(key.rawRepresentation))]
        default: [:]
        }
    }
}
