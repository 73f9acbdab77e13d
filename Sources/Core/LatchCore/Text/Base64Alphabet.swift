// SPDX-License-Identifier: Apache-2.0

/// One of base64's two alphabets, read and written without padding and without tolerance.
///
/// Every text has one meaning and every meaning one text: padding, whitespace, foreign characters, impossible lengths and
/// trailing bits that are not zero are refused (RFC 4648 §3.2, §3.3, §3.5).
package struct Base64Alphabet: Sendable {
    /// The digit of each value of six bits.
    private let digits: [UInt8]
    /// The value of each byte, or `foreign`: one look-up without a branch, alike for secret and for plain text.
    private let values: [UInt8]

    /// Has bits above the sixth, which no value has, so that one test at the end finds it among all digits.
    private static let foreign: UInt8 = 0xFF

    private init(_ digits: String) {
        self.digits = Array(digits.utf8)
        var values = [UInt8](repeating: Self.foreign, count: 256)
        for (value, digit) in digits.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
    }

    /// RFC 4648 §4.
    package static let standard = Base64Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

    /// RFC 4648 §5: the alphabet that needs no escaping in URLs and file names.
    package static let url = Base64Alphabet("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    /// The bytes as text, in ASCII and without padding.
    package func encode(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let copied = bytes.withContiguousStorageIfAvailable { encode($0) }
        return copied ?? Array(bytes).withUnsafeBufferPointer { encode($0) }
    }

    /// The bytes as text with padding (RFC 4648 §3.2), a multiple of four characters long.
    package func encodePadded(_ bytes: some Collection<UInt8>) -> String {
        var text = encode(bytes)
        while text.count % 4 != 0 { text.append(0x3D) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The bytes that a text stands for, or nil where it is not exactly what ``encode(_:)`` would write.
    package func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard let decoded = text.withContiguousStorageIfAvailable({ decode($0) }) else {
            return Array(text).withUnsafeBufferPointer { decode($0) }
        }
        return decoded
    }

    private func encode(_ bytes: UnsafeBufferPointer<UInt8>) -> [UInt8] {
        let count = bytes.count / 3 * 4 + [0, 2, 3][bytes.count % 3]
        return [UInt8](unsafeUninitializedCapacity: count) { text, written in
            var bits: UInt32 = 0
            var held = 0
            for byte in bytes {
                bits = bits << 8 | UInt32(byte)
                held += 8
                while held >= 6 {
                    held -= 6
                    text[written] = digits[Int(bits >> held & 63)]
                    written += 1
                }
            }
            guard held > 0 else { return }
            text[written] = digits[Int(bits << (6 - held) & 63)]
            written += 1
        }
    }

    /// Reads to the end before it judges, so that the time taken tells nothing about where a text went wrong.
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
