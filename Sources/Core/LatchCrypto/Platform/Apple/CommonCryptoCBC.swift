// SPDX-License-Identifier: Apache-2.0

#if canImport(CommonCrypto)
internal import CommonCrypto
package import CryptoKit

extension AES {
    /// AES in cipher block chaining mode with the padding of PKCS #7 (NIST SP 800-38A §6.2, RFC 5652 §6.3).
    ///
    /// It does not authenticate, and a padding failure tells an attacker the plaintext. Callers verify a MAC first.
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
            // On older systems, the framework ignores a wrong padding; only the length shows it.
            guard operation == CCOperation(kCCEncrypt) || count < input.count else { return nil }
            return Array(output.prefix(count))
        }
    }
}
#endif
