// SPDX-License-Identifier: Apache-2.0

internal import LatchCrypto

extension Key {
    /// Creates a key from PEM (RFC 7468), in the form that `openssl` and most services write.
    ///
    /// Public keys are in SubjectPublicKeyInfo or PKCS #1, private ones in PKCS #8, SEC 1 or PKCS #1. Encrypted keys
    /// and certificates are not supported. The first block with a key is used.
    ///
    /// - Parameters:
    ///   - pem: The text, which may contain other blocks.
    ///   - algorithm: The algorithm of the key; nil for that of the curve, or RS256.
    ///   - id: The ID, which a PEM text does not contain; nil for none.
    /// - Throws: `JOSEError.unsuitableKey` with the reason.
    public init(pem: String, algorithm: SignatureAlgorithm? = nil, id: String? = nil) throws(JOSEError) {
        let blocks: [PEMBlock]
        do { blocks = try PEMBlock.blocks(of: pem) } catch { throw .unsuitableKey(error.reason) }
        guard !blocks.contains(where: { $0.label == "ENCRYPTED PRIVATE KEY" }) else {
            throw .unsuitableKey("it is encrypted; decrypt it first, for example with `openssl pkey`")
        }
        guard
            let block = blocks.first(where: { block in
                ["PUBLIC KEY", "PRIVATE KEY"].contains { block.label.utf8.suffix($0.utf8.count).elementsEqual($0.utf8) }
            })
        else { throw .unsuitableKey("the text holds no key in PEM") }
        let material: KeyMaterial
        do {
            material = try KeyReader.material(block, algorithm)
        } catch let error as JOSEError {
            throw error
        } catch is DERError {
            throw .unsuitableKey("its DER is damaged, or not in its one right form")
        } catch {
            throw .unsuitableKey("its numbers make no key, or a weak one")
        }
        let actual = material.onlyAlgorithm ?? algorithm ?? .rs256
        guard algorithm == nil || algorithm == actual else { throw .unsuitableKey("its alg does not fit its kind") }
        self.init(id: id, algorithm: actual, material: material)
    }

    /// Returns the public key as SubjectPublicKeyInfo in PEM.
    ///
    /// - Throws: `JOSEError.unsuitableKey` for a shared secret, which has no public key.
    public func pem() throws(JOSEError) -> String {
        PEMBlock(label: "PUBLIC KEY", content: try material.publicDER()).text
    }

    /// Returns the private key as unencrypted PKCS #8 in PEM; the caller must protect it.
    ///
    /// - Throws: `JOSEError.unsuitableKey` if the key only verifies, or is a shared secret.
    public func pemWithSecretsForStorage() throws(JOSEError) -> String {
        PEMBlock(label: "PRIVATE KEY", content: try material.privateDER()).text
    }
}

extension KeyMaterial {
    /// The only algorithm of a curve; nil for keys with several.
    fileprivate var onlyAlgorithm: SignatureAlgorithm? {
        switch self {
        case .p256: .es256
        case .p384: .es384
        case .p521: .es512
        case .ed25519: .eddsa
        case .rsa, .secret: nil
        }
    }
}

extension KeyMaterial {
    /// The kind of key; nil for a shared secret, which has no DER form.
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

    /// Returns the SubjectPublicKeyInfo (RFC 5280 §4.1).
    func publicDER() throws(JOSEError) -> [UInt8] {
        guard let kind else { throw .unsuitableKey("a shared secret has no public half") }
        return DER.element(DER.sequence, kind.algorithm, DER.bits(publicContent))
    }

    /// Returns the private key as PKCS #8 (RFC 5208 §5).
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

    /// The encoded public numbers.
    private var publicContent: [UInt8] {
        switch self {
        case .p256(let key, _): Array(key.x963Representation)
        case .p384(let key, _): Array(key.x963Representation)
        case .p521(let key, _): Array(key.x963Representation)
        case .ed25519(let key, _): Array(key.rawRepresentation)
        case .rsa(let key, _, _): DER.numbers([key.modulus, key.exponent])
        case .secret: []
        }
    }

    /// Returns the encoded secret numbers: RFC 5915 §3, RFC 8410 §7, RFC 8017 §A.1.2.
    private func privateContent() throws -> [UInt8] {
        switch self {
        case .p256(_, let key?): curveContent(try key.secretBytes())
        case .p384(_, let key?): curveContent(try key.secretBytes())
        case .p521(_, let key?): curveContent(try key.secretBytes())
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
        DER.numbers([
            [0], numbers.modulus, numbers.exponent, numbers.privateExponent, numbers.firstPrime, numbers.secondPrime,
            numbers.firstExponent, numbers.secondExponent, numbers.coefficient,
        ])
    }
}
