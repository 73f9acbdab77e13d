// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Content that is read piece by piece, by one reader at a time.
///
/// ```swift
/// for try await chunk in response.body.chunks { hash.update(chunk) }
/// ```
///
/// Reading is by demand: nothing is read ahead but what the source itself buffers, so a slow reader slows the sender.
/// Letting the iterator go ends what the source had open.
public final class HTTPBodyStream: AsyncSequence, Sendable {
    /// A piece of the content; never empty.
    public typealias Element = [UInt8]

    /// Gives the next piece, and nil at the end.
    public typealias Source = @Sendable () async throws -> [UInt8]?

    /// How many bytes there are in all; nil where that is known only at the end.
    public let length: Int?
    /// Whether it can be read more than once, each time from the beginning.
    public let isReplayable: Bool

    /// What is asked for `trailers`.
    private let readTrailers: @Sendable () -> HTTPFields
    /// Begins anew; nil for a stream that can be read once.
    private let open: (@Sendable () async throws -> Source)?
    /// What can be read once, until somebody does: from then on it is the reader's, and ends with the reader.
    private let once: Mutex<Source?>

    /// Content that `open` begins anew each time it is read.
    ///
    /// - Parameter length: What the pieces add up to; a sender refuses a source that gives more or less.
    public init(length: Int? = nil, opening open: @escaping @Sendable () async throws -> Source) {
        self.length = length
        self.open = open
        readTrailers = { [:] }
        once = Mutex(nil)
        isReplayable = true
    }

    /// Content that can be read once.
    ///
    /// - Parameter trailers: Asked after the last piece for the fields that follow the content (RFC 9110 §6.5).
    public init(
        length: Int? = nil, once source: @escaping Source, trailers: @escaping @Sendable () -> HTTPFields = { [:] }
    ) {
        self.length = length
        open = nil
        readTrailers = trailers
        once = Mutex(source)
        isReplayable = false
    }

    /// Content that is in memory already.
    public convenience init(_ bytes: [UInt8]) {
        self.init(length: bytes.count) {
            let rest = Mutex<[UInt8]?>(bytes.isEmpty ? nil : bytes)
            return { rest.withLock { $0.take() } }
        }
    }

    /// The fields that followed the content (RFC 9110 §6.5): none until it was read to its end, and mostly none then.
    public var trailers: HTTPFields { readTrailers() }

    /// Begins to read at the first piece.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// The source for one reader.
    ///
    /// - Throws: `HTTPError.streamSpent` where it was read before and cannot be read again.
    fileprivate func begin() async throws -> Source {
        if let open { return try await open() }
        guard let source = once.withLock({ $0.take() }) else { throw HTTPError.streamSpent }
        return source
    }

    /// Reads a stream once, from its beginning.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private enum Place: Sendable {
            case before(HTTPBodyStream)
            case inside(Source)
            case after
        }

        private var place: Place

        init(stream: HTTPBodyStream) { place = .before(stream) }

        /// The next piece, nil at the end and ever after.
        public mutating func next() async throws -> [UInt8]? {
            let source: Source
            switch place {
            case .before(let stream): source = try await stream.begin()
            case .inside(let current): source = current
            case .after: return nil
            }
            // Whatever goes wrong, nothing comes after it.
            place = .after
            while let chunk = try await source() {
                guard !chunk.isEmpty else { continue }
                place = .inside(source)
                return chunk
            }
            return nil
        }
    }
}

extension HTTPBodyStream: Hashable {
    /// Two streams are equal only if they are the same.
    public static func == (first: HTTPBodyStream, second: HTTPBodyStream) -> Bool { first === second }

    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
