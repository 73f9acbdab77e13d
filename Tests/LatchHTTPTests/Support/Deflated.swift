// SPDX-License-Identifier: Apache-2.0

/// Content in gzip (RFC 1952) and deflate (RFC 1950, RFC 1951), written by hand so that no library has to be trusted to write it.
enum Deflated {
    static let gzipHead: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    /// The bytes as they are, in one stored block (RFC 1951 §3.2.4); at most 65,535.
    static func gzip(_ content: [UInt8]) -> [UInt8] {
        gzipHead + stored(content) + little(checksum(content)) + little(UInt32(content.count))
    }

    /// The bytes as they are, in one stored block of RFC 1951 §3.2.4.
    static func stored(_ content: [UInt8]) -> [UInt8] {
        let length = UInt16(content.count)
        return [1] + little(length) + little(~length) + content
    }

    /// The same in RFC 1950, with its Adler-32.
    static func zlib(_ content: [UInt8]) -> [UInt8] {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in content {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return [0x78, 0x01] + stored(content) + little((high << 16 | low).byteSwapped)
    }

    /// RFC 1952 §8.
    static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var crc = UInt32.max
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        return ~crc
    }

    private static func little(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }
}

/// The beginning of a gzip stream without end, in which every 13 bits stand for 258 bytes.
struct Bomb {
    private var bits: UInt32 = 0
    private var count: UInt32 = 0
    private var isBegun = false

    /// The next bytes of it: about `size`, for some 158 times as many.
    mutating func next(_ size: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        if !isBegun {
            isBegun = true
            bytes = Deflated.gzipHead
            // RFC 1951 §3.2.3: a block with the fixed codes that is not the last; then the literal 0.
            put(0b010, 3, &bytes)
            putCode(0b0011_0000, 8, &bytes)
        }
        while bytes.count < size {
            // RFC 1951 §3.2.5 and §3.2.6: length 258, then distance 1.
            putCode(0b1100_0101, 8, &bytes)
            putCode(0, 5, &bytes)
        }
        return bytes
    }

    /// RFC 1951 §3.1.1: numbers begin with their lowest bit, codes with their highest.
    private mutating func putCode(_ code: UInt32, _ length: UInt32, _ bytes: inout [UInt8]) {
        var reversed: UInt32 = 0
        for bit in 0..<length where code & 1 << bit != 0 { reversed |= 1 << (length - 1 - bit) }
        put(reversed, length, &bytes)
    }

    private mutating func put(_ value: UInt32, _ length: UInt32, _ bytes: inout [UInt8]) {
        bits |= value << count
        count += length
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: bits))
            bits >>= 8
            count -= 8
        }
    }
}
