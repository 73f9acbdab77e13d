// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

/// Texts between quotes.
enum EscapedRuleText {
    /// The text behind a quote, up to the next one; a backslash keeps the character behind it, `\n` is a new line and
    /// `\u{…}` the character of a number.
    static func read(_ bytes: [UInt8], _ index: inout Int) -> String {
        var text: [UInt8] = []
        index += 1
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else {
                text.append(bytes[index])
                index += 1
                continue
            }
            index += 1
            let letter = bytes[index]
            index += 1
            switch letter {
            case UInt8(ascii: "n"): text.append(0x0A)
            case UInt8(ascii: "u"): text += Array(String(scalar(bytes, &index)).utf8)
            default: text.append(letter)
            }
        }
        index += 1
        return String(decoding: text, as: UTF8.self)
    }

    private static func scalar(_ bytes: [UInt8], _ index: inout Int) -> Character {
        let digits = bytes[index...].dropFirst().prefix { $0 != UInt8(ascii: "}") }
        index += digits.count + 2
        let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0xFFFD
        return Character(Unicode.Scalar(value) ?? "\u{FFFD}")
    }

    /// A text between quotes, as a path shows it.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case "\n": result += "\\n"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// The bytes of hexadecimal digits.
    static func data(_ text: String) -> Data? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var data = Data(capacity: digits.count / 2)
        for start in stride(from: 0, to: digits.count, by: 2) {
            guard let byte = UInt8(String(decoding: digits[start..<(start + 2)], as: UTF8.self), radix: 16) else {
                return nil
            }
            data.append(byte)
        }
        return data
    }
}
