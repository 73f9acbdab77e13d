// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// The content of a message: bytes in memory, or a stream.
///
/// A transport returns content in memory unless the request requires a stream (`HTTPRequest.wantsStream`).
public struct HTTPBody: Sendable, Hashable {
    /// The content in memory; empty for a stream, which `chunks` and `collected(upTo:)` read.
    public let bytes: [UInt8]

    /// The stream; nil for content in memory.
    package let stream: HTTPBodyStream?

    /// The trailer fields of content in memory.
    private let storedTrailers: HTTPFields

    /// The trailer fields (RFC 9110 §6.5); for a stream they are empty until it was read to its end.
    public var trailers: HTTPFields { stream?.trailers ?? storedTrailers }

    /// Empty content.
    public static let empty = HTTPBody([])

    /// Creates content in memory with optional trailer fields.
    public init(_ bytes: [UInt8], trailers: HTTPFields = [:]) {
        self.bytes = bytes
        stream = nil
        storedTrailers = trailers
    }

    /// Creates content from text, in UTF-8.
    public init(_ text: String) { self.init(Array(text.utf8)) }

    /// Creates content that is read while it is sent or received.
    public init(_ stream: HTTPBodyStream) {
        bytes = []
        self.stream = stream
        storedTrailers = [:]
    }

    /// The number of bytes; nil if it is only known at the end.
    public var length: Int? { stream == nil ? bytes.count : stream?.length }

    /// Whether the content is in memory, and not a stream.
    package var isInMemory: Bool { stream == nil }

    /// Whether the content is known to be empty.
    public var isEmpty: Bool { length == 0 }

    /// Whether it can be sent again: for a redirect, a retry, or after a token refresh.
    public var isReplayable: Bool { stream?.isReplayable ?? true }

    /// The content as text, with any media type; nil for a stream and for content that is not UTF-8.
    public var text: String? { stream == nil ? String(validating: bytes, as: UTF8.self) : nil }

    /// The content as a stream, whether it is in memory or not.
    public var chunks: HTTPBodyStream { stream ?? HTTPBodyStream(bytes) }

    /// Returns the whole content, reading a stream to its end.
    ///
    /// - Throws: `HTTPError.tooLarge` if there are more than `limit` bytes, and the errors of the stream.
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

extension HTTPBody {
    /// Returns the same content, which reports the number of bytes read so far, and the total if it is known.
    ///
    /// ```swift
    /// let backup = HTTPBody(try .file(at: path)).reporting { sent, all in show(sent, of: all) }
    /// try await client.perform(.put("backup", sending: .body(backup)))
    /// ```
    ///
    /// Content that was read is being sent and may not have arrived. If the content is sent again, the count starts
    /// again.
    package func reporting(_ progress: @escaping @Sendable (_ count: Int, _ expected: Int?) -> Void) -> HTTPBody {
        let body = self
        // In chunks, so that there is progress to report.
        let chunks = stream ?? HTTPBodyStream(bytes, pieceBytes: 64 << 10)
        let counted: @Sendable () -> HTTPBodyStream.Source = {
            let reader = Mutex((iterator: chunks.makeAsyncIterator(), count: 0))
            return {
                var (iterator, count) = reader.withLock { $0 }
                guard let piece = try await iterator.next() else { return nil }
                count += piece.count
                let state = (iterator, count)
                reader.withLock { $0 = state }
                progress(count, body.length)
                return piece
            }
        }
        return HTTPBody(
            isReplayable
                ? HTTPBodyStream(length: length) { counted() }
                : HTTPBodyStream(length: length, once: counted(), trailers: { body.trailers }))
    }
}

extension HTTPBody {
    /// The bytes after a byte order mark of UTF-8, which a reader of JSON may ignore (RFC 8259 §8.1).
    package var bytesWithoutMark: [UInt8] {
        let text = bytes.withoutByteOrderMark
        return text.count == bytes.count ? bytes : Array(text)
    }
}

extension RouteContent {
    /// Returns the same content, which reports the number of bytes read so far, and the total if it is known.
    ///
    /// Content that was read is being sent and may not have arrived. If the content is sent again, the count starts
    /// again.
    ///
    /// - Parameter progress: A function that is called after each chunk with the number of bytes read so far, and the
    ///   total or nil.
    public func reporting(
        _ progress: @escaping @Sendable (_ count: Int, _ expected: Int?) -> Void
    ) -> RouteContent {
        RouteContent { encoder in
            var content = try encoded(by: encoder)
            content.body = content.body.reporting(progress)
            return content
        }
    }
}
