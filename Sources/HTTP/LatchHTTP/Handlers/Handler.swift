// SPDX-License-Identifier: Apache-2.0

/// A type that responds to requests: transports, routers, clients and fakes are all handlers.
public protocol Handler: Sendable {
    /// Returns the response to `request`.
    ///
    /// - Throws: `HTTPError` without a response. An unsuccessful status is not an error.
    func respond(to request: HTTPRequest) async throws -> HTTPResponse
}

/// A handler that calls a closure.
///
/// ```swift
/// let fake = ClosureHandler { _ in HTTPResponse(status: .noContent) }
/// ```
public struct ClosureHandler: Handler {
    private let body: @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// Creates a handler that calls `body`.
    public init(_ body: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) { self.body = body }

    /// Calls the closure.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse { try await body(request) }
}

/// A transport that does not deliver trailers, such as the one for Apple platforms.
package protocol TrailerlessTransport: Handler {}
