// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

/// An envelope: one byte of flags, a length of four bytes, and the content.
///
/// Connect streams, gRPC and gRPC-Web all frame messages this way (gRPC over HTTP/2, "Length-Prefixed-Message").
struct Envelope: Sendable {
    /// The flags of an envelope.
    struct Flags: OptionSet, Sendable {
        let rawValue: UInt8
        /// The content is compressed in the way that the head states.
        static let compressed = Flags(rawValue: 0x01)
        /// Connect: the content is the end of the stream.
        static let endOfStream = Flags(rawValue: 0x02)
        /// gRPC-Web: the content is the trailers.
        static let trailers = Flags(rawValue: 0x80)
    }

    var flags: Flags
    var content: [UInt8]

    /// The number of bytes before the content.
    static let prefixBytes = 5

    /// Creates an envelope.
    init(_ content: [UInt8], flags: Flags = []) {
        self.flags = flags
        self.content = content
    }

    /// Creates the envelope of a message, compressed if it is large enough.
    init(_ message: [UInt8], by compression: RPCCompression?) throws {
        let isWorthIt = compression.map { message.count >= $0.minimumMessageBytes } ?? false
        let smaller = isWorthIt ? try compression?.compress(message) : nil
        self.init(smaller ?? message, flags: smaller == nil ? [] : .compressed)
    }

    /// Returns the content length of the envelope at the beginning of these bytes; nil if there are too few bytes.
    static func length(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= prefixBytes else { return nil }
        return contentLength(bytes[1..<prefixBytes])
    }

    /// Decodes the four big-endian bytes of a length, which may not fit into a 32-bit `Int`.
    fileprivate static func contentLength(_ bytes: ArraySlice<UInt8>) -> Int {
        Int(clamping: bytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }

    /// The encoded envelope.
    var bytes: [UInt8] {
        let count = UInt32(truncatingIfNeeded: content.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(content.count + Self.prefixBytes)
        bytes.append(flags.rawValue)
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: count >> shift)) }
        bytes.append(contentsOf: content)
        return bytes
    }

    /// Returns the decompressed message.
    ///
    /// - Throws: `RPCError.internal` if it is compressed without a declared compression; otherwise the errors of
    ///   decompression.
    func message(by compression: RPCCompression?, limit: Int) throws -> [UInt8] {
        try EncodedMessage(self, by: compression).decompressed(upTo: limit)
    }
}

/// A reader that splits streamed content into envelopes.
struct EnvelopeReader: Sendable {
    private var chunks: HTTPBodyStream.Iterator
    private let limit: Int
    /// The memory to which the content is charged until the next envelope is read; nil if the memory is charged
    /// elsewhere.
    private let memory: MemoryReservation?
    /// The bytes of the last envelope.
    private var returned = 0
    /// The buffered content; the unread part begins at `start`.
    private var buffer: [UInt8] = []
    private var start = 0

    /// Creates a reader that refuses envelopes longer than `limit` bytes.
    init(_ content: HTTPBodyStream, limit: Int, memory: MemoryReservation? = nil) {
        chunks = content.makeAsyncIterator()
        (self.limit, self.memory) = (limit, memory)
    }

    /// Returns the next envelope; nil if the content ends between envelopes.
    ///
    /// - Throws: `RPCError.resourceExhausted` for a length over the limit, before memory is allocated for it.
    ///   `RPCError.unavailable` if the memory does not suffice. `RPCError.internal` if the content ends within an
    ///   envelope. Also the errors of the content.
    mutating func next() async throws -> Envelope? {
        memory?.release(returned)
        returned = 0
        guard try await fill(Envelope.prefixBytes) else {
            guard start == buffer.count else { throw Self.truncated }
            return nil
        }
        let flags = Envelope.Flags(rawValue: buffer[start])
        let length = Envelope.contentLength(buffer[(start + 1)..<(start + Envelope.prefixBytes)])
        guard length <= limit else {
            throw RPCError(.resourceExhausted, "A message of \(length) bytes exceeds the limit of \(limit).")
        }
        start += Envelope.prefixBytes
        guard try await fill(length) else { throw Self.truncated }
        let end = start + length
        // Usually one chunk contains one message, so this is the only copy.
        let content = Array(buffer[start..<end])
        start = end
        returned = Envelope.prefixBytes + length
        return Envelope(content, flags: flags)
    }

    /// Reads until `count` bytes are buffered; returns false if the content ends before that.
    private mutating func fill(_ count: Int) async throws -> Bool {
        while buffer.count - start < count {
            guard let chunk = try await chunks.next() else { return false }
            guard memory?.reserve(chunk.count) ?? true else {
                throw RPCError(.unavailable, "The server currently holds too much content.")
            }
            if start == buffer.count {
                (buffer, start) = (chunk, 0)
            } else {
                if start > 0 {
                    buffer.removeFirst(start)
                    start = 0
                }
                buffer.append(contentsOf: chunk)
            }
        }
        return true
    }

    private static let truncated = RPCError(.internal, "The stream ends within a message.")
}
