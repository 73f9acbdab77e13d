// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

extension RSA.Signing {
    /// A key that verifies.
    public struct PublicKey: Sendable, Hashable {
        private let key: EVPKey
        private let verifiers: RSASchemes
        private let pss: PSSVerifier
        /// The modulus n, without leading zeros.
        public let modulus: [UInt8]
        /// The public exponent e, without leading zeros.
        public let exponent: [UInt8]

        /// Takes the public numbers of any RSA key, also a private one, after checking their bounds.
        init(_ key: EVPKey) throws(CryptoError) {
            guard EVP_PKEY_is_a(key.pointer, "RSA") == 1 else { throw .refusedKey("it is no RSA key") }
            modulus = try key.number(.modulus)
            exponent = try key.number(.exponent)
            try RSABounds.check(modulus: modulus, exponent: exponent)
            self.key = key
            verifiers = RSASchemes(key, for: .verify)
            pss = try PSSVerifier(modulus: modulus, exponent: exponent)
        }

        /// A key of its two numbers, big-endian.
        ///
        /// - Throws: `CryptoError.malformedKey` where the modulus has less than 2048 or more than 8192 bits, or the
        ///   exponent is even, 1, or longer than 32 bits.
        public init(modulus: some Collection<UInt8>, exponent: some Collection<UInt8>) throws(CryptoError) {
            let n = Array(modulus.drop { $0 == 0 })
            let e = Array(exponent.drop { $0 == 0 })
            try RSABounds.check(modulus: n, exponent: e)
            let parts = try EVPKeyParts()
            try parts.add(.modulus, number: n)
            try parts.add(.exponent, number: e)
            try self.init(try parts.key("RSA", isPrivate: false))
        }

        /// A key of a PEM text, in SubjectPublicKeyInfo.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(pemRepresentation: String) throws(CryptoError) {
            try self.init(try EVPKey.publicKey(pem: pemRepresentation))
        }

        /// A key of its DER form, in SubjectPublicKeyInfo.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(derRepresentation: some Collection<UInt8>) throws(CryptoError) {
            try self.init(try EVPKey.publicKey(der: Array(derRepresentation)))
        }

        /// How many bits the modulus has.
        public var keySizeInBits: Int { RSABounds.bitCount(modulus) }

        /// The key as PEM, in SubjectPublicKeyInfo.
        public func pem() throws(CryptoError) -> String { try key.publicPEM() }

        /// Whether the signature is this key's for `data`.
        public func isValidSignature(
            _ signature: some Collection<UInt8>, for data: some Collection<UInt8>,
            padding: Padding = .pkcs1v15, hash: Hash = .sha256
        ) -> Bool {
            // RFC 8017 §8.2.2, step 1: a signature is as long as the modulus, or none.
            guard signature.count == modulus.count else { return false }
            return hash.withDigest(of: data) { digest in
                withBytes(of: signature) { signature in
                    switch padding {
                    case .pkcs1v15: verifiers[padding, hash].verifies(signature, digest: digest)
                    case .pss: pss.verifies(signature, digest: digest, hash: hash)
                    }
                }
            }
        }

        /// Whether both have the same numbers.
        public static func == (left: Self, right: Self) -> Bool {
            left.modulus == right.modulus && left.exponent == right.exponent
        }

        /// Hashes the modulus.
        public func hash(into hasher: inout Hasher) { hasher.combine(modulus) }
    }
}
#endif
