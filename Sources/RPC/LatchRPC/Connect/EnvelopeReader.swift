// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// Cuts content that arrives in any pieces into envelopes.
struct EnvelopeReader: Sendable {
    private var chunks: HTTPBodyStream.Iterator
    private let limit: Int
    /// What has arrived and is not cut yet, from `start` on.
    private var buffer: [UInt8] = []
    private var start = 0

    /// A reader of content in which no envelope has more than `limit` bytes.
    init(_ content: HTTPBodyStream, limit: Int) {
        chunks = content.makeAsyncIterator()
        self.limit = limit
    }

    /// The next envelope; nil where the content ends before one begins.
    ///
    /// - Throws: `RPCError.resourceExhausted` for a length over the limit, before anything is set aside for it,
    ///   `RPCError.internal` where the content breaks off within one, and what the content throws.
    mutating func next() async throws -> Envelope? {
        guard try await fill(Envelope.prefixBytes) else {
            guard start == buffer.count else { throw Self.brokenOff }
            return nil
        }
        let flags = Envelope.Flags(rawValue: buffer[start])
        let length = buffer[(start + 1)..<(start + Envelope.prefixBytes)].reduce(0) { $0 << 8 | Int($1) }
        guard length <= limit else {
            throw RPCError(.resourceExhausted, "A message of \(length) bytes is more than the \(limit) allowed.")
        }
        start += Envelope.prefixBytes
        guard try await fill(length) else { throw Self.brokenOff }
        let end = start + length
        // Mostly one piece brings one message: then the copy is all there is to do.
        let content = Array(buffer[start..<end])
        start = end
        return Envelope(content, flags: flags)
    }

    /// Whether there are `count` bytes after `start`; reads until there are, or until the content ends.
    private mutating func fill(_ count: Int) async throws -> Bool {
        while buffer.count - start < count {
            guard let chunk = try await chunks.next() else { return false }
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

    private static let brokenOff = RPCError(.internal, "The stream breaks off within a message.")
}
