// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
/// Key derivation from a secret that is strong but not uniform (RFC 5869).
///
/// It is not for passwords: those need ``PasswordHash``.
public enum HKDF<Hash: HashFunction> {
    /// A key derived from another, from a salt and from what it is for.
    ///
    /// - Parameter outputByteCount: At most 255 digests long (RFC 5869 §2.3); more is cut to that.
    public static func deriveKey(
        inputKeyMaterial: SymmetricKey, salt: some Collection<UInt8>, info: some Collection<UInt8>,
        outputByteCount: Int
    ) -> SymmetricKey {
        expand(
            pseudoRandomKey: extract(inputKeyMaterial: inputKeyMaterial, salt: salt), info: info,
            outputByteCount: outputByteCount)
    }

    /// RFC 5869 §2.2: concentrates the secret into a key of one digest's length.
    ///
    /// The salt need not be secret. An empty one stands for zeros as long as the digest.
    public static func extract(
        inputKeyMaterial: SymmetricKey, salt: some Collection<UInt8>
    ) -> HashedAuthenticationCode<Hash> {
        inputKeyMaterial.withUnsafeBytes {
            HMAC<Hash>.authenticationCode(for: $0, using: SymmetricKey(data: salt))
        }
    }

    /// RFC 5869 §2.3: stretches that key to the length that is wanted.
    ///
    /// Different `info` makes independent keys of one secret, which is what it is for: a name of the purpose. A shorter
    /// key is the beginning of a longer one of the same purpose. What is left of it in memory is wiped.
    public static func expand(
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
            code.update(data: CollectionOfOne(counter))
            last = Array(code.finalize())
            output += last
            counter &+= 1
        }
        wipe(&last)
        return SymmetricKey(data: output.prefix(length))
    }
}
#endif
