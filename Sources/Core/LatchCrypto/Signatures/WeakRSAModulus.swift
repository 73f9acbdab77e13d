// SPDX-License-Identifier: Apache-2.0

/// The mark that a faulty generator of 2012 to 2017 left in its RSA keys (CVE-2017-15361, "ROCA").
///
/// Its primes were of a form that makes the modulus a power of 65537 modulo each small prime. A sound modulus is that by
/// chance once in a hundred million; one that has the mark can be factored.
enum WeakRSAModulus {
    /// Small primes of the published fingerprint; each of them lets fewer sound keys be taken for marked ones.
    private static let primes = [
        11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157,
    ]

    /// For each prime, the powers of 65537 modulo it.
    private static let marks: [(prime: Int, powers: Set<Int>)] = primes.map { prime in
        var powers: Set<Int> = []
        var power = 1
        while powers.insert(power).inserted { power = power * 65_537 % prime }
        return (prime, powers)
    }

    /// Whether the modulus, big-endian, has the mark.
    static func isMarked(_ modulus: [UInt8]) -> Bool {
        marks.allSatisfy { mark in
            mark.powers.contains(modulus.reduce(0) { ($0 << 8 | Int($1)) % mark.prime })
        }
    }
}
