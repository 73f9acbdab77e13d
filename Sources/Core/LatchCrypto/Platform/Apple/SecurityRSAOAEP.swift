// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
internal import Security

extension RSA.Signing.PublicKey {
    /// Encrypts a message that is short enough for the key.
    func encryptOAEP(_ message: [UInt8], hash: RSA.Encryption.Hash) throws(CryptoError) -> [UInt8] {
        try key.encrypt(message, algorithm: hash.algorithm)
    }
}

extension RSA.Signing.PrivateKey {
    func decryptOAEP(_ ciphertext: [UInt8], hash: RSA.Encryption.Hash) throws(CryptoError) -> [UInt8] {
        try key.decrypt(ciphertext, algorithm: hash.algorithm)
    }
}

extension RSA.Encryption.Hash {
    /// The framework's name for OAEP with this digest in both places.
    fileprivate var algorithm: SecKeyAlgorithm { self == .sha1 ? .rsaEncryptionOAEPSHA1 : .rsaEncryptionOAEPSHA256 }
}
#endif
