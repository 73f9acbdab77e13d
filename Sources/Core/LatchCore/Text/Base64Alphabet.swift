// SPDX-License-Identifier: Apache-2.0

/// One of base64's two alphabets, encoded and decoded strictly and without padding.
///
/// Each value has exactly one encoding: padding, white space, foreign characters, impossible lengths and non-zero
/// trailing bits are rejected (RFC 4648 §3.2, §3.3, §3.5).
package struct Base64Alphabet: Sendable {
    /// The digit of each value of six bits.
    private let digits: [UInt8]
    /// The value of each byte, or `foreign`: a lookup without branches, which takes constant time.
    private let values: [UInt8]

    /// The value of foreign bytes; at the end, one test finds its high bits among all digits.
    private static let foreign: UInt8 = 0xFF

    private init(_ digits: String) {
        self.digits = Array(digits.utf8)
        var values = [UInt8](repeating: Self.foreign, count: 256)
        for (value, digit) in digits.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
    }

    /// The standard alphabet (RFC 4648 §4).
    package static let standard = Base64Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    /// The alphabet that is safe in URLs and file names (RFC 4648 §5).
    package static let url = Base64Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// Returns the bytes as ASCII text without padding.
    package func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let copied = bytes.withContiguousStorageIfAvailable { encode($0) }
        return copied ?? Array(bytes).withUnsafeBufferPointer { encode($0) }
    }

    /// Returns the bytes as text with padding (RFC 4648 §3.2).
    package func encodePadded(_ bytes: some Collection<UInt8>) -> String {
        var text = encode(bytes)
        while text.count % 4 != 0 { text.append(0x3D) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the decoded bytes; nil for text that ``encode(_:)`` would not write.
    package func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard let decoded = text.withContiguousStorageIfAvailable({ decode($0) }) else {
            return Array(text).withUnsafeBufferPointer { decode($0) }
        }
        return decoded
    }

    private func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let count = (bytes.count * 4 + 2) / 3
        return digits.withUnsafeBufferPointer { digits in
            [UInt8](unsafeUninitializedCapacity: count) { text, written in
                var (place, next) = (0, 0)
                while place &+ 2 < bytes.count {
                    let bits =
                        UInt32(bytes[place]) << 16 | UInt32(bytes[place &+ 1]) << 8 | UInt32(bytes[place &+ 2])
                    text[next] = digits[Int(bits >> 18)]
                    text[next &+ 1] = digits[Int(bits >> 12 & 63)]
                    text[next &+ 2] = digits[Int(bits >> 6 & 63)]
                    text[next &+ 3] = digits[Int(bits & 63)]
                    (place, next) = (place &+ 3, next &+ 4)
                }
                // One remaining byte gives two digits, and two give three.
                if place < bytes.count {
                    let last = place &+ 1 < bytes.count ? UInt32(bytes[place &+ 1]) : 0
                    let bits = UInt32(bytes[place]) << 16 | last << 8
                    text[next] = digits[Int(bits >> 18)]
                    text[next &+ 1] = digits[Int(bits >> 12 & 63)]
                    if next &+ 2 < count { text[next &+ 2] = digits[Int(bits >> 6 & 63)] }
                }
                written = count
            }
        }
    }

    /// Decodes to the end before it rejects, so that the time does not depend on the position of an error.
    private func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var isSound = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count * 3 / 4) { bytes, written in
            var bits: UInt32 = 0
            var held = 0
            var seen: UInt8 = 0
            for digit in text {
                let value = values[Int(digit)]
                seen |= value
                bits = bits << 6 | UInt32(value & 63)
                held += 6
                guard held >= 8 else { continue }
                held -= 8
                bytes[written] = UInt8(truncatingIfNeeded: bits >> held)
                written += 1
            }
            isSound = seen & 0xC0 == 0 && bits & ((1 << held) - 1) == 0
        }
        return isSound ? bytes : nil
    }
}
