// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

/// Bytes and streams that follow each other, as one content.
struct MultipartPieces: Sendable {
    /// Up to this size everything is put together in memory, where all of it is there already.
    private static let largestInMemory = 1 << 20

    private var pieces: [HTTPBody] = []
    /// Bytes after the last piece, which are not one yet.
    private var tail: [UInt8] = []

    /// Adds bytes; those that are few are put together with their neighbours.
    mutating func add(_ bytes: [UInt8]) {
        if tail.count + bytes.count > Self.largestInMemory { endTail() }
        if bytes.count > Self.largestInMemory { pieces.append(HTTPBody(bytes)) } else { tail += bytes }
    }

    /// Adds a content.
    mutating func add(_ body: HTTPBody) {
        guard body.stream != nil else { return add(body.bytes) }
        endTail()
        pieces.append(body)
    }

    private mutating func endTail() {
        if !tail.isEmpty { pieces.append(HTTPBody(tail)) }
        tail = []
    }

    /// All of it; a stream unless it is small and in memory.
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

    /// Reads the pieces in turn.
    private final class Reader: Sendable {
        private struct Place {
            /// The pieces that are not begun, the next of them last.
            var rest: [HTTPBody]
            /// The stream that is being read, and how much of it is still to come.
            var current: (iterator: HTTPBodyStream.Iterator, missing: Int?)?
        }

        /// Taken out while a piece is awaited: there is one reader at a time.
        private let place: Mutex<Place>

        init(_ pieces: [HTTPBody]) { place = Mutex(Place(rest: pieces.reversed())) }

        /// The next bytes; nil after the last piece.
        ///
        /// - Throws: `HTTPError.lengthMismatch` where a part is not as long as it said: with another length the rest
        ///   of the form would be read at the wrong place.
        func next() async throws -> [UInt8]? {
            while true {
                if var (iterator, missing) = place.withLock({ $0.current }) {
                    let chunk = try await iterator.next()
                    missing = missing.map { $0 - (chunk?.count ?? 0) }
                    guard missing.map({ chunk == nil ? $0 == 0 : $0 >= 0 }) ?? true else {
                        throw HTTPError.lengthMismatch
                    }
                    let current = chunk == nil ? nil : (iterator, missing)
                    place.withLock { $0.current = current }
                    if let chunk { return chunk }
                }
                guard let piece = place.withLock({ $0.rest.popLast() }) else { return nil }
                guard let stream = piece.stream else { return piece.bytes }
                place.withLock { $0.current = (stream.makeAsyncIterator(), stream.length) }
            }
        }
    }
}

extension [UInt8] {
    /// Whether `bytes` stand in these in one piece.
    func contains(_ bytes: [UInt8]) -> Bool {
        guard let first = bytes.first else { return true }
        return withUnsafeBufferPointer { all in
            bytes.withUnsafeBufferPointer { wanted in
                var start = 0
                while start + wanted.count <= all.count {
                    if all[start] == first, all[start..<start + wanted.count].elementsEqual(wanted) { return true }
                    start += 1
                }
                return false
            }
        }
    }
}
