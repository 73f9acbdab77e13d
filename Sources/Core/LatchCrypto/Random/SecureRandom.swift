// SPDX-License-Identifier: Apache-2.0

/// A source of cryptographically secure random bytes.
public enum SecureRandom {
    /// Returns random bytes, suitable for keys, nonces and tokens.
    ///
    /// They come from the system's generator: `getrandom(2)` on Linux, `arc4random` on Apple's platforms.
    public static func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return bytes(count, using: &generator)
    }

    /// Returns bytes from the caller's generator, such as a seeded one in a test.
    public static func bytes(_ count: Int, using generator: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count {
            let word = generator.next()
            for shift in stride(from: 0, to: 64, by: 8) where bytes.count < count {
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
            }
        }
        return bytes
    }
}
