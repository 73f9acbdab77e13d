// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// A source of content that a test feeds by hand.
final class Piecewise: Sendable {
    struct Broken: Error {}

    private let pieces: AsyncThrowingStream<[UInt8], any Error>
    private let feed: AsyncThrowingStream<[UInt8], any Error>.Continuation
    /// Tells when the reader has let the source go.
    let (endings, ending) = AsyncStream<Void>.makeStream()
    private let openings = Mutex(0)

    init() { (pieces, feed) = AsyncThrowingStream.makeStream() }

    /// The number of times that it was opened.
    var openingCount: Int { openings.withLock { $0 } }

    /// The content, for one reader.
    func stream(length: Int? = nil, isReplayable: Bool = false) -> HTTPBodyStream {
        let open: @Sendable () async throws -> HTTPBodyStream.Source = { [self] in
            openings.withLock { $0 += 1 }
            return self.source(held: Held(ending))
        }
        if isReplayable { return HTTPBodyStream(length: length, opening: open) }
        return HTTPBodyStream(length: length, once: source(held: Held(ending)))
    }

    func give(_ text: String) { feed.yield(Array(text.utf8)) }

    func give(_ bytes: [UInt8]) { feed.yield(bytes) }

    func end() { feed.finish() }

    func fail() { feed.finish(throwing: Broken()) }

    /// Waits until the reader has let the source go.
    func isLetGo() async { for await _ in endings { return } }

    private func source(held: Held) -> HTTPBodyStream.Source {
        let iterator = UnsafeBox(pieces.makeAsyncIterator())
        return {
            defer { withExtendedLifetime(held) {} }
            return try await iterator.next()
        }
    }

    private final class Held: Sendable {
        private let ending: AsyncStream<Void>.Continuation

        init(_ ending: AsyncStream<Void>.Continuation) { self.ending = ending }

        deinit { ending.yield() }
    }

    /// One reader at a time, which the compiler cannot see.
    private final class UnsafeBox: @unchecked Sendable {
        private var iterator: AsyncThrowingStream<[UInt8], any Error>.Iterator

        init(_ iterator: AsyncThrowingStream<[UInt8], any Error>.Iterator) { self.iterator = iterator }

        func next() async throws -> [UInt8]? { try await iterator.next() }
    }
}

/// A stream of `count` bytes, made as they are read, so that only one piece exists at a time.
func counting(to count: Int, announced: Bool, piece: Int = 65_536) -> HTTPBodyStream {
    HTTPBodyStream(length: announced ? count : nil) {
        let place = Mutex(0)
        return {
            place.withLock { place in
                let start = place
                place = min(count, start + piece)
                return start == place ? nil : countingBytes(start..<place)
            }
        }
    }
}

/// Returns the bytes of a range of the stream.
func countingBytes(_ places: Range<Int>) -> [UInt8] { places.map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) } }
