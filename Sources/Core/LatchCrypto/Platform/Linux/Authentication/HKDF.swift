// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Key derivation from a secret that is strong but not uniform (RFC 5869).
///
/// It is not for passwords: they need ``PasswordHash``. It is inlinable, like ``HMAC``.
public enum HKDF<Hash: HashFunction> {
    /// Derives a key from a secret, a salt and a purpose.
    ///
    /// - Parameters:
    ///   - inputKeyMaterial: The secret from which the key is derived.
    ///   - salt: The salt, which need not be secret; an empty one means zeros, as many as the digest has bytes.
    ///   - info: The purpose of the key, which separates it from other keys of the same secret.
    ///   - outputByteCount: The length of the key in bytes, at most 255 digests (RFC 5869 §2.3); a longer key is cut to
    ///     that length.
    @inlinable public static func deriveKey(
        inputKeyMaterial: SymmetricKey, salt: some Collection<UInt8>, info: some Collection<UInt8>,
        outputByteCount: Int
    ) -> SymmetricKey {
        var extracted = extract(inputKeyMaterial: inputKeyMaterial, salt: salt)
        defer { wipe(&extracted.bytes) }
        return expand(pseudoRandomKey: extracted, info: info, outputByteCount: outputByteCount)
    }

    /// Extracts a key of one digest's length from the secret (RFC 5869 §2.2).
    ///
    /// The caller wipes the result. The salt need not be secret. An empty salt means as many zeros as the digest has
    /// bytes.
    @inlinable public static func extract(
        inputKeyMaterial: SymmetricKey, salt: some Collection<UInt8>
    ) -> HashedAuthenticationCode<Hash> {
        inputKeyMaterial.withUnsafeBytes {
            HMAC<Hash>.authenticationCode(for: $0, using: SymmetricKey(data: salt))
        }
    }

    /// Expands that key to the requested length (RFC 5869 §2.3).
    ///
    /// `info` names the purpose; different values yield independent keys from one secret. A shorter key is a prefix of
    /// a longer one for the same purpose. Intermediate values are wiped.
    @inlinable public static func expand(
        pseudoRandomKey: some Collection<UInt8>, info: some Collection<UInt8>, outputByteCount: Int
    ) -> SymmetricKey {
        let prepared = HMAC<Hash>(key: SymmetricKey(data: pseudoRandomKey))
        let length = min(max(outputByteCount, 0), 255 * Hash.byteCount)
        var output: [UInt8] = []
        output.reserveCapacity(length + Hash.byteCount)
        defer { wipe(&output) }
        var last: [UInt8] = []
        var counter: UInt8 = 1
        while output.count < length {
            var code = prepared
            code.update(data: last)
            code.update(data: info)
            withUnsafeBytes(of: counter) { code.update(bufferPointer: $0) }
            wipe(&last)
            last = code.finalize().bytes
            output += last
            counter &+= 1
        }
        wipe(&last)
        return SymmetricKey(data: output.prefix(length))
    }
}
#endif
