// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// A handler that receives whole responses, within a size and a time.
///
/// The timeout of a request ends one that stands still. A server that goes on for ever, a byte at a time, needs a limit of
/// the whole.
package struct BoundedResponses: Handler {
    private let transport: any Handler
    private let maximumSize: Int
    private let limit: TimeoutInterceptor

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - maximumSize: The greatest size of the content, in bytes.
    ///   - time: The time from the request to the end of its response.
    package init(_ transport: any Handler, maximumSize: Int, within time: Duration, clock: WallClock = .system) {
        self.transport = transport
        self.maximumSize = maximumSize
        limit = TimeoutInterceptor(time, clock: clock)
    }

    /// Returns the response with its content in memory.
    ///
    /// - Throws: `HTTPError.timeout`, the error of content that is too large, and those of the transport.
    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await limit.intercept(request, next: Collector(transport: transport, maximumSize: maximumSize))
    }

    private struct Collector: Handler {
        let transport: any Handler
        let maximumSize: Int

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            var request = request
            // A stream, so that the size is limited while the content arrives.
            request.wantsStream = true
            var response = try await transport.respond(to: request)
            response.body = HTTPBody(try await response.body.collected(upTo: maximumSize))
            return response
        }
    }
}
