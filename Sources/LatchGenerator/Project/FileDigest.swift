// SPDX-License-Identifier: Apache-2.0

/// What tells one file from another: 128 bits of its bytes (MurmurHash3, x64 variant, Austin Appleby, public domain).
///
/// It finds out that somebody edited a file and protects nothing: whoever edits one could as well edit the manifest. All
/// bytes of all files are hashed in each run, so that a digest of cryptography would be a tenth of the run's time.
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

    private init(of bytes: UnsafeRawBufferPointer) {
        var state = State()
        let whole = bytes.count / 16 * 16
        for offset in stride(from: 0, to: whole, by: 16) {
            state.add(
                bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self),
                bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self))
        }
        // The rest is filled up with zeros, which do not count.
        var tail: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &tail) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[whole...])) }
        let (first, second) = state.finished(tail, count: bytes.count)
        text = Self.hexadecimal(first) + Self.hexadecimal(second)
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Two words that blocks of sixteen bytes are mixed into.
    private struct State {
        private var first: UInt64 = 0
        private var second: UInt64 = 0

        mutating func add(_ one: UInt64, _ two: UInt64) {
            first ^= Self.mixed(first: one)
            first = (Self.rotated(first, 27) &+ second) &* 5 &+ 0x52DC_E729
            second ^= Self.mixed(second: two)
            second = (Self.rotated(second, 31) &+ first) &* 5 &+ 0x3849_5AB5
        }

        func finished(_ tail: (UInt64, UInt64), count: Int) -> (UInt64, UInt64) {
            var one = first ^ Self.mixed(first: tail.0) ^ UInt64(count)
            var two = second ^ Self.mixed(second: tail.1) ^ UInt64(count)
            one &+= two
            two &+= one
            (one, two) = (Self.spread(one), Self.spread(two))
            one &+= two
            return (one, two &+ one)
        }

        private static let factors: (UInt64, UInt64) = (0x87C3_7B91_1142_53D5, 0x4CF5_AD43_2745_937F)

        private static func mixed(first word: UInt64) -> UInt64 {
            rotated(UInt64(littleEndian: word) &* factors.0, 31) &* factors.1
        }

        private static func mixed(second word: UInt64) -> UInt64 {
            rotated(UInt64(littleEndian: word) &* factors.1, 33) &* factors.0
        }

        /// Lets each bit change all others.
        private static func spread(_ word: UInt64) -> UInt64 {
            var word = (word ^ word >> 33) &* 0xFF51_AFD7_ED55_8CCD
            word = (word ^ word >> 33) &* 0xC4CE_B9FE_1A85_EC53
            return word ^ word >> 33
        }

        private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 {
            word << count | word >> (64 - count)
        }
    }
}
