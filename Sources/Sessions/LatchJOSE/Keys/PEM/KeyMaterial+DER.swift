// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto

extension KeyMaterial {
    /// The kind of key; nil for a shared secret, which has no such form.
    private var kind: KeyKind? {
        switch self {
        case .p256: .p256
        case .p384: .p384
        case .p521: .p521
        case .ed25519: .ed25519
        case .rsa: .rsa
        case .secret: nil
        }
    }

    /// The public half as SubjectPublicKeyInfo (RFC 5280 §4.1).
    func publicDER() throws(JOSEError) -> [UInt8] {
        guard let kind else { throw .unsuitableKey("a shared secret has no public half") }
        return DER.element(DER.sequence, kind.algorithm, DER.bits(publicContent))
    }

    /// The whole key as PKCS #8 (RFC 5208 §5).
    func privateDER() throws(JOSEError) -> [UInt8] {
        guard let kind else { throw .unsuitableKey("a shared secret has no PEM form") }
        guard isPrivate else { throw .unsuitableKey("it has no secret part") }
        let content: [UInt8]
        do {
            content = try privateContent()
        } catch {
            throw .unsuitableKey("its numbers could not be read")
        }
        return DER.element(
            DER.sequence, DER.number([0]), kind.algorithm, DER.element(DER.octetString, content))
    }

    /// The public numbers as their kind writes them.
    private var publicContent: [UInt8] {
        switch self {
        case .p256(let key, _): Array(key.x963Representation)
        case .p384(let key, _): Array(key.x963Representation)
        case .p521(let key, _): Array(key.x963Representation)
        case .ed25519(let key, _): Array(key.rawRepresentation)
        case .rsa(let key, _, _): DER.element(DER.sequence, DER.number(key.modulus), DER.number(key.exponent))
        case .secret: []
        }
    }

    /// The secret numbers as their kind writes them: RFC 5915 §3, RFC 8410 §7, RFC 8017 §A.1.2.
    private func privateContent() throws -> [UInt8] {
        switch self {
        case .p256(_, let key?): curveContent(Array(try key.rawRepresentation))
        case .p384(_, let key?): curveContent(Array(try key.rawRepresentation))
        case .p521(_, let key?): curveContent(Array(try key.rawRepresentation))
        case .ed25519(_, let key?): DER.element(DER.octetString, Array(key.rawRepresentation))
        case .rsa(_, let key?, _): Self.content(of: try key.numbers)
        default: []
        }
    }

    private func curveContent(_ secret: [UInt8]) -> [UInt8] {
        DER.element(
            DER.sequence, DER.number([1]), DER.element(DER.octetString, secret),
            DER.element(DER.contexts.1, DER.bits(publicContent)))
    }

    private static func content(of numbers: RSA.Signing.PrivateNumbers) -> [UInt8] {
        let list = [
            [0], numbers.modulus, numbers.exponent, numbers.privateExponent, numbers.firstPrime, numbers.secondPrime,
            numbers.firstExponent, numbers.secondExponent, numbers.coefficient,
        ]
        return DER.element(DER.sequence, list.flatMap(DER.number))
    }
}
