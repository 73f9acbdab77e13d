// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

/// Bernstein's curve.
public enum Curve25519 {
    /// The keys of Ed25519 (RFC 8032), whose signatures have 64 bytes.
    public enum Signing {}
}

extension Curve25519.Signing {
    /// A public key, which verifies signatures.
    public struct PublicKey: Sendable, Hashable {
        private let key: EVPKey
        private let prepared: PreparedDigest
        /// The key's 32 bytes.
        public let rawRepresentation: [UInt8]

        /// Creates a key from its 32 bytes.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            self.rawRepresentation = Array(rawRepresentation)
            key = try EVPKey(EVP_PKEY_ED25519, publicKey: self.rawRepresentation)
            prepared = try PreparedDigest(verifyingWith: key)
        }

        /// Whether the signature is this key's for `data`.
        ///
        /// RFC 8032 §5.1.7: S must be below the order, so that a signature has one encoding. OpenSSL supports Ed25519
        /// only in one step, so each call copies the prepared context.
        public func isValidSignature(
            _ signature: some Collection<UInt8>, for data: some Collection<UInt8>
        ) -> Bool {
            guard signature.count == 64, let context = EVP_MD_CTX_new() else { return false }
            defer { EVP_MD_CTX_free(context) }
            guard EVP_MD_CTX_copy_ex(context, prepared.pointer) == 1 else {
                ERR_clear_error()
                return false
            }
            let answer = withBytes(of: signature) { signature in
                withBytes(of: data) { data in
                    EVP_DigestVerify(context, signature.baseAddress, signature.count, data.baseAddress, data.count)
                }
            }
            if answer != 1 { ERR_clear_error() }
            return answer == 1
        }

        /// Whether both are the same bytes.
        public static func == (left: Self, right: Self) -> Bool {
            left.rawRepresentation == right.rawRepresentation
        }

        /// Hashes the bytes.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawRepresentation) }
    }

    /// A context that is prepared with a key, to be copied: preparing a context costs twice the memory of a copy.
    fileprivate final class PreparedDigest: Sendable {
        /// Never used directly, since newer versions of OpenSSL do not allow using a context twice.
        nonisolated(unsafe) let pointer: OpaquePointer

        init(verifyingWith key: EVPKey) throws(CryptoError) {
            guard let context = EVP_MD_CTX_new() else { throw .openSSL("preparing a key") }
            pointer = context
            guard EVP_DigestVerifyInit(context, nil, nil, nil, key.pointer) == 1 else {
                throw .openSSL("preparing a key")
            }
        }

        deinit { EVP_MD_CTX_free(pointer) }
    }

    /// A private key, which signs.
    public struct PrivateKey: Sendable {
        private let key: EVPKey
        /// The secret, kept next to OpenSSL's key so that reading it cannot fail.
        private let seed: SecretBytes
        /// The half that verifies signatures, without secrets.
        public let publicKey: PublicKey

        /// Creates a random key.
        public init() throws(CryptoError) {
            var seed = SecureRandom.bytes(32)
            defer { wipe(&seed) }
            try self.init(rawRepresentation: seed)
        }

        /// Creates a key from its 32 secret bytes.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            var bytes = Array(rawRepresentation)
            defer { wipe(&bytes) }
            key = try EVPKey(EVP_PKEY_ED25519, privateKey: bytes)
            seed = SecretBytes(bytes)
            publicKey = try PublicKey(rawRepresentation: try key.curve25519PublicKey())
        }

        /// Generates a private key.
        package static func generate() throws(CryptoError) -> Self { try Self() }

        /// The 32 secret bytes; the caller must protect them.
        public var rawRepresentation: [UInt8] { seed.withUnsafeBytes { Array($0) } }

        /// Signs `data`; the signature has 64 bytes.
        ///
        /// The signature is deterministic (RFC 8032 §5.1.6): the same data has the same signature.
        public func signature(for data: some Collection<UInt8>) throws(CryptoError) -> [UInt8] {
            guard let context = EVP_MD_CTX_new() else { throw .openSSL("signing") }
            defer { EVP_MD_CTX_free(context) }
            var signature = [UInt8](repeating: 0, count: 64)
            var count = signature.count
            let answer = withBytes(of: data) { data in
                guard EVP_DigestSignInit(context, nil, nil, nil, key.pointer) == 1 else { return 0 as Int32 }
                return EVP_DigestSign(context, &signature, &count, data.baseAddress, data.count)
            }
            guard answer == 1, count == 64 else { throw .openSSL("signing") }
            return signature
        }
    }
}

extension Curve25519.Signing.PrivateKey: CustomStringConvertible, CustomReflectable {
    /// The kind of key; the key is redacted.
    public var description: String { "Ed25519 private key (redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension EVPKey {
    /// Creates a key over Curve25519, `EVP_PKEY_ED25519` or `EVP_PKEY_X25519`, from its public half.
    convenience init(_ type: Int32, publicKey bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == 32, let key = EVP_PKEY_new_raw_public_key(type, nil, bytes, bytes.count) else {
            throw .refusedKey("a key over Curve25519 has 32 bytes")
        }
        self.init(owning: key)
    }

    /// Creates a key over Curve25519 from its secret half.
    convenience init(_ type: Int32, privateKey bytes: [UInt8]) throws(CryptoError) {
        guard bytes.count == 32, let key = EVP_PKEY_new_raw_private_key(type, nil, bytes, bytes.count) else {
            throw .refusedKey("a key over Curve25519 has 32 bytes")
        }
        self.init(owning: key)
    }

    /// Returns the 32 bytes of the public half of a key over Curve25519.
    func curve25519PublicKey() throws(CryptoError) -> [UInt8] {
        var point = [UInt8](repeating: 0, count: 32)
        var count = point.count
        guard EVP_PKEY_get_raw_public_key(pointer, &point, &count) == 1, count == 32 else {
            throw .openSSL("computing the public key")
        }
        return point
    }
}

/// Calls `body` with the bytes of a collection as one buffer.
///
/// Bytes without contiguous storage are copied first, and the copy is not wiped. Use it for data and signatures, not
/// for secrets.
func withBytes<Result>(of data: some Collection<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    data.withContiguousStorageIfAvailable(body) ?? Array(data).withUnsafeBufferPointer(body)
}
#endif
