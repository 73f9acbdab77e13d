// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto

/// A decoder of keys in DER; the initializers of the keys check the numbers.
enum KeyReader {
    /// Decodes the key of a PEM block.
    static func material(_ block: PEMBlock, _ algorithm: SignatureAlgorithm?) throws -> KeyMaterial {
        var reader = DERReader(block.content)
        var whole = try reader.enter()
        try reader.end()
        switch block.label {
        case "PUBLIC KEY":
            let kind = try KeyKind(algorithm: try whole.enter())
            let content = try whole.bits()
            try whole.end()
            return try publicKey(kind, content, algorithm)
        case "PRIVATE KEY": return try pkcs8(&whole, algorithm)
        case "EC PRIVATE KEY": return try curveKey(&whole, kind: nil)
        case "RSA PRIVATE KEY": return try rsaKey(&whole, algorithm)
        case "RSA PUBLIC KEY": return try rsaPublicKey(&whole, algorithm)
        default: throw JOSEError.unsuitableKey("a PEM block of that label holds no key")
        }
    }

    /// Decodes a PrivateKeyInfo (RFC 5208 §5), and ignores the public key of its second version (RFC 5958 §2).
    private static func pkcs8(_ whole: inout DERReader, _ algorithm: SignatureAlgorithm?) throws -> KeyMaterial {
        guard [[], [1]].contains(try whole.number()) else { throw JOSEError.unsuitableKey("its version is not known") }
        let kind = try KeyKind(algorithm: try whole.enter())
        var inner = DERReader(try whole.take(DER.octetString))
        guard kind != .ed25519 else {
            // RFC 8410 §7: an OCTET STRING within the OCTET STRING.
            let key = try Curve25519.Signing.PrivateKey(rawRepresentation: Array(inner.take(DER.octetString)))
            try inner.end()
            return .ed25519(key.publicKey, key)
        }
        var content = try inner.enter()
        try inner.end()
        return kind == .rsa ? try rsaKey(&content, algorithm) : try curveKey(&content, kind: kind)
    }

    /// Decodes an ECPrivateKey (RFC 5915 §3); the public point is computed again, because the one in it is not trusted.
    private static func curveKey(_ content: inout DERReader, kind: KeyKind?) throws -> KeyMaterial {
        guard try content.number() == [1] else { throw JOSEError.unsuitableKey("its version is not known") }
        let secret = Array(try content.take(DER.octetString))
        var kind = kind
        if content.tag == DER.contexts.0 {
            var parameters = try content.enter(DER.contexts.0)
            let named = try KeyKind(identifier: try parameters.take(DER.identifier))
            guard kind == nil || kind == named else { throw JOSEError.unsuitableKey("it names two curves") }
            kind = named
        }
        if content.tag == DER.contexts.1 { _ = try content.take(DER.contexts.1) }
        try content.end()
        switch kind {
        case .p256: return try .p256(P256.Signing.PrivateKey(rawRepresentation: secret))
        case .p384: return try .p384(P384.Signing.PrivateKey(rawRepresentation: secret))
        case .p521: return try .p521(P521.Signing.PrivateKey(rawRepresentation: secret))
        case .ed25519, .rsa, nil: throw JOSEError.unsuitableKey("it does not name its curve")
        }
    }

    private static func publicKey(
        _ kind: KeyKind, _ content: [UInt8], _ algorithm: SignatureAlgorithm?
    ) throws -> KeyMaterial {
        switch kind {
        case .p256: return .p256(try P256.Signing.PublicKey(x963Representation: content), nil)
        case .p384: return .p384(try P384.Signing.PublicKey(x963Representation: content), nil)
        case .p521: return .p521(try P521.Signing.PublicKey(x963Representation: content), nil)
        case .ed25519: return .ed25519(try Curve25519.Signing.PublicKey(rawRepresentation: content), nil)
        case .rsa:
            var reader = DERReader(content)
            var numbers = try reader.enter()
            try reader.end()
            return try rsaPublicKey(&numbers, algorithm)
        }
    }

    /// Decodes an RSAPublicKey (RFC 8017 §A.1.1).
    private static func rsaPublicKey(
        _ content: inout DERReader, _ algorithm: SignatureAlgorithm?
    ) throws -> KeyMaterial {
        let key = try RSA.Signing.PublicKey(modulus: content.number(), exponent: content.number())
        try content.end()
        return .rsa(key, nil, try scheme(algorithm))
    }

    /// Decodes an RSAPrivateKey (RFC 8017 §A.1.2) with two primes.
    private static func rsaKey(_ content: inout DERReader, _ algorithm: SignatureAlgorithm?) throws -> KeyMaterial {
        guard try content.number().isEmpty else { throw JOSEError.unsuitableKey("it has more than two primes") }
        let numbers = RSA.Signing.PrivateNumbers(
            modulus: try content.number(), exponent: try content.number(), privateExponent: try content.number(),
            firstPrime: try content.number(), secondPrime: try content.number(), firstExponent: try content.number(),
            secondExponent: try content.number(), coefficient: try content.number())
        try content.end()
        let key = try RSA.Signing.PrivateKey(numbers)
        return .rsa(key.publicKey, key, try scheme(algorithm))
    }

    private static func scheme(_ algorithm: SignatureAlgorithm?) throws(JOSEError) -> RSAScheme {
        guard let scheme = RSAScheme(algorithm ?? .rs256) else { throw .unsuitableKey("its alg does not fit its kind") }
        return scheme
    }
}

extension KeyMaterial {
    fileprivate static func p256(_ key: P256.Signing.PrivateKey) -> KeyMaterial { .p256(key.publicKey, key) }
    fileprivate static func p384(_ key: P384.Signing.PrivateKey) -> KeyMaterial { .p384(key.publicKey, key) }
    fileprivate static func p521(_ key: P521.Signing.PrivateKey) -> KeyMaterial { .p521(key.publicKey, key) }
}
