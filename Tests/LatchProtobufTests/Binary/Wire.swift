// SPDX-License-Identifier: Apache-2.0

/// Bytes of fields, made by hand.
enum Wire {
    static func varint(_ value: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }

    static func tag(_ number: UInt64, _ wire: UInt64) -> [UInt8] { varint(number << 3 | wire) }

    static func varints(_ number: UInt64, _ values: [Int64]) -> [UInt8] {
        values.flatMap { tag(number, 0) + varint(UInt64(bitPattern: $0)) }
    }

    static func packed(_ number: UInt64, _ values: [Int64]) -> [UInt8] {
        delimited(number, values.flatMap { varint(UInt64(bitPattern: $0)) })
    }

    static func delimited(_ number: UInt64, _ content: [UInt8]) -> [UInt8] {
        tag(number, 2) + varint(UInt64(content.count)) + content
    }
}
