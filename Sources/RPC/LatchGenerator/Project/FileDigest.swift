// SPDX-License-Identifier: Apache-2.0

/// What tells one file from another: two polynomials over the field of 2⁶¹ − 1 elements, with its bytes as coefficients.
///
/// It finds out that somebody edited a file and protects nothing: whoever edits one could as well edit the manifest. All
/// bytes of all files are hashed in each run, so that a digest of cryptography would be a tenth of the run's time. Two
/// files of n bytes, whatever differs between them, are taken for the same with a probability of about n/2⁶⁴.
package struct FileDigest: Sendable, Hashable {
    /// The digest in hexadecimal digits.
    package let text: String

    /// A digest that was computed before.
    init(text: String) { self.text = text }

    /// The digest of a file's bytes.
    package init(of bytes: [UInt8]) { self = bytes.withUnsafeBytes(Self.init(of:)) }

    /// The digest of a file's text.
    package init(of text: String) {
        var text = text
        self = text.withUTF8 { Self(of: UnsafeRawBufferPointer($0)) }
    }

    /// Seven bytes are a coefficient, of one polynomial and of the other in turn, since two are as quick as one.
    private init(of bytes: UnsafeRawBufferPointer) {
        var (first, second) = (Polynomial(at: 0x1E37_79B9_7F4A_7C15), Polynomial(at: 0x0A09_E667_F3BC_C908))
        var offset = 0
        while offset + 15 <= bytes.count {
            first.append(Self.word(of: bytes, at: offset))
            second.append(Self.word(of: bytes, at: offset + 7))
            offset += 14
        }
        while offset < bytes.count {
            let rest = bytes[offset..<min(offset + 7, bytes.count)]
            first.append(rest.reversed().reduce(0) { $0 << 8 | UInt64($1) })
            offset += 7
        }
        first.append(UInt64(bytes.count))
        second.append(UInt64(bytes.count))
        text = Self.hexadecimal(first.value) + Self.hexadecimal(second.value)
    }

    private static func word(of bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt64 {
        UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) & 0xFF_FFFF_FFFF_FFFF
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The value of a polynomial at a point, by Horner's rule.
    private struct Polynomial {
        private static let prime: UInt64 = 1 << 61 - 1
        private let point: UInt64
        private(set) var value: UInt64 = 1

        /// - Parameter point: Below the prime; the digits of a root, which nobody chose.
        init(at point: UInt64) { self.point = point }

        /// Takes one more coefficient, below 2⁶¹.
        mutating func append(_ coefficient: UInt64) {
            // 2⁶¹ is 1 in this field: what is above it is added to what is below.
            let product = value.multipliedFullWidth(by: point)
            let sum = (product.low & Self.prime) + (product.high << 3 | product.low >> 61) + coefficient
            let once = (sum & Self.prime) + sum >> 61
            value = once >= Self.prime ? once - Self.prime : once
        }
    }
}
