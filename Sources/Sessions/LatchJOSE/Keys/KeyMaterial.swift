// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto

/// The numbers of a key, and its operations.
enum KeyMaterial: Sendable {
    /// Each case has the public half, and the private half if the key can sign.
    case p256(P256.Signing.PublicKey, P256.Signing.PrivateKey?)
    case p384(P384.Signing.PublicKey, P384.Signing.PrivateKey?)
    case p521(P521.Signing.PublicKey, P521.Signing.PrivateKey?)
    case ed25519(Curve25519.Signing.PublicKey, Curve25519.Signing.PrivateKey?)
    case rsa(RSA.Signing.PublicKey, RSA.Signing.PrivateKey?, RSAScheme)
    case secret(HMACSecret)

    /// Whether the signature of `data` is valid.
    func isValidSignature(_ signature: [UInt8], for data: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .p256(let key, _): key.isValidSignature(rawRepresentation: signature, for: data)
        case .p384(let key, _): key.isValidSignature(rawRepresentation: signature, for: data)
        case .p521(let key, _): key.isValidSignature(rawRepresentation: signature, for: data)
        case .ed25519(let key, _): key.isValidSignature(signature, for: data)
        case .rsa(let key, _, let scheme):
            key.isValidSignature(signature, for: data, padding: scheme.padding, hash: scheme.hash)
        case .secret(let secret): constantTimeEquals(secret.code(for: data), signature)
        }
    }

    /// Signs `data`; returns nil for a public key.
    func signature(for data: [UInt8]) throws -> [UInt8]? {
        switch self {
        case .p256(_, let key): try key.map { Array(try $0.signature(for: data).rawRepresentation) }
        case .p384(_, let key): try key.map { Array(try $0.signature(for: data).rawRepresentation) }
        case .p521(_, let key): try key.map { Array(try $0.signature(for: data).rawRepresentation) }
        case .ed25519(_, let key): try key.map { Array(try $0.signature(for: data)) }
        case .rsa(_, let key, let scheme):
            try key?.signature(for: data, padding: scheme.padding, hash: scheme.hash)
        case .secret(let secret): secret.code(for: data[...])
        }
    }

    /// Whether it can sign.
    var isPrivate: Bool {
        switch self {
        case .p256(_, let key): key != nil
        case .p384(_, let key): key != nil
        case .p521(_, let key): key != nil
        case .ed25519(_, let key): key != nil
        case .rsa(_, let key, _): key != nil
        case .secret: true
        }
    }

    /// The public key; nil for a shared secret.
    var publicHalf: KeyMaterial? {
        switch self {
        case .p256(let key, _): .p256(key, nil)
        case .p384(let key, _): .p384(key, nil)
        case .p521(let key, _): .p521(key, nil)
        case .ed25519(let key, _): .ed25519(key, nil)
        case .rsa(let key, _, let scheme): .rsa(key, nil, scheme)
        case .secret: nil
        }
    }
}
