// SPDX-License-Identifier: Apache-2.0

#if canImport(CommonCrypto)
internal import CommonCrypto
package import CryptoKit

extension PBKDF2 {
    /// Derives a key; the time is proportional to the iterations, which the caller limits.
    package static func deriveKey(
        password: SymmetricKey, salt: [UInt8], iterations: Int, hash: Hash, outputByteCount: Int
    ) throws(CryptoError) -> SymmetricKey {
        guard let rounds = Int32(exactly: iterations), rounds > 0, (1...1024).contains(outputByteCount) else {
            throw .unacceptableParameter("the iterations or the length are out of bounds")
        }
        let function =
            switch hash {
            case .sha1: kCCPRFHmacAlgSHA1
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
