// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchCrypto
import Testing

@Suite struct WeakRSAModulusTests {
    /// An odd number of some 2050 bits that is 1 modulo every small prime of the mark, and so a power of 65537 modulo each: a
    /// multiple of their product, and one.
    private func marked() -> [UInt8] {
        var digits: [UInt8] = [2]
        for prime in [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157] {
            digits = multiply(digits, by: prime)
        }
        while digits.count < 257 { digits = multiply(digits, by: 251) }
        digits[digits.count - 1] |= 1
        return digits
    }

    private func multiply(_ number: [UInt8], by factor: Int) -> [UInt8] {
        var product: [UInt8] = []
        var carry = 0
        for digit in number.reversed() {
            carry += Int(digit) * factor
            product.append(UInt8(carry & 0xFF))
            carry >>= 8
        }
        while carry > 0 {
            product.append(UInt8(carry & 0xFF))
            carry >>= 8
        }
        return product.reversed()
    }

    @Test func `An RSA modulus of a faulty generator is refused by name`() {
        let modulus = marked()
        expectEqual(modulus.count, 257)
        #expect {
            try RSA.Signing.PublicKey(modulus: modulus, exponent: [1, 0, 1])
        } throws: { error in
            CryptoError.malformedKey ~= error && "\(error)".contains("CVE-2017-15361")
        }
    }

    @Test func `An RSA modulus of a sound generator is not mistaken for one of a faulty generator`() throws {
        var changed = marked()
        changed[changed.count - 1] ^= 2
        _ = try RSA.Signing.PublicKey(modulus: changed, exponent: [1, 0, 1])
    }
}
