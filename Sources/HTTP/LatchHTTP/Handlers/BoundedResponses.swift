// SPDX-License-Identifier: Apache-2.0

/// A handler that receives complete responses within a size and a time limit.
///
/// The timeout of a stream ends a stalled stream, but not one that continues forever, a byte at a time. So the
/// transport receives the whole response.
package struct BoundedResponses: Handler {
    private let transport: any Handler
    private let maximumSize: Int
    private let time: Duration

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests.
    ///   - maximumSize: The maximum size of the content, in bytes.
    ///   - time: The time from the request to the end of its response.
    package init(_ transport: any Handler, maximumSize: Int, within time: Duration) {
        self.transport = transport
        self.maximumSize = maximumSize
        self.time = time
    }

    /// Returns the response with its content in memory; for an uninterruptible request, the transport's response is
    /// returned.
    ///
    /// - Throws: `HTTPError.timeout`, the error of content that is too large, and those of the transport.
    package func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard !request.isUninterruptible else { return try await transport.respond(to: request) }
        var request = request
        request.wantsStream = false
        request.maximumResponseBytes = maximumSize
        request.timeout = min(request.timeout ?? time, time)
        var response = try await transport.respond(to: request)
        response.body = HTTPBody(try await response.body.collected(upTo: maximumSize))
        return response
    }
}
