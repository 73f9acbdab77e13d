// SPDX-License-Identifier: Apache-2.0

/// Bytes as ProtoJSON spells them: written in the standard alphabet with padding, read in either, padded or not.
///
/// Tolerance is the mapping's rule here ("either standard or URL-safe base64 encoding with or without paddings are
/// accepted"); what carries a credential goes through `Base64Alphabet`, which has none.
enum Base64Text {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Has bits above the sixth, which no value has.
    private static let foreign: UInt8 = 0xFF

    private static let values: [UInt8] = {
        var values = [UInt8](repeating: foreign, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        values[Int(UInt8(ascii: "-"))] = 62
        values[Int(UInt8(ascii: "_"))] = 63
        return values
    }()

    /// Writes the bytes, with padding.
    static func append(_ data: UnsafeBufferPointer<UInt8>, to text: inout [UInt8]) {
        digits.withUnsafeBufferPointer { digits in
            var place = 0
            while place + 2 < data.count {
                let bits = UInt32(data[place]) << 16 | UInt32(data[place + 1]) << 8 | UInt32(data[place + 2])
                text.append(digits[Int(bits >> 18)])
                text.append(digits[Int(bits >> 12 & 63)])
                text.append(digits[Int(bits >> 6 & 63)])
                text.append(digits[Int(bits & 63)])
                place += 3
            }
            guard place < data.count else { return }
            let isTwo = data.count - place == 2
            let bits = UInt32(data[place]) << 16 | (isTwo ? UInt32(data[place + 1]) << 8 : 0)
            text.append(digits[Int(bits >> 18 & 63)])
            text.append(digits[Int(bits >> 12 & 63)])
            text.append(isTwo ? digits[Int(bits >> 6 & 63)] : UInt8(ascii: "="))
            text.append(UInt8(ascii: "="))
        }
    }

    /// The bytes that a text stands for; nil where it has foreign characters or a length that no bytes give.
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
