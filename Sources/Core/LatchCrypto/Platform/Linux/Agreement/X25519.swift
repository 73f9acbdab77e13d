// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

extension Curve25519 {
    /// X25519 (RFC 7748): its keys.
    public enum KeyAgreement {}
}

extension Curve25519.KeyAgreement {
    /// The half of a key that the other side needs.
    public struct PublicKey: Sendable, Hashable {
        fileprivate let key: EVPKey
        /// The key's 32 bytes.
        public let rawRepresentation: [UInt8]

        /// Creates a key from its 32 bytes.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            self.rawRepresentation = Array(rawRepresentation)
            key = try EVPKey(EVP_PKEY_X25519, publicKey: self.rawRepresentation)
        }

        /// Whether both are the same bytes.
        public static func == (left: Self, right: Self) -> Bool { left.rawRepresentation == right.rawRepresentation }

        /// Hashes the bytes.
        public func hash(into hasher: inout Hasher) { hasher.combine(rawRepresentation) }
    }

    /// A private key, which computes shared secrets.
    public struct PrivateKey: Sendable {
        private let key: EVPKey
        /// The secret, kept next to OpenSSL's key so that reading it cannot fail.
        private let scalar: SecretBytes
        /// The half that the other side needs, without secrets.
        public let publicKey: PublicKey

        /// Creates a random key.
        public init() throws(CryptoError) {
            var scalar = SecureRandom.bytes(32)
            defer { wipe(&scalar) }
            try self.init(rawRepresentation: scalar)
        }

        /// Creates a key from its 32 secret bytes.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(rawRepresentation: some Collection<UInt8>) throws(CryptoError) {
            var bytes = Array(rawRepresentation)
            defer { wipe(&bytes) }
            key = try EVPKey(EVP_PKEY_X25519, privateKey: bytes)
            scalar = SecretBytes(bytes)
            publicKey = try PublicKey(rawRepresentation: try key.curve25519PublicKey())
        }

        /// Generates a private key.
        package static func generate() throws(CryptoError) -> Self { try Self() }

        /// The 32 secret bytes; the caller must protect them.
        public var rawRepresentation: [UInt8] { scalar.withUnsafeBytes { Array($0) } }

        /// Computes the shared secret with another public key.
        ///
        /// The owner of the other key computes the same secret with this key's public half. It is not uniform, so
        /// derive a key from it.
        ///
        /// - Throws: `CryptoError.engineFailure`, also for a point of small order, for which every private key yields
        ///   the same secret (RFC 7748 §6.1).
        public func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws(CryptoError) -> SharedSecret {
            try SharedSecret(key, publicKeyShare.key)
        }
    }
}

extension Curve25519.KeyAgreement.PrivateKey: CustomStringConvertible, CustomReflectable {
    /// The kind of key; the key is redacted.
    public var description: String { "X25519 private key (redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
