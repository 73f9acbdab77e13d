// SPDX-License-Identifier: Apache-2.0

/// Base 32 (RFC 4648 §6) without padding: 5 bits a letter, none of which looks like another.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// The bytes as text; bits that are missing at the end are zero.
    static func encode(_ bytes: some Sequence<UInt8>) -> String {
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
}
