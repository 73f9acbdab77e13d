// SPDX-License-Identifier: Apache-2.0

#if canImport(CommonCrypto)
internal import CommonCrypto
package import CryptoKit

extension AES {
    /// AES in cipher block chaining mode with the padding of PKCS #7 (NIST SP 800-38A §6.2, RFC 5652 §6.3).
    ///
    /// It does not authenticate: a failure of its padding tells an attacker the plaintext. Callers verify a MAC first.
    package enum CBC {
        /// Encrypts a message under a key of 128, 192 or 256 bits and an unpredictable vector of 16 bytes.
        package static func encrypt(
            _ message: [UInt8], using key: SymmetricKey, iv: [UInt8]
        ) throws(CryptoError) -> [UInt8] {
            try check(key, iv)
            guard let ciphertext = run(CCOperation(kCCEncrypt), message, key, iv) else {
                throw .engineFailure("encrypting")
            }
            return ciphertext
        }

        /// Decrypts a ciphertext whose MAC was verified.
        ///
        /// - Throws: `CryptoError.authenticationFailure` if the length or the padding is wrong.
        package static func decrypt(
            _ ciphertext: [UInt8], using key: SymmetricKey, iv: [UInt8]
        ) throws(CryptoError) -> [UInt8] {
            try check(key, iv)
            guard !ciphertext.isEmpty, ciphertext.count % kCCBlockSizeAES128 == 0,
                let message = run(CCOperation(kCCDecrypt), ciphertext, key, iv)
            else { throw .authenticationFailure }
            return message
        }

        private static func check(_ key: SymmetricKey, _ iv: [UInt8]) throws(CryptoError) {
            guard iv.count == kCCBlockSizeAES128 else {
                throw .unacceptableParameter("an initialization vector has 16 bytes")
            }
            guard [128, 192, 256].contains(key.bitCount) else {
                throw .unacceptableParameter("an AES key has 128, 192 or 256 bits")
            }
        }

        /// Encrypts or decrypts everything in one step; nil after a failure.
        private static func run(
            _ operation: CCOperation, _ input: [UInt8], _ key: SymmetricKey, _ iv: [UInt8]
        ) -> [UInt8]? {
            var output = [UInt8](repeating: 0, count: input.count + kCCBlockSizeAES128)
            defer { wipe(&output) }
            let capacity = output.count
            var count = 0
            let status = key.withUnsafeBytes { key in
                CCCrypt(
                    operation, CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionPKCS7Padding), key.baseAddress,
                    key.count, iv, input, input.count, &output, capacity, &count)
            }
            guard status == kCCSuccess else { return nil }
            // The framework of older systems ignores a wrong padding, and shows it by the length alone.
            guard operation == CCOperation(kCCEncrypt) || count < input.count else { return nil }
            return Array(output.prefix(count))
        }
    }
}

/// The derivation of a key from a password (RFC 8018 §5.2), for formats that prescribe it.
///
/// New password hashes are made by ``PasswordHash``.
package enum PBKDF2 {
    /// The digest of its HMAC.
    package enum Hash: Sendable, Hashable {
        /// HMAC with SHA-256.
        case sha256
        /// HMAC with SHA-384.
        case sha384
        /// HMAC with SHA-512.
        case sha512
    }

    /// Derives a key; the time is proportional to the iterations, which the caller bounds.
    package static func deriveKey(
        password: SymmetricKey, salt: [UInt8], iterations: Int, hash: Hash, outputByteCount: Int
    ) throws(CryptoError) -> SymmetricKey {
        guard let rounds = Int32(exactly: iterations), rounds > 0, (1...1024).contains(outputByteCount) else {
            throw .unacceptableParameter("the iterations or the length are out of bounds")
        }
        let function =
            switch hash {
            case .sha256: kCCPRFHmacAlgSHA256
            case .sha384: kCCPRFHmacAlgSHA384
            case .sha512: kCCPRFHmacAlgSHA512
            }
        var key = [UInt8](repeating: 0, count: outputByteCount)
        defer { wipe(&key) }
        let status = password.withUnsafeBytes { password in
            CCKeyDerivationPBKDF(
                CCPBKDFAlgorithm(kCCPBKDF2), password.bindMemory(to: CChar.self).baseAddress, password.count, salt,
                salt.count, CCPseudoRandomAlgorithm(function), UInt32(rounds), &key, outputByteCount)
        }
        guard status == kCCSuccess else { throw .engineFailure("deriving a key") }
        return SymmetricKey(data: key)
    }
}
#endif
