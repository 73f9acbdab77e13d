// SPDX-License-Identifier: Apache-2.0

/// The limits of accepted RSA keys: strong enough to be secure, and small enough to verify quickly.
enum RSABounds {
    /// Checks the numbers of a key: RFC 7518 §3.3 requires 2048 bits, and the upper limits protect against hostile
    /// keys.
    ///
    /// Both numbers are big-endian, without leading zeros. The cost of a verification grows with the square of the
    /// modulus's length and with the exponent's length. The publisher of a key chooses both.
    static func check(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        guard (2048...8192).contains(bitCount(modulus)) else {
            throw .malformedKey("its size is not between 2048 and 8192 bits")
        }
        guard (modulus.last ?? 0) & 1 == 1 else { throw .malformedKey("its modulus is even") }
        guard (1...4).contains(exponent.count), (exponent.last ?? 0) & 1 == 1, exponent != [1] else {
            throw .malformedKey("the public exponent is even, 1, or longer than 32 bits")
        }
        guard !WeakRSAModulus.isMarked(modulus) else {
            throw .malformedKey("it was made by a faulty generator and can be factored (CVE-2017-15361)")
        }
    }

    /// Returns the bit length of a number without leading zero bytes.
    static func bitCount(_ number: [UInt8]) -> Int {
        number.count * 8 - (number.first?.leadingZeroBitCount ?? 0)
    }
}

/// The fingerprint that a faulty generator left in the moduli of RSA keys from 2012 to 2017 (CVE-2017-15361, "ROCA").
///
/// The structure of its primes makes the modulus a power of 65537 modulo each small prime. This is also true for one
/// sound modulus in a hundred million. A modulus with the fingerprint can be factored.
enum WeakRSAModulus {
    /// The small primes of the published fingerprint; each of them reduces the number of false positives.
    private static let primes = [
        11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157,
    ]

    /// The powers of 65537 modulo each prime.
    private static let marks: [(prime: Int, powers: Set<Int>)] = primes.map { prime in
        var powers: Set<Int> = []
        var power = 1
        while powers.insert(power).inserted { power = power * 65_537 % prime }
        return (prime, powers)
    }

    /// Whether a big-endian modulus has the fingerprint.
    static func isMarked(_ modulus: [UInt8]) -> Bool {
        marks.allSatisfy { mark in
            mark.powers.contains(modulus.reduce(0) { ($0 << 8 | Int($1)) % mark.prime })
        }
    }
}
