// SPDX-License-Identifier: Apache-2.0

/// A step around a handler, the same on the client and on the server.
///
/// Interceptors nest: the first of a list sees the request first and the response last.
public protocol Interceptor: Sendable {
    /// Answers `request`, usually by asking `next`, before which it may change the request and after which the answer.
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse
}

/// An interceptor made of a closure.
public struct InterceptorFunction: Interceptor {
    private let body: @Sendable (HTTPRequest, any Handler) async throws -> HTTPResponse

    /// An interceptor that calls `body`.
    public init(_ body: @escaping @Sendable (HTTPRequest, any Handler) async throws -> HTTPResponse) {
        self.body = body
    }

    /// Calls the closure.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await body(request, next)
    }
}

extension Handler {
    /// This handler behind `interceptors`, the first of them outermost.
    public func intercepted(by interceptors: [any Interceptor]) -> any Handler {
        interceptors.isEmpty ? self : WireSender(transport: self).nested(in: interceptors)
    }

    /// The same where this handler takes the steps of requests itself, or there never are any, as on a server.
    package func nested(in interceptors: [any Interceptor]) -> any Handler {
        interceptors.reversed().reduce(self as any Handler) { Intercepted(interceptor: $1, next: $0) }
    }
}

/// One interceptor around what is inside it, so that a whole chain is a handler again.
private struct Intercepted: Handler {
    let interceptor: any Interceptor
    let next: any Handler

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await interceptor.intercept(request, next: next)
    }
}
