// SPDX-License-Identifier: Apache-2.0

extension RSA.Signing {
    /// The numbers of an RSA private key (RFC 8017 §3.2, RFC 7518 §6.3.2), big-endian and without leading zeros.
    ///
    /// They are as secret as the key; they exist to be stored, and print redacted.
    public struct PrivateNumbers: Sendable {
        /// The modulus n.
        public var modulus: [UInt8]
        /// The public exponent e.
        public var exponent: [UInt8]
        /// The private exponent d.
        public var privateExponent: [UInt8]
        /// The first prime p.
        public var firstPrime: [UInt8]
        /// The second prime q.
        public var secondPrime: [UInt8]
        /// The number d modulo p − 1.
        public var firstExponent: [UInt8]
        /// The number d modulo q − 1.
        public var secondExponent: [UInt8]
        /// The inverse of q modulo p.
        public var coefficient: [UInt8]

        /// Numbers, as they are.
        public init(
            modulus: [UInt8], exponent: [UInt8], privateExponent: [UInt8], firstPrime: [UInt8], secondPrime: [UInt8],
            firstExponent: [UInt8], secondExponent: [UInt8], coefficient: [UInt8]
        ) {
            self.modulus = modulus
            self.exponent = exponent
            self.privateExponent = privateExponent
            self.firstPrime = firstPrime
            self.secondPrime = secondPrime
            self.firstExponent = firstExponent
            self.secondExponent = secondExponent
            self.coefficient = coefficient
        }
    }
}

extension RSA.Signing.PrivateNumbers: CustomStringConvertible, CustomReflectable {
    /// What it is, and nothing of it.
    public var description: String { "RSA private numbers (redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the numbers.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
