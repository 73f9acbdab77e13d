// SPDX-License-Identifier: Apache-2.0

/// Bytes as the default of a `bytes` field is written into its descriptor: with the escapes of C.
enum EscapedText {
    static func text(of bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for byte in bytes {
            switch byte {
            case 0x0A: text += Array("\\n".utf8)
            case 0x0D: text += Array("\\r".utf8)
            case 0x09: text += Array("\\t".utf8)
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
            case 0x20..<0x7F: text.append(byte)
            default: text += [UInt8(ascii: "\\"), 0x30 + byte >> 6, 0x30 + byte >> 3 & 7, 0x30 + byte & 7]
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
