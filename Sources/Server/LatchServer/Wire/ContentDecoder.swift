// SPDX-License-Identifier: Apache-2.0

/// Collects the content of one request from bytes that arrive in pieces, up to a limit.
struct ContentDecoder {
    /// One case for each way to find the end of the content (RFC 9112 §6.3).
    private enum State {
        case length(remaining: Int)
        case chunked(ChunkDecoder)
    }

    private var state: State
    /// In bytes of content, after the chunks are taken apart.
    private let limit: Int
    /// What has arrived; never longer than the limit.
    private(set) var content: [UInt8] = []

    /// A decoder for the framing; a length over the limit is refused before any content is read.
    init(_ framing: RequestHead.Framing, limit: Int) throws(Refusal) {
        self.limit = limit
        switch framing {
        case .length(let length):
            guard length <= limit else { throw .bodyTooLarge }
            // What a client announces is not memory that it gets before it sends.
            content.reserveCapacity(min(length, 65536))
            state = .length(remaining: length)
        case .chunked: state = .chunked(ChunkDecoder())
        }
    }

    /// Takes bytes of the content and says how many, and whether the content is complete.
    mutating func take(_ bytes: UnsafeBufferPointer<UInt8>) throws(Refusal) -> (taken: Int, isComplete: Bool) {
        switch state {
        case .length(let remaining):
            let count = min(remaining, bytes.count)
            content.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<count]))
            state = .length(remaining: remaining - count)
            return (count, remaining == count)
        case .chunked(var decoder):
            let result = try decoder.take(bytes, into: &content, limit: limit)
            state = .chunked(decoder)
            return result
        }
    }
}
