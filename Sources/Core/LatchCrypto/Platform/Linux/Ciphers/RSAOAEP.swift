// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

extension RSA.Signing.PublicKey {
    /// Encrypts a message that is short enough for the key.
    func encryptOAEP(_ message: [UInt8], hash: RSA.Encryption.Hash) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else { throw .openSSL("encrypting") }
        defer { EVP_PKEY_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: modulus.count)
        var count = output.count
        guard EVP_PKEY_encrypt_init(context) == 1, hash.configure(context),
            EVP_PKEY_encrypt(context, &output, &count, message, message.count) == 1, count == output.count
        else { throw .openSSL("encrypting") }
        return output
    }
}

extension RSA.Signing.PrivateKey {
    /// Decrypts a ciphertext; OpenSSL blinds the operation and decodes the padding in constant time.
    func decryptOAEP(_ ciphertext: [UInt8], hash: RSA.Encryption.Hash) throws(CryptoError) -> [UInt8] {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else { throw .openSSL("decrypting") }
        defer { EVP_PKEY_CTX_free(context) }
        guard EVP_PKEY_decrypt_init(context) == 1, hash.configure(context) else { throw .openSSL("decrypting") }
        var output = [UInt8](repeating: 0, count: publicKey.modulus.count)
        defer { wipe(&output) }
        var count = output.count
        guard EVP_PKEY_decrypt(context, &output, &count, ciphertext, ciphertext.count) == 1 else {
            ERR_clear_error()
            throw .authenticationFailure
        }
        return Array(output.prefix(count))
    }
}

extension RSA.Encryption.Hash {
    /// Sets OAEP with this digest in both places, and an empty label.
    fileprivate func configure(_ context: OpaquePointer) -> Bool {
        let digest = self == .sha1 ? EVP_sha1() : EVP_sha256()
        return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1
            && EVP_PKEY_CTX_set_rsa_oaep_md(context, digest) == 1
            && EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest) == 1
    }
}
#endif
