// SPDX-License-Identifier: Apache-2.0

extension RSA {
    /// Keys of RSA encryption with OAEP (RFC 8017 §7.1).
    ///
    /// Encryption with the padding of PKCS #1 v1.5 is not supported, since its failures reveal the plaintext.
    public enum Encryption {}
}

extension RSA.Encryption {
    /// The digest of OAEP, and of its mask generation function.
    public enum Hash: Sendable, Hashable, CaseIterable {
        /// SHA-1, the default of RFC 8017; its weakness to collisions does not matter here.
        case sha1
        case sha256
    }

    /// A public key, which encrypts.
    public struct PublicKey: Sendable, Hashable {
        private let key: RSA.Signing.PublicKey

        init(_ key: RSA.Signing.PublicKey) { self.key = key }

        /// Creates a key from its two numbers, which are big-endian.
        ///
        /// - Throws: `CryptoError.malformedKey` if the modulus has less than 2048 or more than 8192 bits, or the
        ///   exponent is even, 1, or longer than 32 bits.
        public init(modulus: some Collection<UInt8>, exponent: some Collection<UInt8>) throws(CryptoError) {
            key = try RSA.Signing.PublicKey(modulus: modulus, exponent: exponent)
        }

        /// The modulus n, without leading zeros.
        public var modulus: [UInt8] { key.modulus }

        /// The public exponent e, without leading zeros.
        public var exponent: [UInt8] { key.exponent }

        /// Encrypts a short message, such as a key, with an empty label.
        ///
        /// - Returns: The ciphertext, as long as the modulus.
        /// - Throws: `CryptoError.unacceptableParameter` if the message is longer than the modulus less twice the
        ///   digest and 2 bytes.
        public func encrypt(_ message: some Collection<UInt8>, hash: Hash = .sha256) throws(CryptoError) -> [UInt8] {
            guard message.count <= modulus.count - 2 * hash.byteCount - 2 else {
                throw .unacceptableParameter("the message is too long for the key")
            }
            return try key.encryptOAEP(Array(message), hash: hash)
        }
    }

    /// A private key, which decrypts.
    public struct PrivateKey: Sendable {
        private let key: RSA.Signing.PrivateKey

        /// Creates a random key with the exponent 65537.
        ///
        /// - Parameter keySizeInBits: 2048 to 8192.
        public init(keySizeInBits: Int = 2048) throws(CryptoError) {
            key = try RSA.Signing.PrivateKey(keySizeInBits: keySizeInBits)
        }

        /// Creates a key from its numbers, after checking that they belong together.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(_ numbers: RSA.Signing.PrivateNumbers) throws(CryptoError) {
            key = try RSA.Signing.PrivateKey(numbers)
        }

        /// The half that encrypts, without secrets.
        public var publicKey: PublicKey { PublicKey(key.publicKey) }

        /// The secret numbers; the caller must protect them.
        public var numbers: RSA.Signing.PrivateNumbers { get throws(CryptoError) { try key.numbers } }

        /// Decrypts a ciphertext.
        ///
        /// - Throws: `CryptoError.authenticationFailure` for every wrong ciphertext, without a reason. Reasons would
        ///   reveal the plaintext (Manger's attack, RFC 8017 §7.1.2).
        public func decrypt(_ ciphertext: some Collection<UInt8>, hash: Hash = .sha256) throws(CryptoError) -> [UInt8] {
            // RFC 8017 §7.1.2, step 1b: a ciphertext is as long as the modulus.
            guard ciphertext.count == key.publicKey.modulus.count else { throw .authenticationFailure }
            return try key.decryptOAEP(Array(ciphertext), hash: hash)
        }
    }
}

extension RSA.Encryption.Hash {
    /// The length of the digest in bytes.
    fileprivate var byteCount: Int { self == .sha1 ? 20 : 32 }
}

extension RSA.Encryption.PrivateKey: CustomStringConvertible, CustomReflectable {
    /// The size; the key is redacted.
    public var description: String { "RSA encryption private key (\(key.publicKey.keySizeInBits) bits, redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
