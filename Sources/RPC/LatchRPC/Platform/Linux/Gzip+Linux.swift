// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CZlib

/// RFC 1952 by zlib.
enum Gzip {
    /// 15 bits of window, and 16 more for gzip's own head and tail (zlib.h, `deflateInit2`).
    private static let window: CInt = 15 + 16

    /// zlib counts what it writes at once in 32 bits.
    private static let largestPiece = 1 << 30

    /// The bytes, smaller.
    ///
    /// - Throws: `RPCError.internal` where zlib has no memory.
    static func compress(_ bytes: [UInt8]) throws(RPCError) -> [UInt8] {
        var stream = z_stream()
        let size = CInt(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { throw RPCError(.internal, "There is no memory to compress a message.") }
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

    /// The bytes that compressed ones stand for; nothing stands for nothing.
    ///
    /// - Parameter limit: How many there may be; memory is taken as they come, and no more than that.
    /// - Throws: `RPCError.resourceExhausted` where there are more, `RPCError.invalidArgument` where it is no gzip.
    static func decompress(_ bytes: [UInt8], limit: Int) throws(RPCError) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        // One byte more is read than is allowed, and who wants no limit says the largest number there is.
        let limit = min(limit, .max - 1)
        var stream = z_stream()
        guard inflateInit2_(&stream, window, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw RPCError(.internal, "There is no memory to read a compressed message.")
        }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        let state = bytes.withUnsafeBufferPointer { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(clamping: input.count)
            return inflate(&stream, into: &output, limit: limit)
        }
        guard output.count <= limit else {
            throw RPCError(.resourceExhausted, "A message is larger than the \(limit) bytes allowed.")
        }
        guard state == Z_STREAM_END, stream.avail_in == 0 else {
            throw RPCError(.invalidArgument, "A compressed message is damaged.")
        }
        return output
    }

    /// Reads on until the end, or until there is one byte too many.
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
#endif
