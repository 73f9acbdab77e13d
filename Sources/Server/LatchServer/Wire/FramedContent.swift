// SPDX-License-Identifier: Apache-2.0

/// The content of one request, which an incremental decoder takes out of its framing, up to a limit.
struct FramedContent {
    /// The two ways to find the end of the content (RFC 9112 §6.3).
    private enum State {
        case length(remaining: Int)
        case chunked(ChunkDecoder)
    }

    private var state: State
    /// The maximum size of the content, without the bytes of the chunked coding.
    private var limit: Int
    /// The content so far, without the taken pieces; never longer than the limit.
    private(set) var content: [UInt8] = []

    /// Creates a decoder for the framing; a length over the limit is rejected before any content is read.
    ///
    /// - Parameter isInPieces: Whether a reader takes pieces and wants the trailers; otherwise they are only validated.
    init(_ framing: RequestHead.Framing, limit: Int, isInPieces: Bool = false) throws(Rejection) {
        self.limit = limit
        switch framing {
        case .length(let length):
            guard length <= limit else { throw .contentTooLarge }
            // An announced length reserves little memory until the bytes arrive, and none for a reader of pieces.
            if !isInPieces { content.reserveCapacity(min(length, 65536)) }
            state = .length(remaining: length)
        case .chunked: state = .chunked(ChunkDecoder(keepsTrailers: isInPieces))
        }
    }

    /// Decodes bytes; returns the number of bytes used, and whether the content is complete.
    mutating func decode(_ bytes: UnsafeBufferPointer<UInt8>) throws(Rejection) -> (count: Int, isComplete: Bool) {
        switch state {
        case .length(let remaining):
            let count = min(remaining, bytes.count)
            content.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[..<count]))
            state = .length(remaining: remaining - count)
            return (count, remaining == count)
        case .chunked(var decoder):
            let result = try decoder.decode(bytes, into: &content, limit: limit)
            state = .chunked(decoder)
            return result
        }
    }

    /// Takes the content so far, for a reader that wants it in pieces.
    mutating func takePiece() -> [UInt8] {
        defer { content = [] }
        limit -= content.count
        return content
    }

    /// The number of missing bytes; nil if only the end determines it.
    var remaining: Int? { if case .length(let remaining) = state { remaining } else { nil } }

    /// The trailer section with its final empty line (RFC 9112 §7.1.2), as far as it has arrived.
    var trailerLines: [UInt8] { if case .chunked(let decoder) = state { decoder.trailerLines } else { [] } }
}

/// The limits of content by path.
struct ContentLimits: Sendable {
    private let defaultLimit: Int
    /// The limits by path prefix, the longest prefix first.
    private var limitsByPrefix: [(prefix: String, bytes: Int)]
    /// The limits of the configuration only.
    private let configured: [(prefix: String, bytes: Int)]

    /// Creates the limits of a configuration, and those of its handler if the configuration has none.
    init(_ configuration: Server.Configuration, _ policy: ContentPolicy) {
        defaultLimit = configuration.maximumBodyBytes
        configured = Self.sorted(configuration.contentLimits)
        limitsByPrefix = Self.sorted(policy.limits)
        var limits = policy.limits
        // Over HTTP/1.1 a stream of messages is received as a whole, and its prefix may have room for only one message.
        for path in policy.streamed where limits[path] == nil && limit(at: path).isReportedByHandler {
            limits[path] = max(defaultLimit, limit(at: path).bytes)
        }
        for (prefix, bytes) in configuration.contentLimits {
            limits = limits.filter {
                !$0.key.utf8.starts(with: prefix.utf8) || configuration.contentLimits[$0.key] != nil
            }
            limits[prefix] = bytes
        }
        limitsByPrefix = Self.sorted(limits)
    }

    private static func sorted(_ limits: [String: Int]) -> [(prefix: String, bytes: Int)] {
        limits.map { (prefix: $0.key, bytes: $0.value) }.sorted { $0.prefix.utf8.count > $1.prefix.utf8.count }
    }

    /// Returns the limit at a path, and whether the handler, not the server, reports that it is exceeded.
    func limit(at path: String) -> (bytes: Int, isReportedByHandler: Bool) {
        for limit in limitsByPrefix where path.utf8.starts(with: limit.prefix.utf8) { return (limit.bytes, true) }
        return (defaultLimit, false)
    }

    /// Returns the limit in the configuration for a path; nil if there is none.
    func configuredLimit(at path: String) -> Int? {
        configured.first { path.utf8.starts(with: $0.prefix.utf8) }?.bytes
    }
}
