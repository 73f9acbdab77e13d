// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

extension HTTPBody {
    /// The same content, which says how much of it was read so far, and how much there is, if that is known.
    ///
    /// ```swift
    /// .put("backup", sending: .body(.init(try .file(at: path)).reporting { sent, all in show(sent, of: all) }))
    /// ```
    ///
    /// What is read is on its way and need not have arrived. Where the content is sent again, it counts from the
    /// beginning.
    public func reporting(_ progress: @escaping @Sendable (_ count: Int, _ expected: Int?) -> Void) -> HTTPBody {
        let body = self
        let counted: @Sendable () -> HTTPBodyStream.Source = {
            let reader = Mutex((iterator: body.pieces.makeAsyncIterator(), count: 0))
            return {
                var (iterator, count) = reader.withLock { $0 }
                guard let piece = try await iterator.next() else { return nil }
                count += piece.count
                let place = (iterator, count)
                reader.withLock { $0 = place }
                progress(count, body.length)
                return piece
            }
        }
        return HTTPBody(
            isReplayable
                ? HTTPBodyStream(length: length) { counted() }
                : HTTPBodyStream(length: length, once: counted(), trailers: { body.trailers }))
    }

    /// How much of a content in memory is handed out at a time, so that there is progress to tell.
    private static let pieceBytes = 64 << 10

    /// The content in pieces also where it is in memory.
    private var pieces: HTTPBodyStream {
        guard stream == nil else { return chunks }
        let bytes = bytes
        return HTTPBodyStream(length: bytes.count) {
            let place = Mutex(0)
            return {
                let start = place.withLock { place in
                    defer { place = min(place + Self.pieceBytes, bytes.count) }
                    return place
                }
                return start < bytes.count ? Array(bytes[start..<min(start + Self.pieceBytes, bytes.count)]) : nil
            }
        }
    }
}

extension RouteContent {
    /// The same content, which says how much of it was read so far, and how much there is, if that is known.
    ///
    /// - Parameter progress: See ``HTTPBody/reporting(_:)``.
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
