// SPDX-License-Identifier: Apache-2.0

import Expectations
import LatchCore
import LatchHTTP
import Synchronization
import Testing

@Suite struct HTTPBodyStreamTests {
    /// Says when the source that holds it is let go.
    private final class Held: Sendable {
        let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }

    private struct Broken: Error {}

    private func pieces(of stream: HTTPBodyStream) async throws -> [[UInt8]] {
        var all: [[UInt8]] = []
        for try await piece in stream { all.append(piece) }
        return all
    }

    /// Counts down and then ends.
    private func countdown(from start: Int, held: Held? = nil) -> HTTPBodyStream.Source {
        let left = Mutex(start)
        return {
            withExtendedLifetime(held) {
                left.withLock { left in
                    guard left > 0 else { return nil }
                    left -= 1
                    return [UInt8(left)]
                }
            }
        }
    }

    @Test func `A stream of content that opens again gives the same each time`() async throws {
        let stream = HTTPBodyStream(length: 3) { countdown(from: 3) }
        #expect(stream.isReplayable)
        for _ in 0..<3 { try await expectEqual(pieces(of: stream), [[2], [1], [0]]) }
    }

    @Test func `A stream of content in memory gives all of it at once, and nothing if it is empty`() async throws {
        try await expectEqual(pieces(of: HTTPBodyStream([1, 2, 3])), [[1, 2, 3]])
        try await expectEqual(pieces(of: HTTPBodyStream([])), [])
    }

    @Test func `A stream of content that can be read once says so the second time`() async throws {
        let stream = HTTPBodyStream(once: countdown(from: 2))
        #expect(!stream.isReplayable)
        try await expectEqual(pieces(of: stream), [[1], [0]])
        await #expect(throws: HTTPError.streamSpent) { try await pieces(of: stream) }
    }

    @Test func `A stream of content leaves out pieces without bytes`() async throws {
        let left = Mutex<[[UInt8]]>([[], [1], [], [], [2], []])
        let stream = HTTPBodyStream(once: { left.withLock { $0.isEmpty ? nil : $0.removeFirst() } })
        try await expectEqual(pieces(of: stream), [[1], [2]])
    }

    @Test func `A stream of content ends for good with its first error`() async throws {
        let calls = Mutex(0)
        let stream = HTTPBodyStream(once: {
            calls.withLock { $0 += 1 }
            throw Broken()
        })
        var iterator = stream.makeAsyncIterator()
        await #expect(throws: Broken.self) { try await iterator.next() }
        try await expectNil(iterator.next())
        expectEqual(calls.withLock { $0 }, 1)
    }

    @Test func `A stream of content releases its source at the end, and if the reader leaves early`() async throws {
        let ended = Recording<String>()
        let whole = HTTPBodyStream { countdown(from: 3, held: Held { ended.add("read") }) }
        try await expectEqual(pieces(of: whole).count, 3)
        expectEqual(ended.entries, ["read"])
        let left = HTTPBodyStream { countdown(from: 3, held: Held { ended.add("left") }) }
        for try await _ in left { break }
        expectEqual(ended.entries, ["read", "left"])
    }

    @Test func `A stream of content that can be read once releases its source with the reader`() async throws {
        let ended = Recording<String>()
        let stream = HTTPBodyStream(once: countdown(from: 3, held: Held { ended.add("left") }))
        for try await _ in stream { break }
        expectEqual(ended.entries, ["left"])
        await #expect(throws: HTTPError.streamSpent) { try await pieces(of: stream) }
    }

    @Test func `A stream of content is not opened before it is read`() async throws {
        let opened = Mutex(0)
        let stream = HTTPBodyStream {
            opened.withLock { $0 += 1 }
            return countdown(from: 1)
        }
        var iterator = stream.makeAsyncIterator()
        expectEqual(opened.withLock { $0 }, 0)
        try await expectEqual(iterator.next(), [0])
        expectEqual(opened.withLock { $0 }, 1)
    }
}
