// SPDX-License-Identifier: Apache-2.0

/// The base 32 encoding (RFC 4648 §6) without padding.
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// Returns the bytes as text; missing bits at the end are zero.
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
