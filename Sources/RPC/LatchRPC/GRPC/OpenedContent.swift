// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// Content of which the beginning was looked at, and that is still to be read.
final class OpenedContent: Sendable {
    private let stream: HTTPBodyStream
    private let rest: Mutex<HTTPBodyStream.Iterator>
    private let seen = Mutex<[UInt8]>([])

    /// A look at content that nobody reads yet.
    init(_ stream: HTTPBodyStream) {
        self.stream = stream
        rest = Mutex(stream.makeAsyncIterator())
    }

    /// What the content begins with: the whole first envelope where its flags are such as `isWhole` wants, otherwise
    /// whatever comes first; nothing where there is no content.
    func start(limit: Int, _ isWhole: (UInt8) -> Bool) async throws -> [UInt8] {
        var start: [UInt8] = []
        while start.count < Self.wanted(of: start, limit, isWhole), let piece = try await next() { start += piece }
        seen.withLock { [start] in $0 = start }
        return start
    }

    /// The content from its beginning.
    var whole: HTTPBodyStream {
        HTTPBodyStream(
            length: stream.length,
            once: {
                let seen = self.seen.withLock { seen in
                    defer { seen = [] }
                    return seen
                }
                return seen.isEmpty ? try await self.next() : seen
            }, trailers: { self.stream.trailers })
    }

    /// How many bytes tell what the first envelope is.
    private static func wanted(of start: [UInt8], _ limit: Int, _ isWhole: (UInt8) -> Bool) -> Int {
        guard let flags = start.first, isWhole(flags) else { return 1 }
        guard let length = Envelope.length(start) else { return Envelope.prefixBytes }
        return length <= limit ? Envelope.prefixBytes + length : 1
    }

    private func next() async throws -> [UInt8]? {
        var own = rest.withLock { $0 }
        let piece = try await own.next()
        rest.withLock { [own] in $0 = own }
        return piece
    }
}
