// SPDX-License-Identifier: Apache-2.0

extension Key {
    /// A key of a PEM text (RFC 7468), as `openssl` and most services give it.
    ///
    /// Public keys are read as SubjectPublicKeyInfo or PKCS #1, private ones as PKCS #8, SEC 1 or PKCS #1; not encrypted
    /// ones, and no certificates. Of several blocks the first that is a key counts.
    ///
    /// - Parameters:
    ///   - algorithm: What the key is for; a curve says it itself, and an RSA key that is not told is for RS256.
    ///   - id: Its name; a PEM text has none.
    /// - Throws: `JOSEError.unsuitableKey` with the reason.
    public init(pem: String, algorithm: SignatureAlgorithm? = nil, id: String? = nil) throws(JOSEError) {
        let blocks = try PEMBlock.blocks(of: pem)
        guard !blocks.contains(where: { $0.label == "ENCRYPTED PRIVATE KEY" }) else {
            throw .unsuitableKey("it is encrypted; decrypt it first, for example with `openssl pkey`")
        }
        guard let block = blocks.first(where: { $0.label.hasSuffix("PUBLIC KEY") || $0.label.hasSuffix("PRIVATE KEY") })
        else { throw .unsuitableKey("the text holds no key in PEM") }
        let material: KeyMaterial
        do {
            material = try KeyReader.material(block, algorithm)
        } catch let error as JOSEError {
            throw error
        } catch {
            throw .unsuitableKey("its numbers make no key, or a weak one")
        }
        let actual = material.onlyAlgorithm ?? algorithm ?? .rs256
        guard algorithm == nil || algorithm == actual else { throw .unsuitableKey("its alg does not fit its kind") }
        self.init(id: id, algorithm: actual, material: material)
    }

    /// The public half as PEM, in SubjectPublicKeyInfo.
    ///
    /// - Throws: `JOSEError.unsuitableKey` for a shared secret, which has none.
    public func pem() throws(JOSEError) -> String {
        PEMBlock(label: "PUBLIC KEY", content: try material.publicDER()).text
    }

    /// Gives the whole key away as PEM, in PKCS #8 and not encrypted, to whoever stores it.
    ///
    /// - Throws: `JOSEError.unsuitableKey` where the key only verifies, or is a shared secret.
    public func pemWithSecretsForStorage() throws(JOSEError) -> String {
        PEMBlock(label: "PRIVATE KEY", content: try material.privateDER()).text
    }
}

extension KeyMaterial {
    /// The algorithm that a curve is for; nil where the numbers serve several.
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
