// SPDX-License-Identifier: Apache-2.0

/// Answers a request: a transport, a router, a client and a fake are all handlers.
public protocol Handler: Sendable {
    /// The response to `request`.
    ///
    /// - Throws: `HTTPError` when there is no response; an unwelcome status is a response, not an error.
    func respond(to request: HTTPRequest) async throws -> HTTPResponse
}

/// A handler made of a closure.
///
/// ```swift
/// let fake = HandlerFunction { _ in HTTPResponse(status: .noContent) }
/// ```
public struct HandlerFunction: Handler {
    private let body: @Sendable (HTTPRequest) async throws -> HTTPResponse

    /// A handler that calls `body`.
    public init(_ body: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse) { self.body = body }

    /// Calls the closure.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse { try await body(request) }
}
