// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Compression

/// The gzip format (RFC 1952) by Apple's Compression, which handles the deflated data (RFC 1951) only.
enum Gzip {
    /// The gzip header without name and time, of an unknown system (RFC 1952 §2.3).
    private static let header: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]

    /// Compresses bytes.
    ///
    /// - Throws: `RPCError.internal` if they cannot be compressed.
    static func compress(_ bytes: [UInt8]) throws(RPCError) -> [UInt8] {
        let room = bytes.count + bytes.count / 100 + 64
        let deflated = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            guard let target = buffer.baseAddress else { return }
            count = compression_encode_buffer(target, room, bytes, bytes.count, nil, COMPRESSION_ZLIB)
        }
        guard !deflated.isEmpty else { throw RPCError(.internal, "A message could not be compressed.") }
        return header + deflated + littleEndian(checksum(bytes)) + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
    }

    /// Decompresses bytes; empty input is empty output.
    ///
    /// - Throws: `RPCError.resourceExhausted` if the result exceeds `limit`, `RPCError.invalidArgument` if the input is
    ///   not valid gzip.
    static func decompress(_ bytes: [UInt8], limit: Int) throws(RPCError) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        guard bytes.count >= 18, bytes[0] == 0x1F, bytes[1] == 0x8B, bytes[2] == 8, let start = contentStart(bytes)
        else { throw damaged }
        let deflated = Array(bytes[start..<(bytes.count - 8)])
        let announced = bytes.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        guard announced <= limit else {
            throw RPCError(.resourceExhausted, "A message exceeds the limit of \(limit) bytes.")
        }
        let inflated = [UInt8](unsafeUninitializedCapacity: announced + 1) { buffer, count in
            guard let target = buffer.baseAddress else { return }
            count = compression_decode_buffer(target, announced + 1, deflated, deflated.count, nil, COMPRESSION_ZLIB)
        }
        let sum = bytes.dropLast(4).suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        guard inflated.count == announced, checksum(inflated) == sum else { throw damaged }
        return inflated
    }

    private static let damaged = RPCError(.invalidArgument, "A compressed message is damaged.")

    /// Returns the offset after the optional header fields (RFC 1952 §2.3.1); nil if they do not end.
    private static func contentStart(_ bytes: [UInt8]) -> Int? {
        let flags = bytes[3]
        var offset = 10
        if flags & 4 != 0 { offset += 2 + Int(bytes[10]) + Int(bytes[11]) << 8 }
        for flag in [8, 16] as [UInt8] where flags & flag != 0 {
            guard offset < bytes.count, let end = bytes[offset...].firstIndex(of: 0) else { return nil }
            offset = end + 1
        }
        if flags & 2 != 0 { offset += 2 }
        return offset <= bytes.count - 8 ? offset : nil
    }

    private static func littleEndian(_ value: UInt32) -> [UInt8] {
        [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    /// Returns the CRC-32 (RFC 1952 §8).
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = ~UInt32(0)
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }
}
#endif
