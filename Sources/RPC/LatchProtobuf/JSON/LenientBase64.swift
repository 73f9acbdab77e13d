// SPDX-License-Identifier: Apache-2.0

/// A base64 decoder that accepts both alphabets, with or without padding.
///
/// ProtoJSON requires this ("either standard or URL-safe base64 encoding with or without paddings are accepted").
/// `Base64Alphabet`, which is strict, decodes credentials.
enum LenientBase64 {
    private static let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8

    /// The marker of a character outside both alphabets: unlike all values, it has bits above the sixth.
    private static let foreign: UInt8 = 0xFF

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: foreign, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        values[Int(UInt8(ascii: "-"))] = 62
        values[Int(UInt8(ascii: "_"))] = 63
        return values
    }()

    /// Decodes a string; nil if it contains other characters or has an impossible length.
    static func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        var count = text.count
        if count > 0, count % 4 == 0, text[count - 1] == UInt8(ascii: "=") {
            count -= text[count - 2] == UInt8(ascii: "=") ? 2 : 1
        }
        guard count % 4 != 1 else { return nil }
        var seen: UInt8 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: count * 3 / 4) { bytes, written in
            var bits: UInt32 = 0
            var held = 0
            values.withUnsafeBufferPointer { values in
                for digit in text[..<count] {
                    let value = values[Int(digit)]
                    seen |= value
                    bits = bits << 6 | UInt32(value & 63)
                    held += 6
                    guard held >= 8 else { continue }
                    held -= 8
                    bytes[written] = UInt8(truncatingIfNeeded: bits >> held)
                    written += 1
                }
            }
        }
        return seen & 0xC0 == 0 ? bytes : nil
    }
}
