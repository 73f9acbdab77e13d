// SPDX-License-Identifier: Apache-2.0

#if canImport(Security)
extension RSA.Signing {
    /// A key that signs.
    public struct PrivateKey: Sendable {
        private let key: SecurityKey
        /// The key that verifies what this one signs.
        public let publicKey: PublicKey

        /// A fresh random key with the exponent 65537.
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

        /// A key of its numbers, which are tried on a signature.
        ///
        /// - Throws: `CryptoError.malformedKey`.
        public init(_ numbers: PrivateNumbers) throws(CryptoError) {
            let list = [
                [0], numbers.modulus, numbers.exponent, numbers.privateExponent, numbers.firstPrime,
                numbers.secondPrime,
                numbers.firstExponent, numbers.secondExponent, numbers.coefficient,
            ]
            publicKey = try PublicKey(modulus: numbers.modulus, exponent: numbers.exponent)
            key = try SecurityKey(numbers: list, isPrivate: true)
            let probe: [UInt8] = [0x6C]
            guard publicKey.isValidSignature(try signature(for: probe), for: probe) else {
                throw .malformedKey("its numbers do not belong together")
            }
        }

        /// Gives the secret numbers away, to whoever stores them.
        public var numbers: PrivateNumbers {
            get throws(CryptoError) {
                let list = try key.numbers()
                guard list.count == 9 else { throw .engineFailure("reading a key") }
                return PrivateNumbers(
                    modulus: list[1], exponent: list[2], privateExponent: list[3], firstPrime: list[4],
                    secondPrime: list[5], firstExponent: list[6], secondExponent: list[7], coefficient: list[8])
            }
        }

        /// The signature of `data`, as long as the modulus.
        public func signature(
            for data: some Collection<UInt8>, padding: Padding = .pkcs1v15, hash: Hash = .sha256
        ) throws(CryptoError) -> [UInt8] {
            try key.signature(for: Array(data), algorithm: padding.algorithm(hash))
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
