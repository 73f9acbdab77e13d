// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// Counts what is taken from a stream, and tells when it was let go, read or not.
final class StreamCount: Sendable {
    private let count = Mutex(0)
    /// Called once, on whichever thread lets go last.
    private let end: @Sendable (Int) -> Void

    init(_ end: @escaping @Sendable (Int) -> Void) { self.end = end }

    deinit { end(count.withLock { $0 }) }

    /// The stream, for one reading, with this count at its end.
    func counting(_ stream: HTTPBodyStream) -> HTTPBodyStream {
        let reader = Mutex<HTTPBodyStream.Iterator?>(stream.makeAsyncIterator())
        return HTTPBodyStream(
            length: stream.length,
            once: { [self] in
                // A stream has one reader at a time, who brings the iterator back before the next call.
                guard var iterator = reader.withLock({ $0.take() }) else { return nil }
                let piece = try await iterator.next()
                count.withLock { $0 += piece?.count ?? 0 }
                let next = iterator
                reader.withLock { $0 = next }
                return piece
            }, trailers: { stream.trailers })
    }
}
