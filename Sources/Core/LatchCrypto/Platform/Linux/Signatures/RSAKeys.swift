// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
internal import CLatchOpenSSL

extension RSA.Signing {
    /// A public key, which verifies signatures.
    public struct PublicKey: Sendable, Hashable {
        let key: EVPKey
        private let verifiers: RSASchemes
        /// The modulus n, without leading zeros.
        public let modulus: [UInt8]
        /// The public exponent e, without leading zeros.
        public let exponent: [UInt8]

        /// Takes the public numbers of any RSA key, even a private one, after checking their limits.
        init(_ key: EVPKey) throws(CryptoError) {
            guard EVP_PKEY_is_a(key.pointer, "RSA") == 1 else { throw .refusedKey("it is not an RSA key") }
            modulus = try key.number(.modulus)
            exponent = try key.number(.exponent)
            try RSABounds.check(modulus: modulus, exponent: exponent)
            self.key = key
            verifiers = RSASchemes(key, for: .verify)
        }

        /// Creates a key from its two numbers, which are big-endian.
        ///
        /// - Throws: `CryptoError.malformedKey` if the modulus has less than 2048 or more than 8192 bits, or the
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

        /// Creates a key from a SubjectPublicKeyInfo in PEM.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(pemRepresentation: String) throws(CryptoError) {
            try self.init(try EVPKey.publicKey(pem: pemRepresentation))
        }

        /// Creates a key from a SubjectPublicKeyInfo in DER.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(derRepresentation: some Collection<UInt8>) throws(CryptoError) {
            try self.init(try EVPKey.publicKey(der: Array(derRepresentation)))
        }

        /// The size of the modulus in bits.
        public var keySizeInBits: Int { RSABounds.bitCount(modulus) }

        /// Returns the SubjectPublicKeyInfo in PEM.
        public func pem() throws(CryptoError) -> String { try key.publicPEM() }

        /// Whether the signature is this key's for `data`.
        public func isValidSignature(
            _ signature: some Collection<UInt8>, for data: some Collection<UInt8>,
            padding: Padding = .pkcs1v15, hash: Hash = .sha256
        ) -> Bool {
            // RFC 8017 §8.2.2, step 1: a signature must be as long as the modulus.
            guard signature.count == modulus.count else { return false }
            return hash.withDigest(of: data) { digest in
                withBytes(of: signature) { verifiers[padding, hash].verifies($0, digest: digest) }
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

extension RSA.Signing {
    /// A private key, which signs.
    public struct PrivateKey: Sendable {
        let key: EVPKey
        private let signers: RSASchemes
        /// The half that verifies signatures, without secrets.
        public let publicKey: PublicKey

        /// Takes a key that was already checked or created here.
        ///
        /// The public half is created from its two numbers, so that it shares no memory with the secret.
        private init(_ key: EVPKey) throws(CryptoError) {
            let numbers = try PublicKey(key)
            publicKey = try PublicKey(modulus: numbers.modulus, exponent: numbers.exponent)
            self.key = key
            signers = RSASchemes(key, for: .sign)
        }

        /// Creates a random key with the exponent 65537.
        ///
        /// - Parameter keySizeInBits: 2048 to 8192.
        public init(keySizeInBits: Int = 2048) throws(CryptoError) {
            guard (2048...8192).contains(keySizeInBits) else {
                throw .unacceptableParameter("an RSA key has 2048 to 8192 bits")
            }
            try self.init(
                try EVPKey.generate("RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(keySizeInBits)) == 1 })
        }

        /// Creates a key from its numbers, after checking that they belong together.
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

        /// Creates a key from PKCS #8 or PKCS #1 in PEM; encrypted keys are rejected.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(pemRepresentation: String) throws(CryptoError) {
            let key = try EVPKey.privateKey(pem: pemRepresentation)
            try Self.checkSizes(of: key)
            try Self.checkConsistency(of: key)
            try self.init(key)
        }

        /// The secret numbers; the caller must protect them.
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

        /// Returns the unencrypted private key as PKCS #8 in PEM; the caller must protect it.
        public func pem() throws(CryptoError) -> String { try key.privatePEM() }

        /// Signs `data`; the signature is as long as the modulus.
        public func signature(
            for data: some Collection<UInt8>, padding: Padding = .pkcs1v15, hash: Hash = .sha256
        ) throws(CryptoError) -> [UInt8] {
            try hash.withDigest(of: data) { digest throws(CryptoError) in
                try signers[padding, hash].signature(of: digest, capacity: publicKey.modulus.count)
            }
        }

        /// Rejects numbers that are longer than the modulus, and keys with more than two primes.
        ///
        /// It precedes the primality check, which takes minutes for a number of some ten thousand bits, and a key may
        /// come from the network. RFC 8017 §3.2 requires each number to be less than the modulus. ``PrivateNumbers``
        /// has no third prime, so such a key could be used but never stored.
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

        /// Checks with OpenSSL that the primes are prime and that all numbers follow from them.
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
    /// The size; the key is redacted.
    public var description: String { "RSA private key (\(publicKey.keySizeInBits) bits, redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// The prepared contexts of a key, one pool for each scheme.
struct RSASchemes: Sendable {
    /// Two rows, one for each padding, with three digests each; an unused pool remains empty.
    private let pools: [EVPContextPool]

    /// Creates empty pools in the order that the subscript uses.
    init(_ key: EVPKey, for operation: EVPContextPool.Operation) {
        pools = RSA.Signing.Padding.allCases.flatMap { padding in
            RSA.Signing.Hash.allCases.map { hash in
                EVPContextPool(key, for: operation) { configure($0, padding: padding, hash: hash) }
            }
        }
    }

    /// Returns the pool of a scheme.
    subscript(padding: RSA.Signing.Padding, hash: RSA.Signing.Hash) -> EVPContextPool {
        let row = padding == .pkcs1v15 ? 0 : RSA.Signing.Hash.allCases.count
        switch hash {
        case .sha256: return pools[row]
        case .sha384: return pools[row + 1]
        case .sha512: return pools[row + 2]
        }
    }
}

/// Sets the scheme of a context, so that a signature cannot choose another (RFC 8725 §3.1).
private func configure(_ context: OpaquePointer, padding: RSA.Signing.Padding, hash: RSA.Signing.Hash) -> Bool {
    let digest =
        switch hash {
        case .sha256: EVP_sha256()
        case .sha384: EVP_sha384()
        case .sha512: EVP_sha512()
        }
    let scheme = padding == .pss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING
    guard EVP_PKEY_CTX_set_rsa_padding(context, scheme) == 1,
        EVP_PKEY_CTX_set_signature_md(context, digest) == 1
    else { return false }
    guard padding == .pss else { return true }
    // RFC 7518 §3.5: the salt is as long as the digest.
    return EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest) == 1
        && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) == 1
}

extension RSA.Signing.Hash {
    /// Calls `body` with the digest of `data`, in a buffer on the stack.
    func withDigest<Result, Failure: Error>(
        of data: some Collection<UInt8>,
        _ body: (UnsafeMutableBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch self {
        case .sha256: try LatchCrypto.withDigest(SHA256.self, of: data, body)
        case .sha384: try LatchCrypto.withDigest(SHA384.self, of: data, body)
        case .sha512: try LatchCrypto.withDigest(SHA512.self, of: data, body)
        }
    }
}
#endif
