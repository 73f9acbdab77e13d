// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

extension PBKDF2 {
    /// Derives a key; the time is proportional to the iterations, which the caller limits.
    package static func deriveKey(
        password: SymmetricKey, salt: [UInt8], iterations: Int, hash: Hash, outputByteCount: Int
    ) throws(CryptoError) -> SymmetricKey {
        guard let rounds = Int32(exactly: iterations), rounds > 0, (1...1024).contains(outputByteCount) else {
            throw .unacceptableParameter("the iterations or the length are out of bounds")
        }
        let digest =
            switch hash {
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            case .sha512: EVP_sha512()
            }
        var key = [UInt8](repeating: 0, count: outputByteCount)
        defer { wipe(&key) }
        let result = password.withUnsafeBytes { password in
            PKCS5_PBKDF2_HMAC(
                password.bindMemory(to: CChar.self).baseAddress, Int32(clamping: password.count), salt,
                Int32(clamping: salt.count), rounds, digest, Int32(outputByteCount), &key)
        }
        guard result == 1 else { throw .openSSL("deriving a key") }
        return SymmetricKey(data: key)
    }
}
#endif
