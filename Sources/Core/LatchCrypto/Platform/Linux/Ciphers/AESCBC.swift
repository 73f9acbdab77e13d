// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

extension AES {
    /// AES in cipher block chaining mode with the padding of PKCS #7 (NIST SP 800-38A §6.2, RFC 5652 §6.3).
    ///
    /// It does not authenticate, and a padding failure tells an attacker the plaintext. Callers verify a MAC first.
    package enum CBC {
        /// Encrypts a message under a key of 128, 192 or 256 bits and an unpredictable vector of 16 bytes.
        package static func encrypt(
            _ message: [UInt8], using key: SymmetricKey, iv: [UInt8]
        ) throws(CryptoError) -> [UInt8] {
            let context = try CipherContext(chaining(key, iv), key: key, iv: iv, isEncrypting: true)
            guard let ciphertext = message.withUnsafeBytes(context.run) else { throw .openSSL("encrypting") }
            return ciphertext
        }

        /// Decrypts a ciphertext whose MAC was verified.
        ///
        /// - Throws: `CryptoError.authenticationFailure` if the length or the padding is wrong.
        package static func decrypt(
            _ ciphertext: [UInt8], using key: SymmetricKey, iv: [UInt8]
        ) throws(CryptoError) -> [UInt8] {
            let context = try CipherContext(chaining(key, iv), key: key, iv: iv, isEncrypting: false)
            guard !ciphertext.isEmpty, ciphertext.count % 16 == 0 else { throw .authenticationFailure }
            guard let message = ciphertext.withUnsafeBytes(context.run) else {
                ERR_clear_error()
                throw .authenticationFailure
            }
            return message
        }

        /// Returns the cipher for a key of that size.
        private static func chaining(_ key: SymmetricKey, _ iv: [UInt8]) throws(CryptoError) -> OpaquePointer? {
            guard iv.count == 16 else { throw .unacceptableParameter("an initialization vector has 16 bytes") }
            return switch key.bitCount {
            case 128: EVP_aes_128_cbc()
            case 192: EVP_aes_192_cbc()
            case 256: EVP_aes_256_cbc()
            default: throw .unacceptableParameter("an AES key has 128, 192 or 256 bits")
            }
        }
    }
}

/// One run of a cipher without additional data, of one call and one thread.
final class CipherContext {
    private let context: OpaquePointer

    /// Sets the key and the initialization vector, whose lengths the caller has checked.
    ///
    /// OpenSSL copies both, and wipes its copies when the context is freed.
    init(_ cipher: OpaquePointer?, key: SymmetricKey, iv: [UInt8]?, isEncrypting: Bool) throws(CryptoError) {
        guard let context = EVP_CIPHER_CTX_new() else { throw .openSSL("preparing a cipher") }
        self.context = context
        // Without this flag the context rejects the ciphers of RFC 3394.
        EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW)
        let started = key.withUnsafeBytes { bytes in
            EVP_CipherInit_ex2(
                context, cipher, bytes.bindMemory(to: UInt8.self).baseAddress, iv, isEncrypting ? 1 : 0, nil)
        }
        guard started == 1 else { throw .openSSL("preparing a cipher") }
    }

    deinit { EVP_CIPHER_CTX_free(context) }

    /// Encrypts or decrypts everything in one step; nil after a failure, whose reason is in OpenSSL's queue.
    ///
    /// No part of an incompletely decrypted plaintext remains in memory.
    func run(_ input: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let length = Int32(exactly: input.count), length < Int32.max - 32 else { return nil }
        // At most one more block of 16 bytes (PKCS #7) or 8 bytes (RFC 3394) than the input.
        var output = [UInt8](repeating: 0, count: input.count + 32)
        defer { wipe(&output) }
        var (count, rest): (Int32, Int32) = (0, 0)
        let bytes = input.bindMemory(to: UInt8.self).baseAddress
        let isDone = output.withUnsafeMutableBufferPointer { output in
            guard let start = output.baseAddress else { return false }
            guard length == 0 || EVP_CipherUpdate(context, start, &count, bytes, length) == 1 else { return false }
            return EVP_CipherFinal_ex(context, start + Int(count), &rest) == 1
        }
        guard isDone else { return nil }
        return Array(output.prefix(Int(count + rest)))
    }
}
#endif
