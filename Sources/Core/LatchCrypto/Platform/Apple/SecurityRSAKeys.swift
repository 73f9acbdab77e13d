// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
extension RSA.Signing {
    /// A public key, which verifies signatures.
    public struct PublicKey: Sendable, Hashable {
        let key: SecurityKey
        /// The modulus n, without leading zeros.
        public let modulus: [UInt8]
        /// The public exponent e, without leading zeros.
        public let exponent: [UInt8]

        /// Creates a key from its two numbers, which are big-endian.
        ///
        /// - Throws: `CryptoError.malformedKey` if the modulus has less than 2048 or more than 8192 bits, or the
        ///   exponent is even, 1, or longer than 32 bits.
        public init(modulus: some Collection<UInt8>, exponent: some Collection<UInt8>) throws(CryptoError) {
            let n = Array(modulus.drop { $0 == 0 })
            let e = Array(exponent.drop { $0 == 0 })
            try RSABounds.check(modulus: n, exponent: e)
            key = try SecurityKey(numbers: [n, e], isPrivate: false)
            self.modulus = n
            self.exponent = e
        }

        /// Creates a key from a SubjectPublicKeyInfo in PEM.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(pemRepresentation: String) throws(CryptoError) {
            try self.init(
                derRepresentation: try PEMBlock.first(labelled: ["PUBLIC KEY"], in: pemRepresentation).content)
        }

        /// Creates a key from a SubjectPublicKeyInfo in DER.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(derRepresentation: some Collection<UInt8>) throws(CryptoError) {
            let numbers: (modulus: [UInt8], exponent: [UInt8])
            do { numbers = try RSAKeyEncoding.publicNumbers(derRepresentation) } catch {
                throw .malformedKey("the bytes are not the DER form of such a key")
            }
            try self.init(modulus: numbers.modulus, exponent: numbers.exponent)
        }

        /// The size of the modulus in bits.
        public var keySizeInBits: Int { RSABounds.bitCount(modulus) }

        /// Returns the SubjectPublicKeyInfo in PEM.
        public func pem() throws(CryptoError) -> String {
            let der = RSAKeyEncoding.publicKey(modulus: modulus, exponent: exponent)
            return PEMBlock(label: "PUBLIC KEY", content: der).text
        }

        /// Whether the signature is this key's for `data`.
        public func isValidSignature(
            _ signature: some Collection<UInt8>, for data: some Collection<UInt8>, padding: Padding = .pkcs1v15,
            hash: Hash = .sha256
        ) -> Bool {
            // RFC 8017 §8.2.2, step 1: a signature must be as long as the modulus.
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

extension RSA.Signing {
    /// A private key, which signs.
    public struct PrivateKey: Sendable {
        let key: SecurityKey
        /// The half that verifies signatures, without secrets.
        public let publicKey: PublicKey

        /// Creates a random key with the exponent 65537.
        ///
        /// - Parameter keySizeInBits: 2048 to 8192.
        public init(keySizeInBits: Int = 2048) throws(CryptoError) {
            guard (2048...8192).contains(keySizeInBits) else {
                throw .unacceptableParameter("an RSA key has 2048 to 8192 bits")
            }
            key = try SecurityKey.generate(bits: keySizeInBits)
            let numbers = try key.numbers()
            guard numbers.count == 9 else { throw .engineFailure("making a key") }
            publicKey = try PublicKey(modulus: numbers[1], exponent: numbers[2])
        }

        /// Creates a key from its numbers, which are tested with a signature.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(_ numbers: PrivateNumbers) throws(CryptoError) {
            let half = try PublicKey(modulus: numbers.modulus, exponent: numbers.exponent)
            let list = RSAKeyEncoding.list(numbers)
            // RFC 8017 §3.2: each of them is less than the modulus.
            guard list.allSatisfy({ $0.drop { $0 == 0 }.count <= half.modulus.count }) else {
                throw .malformedKey("a secret number is missing or longer than the modulus")
            }
            publicKey = half
            key = try SecurityKey(numbers: list, isPrivate: true)
            let probe: [UInt8] = [0x6C]
            guard publicKey.isValidSignature(try signature(for: probe), for: probe) else {
                throw .malformedKey("its numbers do not belong together")
            }
        }

        /// Creates a key from PKCS #8 or PKCS #1 in PEM; encrypted keys are rejected.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(pemRepresentation: String) throws(CryptoError) {
            let block = try PEMBlock.first(labelled: ["PRIVATE KEY", "RSA PRIVATE KEY"], in: pemRepresentation)
            let numbers: PrivateNumbers
            do {
                numbers =
                    try block.label == "PRIVATE KEY"
                    ? RSAKeyEncoding.privateNumbers(pkcs8: block.content)
                    : RSAKeyEncoding.privateNumbers(pkcs1: block.content)
            } catch {
                throw .malformedKey("the text is not a PEM block of such a key")
            }
            try self.init(numbers)
        }

        /// Returns the unencrypted private key as PKCS #8 in PEM; the caller must protect it.
        public func pem() throws(CryptoError) -> String {
            PEMBlock(label: "PRIVATE KEY", content: RSAKeyEncoding.privateKey(try numbers)).text
        }

        /// The secret numbers; the caller must protect them.
        public var numbers: PrivateNumbers {
            get throws(CryptoError) {
                let list = try key.numbers()
                guard list.count == 9 else { throw .engineFailure("reading a key") }
                return PrivateNumbers(
                    modulus: list[1], exponent: list[2], privateExponent: list[3], firstPrime: list[4],
                    secondPrime: list[5], firstExponent: list[6], secondExponent: list[7], coefficient: list[8])
            }
        }

        /// Signs `data`; the signature is as long as the modulus.
        public func signature(
            for data: some Collection<UInt8>, padding: Padding = .pkcs1v15, hash: Hash = .sha256
        ) throws(CryptoError) -> [UInt8] {
            try key.signature(for: Array(data), algorithm: padding.algorithm(hash))
        }
    }
}

extension RSA.Signing.PrivateKey: CustomStringConvertible, CustomReflectable {
    /// The size; the key is redacted.
    public var description: String { "RSA private key (\(publicKey.keySizeInBits) bits, redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#endif
