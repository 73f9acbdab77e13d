// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// A decrypted JWE in compact serialization (RFC 7516 §7.1).
///
/// It is the result of a ``JWEDecrypter``. Everyone who knows the public key can encrypt for it: the content is
/// confidential and unchanged, but its author is unknown. To prove the author, sign the token first and then encrypt
/// it; see ``JWTVerifier/verify(encrypted:decrypter:)``.
public struct JWE: Sendable {
    /// The protected header, which the encryption authenticates.
    public let header: JWEHeader
    /// The decrypted content.
    public let plaintext: [UInt8]

    init(header: JWEHeader, plaintext: [UInt8]) {
        self.header = header
        self.plaintext = plaintext
    }

    /// Encrypts bytes.
    ///
    /// ```swift
    /// let nested = try JWE.encrypt(Array(token.utf8), for: encryptionKey, using: .a256GCM, header: ["cty": "JWT"])
    /// ```
    ///
    /// - Parameters:
    ///   - plaintext: The bytes to encrypt.
    ///   - key: The public key of the recipient, a shared secret or a password.
    ///   - content: The content encryption algorithm.
    ///   - header: Additional header parameters, such as `cty`. The parameters `alg`, `enc`, `kid` and those of the
    ///     algorithm come from the key. A key agreement uses `apu` and `apv` (RFC 7518 §4.6.2).
    /// - Throws: `JOSEError.unsuitableKey` if the key does not encrypt, or `JOSEError.refusedAlgorithm` if the content
    ///   encryption algorithm is not supported. `JOSEError.unencryptable` if every recipient would reject the header.
    public static func encrypt(
        _ plaintext: [UInt8], for key: EncryptionKey, using content: ContentEncryptionAlgorithm,
        header: JSONObject = [:]
    ) throws(JOSEError) -> String {
        guard key.canEncrypt else { throw .unsuitableKey("its key_ops do not let it encrypt") }
        guard let cipher = content.cipher else { throw .refusedAlgorithm }
        guard header["zip"] == nil else { throw .compressed }
        do {
            let contentKey = try key.newContentKey(for: content, header: header)
            let members = try Self.protected(header, of: key, content, contentKey.parameters)
            let alphabet = Base64Alphabet.url
            // RFC 7516 §5.1, step 14: the encoded header is authenticated with the content.
            let head = alphabet.encode(JSONValue.object(members).serialized())
            let sealed = try cipher.seal(plaintext, using: contentKey.key, authenticating: head)
            let parts = [contentKey.encrypted, sealed.iv, sealed.ciphertext, sealed.tag].map { alphabet.encode($0) }
            return String(decoding: parts.reduce(head) { $0 + [UInt8(ascii: ".")] + $1 }, as: UTF8.self)
        } catch let error as JOSEError {
            throw error
        } catch {
            throw .unsuitableKey("encrypting failed")
        }
    }

    /// Returns the protected header: the parameters of the key, the algorithm and the caller.
    private static func protected(
        _ header: JSONObject, of key: EncryptionKey, _ content: ContentEncryptionAlgorithm, _ parameters: JSONObject
    ) throws(JOSEError) -> JSONObject {
        var members: JSONObject = ["alg": .string(key.algorithm.rawValue), "enc": .string(content.rawValue)]
        if let id = key.id { members["kid"] = .string(id) }
        for member in parameters { members[member.key] = member.value }
        let reserved = ["alg", "enc", "kid", "epk", "iv", "tag", "p2s", "p2c"]
        for member in header where !reserved.contains(member.key) { members[member.key] = member.value }
        do {
            let demanded = members["crit"]?.arrayValue?.compactMap(\.stringValue) ?? []
            try JWEHeader(members).refuseExtensions(understood: Set(demanded))
        } catch {
            throw .unencryptable("every recipient would refuse the header, for its typ, its cty, or its crit")
        }
        return members
    }
}

extension JWE: CustomStringConvertible, CustomReflectable {
    /// The size; the plaintext is redacted.
    public var description: String { "JWE(\(plaintext.count) bytes, redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the plaintext.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The decoded parts of a JWE.
struct JWEParts {
    /// The protected header, in the form that is authenticated.
    let header: ArraySlice<UInt8>
    let encryptedKey: [UInt8]
    let content: SealedContent

    /// - Parameter limit: The maximum length; a longer text is rejected before it is parsed.
    init(compact text: String, limit: Int) throws(JOSEError) {
        guard text.utf8.count <= limit else { throw .malformedEncryption("it is longer than \(limit) bytes") }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 5 else { throw .malformedEncryption("it has not five parts") }
        header = parts[0]
        encryptedKey = try Self.decode(parts[1])
        content = SealedContent(
            iv: try Self.decode(parts[2]), ciphertext: try Self.decode(parts[3]), tag: try Self.decode(parts[4]))
    }

    private static func decode(_ part: ArraySlice<UInt8>) throws(JOSEError) -> [UInt8] {
        guard let bytes = Base64Alphabet.url.decode(part) else {
            throw .malformedEncryption("a part is not base64url")
        }
        return bytes
    }
}
