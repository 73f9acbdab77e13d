// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
internal import Foundation
internal import Security

/// An RSA key of the Security framework, converted from and to the numbers of PKCS #1 (RFC 8017 appendix A.1).
final class SecurityKey: Sendable {
    // The framework's keys are immutable and may be used by several threads.
    nonisolated(unsafe) private let key: SecKey

    /// Takes over a key of the framework.
    private init(_ key: SecKey) { self.key = key }

    /// - Parameter numbers: n and e of a public key; 0, n, e, d, p, q, dp, dq and qi of a private one.
    convenience init(numbers: [[UInt8]], isPrivate: Bool) throws(CryptoError) {
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeRSA,
            kSecAttrKeyClass: isPrivate ? kSecAttrKeyClassPrivate : kSecAttrKeyClassPublic,
            // Otherwise macOS uses its file keychains, which reject more than 4096 bits.
            kSecUseDataProtectionKeychain: true,
        ]
        let der = Data(DER.numbers(numbers))
        guard let key = SecKeyCreateWithData(der as CFData, attributes as CFDictionary, nil) else {
            throw .malformedKey("its numbers do not belong together")
        }
        self.init(key)
    }

    /// Makes a fresh private key.
    static func generate(bits: Int) throws(CryptoError) -> SecurityKey {
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: bits, kSecUseDataProtectionKeychain: true,
        ]
        guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, nil) else {
            throw .engineFailure("making a key")
        }
        return SecurityKey(key)
    }

    /// Returns the numbers in the order of PKCS #1.
    func numbers() throws(CryptoError) -> [[UInt8]] {
        guard let der = SecKeyCopyExternalRepresentation(key, nil) as Data? else {
            throw .engineFailure("reading a key")
        }
        var reader = DERReader([UInt8](der))
        do { return try reader.numbers() } catch { throw .engineFailure("reading a key") }
    }

    /// Whether the framework accepts the signature; its reasons for a rejection are not distinguished.
    func isValidSignature(_ signature: [UInt8], for data: [UInt8], algorithm: SecKeyAlgorithm) -> Bool {
        SecKeyVerifySignature(key, algorithm, Data(data) as CFData, Data(signature) as CFData, nil)
    }

    /// Signs `data`; the framework computes the digest.
    func signature(for data: [UInt8], algorithm: SecKeyAlgorithm) throws(CryptoError) -> [UInt8] {
        guard let signature = SecKeyCreateSignature(key, algorithm, Data(data) as CFData, nil) as Data? else {
            throw .engineFailure("signing")
        }
        return [UInt8](signature)
    }

    /// Encrypts a message that is short enough for the key.
    func encrypt(_ message: [UInt8], algorithm: SecKeyAlgorithm) throws(CryptoError) -> [UInt8] {
        guard let ciphertext = SecKeyCreateEncryptedData(key, algorithm, Data(message) as CFData, nil) as Data? else {
            throw .engineFailure("encrypting")
        }
        return [UInt8](ciphertext)
    }

    /// Decrypts a ciphertext; the framework's reasons for a rejection are not distinguished.
    func decrypt(_ ciphertext: [UInt8], algorithm: SecKeyAlgorithm) throws(CryptoError) -> [UInt8] {
        guard let message = SecKeyCreateDecryptedData(key, algorithm, Data(ciphertext) as CFData, nil) as Data? else {
            throw .authenticationFailure
        }
        return [UInt8](message)
    }
}

extension RSA.Signing.Padding {
    /// Returns the framework's name for the scheme; its PSS salt is as long as the digest, as RFC 7518 §3.5 requires.
    func algorithm(_ hash: RSA.Signing.Hash) -> SecKeyAlgorithm {
        switch (self, hash) {
        case (.pkcs1v15, .sha256): .rsaSignatureMessagePKCS1v15SHA256
        case (.pkcs1v15, .sha384): .rsaSignatureMessagePKCS1v15SHA384
        case (.pkcs1v15, .sha512): .rsaSignatureMessagePKCS1v15SHA512
        case (.pss, .sha256): .rsaSignatureMessagePSSSHA256
        case (.pss, .sha384): .rsaSignatureMessagePSSSHA384
        case (.pss, .sha512): .rsaSignatureMessagePSSSHA512
        }
    }
}
#endif
