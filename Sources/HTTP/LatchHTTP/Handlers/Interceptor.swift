// SPDX-License-Identifier: Apache-2.0

/// A step around a handler, the same on the client and on the server.
///
/// Interceptors nest: the first of a list sees the request first and the response last. So what they add to a request
/// is added from the first to the last, and of those that ask again the last one asks first.
///
/// The order that is right for most clients (Documentation/Decisions/0014):
///
/// 1. `TraceInterceptor`, so that the log knows the trace;
/// 2. `LoggingInterceptor` and `MetricsInterceptor`: one line and one count for each request, whatever it takes. A
///    second one inside of the retry sees each attempt;
/// 3. `FieldsInterceptor`;
/// 4. `TimeoutInterceptor`, for everything from here on;
/// 5. `IdempotencyInterceptor`, so that all attempts carry one key;
/// 6. `RetryInterceptor`;
/// 7. `RateLimitInterceptor`, since a server counts each attempt;
/// 8. what carries a credential, such as LatchAuth's `SessionInterceptor`: it renews after a 401 within one attempt.
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
