// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import COpenSSL

extension RSA.Signing {
    /// A key that signs.
    public struct PrivateKey: Sendable {
        private let key: EVPKey
        private let signers: RSASchemes
        /// The key that verifies what this one signs.
        public let publicKey: PublicKey

        /// Takes a key that was checked or made here.
        ///
        /// The public half is made anew of its two numbers, so that it shares no memory with the secret.
        private init(_ key: EVPKey) throws(CryptoError) {
            let numbers = try PublicKey(key)
            publicKey = try PublicKey(modulus: numbers.modulus, exponent: numbers.exponent)
            self.key = key
            signers = RSASchemes(key, for: .sign)
        }

        /// A fresh random key with the exponent 65537.
        ///
        /// - Parameter keySizeInBits: 2048 to 8192.
        public init(keySizeInBits: Int = 2048) throws(CryptoError) {
            guard (2048...8192).contains(keySizeInBits) else {
                throw .unacceptableParameter("an RSA key has 2048 to 8192 bits")
            }
            try self.init(
                try EVPKey.generate("RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(keySizeInBits)) == 1 })
        }

        /// A key of its numbers, which are checked to belong together.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(_ numbers: PrivateNumbers) throws(CryptoError) {
            let parts = try EVPKeyParts()
            try parts.add(.modulus, number: numbers.modulus)
            try parts.add(.exponent, number: numbers.exponent)
            try parts.add(.privateExponent, number: numbers.privateExponent)
            try parts.add(.firstPrime, number: numbers.firstPrime)
            try parts.add(.secondPrime, number: numbers.secondPrime)
            try parts.add(.firstExponent, number: numbers.firstExponent)
            try parts.add(.secondExponent, number: numbers.secondExponent)
            try parts.add(.coefficient, number: numbers.coefficient)
            let key = try parts.key("RSA", isPrivate: true)
            try Self.checkSizes(of: key)
            try Self.checkConsistency(of: key)
            try self.init(key)
        }

        /// A key of a PEM text, in PKCS #8 or PKCS #1; encrypted ones are refused.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(pemRepresentation: String) throws(CryptoError) {
            let key = try EVPKey.privateKey(pem: pemRepresentation)
            try Self.checkSizes(of: key)
            try Self.checkConsistency(of: key)
            try self.init(key)
        }

        /// Gives the secret numbers away, to whoever stores them.
        public var numbers: PrivateNumbers {
            get throws(CryptoError) {
                PrivateNumbers(
                    modulus: publicKey.modulus, exponent: publicKey.exponent,
                    privateExponent: try key.number(.privateExponent),
                    firstPrime: try key.number(.firstPrime),
                    secondPrime: try key.number(.secondPrime),
                    firstExponent: try key.number(.firstExponent),
                    secondExponent: try key.number(.secondExponent),
                    coefficient: try key.number(.coefficient))
            }
        }

        /// Gives the secret away as PEM, in PKCS #8, to whoever stores it.
        public func pem() throws(CryptoError) -> String { try key.privatePEM() }

        /// The signature of `data`, as long as the modulus.
        public func signature(
            for data: some Collection<UInt8>, padding: Padding = .pkcs1v15, hash: Hash = .sha256
        ) throws(CryptoError) -> [UInt8] {
            try hash.withDigest(of: data) { digest throws(CryptoError) in
                try signers[padding, hash].signature(of: digest, capacity: publicKey.modulus.count)
            }
        }

        /// Refuses numbers that are longer than the modulus, and keys of more than two primes.
        ///
        /// It comes before the check that asks whether the primes are prime: that takes minutes for a number of some ten
        /// thousand bits, and a key may come from the network. RFC 8017 §3.2 makes each number less than the modulus; a
        /// third prime has no place in ``PrivateNumbers``, so that such a key could be used and never be stored.
        private static func checkSizes(of key: EVPKey) throws(CryptoError) {
            let longest = try PublicKey(key).modulus.count
            let parts: [EVPPart] = [
                .privateExponent, .firstPrime, .secondPrime, .firstExponent, .secondExponent, .coefficient,
            ]
            for part in parts {
                guard let count = key.byteCount(of: part), (1...longest).contains(count) else {
                    throw .malformedKey("a secret number is missing or longer than the modulus")
                }
            }
            guard key.byteCount(of: .thirdPrime) == nil else { throw .malformedKey("it has more than two primes") }
        }

        /// Asks OpenSSL whether the primes are prime and all numbers follow from them.
        private static func checkConsistency(of key: EVPKey) throws(CryptoError) {
            guard let context = EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else {
                throw .openSSL("checking a key")
            }
            defer { EVP_PKEY_CTX_free(context) }
            guard EVP_PKEY_pairwise_check(context) == 1 else {
                throw .refusedKey("its numbers do not belong together")
            }
        }
    }
}

extension RSA.Signing.PrivateKey: CustomStringConvertible, CustomReflectable {
    /// The size, and nothing of the key.
    public var description: String { "RSA private key (\(publicKey.keySizeInBits) bits, redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
