// SPDX-License-Identifier: Apache-2.0

package import LatchCore
package import LatchHTTP
import Synchronization

/// The response to a refresh, with as much of its content as has arrived.
///
/// A refresh may have used up its token. Only the end of the connection therefore ends the exchange, and the content
/// that has arrived is read even if its end is missing.
package struct RefreshAnswer: Sendable {
    /// The response, whose content is in memory.
    package let response: HTTPResponse
    /// The reason why the end of the content is missing; nil if the content is whole.
    package let failure: (any Error)?

    /// The maximum size of the content, several times that of any real token response.
    private static let greatestSize = 1 << 20
    /// The time limit for the next part of a response, once more content would be of little use.
    private static let endTime = Duration.seconds(5)

    /// Sends a request that refreshes.
    ///
    /// - Parameter handler: A handler over `RefreshTransport`, so that its interceptors find the content in memory.
    /// - Throws: The errors of `handler` before the head of the response.
    package static func to(_ request: HTTPRequest, from handler: some Handler) async throws -> RefreshAnswer {
        var request = request
        let failure = Failure()
        request.isUninterruptible = true
        request.context[FailureKey.self] = failure
        let response = try await handler.respond(to: request)
        return RefreshAnswer(response: response, failure: failure.error.withLock { $0 })
    }

    /// The reason why the end of the last response's content is missing.
    fileprivate final class Failure: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }

    fileprivate enum FailureKey: HTTPContextKey {
        static var defaultValue: Failure? { nil }
    }

    /// The content of a response while it is read.
    fileprivate struct Content {
        var bytes: [UInt8] = []
        private var scan: RefreshTokenScan
        private var iterator: HTTPBodyStream.Iterator
        private let isSuccess: Bool
        private let clock: WallClock

        init(_ response: HTTPResponse, names: [String], clock: WallClock) {
            scan = RefreshTokenScan(names: names)
            iterator = response.body.chunks.makeAsyncIterator()
            isSuccess = response.status.isSuccess
            self.clock = clock
        }

        /// Reads up to the end; returns the error if the end is missing.
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
        /// A server that announced more content than it sends keeps its connection open. The time limit applies once
        /// there is a refresh token, the object is complete, or no tokens can come.
        private mutating func next() async throws -> [UInt8]? {
            let maySuffice = scan.isOver || scan.token != nil || !scan.beginsWithObject && !bytes.isEmpty
            guard maySuffice || !isSuccess else { return try await iterator.next() }
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

/// A transport that receives the response to a refresh piece by piece, and returns all content that arrived.
package struct RefreshTransport: Handler {
    private let transport: any Handler
    private let names: [String]
    private let clock: WallClock

    package init(_ transport: any Handler, _ spelling: TokenResponseDecoder.Spelling = .oauth, clock: WallClock) {
        (self.transport, self.clock) = (transport, clock)
        names = spelling.refresh
    }

    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard let failure = request.context[RefreshAnswer.FailureKey.self] else {
            return try await transport.respond(to: request)
        }
        var request = request
        request.wantsStream = true
        let response = try await transport.respond(to: request)
        guard !response.body.isInMemory else { return response }
        // A separate task, which the caller's cancellation does not reach.
        return await Task { [names, clock] in
            var content = RefreshAnswer.Content(response, names: names, clock: clock)
            let error = await content.read()
            failure.error.withLock { $0 = error }
            var response = response
            response.body = HTTPBody(content.bytes)
            return response
        }.value
    }
}
