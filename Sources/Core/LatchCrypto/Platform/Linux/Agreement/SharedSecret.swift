// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

/// The result of a key agreement, from which keys are derived.
///
/// It is wiped from memory with the last copy of the value, compares in constant time, and prints redacted.
public struct SharedSecret: Sendable, Equatable {
    private let secret: SecretBytes

    /// Computes the secret of a private and a public key of one curve.
    init(_ key: EVPKey, _ peer: EVPKey) throws(CryptoError) {
        guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
            throw .openSSL("agreeing on a key")
        }
        defer { EVP_PKEY_CTX_free(context) }
        var count = 0
        guard EVP_PKEY_derive_init(context) == 1, EVP_PKEY_derive_set_peer(context, peer.pointer) == 1,
            EVP_PKEY_derive(context, nil, &count) == 1
        else { throw .openSSL("agreeing on a key") }
        var bytes = [UInt8](repeating: 0, count: count)
        defer { wipe(&bytes) }
        guard EVP_PKEY_derive(context, &bytes, &count) == 1, count == bytes.count else {
            throw .openSSL("agreeing on a key")
        }
        secret = SecretBytes(bytes)
    }

    /// Calls `body` with the bytes, which are valid until it returns.
    public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try secret.withUnsafeBytes(body)
    }

    /// Derives a key with HKDF (RFC 5869); `sharedInfo` names its purpose.
    public func hkdfDerivedSymmetricKey<Hash: HashFunction>(
        using hashFunction: Hash.Type, salt: some Collection<UInt8>, sharedInfo: some Collection<UInt8>,
        outputByteCount: Int
    ) -> SymmetricKey {
        HKDF<Hash>.deriveKey(
            inputKeyMaterial: secret.withUnsafeBytes { SymmetricKey(data: $0) }, salt: salt, info: sharedInfo,
            outputByteCount: outputByteCount)
    }

    /// Compares in constant time.
    public static func == (left: SharedSecret, right: SharedSecret) -> Bool {
        left.withUnsafeBytes { left in right.withUnsafeBytes { right in constantTimeEquals(left, right) } }
    }
}

extension SharedSecret: CustomStringConvertible, CustomReflectable {
    /// The size; the secret is redacted.
    public var description: String { "SharedSecret(\(secret.count) bytes, redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the secret.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
