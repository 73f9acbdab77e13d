// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// A sequence of bytes and streams as one content.
struct MultipartBody: Sendable {
    /// The maximum size of content that is assembled in memory.
    private static let maximumBytesInMemory = 1 << 20

    private var pieces: [HTTPBody] = []
    /// The bytes after the last piece, to which further bytes are appended.
    private var tail: [UInt8] = []

    /// Appends bytes; small pieces are joined with their neighbors.
    mutating func add(_ bytes: [UInt8]) {
        if tail.count + bytes.count > Self.maximumBytesInMemory { endTail() }
        if bytes.count > Self.maximumBytesInMemory { pieces.append(HTTPBody(bytes)) } else { tail += bytes }
    }

    /// Appends a body.
    mutating func add(_ body: HTTPBody) {
        guard body.stream != nil else { return add(body.bytes) }
        endTail()
        pieces.append(body)
    }

    private mutating func endTail() {
        if !tail.isEmpty { pieces.append(HTTPBody(tail)) }
        tail = []
    }

    /// The whole content; a stream unless it is small and in memory.
    var body: HTTPBody {
        guard !pieces.isEmpty else { return HTTPBody(tail) }
        let pieces = pieces + (tail.isEmpty ? [] : [HTTPBody(tail)])
        var length: Int? = 0
        for piece in pieces { length = length.flatMap { sum in piece.length.map { sum + $0 } } }
        guard pieces.allSatisfy(\.isReplayable) else {
            let reader = Reader(pieces)
            return HTTPBody(HTTPBodyStream(length: length, once: { try await reader.next() }))
        }
        return HTTPBody(
            HTTPBodyStream(length: length) {
                let reader = Reader(pieces)
                return { try await reader.next() }
            })
    }

    /// A reader of the pieces in turn.
    private final class Reader: Sendable {
        private struct State {
            /// The pieces that were not started yet, in reverse order.
            var rest: [HTTPBody]
            /// The stream that is being read, and the number of its missing bytes.
            var current: (iterator: HTTPBodyStream.Iterator, missing: Int?)?
        }

        /// The current state; it is copied out while a chunk is awaited, since there is one reader at a time.
        private let state: Mutex<State>

        init(_ pieces: [HTTPBody]) { state = Mutex(State(rest: pieces.reversed())) }

        /// Returns the next bytes, or nil after the last piece.
        ///
        /// - Throws: `HTTPError.lengthMismatch` if a part does not have its announced length, since that would shift
        ///   the rest of the form.
        func next() async throws -> [UInt8]? {
            while true {
                if var (iterator, missing) = state.withLock({ $0.current }) {
                    let chunk = try await iterator.next()
                    missing = missing.map { $0 - (chunk?.count ?? 0) }
                    guard missing.map({ chunk == nil ? $0 == 0 : $0 >= 0 }) ?? true else {
                        throw HTTPError.lengthMismatch
                    }
                    let current = chunk == nil ? nil : (iterator, missing)
                    state.withLock { $0.current = current }
                    if let chunk { return chunk }
                }
                guard let piece = state.withLock({ $0.rest.popLast() }) else { return nil }
                guard let stream = piece.stream else { return piece.bytes }
                state.withLock { $0.current = (stream.makeAsyncIterator(), stream.length) }
            }
        }
    }
}
