// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

/// The Advanced Encryption Standard.
public enum AES {
    /// AES in Galois/Counter Mode (NIST SP 800-38D), with nonces of 96 bits and tags of 128.
    public enum GCM {}
}

extension AES.GCM {
    /// Encrypts and authenticates `message`, and authenticates `data` with it.
    ///
    /// Random nonces are safe for 2^32 messages under one key (NIST SP 800-38D §8.3); then use another key. A nonce
    /// that is used twice reveals the difference of the messages and allows forgeries.
    ///
    /// - Parameters:
    ///   - message: The bytes to encrypt and authenticate.
    ///   - key: A key of 128, 192 or 256 bits.
    ///   - nonce: A nonce that is used only once under this key; nil for a random one.
    ///   - data: The bytes to authenticate only; opening the box requires the same bytes.
    /// - Throws: `CryptoError.unacceptableParameter` if the key has another size.
    public static func seal(
        _ message: some Collection<UInt8>, using key: SymmetricKey, nonce: Nonce? = nil,
        authenticating data: some Collection<UInt8> = EmptyCollection()
    ) throws(CryptoError) -> SealedBox {
        let nonce = nonce ?? Nonce()
        let operation = try GCMOperation(key, nonce: nonce.bytes, isSealing: true)
        try operation.authenticate(Array(data))
        let ciphertext = try operation.update(Array(message))
        guard operation.finish() else { throw .openSSL("encrypting") }
        return SealedBox(nonce: nonce, ciphertext: ciphertext, tag: try operation.tag())
    }

    /// Decrypts the result of ``seal(_:using:nonce:authenticating:)`` if it was not changed.
    ///
    /// - Throws: `CryptoError.authenticationFailure` if key, nonce, ciphertext, tag or `data` differ.
    public static func open(
        _ box: SealedBox, using key: SymmetricKey, authenticating data: some Collection<UInt8> = EmptyCollection()
    ) throws(CryptoError) -> [UInt8] {
        let operation = try GCMOperation(key, nonce: box.nonce.bytes, isSealing: false)
        try operation.authenticate(Array(data))
        var message = try operation.update(box.ciphertext)
        try operation.expect(tag: box.tag)
        guard operation.finish() else {
            ERR_clear_error()
            wipe(&message)
            throw .authenticationFailure
        }
        return message
    }
}

/// One run of the cipher.
///
/// It owns its EVP_CIPHER_CTX and belongs to one call, so to one thread. The order is: authenticate, update, expect
/// (when opening), finish, tag (when sealing).
private final class GCMOperation {
    private let context: OpaquePointer

    /// Sets key and nonce.
    ///
    /// OpenSSL copies both, and wipes its copies when the context is freed.
    init(_ key: SymmetricKey, nonce: [UInt8], isSealing: Bool) throws(CryptoError) {
        guard let context = EVP_CIPHER_CTX_new() else { throw .openSSL("preparing a cipher") }
        self.context = context
        let cipher =
            switch key.bitCount {
            case 128: EVP_aes_128_gcm()
            case 192: EVP_aes_192_gcm()
            case 256: EVP_aes_256_gcm()
            default: throw .unacceptableParameter("an AES key has 128, 192 or 256 bits")
            }
        // The default length of a nonce is 12 bytes, as in `Nonce`.
        let started = key.withUnsafeBytes { bytes in
            EVP_CipherInit_ex2(
                context, cipher, bytes.bindMemory(to: UInt8.self).baseAddress, nonce, isSealing ? 1 : 0, nil)
        }
        guard started == 1 else { throw .openSSL("preparing a cipher") }
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Adds data that is authenticated but not encrypted; it must precede `update` (NIST SP 800-38D §7.1).
    func authenticate(_ data: [UInt8]) throws(CryptoError) {
        guard !data.isEmpty else { return }
        var count: Int32 = 0
        guard let length = Int32(exactly: data.count) else {
            throw .unacceptableParameter("the data is over 2 GiB")
        }
        guard EVP_CipherUpdate(context, nil, &count, data, length) == 1 else { throw .openSSL("authenticating") }
    }

    /// Encrypts or decrypts byte for byte, so the output is as long as the input.
    ///
    /// The input has at most 2 GiB, OpenSSL's limit for one call. Decrypted bytes are not authentic until `finish` has
    /// succeeded.
    func update(_ input: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let length = Int32(exactly: input.count) else {
            throw .unacceptableParameter("the text is over 2 GiB")
        }
        guard length > 0 else { return [] }
        var output = [UInt8](repeating: 0, count: input.count)
        var count: Int32 = 0
        guard EVP_CipherUpdate(context, &output, &count, input, length) == 1, count == length else {
            throw .openSSL("running a cipher")
        }
        return output
    }

    /// Finishes the operation; when opening, returns whether the tag is correct, which OpenSSL compares in constant
    /// time.
    func finish() -> Bool {
        var nothing = [UInt8](repeating: 0, count: 16)
        var count: Int32 = 0
        return EVP_CipherFinal_ex(context, &nothing, &count) == 1 && count == 0
    }

    /// Returns the 16 bytes of the tag, after `finish`, when sealing.
    func tag() throws(CryptoError) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: 16)
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag) == 1 else {
            throw .openSSL("reading the tag")
        }
        return tag
    }

    /// Sets the tag that `finish` compares, when opening.
    func expect(tag: [UInt8]) throws(CryptoError) {
        var tag = tag
        guard EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1 else {
            throw .openSSL("setting the tag")
        }
    }
}

extension AES.GCM {
    /// A nonce of twelve bytes, which must not be used twice under a key.
    public struct Nonce: Sendable, Hashable, RandomAccessCollection {
        let bytes: [UInt8]

        /// Creates a random nonce.
        public init() { bytes = SecureRandom.bytes(12) }

        /// Creates a nonce from twelve bytes.
        ///
        /// - Throws: `CryptoError.unacceptableParameter` if there are more or less.
        public init(data: some Collection<UInt8>) throws(CryptoError) {
            guard data.count == 12 else { throw .unacceptableParameter("a nonce has 12 bytes") }
            bytes = Array(data)
        }

        /// The index of the first byte.
        public var startIndex: Int { 0 }

        /// The index after the last byte.
        public var endIndex: Int { bytes.count }

        /// Returns the byte at an index.
        public subscript(position: Int) -> UInt8 { bytes[position] }
    }

    /// A ciphertext with its nonce and its tag.
    public struct SealedBox: Sendable, Hashable {
        /// The nonce of the encryption, which the receiver needs.
        public let nonce: Nonce
        /// The encrypted message, as long as the message.
        public let ciphertext: [UInt8]
        /// The tag of 16 bytes that authenticates everything.
        public let tag: [UInt8]

        /// Takes parts whose sizes are already correct.
        init(nonce: Nonce, ciphertext: [UInt8], tag: [UInt8]) {
            self.nonce = nonce
            self.ciphertext = ciphertext
            self.tag = tag
        }

        /// Creates a box from its parts.
        ///
        /// - Throws: `CryptoError.unacceptableParameter` if the tag does not have 16 bytes, since a shorter one would
        ///   be easier to forge.
        public init(
            nonce: Nonce, ciphertext: some Collection<UInt8>, tag: some Collection<UInt8>
        ) throws(CryptoError) {
            guard tag.count == 16 else { throw .unacceptableParameter("a tag has 16 bytes") }
            self.init(nonce: nonce, ciphertext: Array(ciphertext), tag: Array(tag))
        }

        /// Creates a box from nonce, ciphertext and tag in one sequence.
        ///
        /// - Throws: `CryptoError.unacceptableParameter` if there are fewer than 28 bytes.
        public init(combined: some Collection<UInt8>) throws(CryptoError) {
            let bytes = Array(combined)
            guard bytes.count >= 28 else { throw .unacceptableParameter("a sealed box has at least 28 bytes") }
            try self.init(
                nonce: try Nonce(data: bytes.prefix(12)), ciphertext: bytes.dropFirst(12).dropLast(16),
                tag: bytes.suffix(16))
        }

        /// Nonce, ciphertext and tag, one after the other.
        ///
        /// It is 28 bytes longer than the message. It is optional because CryptoKit's property is, for nonces of other
        /// lengths. Here it is never nil.
        public var combined: [UInt8]? { nonce.bytes + ciphertext + tag }
    }
}
#endif
