// SPDX-License-Identifier: Apache-2.0

/// A middleware around a handler, the same on the client and on the server.
///
/// Interceptors nest: the first one sees the request first and the response last. Changes to a request are therefore
/// applied from the first to the last interceptor, and retries start at the last one.
///
/// The recommended order for most clients (Documentation/Decisions/0014):
///
/// 1. `TraceInterceptor`, so that the log contains the trace.
/// 2. `LoggingInterceptor` and `MetricsInterceptor`, which log and count each request once, regardless of its attempts.
/// A second one inside the retry sees each attempt.
/// 3. `HeaderInterceptor`.
/// 4. `TimeoutInterceptor`, for everything after it.
/// 5. `IdempotencyInterceptor`, so that all attempts carry one key.
/// 6. `RetryInterceptor`.
/// 7. `RateLimitInterceptor`, since a server counts each attempt.
/// 8. An interceptor that adds a credential, such as LatchAuth's `SessionInterceptor`. It refreshes its token after a
/// 401 within one attempt.
public protocol Interceptor: Sendable {
    /// Responds to `request`, usually by calling `next`.
    ///
    /// It may change the request before the call and the response after it.
    func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse
}

/// An interceptor that calls a closure.
public struct ClosureInterceptor: Interceptor {
    private let body: @Sendable (HTTPRequest, any Handler) async throws -> HTTPResponse

    /// Creates an interceptor that calls `body`.
    public init(_ body: @escaping @Sendable (HTTPRequest, any Handler) async throws -> HTTPResponse) {
        self.body = body
    }

    /// Calls the closure.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await body(request, next)
    }
}

extension Handler {
    /// The rules by which a server receives the content of this handler's requests; empty for most handlers.
    package var contentPolicy: ContentPolicy {
        (self as? any ContentPolicyHandler)?.contentPolicy ?? ContentPolicy()
    }

    /// Returns this handler behind `interceptors`, outermost first.
    public func intercepted(by interceptors: [any Interceptor]) -> any Handler {
        interceptors.isEmpty ? self : RequestModifierHandler(transport: self).nested(in: interceptors)
    }

    /// Returns this handler behind `interceptors`, without applying request modifiers.
    ///
    /// It is for a handler that applies them itself or never receives any, as on a server.
    package func nested(in interceptors: [any Interceptor]) -> any Handler {
        interceptors.reversed().reduce(self as any Handler) { next, interceptor in
            if let filter = interceptor as? any Filter {
                Filtered(filter, next: next)
            } else {
                Intercepted(interceptor: interceptor, next: next)
            }
        }
    }
}

/// One interceptor and its inner handler, so that a whole chain is a handler again.
private struct Intercepted: ContentPolicyHandler {
    let interceptor: any Interceptor
    let next: any Handler

    var contentPolicy: ContentPolicy { next.contentPolicy }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await interceptor.intercept(request, next: next)
    }
}
