// SPDX-License-Identifier: Apache-2.0

internal import LatchCore

/// A decrypter of tokens, with the keys and the algorithms that it accepts.
///
/// ```swift
/// let decrypter = JWEDecrypter(
///     keys: KeySet(encryptionKeys: [encryptionKey]), algorithms: [.rsaOAEP256], contentEncryption: [.a256GCM])
/// let content = try decrypter.decrypt(token).plaintext
/// ```
public struct JWEDecrypter: Sendable {
    private let keys: KeySet
    private let algorithms: [KeyManagementAlgorithm]
    private let contentEncryption: [ContentEncryptionAlgorithm]
    private let understood: Set<String>
    private let limit: Int

    /// Creates a decrypter.
    ///
    /// - Parameters:
    ///   - keys: The keys; only the ``KeySet/encryptionKeys`` decrypt.
    ///   - algorithms: The accepted key management algorithms; each key decrypts only with its own.
    ///   - contentEncryption: The accepted content encryption algorithms.
    ///   - understood: The critical header parameters that the caller processes (RFC 7516 §4.1.13).
    ///   - limit: The maximum length of a text in bytes; a longer text is rejected before it is parsed.
    public init(
        keys: KeySet, algorithms: [KeyManagementAlgorithm], contentEncryption: [ContentEncryptionAlgorithm],
        understanding understood: Set<String> = [], limit: Int = JWS.defaultLimit
    ) {
        self.keys = keys
        self.algorithms = algorithms
        self.contentEncryption = contentEncryption
        self.understood = understood
        self.limit = limit
    }

    /// Decrypts a text in the compact serialization.
    ///
    /// - Throws: `JOSEError.malformedToken`, `.refusedAlgorithm`, `.refusedExtension` or `.unknownKey` for errors that
    ///   are visible without a key. After a key is used, only `.decryptionFailed`.
    public func decrypt(_ text: String) throws(JOSEError) -> JWE {
        let parts = try JWEParts(compact: text, limit: limit)
        let members: JSONObject
        do {
            members = try JOSEHeader.members(base64URL: parts.header)
        } catch {
            throw .malformedEncryption("its header is not an object of JSON in base64url")
        }
        let header = try JWEHeader(members)
        // RFC 8725 §3.1: only algorithms that the caller lists, and then only the key's own.
        guard algorithms.contains(header.algorithm), contentEncryption.contains(header.contentEncryption),
            let cipher = header.contentEncryption.cipher
        else { throw .refusedAlgorithm }
        try header.refuseExtensions(understood: understood)
        let candidates = keys.decryptionCandidates(id: header.keyID, algorithm: header.algorithm)
        guard !candidates.isEmpty else { throw .unknownDecryptionKey }
        // RFC 7516 §5.2, step 10: the encrypted key is empty if the recipient's key determines the content's key.
        guard parts.encryptedKey.isEmpty || ![.dir, .ecdhES].contains(header.algorithm) else {
            throw .malformedEncryption("it has an encrypted key, and its algorithm has none")
        }
        for key in candidates {
            let contentKey = key.contentKey(
                of: parts.encryptedKey, for: header.contentEncryption, bits: cipher.keyBits, header: members)
            do {
                let plaintext = try cipher.open(
                    parts.content, using: contentKey, authenticating: Array(parts.header))
                return JWE(header: header, plaintext: plaintext)
            } catch {
                // A wrong key and a changed text look the same to the sender. Another key of the set may be the right
                // one.
                continue
            }
        }
        throw .decryptionFailed
    }
}

extension JWTVerifier {
    /// Decrypts a nested token (RFC 7519 §5.2), verifies the signed token in it, and returns its claims.
    ///
    /// - Parameters:
    ///   - text: The encrypted token, whose `cty` must be `JWT`. The token in it must be signed: only one level of
    ///     nesting is accepted.
    ///   - decrypter: The decrypter; its accepted algorithms are independent of the verifier's.
    /// - Throws: The errors of ``JWEDecrypter/decrypt(_:)`` and ``verify(_:)``; `JOSEError.wrongType` if the encrypted
    ///   content is not a token.
    public func verify(encrypted text: String, decrypter: JWEDecrypter) throws(JOSEError) -> Claims {
        try verifiedToken(encrypted: text, decrypter: decrypter).claims
    }

    /// Decrypts a nested token, verifies the signed token in it, and returns that with its header.
    ///
    /// - Throws: The errors of ``verify(encrypted:decrypter:)``.
    public func verifiedToken(encrypted text: String, decrypter: JWEDecrypter) throws(JOSEError) -> JWT {
        try verifiedToken(try decrypter.signedToken(in: text))
    }
}

extension JWEDecrypter {
    /// Decrypts a nested token, and returns the signed token in it, which is not verified.
    package func signedToken(in text: String) throws(JOSEError) -> String {
        let outer = try decrypt(text)
        guard outer.header.isNestedToken else { throw .wrongType }
        guard let inner = String(validating: outer.plaintext, as: UTF8.self) else {
            throw .malformedToken("it is not text")
        }
        return inner
    }
}
