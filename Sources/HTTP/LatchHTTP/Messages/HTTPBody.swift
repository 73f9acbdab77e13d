// SPDX-License-Identifier: Apache-2.0

/// The content of a message: whole and in memory, or a stream that is read piece by piece.
///
/// What a transport answers is in memory unless the request asked for a stream (`HTTPRequest.wantsStream`).
public struct HTTPBody: Sendable, Hashable {
    /// The content that is in memory; nothing of a stream, which `chunks` and `collected(upTo:)` read.
    public let bytes: [UInt8]

    /// The content that is not in memory; nil where all of it is.
    public let stream: HTTPBodyStream?

    /// The fields that follow the content that is in memory.
    private let following: HTTPFields

    /// The fields that follow the content (RFC 9110 §6.5); of a stream none until it was read to its end.
    public var trailers: HTTPFields { stream?.trailers ?? following }

    /// No content.
    public static let empty = HTTPBody([])

    /// Content that is in memory, and the fields that follow it.
    public init(_ bytes: [UInt8], trailers: HTTPFields = [:]) {
        self.bytes = bytes
        stream = nil
        following = trailers
    }

    /// Content from text, in UTF-8.
    public init(_ text: String) { self.init(Array(text.utf8)) }

    /// Content that is read while it is sent, or as it arrives.
    public init(_ stream: HTTPBodyStream) {
        bytes = []
        self.stream = stream
        following = [:]
    }

    /// How many bytes there are; nil where that is known only at the end.
    public var length: Int? { stream == nil ? bytes.count : stream?.length }

    /// Whether it is known that there is nothing.
    public var isEmpty: Bool { length == 0 }

    /// Whether it can be sent again: for a redirect, a retry, or after a renewal.
    public var isReplayable: Bool { stream?.isReplayable ?? true }

    /// The content as text; nil when it is not UTF-8, whatever the media type says about it, and for a stream.
    public var text: String? { stream == nil ? String(validating: bytes, as: UTF8.self) : nil }

    /// The content piece by piece, whether it is in memory or not.
    public var chunks: HTTPBodyStream { stream ?? HTTPBodyStream(bytes) }

    /// The whole content, which a stream is read for.
    ///
    /// - Throws: `HTTPError.tooLarge` where there is more than `limit`, and what the stream throws.
    public func collected(upTo limit: Int) async throws -> [UInt8] {
        if let length, length > limit { throw HTTPError.tooLarge }
        guard let stream else { return bytes }
        var all: [UInt8] = []
        all.reserveCapacity(min(stream.length ?? 0, 1 << 20))
        for try await chunk in stream {
            guard all.count + chunk.count <= limit else { throw HTTPError.tooLarge }
            all.append(contentsOf: chunk)
        }
        return all
    }
}
