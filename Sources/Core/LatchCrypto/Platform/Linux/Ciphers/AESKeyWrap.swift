// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

extension AES {
    /// The AES key wrap (RFC 3394), which encrypts and authenticates a key without a nonce.
    public enum KeyWrap {}
}

extension AES.KeyWrap {
    /// Encrypts a key.
    ///
    /// - Parameters:
    ///   - keyToWrap: The key to encrypt: at least 128 bits, in steps of 64.
    ///   - kek: The key of 128, 192 or 256 bits that encrypts it.
    /// - Returns: The encrypted key, 8 bytes longer than the key.
    /// - Throws: `CryptoError.unacceptableParameter` if a key has another size.
    public static func wrap(_ keyToWrap: SymmetricKey, using kek: SymmetricKey) throws(CryptoError) -> [UInt8] {
        guard keyToWrap.bitCount >= 128, keyToWrap.bitCount % 64 == 0 else {
            throw .unacceptableParameter("a wrapped key has at least 128 bits, in steps of 64")
        }
        let context = try CipherContext(wrapping(with: kek), key: kek, iv: nil, isEncrypting: true)
        guard let wrapped = keyToWrap.withUnsafeBytes(context.run) else { throw .openSSL("wrapping a key") }
        return wrapped
    }

    /// Decrypts a key that was encrypted with ``wrap(_:using:)``.
    ///
    /// - Throws: `CryptoError.authenticationFailure` if it was changed, has an impossible length, or was encrypted with
    ///   another key. `CryptoError.unacceptableParameter` if the size of `kek` is not 128, 192 or 256 bits.
    public static func unwrap(
        _ wrappedKey: some Collection<UInt8>, using kek: SymmetricKey
    ) throws(CryptoError) -> SymmetricKey {
        let cipher = try wrapping(with: kek)
        // RFC 3394 §2.2.2: at least two blocks of 64 bits, and one for the integrity check.
        guard wrappedKey.count >= 24, wrappedKey.count % 8 == 0 else { throw .authenticationFailure }
        let context = try CipherContext(cipher, key: kek, iv: nil, isEncrypting: false)
        guard var key = Array(wrappedKey).withUnsafeBytes(context.run) else {
            ERR_clear_error()
            throw .authenticationFailure
        }
        defer { wipe(&key) }
        return SymmetricKey(data: key)
    }

    /// Returns the cipher for a key of that size.
    private static func wrapping(with kek: SymmetricKey) throws(CryptoError) -> OpaquePointer? {
        switch kek.bitCount {
        case 128: EVP_aes_128_wrap()
        case 192: EVP_aes_192_wrap()
        case 256: EVP_aes_256_wrap()
        default: throw .unacceptableParameter("an AES key has 128, 192 or 256 bits")
        }
    }
}
#endif
