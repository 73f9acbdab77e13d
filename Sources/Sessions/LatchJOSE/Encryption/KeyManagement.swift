// SPDX-License-Identifier: Apache-2.0

internal import LatchCore
internal import LatchCrypto

/// A content encryption key with its encrypted form, and the header parameters that the recipient needs.
struct EncryptedContentKey {
    let key: SymmetricKey
    /// The encrypted key; empty if the recipient's key determines the content encryption key.
    var encrypted: [UInt8] = []
    var parameters: JSONObject = [:]
}

extension EncryptionKey {
    /// Creates a content encryption key, and encrypts it for the owner of this key (RFC 7516 §5.1, steps 1 to 6).
    ///
    /// - Parameters:
    ///   - content: The content encryption algorithm.
    ///   - header: The parameters of the caller. A key agreement uses `apu` and `apv`.
    func newContentKey(for content: ContentEncryptionAlgorithm, header: JSONObject) throws -> EncryptedContentKey {
        guard let bits = content.cipher?.keyBits else { throw JOSEError.refusedAlgorithm }
        let fresh = SymmetricKey(size: .init(bitCount: bits))
        switch (algorithm.mode, material) {
        case (.rsa(let hash), .rsa(let key, _)):
            let encrypted = try fresh.withUnsafeBytes { try key.encrypt($0, hash: hash) }
            return EncryptedContentKey(key: fresh, encrypted: encrypted)
        case (.agreement(let wrapping), .agreement(let key)):
            let ephemeral = try AgreementKey.generate(key.curve)
            let info = try KeyAgreementInfo(header, algorithm, content, bits: wrapping ?? bits)
            let derived = try ephemeral.derivedKey(with: key, info: info.bytes, bits: wrapping ?? bits)
            let parameters: JSONObject = ["epk": .object(ephemeral.publicMembers)]
            guard wrapping != nil else { return EncryptedContentKey(key: derived, parameters: parameters) }
            return EncryptedContentKey(
                key: fresh, encrypted: Array(try AES.KeyWrap.wrap(fresh, using: derived)), parameters: parameters)
        case (.keyWrap, .secret(let secret)):
            return EncryptedContentKey(key: fresh, encrypted: Array(try AES.KeyWrap.wrap(fresh, using: secret)))
        case (.gcmKeyWrap, .secret(let secret)):
            let box = try fresh.withUnsafeBytes { try AES.GCM.seal($0, using: secret) }
            return EncryptedContentKey(
                key: fresh, encrypted: Array(box.ciphertext),
                parameters: ["iv": .base64URL(Array(box.nonce)), "tag": .base64URL(Array(box.tag))])
        case (.direct, .secret(let secret)):
            guard secret.bitCount == bits, contentEncryption == nil || contentEncryption == content else {
                throw JOSEError.unsuitableKey("it does not fit the content encryption algorithm")
            }
            return EncryptedContentKey(key: secret)
        case (.password(let hash, let size), .password(let key)):
            let salt = SecureRandom.bytes(16)
            let derived = try key.derivedKey(algorithm, salt: salt, iterations: key.iterations, hash: hash, bits: size)
            return EncryptedContentKey(
                key: fresh, encrypted: Array(try AES.KeyWrap.wrap(fresh, using: derived)),
                parameters: ["p2s": .base64URL(salt), "p2c": .integer(Int64(key.iterations))])
        default: throw JOSEError.unsuitableKey("its algorithm does not fit it")
        }
    }

    /// Decrypts the content encryption key of a token (RFC 7516 §5.2, steps 6 to 10).
    ///
    /// RFC 7516 §11.5: if the encrypted key has a wrong padding, length or parameter, a random key takes its place.
    /// Decryption then takes as long, and fails at the content's tag like any forged token. An attacker therefore
    /// cannot learn whether the padding of a chosen ciphertext is right, which would reveal the key (Bleichenbacher's
    /// and Manger's attacks, RFC 3218).
    func contentKey(
        of encrypted: [UInt8], for content: ContentEncryptionAlgorithm, bits: Int, header: JSONObject
    ) -> SymmetricKey {
        let substitute = SymmetricKey(size: .init(bitCount: bits))
        let decrypted: SymmetricKey
        do {
            decrypted = try decryptedKey(encrypted, for: content, bits: bits, header: header)
        } catch {
            // The error must have no visible effect; see above.
            decrypted = substitute
        }
        return decrypted.bitCount == bits ? decrypted : substitute
    }

    private func decryptedKey(
        _ encrypted: [UInt8], for content: ContentEncryptionAlgorithm, bits: Int, header: JSONObject
    ) throws -> SymmetricKey {
        switch (algorithm.mode, material) {
        case (.rsa(let hash), .rsa(_, let key?)):
            var decrypted = try key.decrypt(encrypted, hash: hash)
            return SymmetricKey(wiping: &decrypted)
        case (.agreement(let wrapping), .agreement(let key)):
            guard let members = header["epk"]?.objectValue else { throw JOSEError.decryptionFailed }
            // RFC 7518 §4.6.1.1: a public key on the same curve as the recipient's.
            let ephemeral = try AgreementKey(members)
            let info = try KeyAgreementInfo(header, algorithm, content, bits: wrapping ?? bits)
            let derived = try key.derivedKey(with: ephemeral, info: info.bytes, bits: wrapping ?? bits)
            return wrapping == nil ? derived : try AES.KeyWrap.unwrap(encrypted, using: derived)
        case (.keyWrap, .secret(let secret)): return try AES.KeyWrap.unwrap(encrypted, using: secret)
        case (.gcmKeyWrap, .secret(let secret)):
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: header.bytes("iv")), ciphertext: encrypted, tag: header.bytes("tag"))
            var decrypted = Array(try AES.GCM.open(box, using: secret))
            return SymmetricKey(wiping: &decrypted)
        case (.direct, .secret(let secret)):
            guard contentEncryption == nil || contentEncryption == content else { throw JOSEError.decryptionFailed }
            return secret
        case (.password(let hash, let size), .password(let key)):
            // RFC 7518 §4.8.1: the sender's salt and number of iterations, which cost the recipient time.
            let salt = try header.bytes("p2s")
            guard salt.count >= 8, let iterations = header["p2c"]?.intValue,
                (PasswordBasedKey.fewestIterations...key.iterations).contains(iterations)
            else { throw JOSEError.decryptionFailed }
            let derived = try key.derivedKey(algorithm, salt: salt, iterations: iterations, hash: hash, bits: size)
            return try AES.KeyWrap.unwrap(encrypted, using: derived)
        default: throw JOSEError.decryptionFailed
        }
    }
}

extension PasswordBasedKey {
    /// Derives the key that wraps the content encryption key (RFC 7518 §4.8.1.1: the salt begins with the algorithm).
    fileprivate func derivedKey(
        _ algorithm: KeyManagementAlgorithm, salt: [UInt8], iterations: Int, hash: PBKDF2.Hash, bits: Int
    ) throws -> SymmetricKey {
        try PBKDF2.deriveKey(
            password: password, salt: Array(algorithm.rawValue.utf8) + [0] + salt, iterations: iterations, hash: hash,
            outputByteCount: bits / 8)
    }
}

/// The context of a key that is derived in a key agreement (RFC 7518 §4.6.2).
private struct KeyAgreementInfo {
    let bytes: [UInt8]

    /// - Parameter bits: The size of the derived key.
    init(
        _ header: JSONObject, _ algorithm: KeyManagementAlgorithm, _ content: ContentEncryptionAlgorithm, bits: Int
    ) throws(JOSEError) {
        // The ID of the derived key's algorithm: the content's algorithm, if the key encrypts the content directly.
        let id = algorithm == .ecdhES ? content.rawValue : algorithm.rawValue
        bytes =
            Self.withLength(Array(id.utf8)) + Self.withLength(try header.optionalBytes("apu") ?? [])
            + Self.withLength(try header.optionalBytes("apv") ?? []) + Self.bigEndian(bits)
    }

    private static func withLength(_ bytes: [UInt8]) -> [UInt8] { bigEndian(bytes.count) + bytes }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
