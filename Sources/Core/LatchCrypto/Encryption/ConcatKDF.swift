// SPDX-License-Identifier: Apache-2.0

extension SharedSecret {
    /// Derives a key with the Concat KDF over SHA-256 (NIST SP 800-56A §5.8.1), which CryptoKit does not have.
    ///
    /// - Parameters:
    ///   - otherInfo: The context of the key: algorithm, parties and length.
    ///   - outputByteCount: The length of the key in bytes, at most 255 digests.
    package func concatKDFDerivedSymmetricKey(otherInfo: [UInt8], outputByteCount: Int) -> SymmetricKey {
        let length = min(max(outputByteCount, 0), 255 * 32)
        var output: [UInt8] = []
        output.reserveCapacity(length + 32)
        defer { wipe(&output) }
        var round: UInt8 = 1
        while output.count < length {
            var hash = SHA256()
            hash.update(data: [0, 0, 0, round])
            withUnsafeBytes { hash.update(bufferPointer: $0) }
            hash.update(data: otherInfo)
            output += Array(hash.finalize())
            round &+= 1
        }
        return output.withUnsafeBytes { SymmetricKey(data: UnsafeRawBufferPointer(rebasing: $0.prefix(length))) }
    }

    /// Whether every byte is zero, determined in constant time.
    ///
    /// RFC 7748 §6.1: X25519 with a point of small order has this result, which does not depend on the private key.
    package var isZero: Bool { withUnsafeBytes { $0.reduce(0) { $0 | $1 } == 0 } }
}
