// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

/// The password hash function scrypt (RFC 7914), for digests of other systems.
package enum Scrypt {
    /// Derives a key of `outputByteCount` bytes; the caller limits memory and time.
    ///
    /// - Parameters:
    ///   - log2Cost: The exponent of N: the memory is `128 · N · blockSize` bytes.
    ///   - blockSize: The parameter r.
    ///   - parallelism: The parameter p.
    /// - Throws: `CryptoError.engineFailure` if OpenSSL rejects the parameters, or the memory cannot be allocated.
    package static func deriveKey(
        password: [UInt8], salt: [UInt8], log2Cost: Int, blockSize: Int, parallelism: Int, outputByteCount: Int
    ) throws(CryptoError) -> [UInt8] {
        guard (1...40).contains(log2Cost), let r = UInt64(exactly: blockSize), let p = UInt64(exactly: parallelism),
            (1...1024).contains(outputByteCount)
        else { throw .unacceptableParameter("a parameter of scrypt is out of bounds") }
        var key = [UInt8](repeating: 0, count: outputByteCount)
        let result = password.withUnsafeBytes { password in
            EVP_PBE_scrypt(
                password.bindMemory(to: CChar.self).baseAddress, password.count, salt, salt.count, 1 << log2Cost, r, p,
                1 << 30, &key, outputByteCount)
        }
        guard result == 1 else { throw .openSSL("scrypt") }
        return key
    }
}

extension AES {
    /// AES in counter mode (NIST SP 800-38A §6.5), for digests of other systems; it does not authenticate.
    package enum CTR {
        /// Encrypts a message under a key of 256 bits and a first counter block of zeros.
        package static func encrypt(_ message: [UInt8], using key: SymmetricKey) throws(CryptoError) -> [UInt8] {
            guard key.bitCount == 256 else { throw .unacceptableParameter("an AES key has 256 bits here") }
            let zeros = [UInt8](repeating: 0, count: 16)
            let context = try CipherContext(EVP_aes_256_ctr(), key: key, iv: zeros, isEncrypting: true)
            guard let ciphertext = message.withUnsafeBytes(context.run) else { throw .openSSL("encrypting") }
            return ciphertext
        }
    }
}
#endif
