// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchHTTP

/// The response to a refresh, with as much of its content as has arrived.
///
/// A refresh may have used up its token. So nothing but the end of the connection ends the exchange, and what has arrived is
/// read, even if the end is missing.
package struct RefreshAnswer: Sendable {
    /// The response; its content is in memory.
    package let response: HTTPResponse
    /// The reason why the end of the content is missing; nil if the content is whole.
    package let failure: (any Error)?

    /// The greatest size of the content: multiples of any real token response.
    private static let greatestSize = 1 << 20
    /// The time in which the end of a response has to follow a content that cannot become more useful.
    private static let endTime = Duration.seconds(5)

    /// Sends a request that refreshes.
    ///
    /// - Throws: The errors of `handler` before the head of the response.
    package static func to(
        _ request: HTTPRequest, from handler: some Handler, clock: WallClock
    ) async throws -> RefreshAnswer {
        var request = request
        request.isUninterruptible = true
        request.wantsStream = true
        return await reading(try await handler.respond(to: request), clock: clock)
    }

    /// Reads the content of a response.
    private static func reading(_ response: HTTPResponse, clock: WallClock) async -> RefreshAnswer {
        guard !response.body.isInMemory else { return RefreshAnswer(response: response, failure: nil) }
        // A task that the caller's cancellation does not reach.
        return await Task {
            var content = Content(response, clock: clock)
            let failure = await content.read()
            var response = response
            response.body = HTTPBody(content.bytes)
            return RefreshAnswer(response: response, failure: failure)
        }.value
    }

    /// The content of a response while it is read.
    private struct Content {
        var bytes: [UInt8] = []
        private var scan = RefreshTokenScan(names: [])
        private var iterator: HTTPBodyStream.Iterator
        private let isSuccess: Bool
        private let clock: WallClock

        init(_ response: HTTPResponse, clock: WallClock) {
            iterator = response.body.chunks.makeAsyncIterator()
            isSuccess = response.status.isSuccess
            self.clock = clock
        }

        /// Reads up to the end; returns the error if that is missing.
        mutating func read() async -> (any Error)? {
            do {
                while let chunk = try await next() {
                    let piece = chunk.prefix(RefreshAnswer.greatestSize - bytes.count)
                    bytes += piece
                    scan.read(piece)
                    guard piece.count == chunk.count else { throw HTTPError.tooLarge }
                }
                return nil
            } catch {
                return error
            }
        }

        /// Returns the next chunk.
        ///
        /// A server that announced more than it sends keeps its connection open. Nobody waits for that once the object is whole, or
        /// where no tokens can come.
        private mutating func next() async throws -> [UInt8]? {
            guard scan.isOver || !isSuccess else { return try await iterator.next() }
            let (before, clock) = (iterator, clock)
            let read = try await withThrowingTaskGroup(of: (chunk: [UInt8]?, iterator: HTTPBodyStream.Iterator).self) {
                group in
                group.addTask {
                    var iterator = before
                    return (try await iterator.next(), iterator)
                }
                group.addTask {
                    try await clock.sleep(for: RefreshAnswer.endTime)
                    throw HTTPError.timeout
                }
                defer { group.cancelAll() }
                return try await group.next()
            }
            guard let read else { return nil }
            iterator = read.iterator
            return read.chunk
        }
    }
}
