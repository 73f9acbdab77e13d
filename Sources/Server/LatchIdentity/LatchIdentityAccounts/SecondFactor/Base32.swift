// SPDX-License-Identifier: Apache-2.0

/// The base 32 encoding (RFC 4648 §6) without padding.
package enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Returns the bytes as text.
    ///
    /// Missing bits at the end are zero.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var (text, pending, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for byte in bytes {
            pending = pending << 8 | UInt32(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(alphabet[Int(pending >> count & 31)])
            }
        }
        if count > 0 { text.append(alphabet[Int(pending << (5 - count) & 31)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the bytes of a text, ignoring case, spaces and padding; nil if it has any other character.
    package static func decode(_ text: String) -> [UInt8]? {
        var (bytes, pending, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for letter in text.utf8 where letter != UInt8(ascii: " ") && letter != UInt8(ascii: "=") {
            let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) ? letter - 32 : letter
            guard let value = alphabet.firstIndex(of: upper) else { return nil }
            pending = pending << 5 | UInt32(value)
            count += 5
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: pending >> count))
        }
        return bytes
    }
}
