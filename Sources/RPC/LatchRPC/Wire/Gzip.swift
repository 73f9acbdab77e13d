// SPDX-License-Identifier: Apache-2.0

import CZlib

/// The gzip format (RFC 1952) by zlib, which Linux and every SDK of Apple have.
enum Gzip {
    /// The window size: 15 bits, plus 16 for the gzip format (zlib.h, `deflateInit2`).
    private static let window: CInt = 15 + 16

    /// The largest chunk: zlib counts output in 32 bits.
    private static let largestPiece = 1 << 30

    /// Compresses bytes.
    ///
    /// - Throws: `RPCError.internal` if zlib cannot allocate memory.
    static func compress(_ bytes: [UInt8]) throws(RPCError) -> [UInt8] {
        var stream = z_stream()
        let size = CInt(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { throw RPCError(.internal, "Out of memory while compressing a message.") }
        defer { deflateEnd(&stream) }
        var written = -1
        let bound = Int(deflateBound(&stream, UInt(bytes.count)))
        let compressed = bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: bound) { output, count in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(clamping: output.count)
                if deflate(&stream, Z_FINISH) == Z_STREAM_END { written = bound - Int(stream.avail_out) }
                count = max(0, written)
            }
        }
        guard written >= 0 else { throw RPCError(.internal, "A message could not be compressed.") }
        return compressed
    }

    /// Decompresses bytes; empty input is empty output.
    ///
    /// - Parameter limit: The largest result; memory is allocated as it grows, and no more than that.
    /// - Throws: `RPCError.resourceExhausted` if the result exceeds the limit, `RPCError.invalidArgument` if the input
    ///   is not valid gzip.
    static func decompress(_ bytes: [UInt8], limit: Int) throws(RPCError) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        // One byte more than the limit is read; `Int.max` means no limit.
        let limit = min(limit, .max - 1)
        var stream = z_stream()
        guard inflateInit2_(&stream, window, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw RPCError(.internal, "Out of memory while decompressing a message.")
        }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        let state = bytes.withUnsafeBufferPointer { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(clamping: input.count)
            return inflate(&stream, into: &output, limit: limit)
        }
        guard output.count <= limit else {
            throw RPCError(.resourceExhausted, "A message exceeds the limit of \(limit) bytes.")
        }
        guard state == Z_STREAM_END, stream.avail_in == 0 else {
            throw RPCError(.invalidArgument, "A compressed message is damaged.")
        }
        return output
    }

    /// Inflates until the end, or until the limit is exceeded.
    private static func inflate(_ stream: inout z_stream, into output: inout [UInt8], limit: Int) -> CInt {
        var state = Z_OK
        while state == Z_OK, output.count <= limit {
            let room = min(max(4096, output.count), largestPiece, limit + 1 - output.count)
            let piece = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
                stream.next_out = buffer.baseAddress
                stream.avail_out = UInt32(room)
                state = CZlib.inflate(&stream, Z_NO_FLUSH)
                count = room - Int(stream.avail_out)
            }
            output.append(contentsOf: piece)
        }
        return state
    }
}
