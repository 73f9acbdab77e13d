// SPDX-License-Identifier: Apache-2.0

/// Which RSA keys are taken: neither so weak that they can be broken, nor so large that verifying costs seconds.
enum RSABounds {
    /// RFC 7518 §3.3 demands 2048 bits or more; the upper bounds are against hostile keys.
    ///
    /// Both numbers are big-endian, without leading zeros. The cost of a verification grows with the square of the
    /// modulus's length and with the exponent's, and whoever publishes a key chooses both.
    static func check(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        guard (2048...8192).contains(bitCount(modulus)), (modulus.last ?? 0) & 1 == 1 else {
            throw .malformedKey("an RSA key has 2048 to 8192 bits, and this one has not")
        }
        guard (1...4).contains(exponent.count), (exponent.last ?? 0) & 1 == 1, exponent != [1] else {
            throw .malformedKey("the public exponent is even, 1, or longer than 32 bits")
        }
        guard !WeakRSAModulus.isMarked(modulus) else {
            throw .malformedKey("it was made by a faulty generator and can be factored (CVE-2017-15361)")
        }
    }

    /// How many bits a number without leading zero bytes has.
    static func bitCount(_ number: [UInt8]) -> Int {
        number.count * 8 - (number.first?.leadingZeroBitCount ?? 0)
    }
}
