// SPDX-License-Identifier: Apache-2.0

import CLatchZlib
import Synchronization

/// The gzip format (RFC 1952) by zlib, which Linux and all Apple SDKs include.
package enum Gzip {
    /// The reason why bytes could not be compressed or decompressed.
    package enum Failure: Error {
        /// zlib could not allocate memory.
        case outOfMemory
        /// The result exceeds its limit.
        case tooLarge
        /// The bytes are not valid gzip.
        case damaged
    }

    /// The window size: 15 bits, plus 16 for the gzip format (zlib.h, `deflateInit2`).
    private static let window: CInt = 15 + 16

    /// The largest chunk: zlib counts output in 32 bits.
    private static let largestPiece = 1 << 30

    fileprivate static func begin(_ stream: inout z_stream) throws(Failure) {
        let size = CInt(MemoryLayout<z_stream>.size)
        guard
            deflateInit2_(
                &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size) == Z_OK
        else { throw .outOfMemory }
    }

    package static func compress(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        var stream = z_stream()
        try begin(&stream)
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
        guard written >= 0 else { throw .tooLarge }
        return compressed
    }

    /// Decompresses bytes; empty input is empty output.
    ///
    /// - Parameter limit: The maximum size of the result; memory is allocated as it grows, and never more.
    package static func decompress(_ bytes: [UInt8], limit: Int) throws(Failure) -> [UInt8] {
        guard !bytes.isEmpty else { return [] }
        // One byte more than the limit is read; `Int.max` means no limit.
        let limit = min(limit, .max - 1)
        var stream = z_stream()
        guard inflateInit2_(&stream, window, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .outOfMemory
        }
        defer { inflateEnd(&stream) }
        var output: [UInt8] = []
        let state = bytes.withUnsafeBufferPointer { input in
            stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            stream.avail_in = UInt32(clamping: input.count)
            return inflate(&stream, into: &output, limit: limit)
        }
        guard output.count <= limit else { throw .tooLarge }
        guard state == Z_STREAM_END, stream.avail_in == 0 else { throw .damaged }
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
                state = CLatchZlib.inflate(&stream, Z_NO_FLUSH)
                count = room - Int(stream.avail_out)
            }
            output.append(contentsOf: piece)
        }
        return state
    }
}

/// A compressor of one content, piece by piece.
package final class GzipCompressor: Sendable {
    /// The continuation after a piece.
    package enum Next: Sendable {
        /// Another piece, immediately.
        case piece
        /// Another piece later: a reader can decompress all bytes so far.
        case pause
        /// The end of the content.
        case end
    }

    /// The bytes that zlib allocates for a compressor (zconf.h): 2^17 for the window, 2^17 for the rest, and some more.
    package static let memoryBytes = 272 << 10

    /// The state, which must not move, since zlib refers to its address.
    private let stream = Mutex(z_stream())

    package init() throws(Gzip.Failure) {
        try stream.withLock { stream throws(Gzip.Failure) in try Gzip.begin(&stream) }
    }

    deinit { stream.withLock { _ = deflateEnd(&$0) } }

    /// Compresses a piece, and returns the bytes that are complete, if any.
    package func compress(_ bytes: [UInt8], before next: Next) -> [UInt8] {
        let flush =
            switch next {
            case .piece: Z_NO_FLUSH
            case .pause: Z_SYNC_FLUSH
            case .end: Z_FINISH
            }
        return stream.withLock { stream in
            var output: [UInt8] = []
            bytes.withUnsafeBufferPointer { input in
                stream.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
                stream.avail_in = UInt32(clamping: input.count)
                repeat { output += Self.piece(&stream, flush) } while stream.avail_out == 0
            }
            return output
        }
    }

    private static func piece(_ stream: inout z_stream, _ flush: CInt) -> [UInt8] {
        let room = 16_384
        return [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
            stream.next_out = buffer.baseAddress
            stream.avail_out = UInt32(room)
            _ = deflate(&stream, flush)
            count = room - Int(stream.avail_out)
        }
    }
}
