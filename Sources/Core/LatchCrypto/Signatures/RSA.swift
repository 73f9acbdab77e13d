// SPDX-License-Identifier: Apache-2.0

/// RSA signatures and encryption (RFC 8017).
public enum RSA {
    /// Keys and schemes of RSA signatures.
    public enum Signing {}
}

extension RSA.Signing {
    /// The padding that turns a digest into the number that is signed.
    public enum Padding: Sendable, Hashable, CaseIterable {
        /// RSASSA-PKCS1-v1_5 (RFC 8017 §8.2), the basis of RS256.
        case pkcs1v15
        /// RSASSA-PSS (RFC 8017 §8.1) with MGF1 over the same digest, and a salt as long as the digest.
        case pss
    }

    /// The digest that is signed.
    public enum Hash: Sendable, Hashable, CaseIterable {
        case sha256
        case sha384
        case sha512
    }
}

extension RSA.Signing {
    /// The numbers of an RSA private key (RFC 8017 §3.2, RFC 7518 §6.3.2), big-endian and without leading zeros.
    ///
    /// They are as secret as the key. They exist for storage, and print redacted.
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

        /// Creates a value from the numbers, without checking them.
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
    /// A description that redacts the key material.
    public var description: String { "RSA private numbers (redacted)" }

    /// A mirror without children, so that `dump` shows nothing of the numbers.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
