// SPDX-License-Identifier: Apache-2.0

/// A source of unpredictable bytes, as a value that tests can replace.
public struct RandomSource: Sendable {
    private let next: @Sendable () -> UInt64

    /// Creates a source that takes 64 bits at a time from `next`.
    public init(_ next: @escaping @Sendable () -> UInt64) { self.next = next }

    /// The system's cryptographic random generator.
    public static let system = RandomSource {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// Returns `count` bytes: words in memory order, the last one truncated.
    public func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            withUnsafeBytes(of: next()) { bytes.append(contentsOf: $0.prefix(count - bytes.count)) }
        }
        return bytes
    }

    /// Returns a number in `0..<1`, one of 2⁵³ evenly spaced and equally likely numbers.
    public func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

    /// Returns 128 bits as 32 hexadecimal digits: a unique name that cannot be guessed.
    public func identifier() -> String {
        let words = (next().littleEndian, next().littleEndian)
        return String(unsafeUninitializedCapacity: 32) { digits in
            for index in 0..<32 {
                let word = index < 16 ? words.0 : words.1
                // The first byte comes first, and in each byte the high digit.
                digits[index] = Hex.digit(UInt8(truncatingIfNeeded: word >> UInt64(4 * ((index & 15) ^ 1))) & 15)
            }
            return 32
        }
    }
}
