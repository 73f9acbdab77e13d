// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
extension RSA.Signing {
    /// A key that verifies.
    public struct PublicKey: Sendable, Hashable {
        private let key: SecurityKey
        /// The modulus n, without leading zeros.
        public let modulus: [UInt8]
        /// The public exponent e, without leading zeros.
        public let exponent: [UInt8]

        /// A key of its two numbers, big-endian.
        ///
        /// - Throws: `CryptoError.malformedKey` where the modulus has less than 2048 or more than 8192 bits, or the
        ///   exponent is even, 1, or longer than 32 bits.
        public init(modulus: some Collection<UInt8>, exponent: some Collection<UInt8>) throws(CryptoError) {
            let n = Array(modulus.drop { $0 == 0 })
            let e = Array(exponent.drop { $0 == 0 })
            try RSABounds.check(modulus: n, exponent: e)
            key = try SecurityKey(numbers: [n, e], isPrivate: false)
            self.modulus = n
            self.exponent = e
        }

        /// How many bits the modulus has.
        public var keySizeInBits: Int { RSABounds.bitCount(modulus) }

        /// Whether the signature is this key's for `data`.
        public func isValidSignature(
            _ signature: some Collection<UInt8>, for data: some Collection<UInt8>, padding: Padding = .pkcs1v15,
            hash: Hash = .sha256
        ) -> Bool {
            // RFC 8017 §8.2.2, step 1: a signature is as long as the modulus, or none.
            guard signature.count == modulus.count else { return false }
            return key.isValidSignature(Array(signature), for: Array(data), algorithm: padding.algorithm(hash))
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
