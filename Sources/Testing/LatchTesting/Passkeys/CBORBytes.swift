// SPDX-License-Identifier: Apache-2.0

/// An encoder of the CBOR items that authenticators send (CTAP 2.1 §8); members of a map keep the given order.
package enum CBORBytes {
    package static func integer(_ number: Int64) -> [UInt8] {
        number < 0 ? head(1, UInt64(-1 - number)) : head(0, UInt64(number))
    }

    /// Returns a byte string.
    package static func bytes(_ content: [UInt8]) -> [UInt8] { head(2, UInt64(content.count)) + content }

    package static func text(_ content: String) -> [UInt8] { head(3, UInt64(content.utf8.count)) + content.utf8 }

    /// Returns an array of encoded items.
    package static func array(_ items: [[UInt8]]) -> [UInt8] { head(4, UInt64(items.count)) + items.joined() }

    /// Returns a map of encoded keys and values.
    package static func map(_ members: [([UInt8], [UInt8])]) -> [UInt8] {
        head(5, UInt64(members.count)) + members.flatMap { $0.0 + $0.1 }
    }

    /// Returns the beginning of an item: its major type, and its argument in the fewest bytes (RFC 8949 §3).
    package static func head(_ major: UInt8, _ argument: UInt64) -> [UInt8] {
        let bytes = withUnsafeBytes(of: argument.bigEndian) { Array($0) }
        switch argument {
        case 0..<24: return [major << 5 | UInt8(argument)]
        case 24..<0x100: return [major << 5 | 24] + bytes.suffix(1)
        case 0x100..<0x1_0000: return [major << 5 | 25] + bytes.suffix(2)
        case 0x1_0000..<0x1_0000_0000: return [major << 5 | 26] + bytes.suffix(4)
        default: return [major << 5 | 27] + bytes
        }
    }
}
