// SPDX-License-Identifier: Apache-2.0

/// A handler that responds at once where it waits for nothing, so that a server needs no task for the request.
package protocol ImmediateHandler: Handler {
    /// Begins to respond: does everything up to the first wait, on the thread of the caller.
    func begin(_ request: HTTPRequest) -> EventualResponse
}

extension ImmediateHandler {
    /// Returns the response, or waits for it.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse { try await begin(request).value() }
}

/// A response that is there, or has to be waited for.
package enum EventualResponse: Sendable {
    /// The response, or the error in its place.
    case ready(Result<HTTPResponse, any Error>)
    /// What is left to do; to be called once.
    case pending(@Sendable () async throws -> HTTPResponse)

    /// Returns the response, or waits for it.
    package func value() async throws -> HTTPResponse {
        switch self {
        case .ready(let result): try result.get()
        case .pending(let response): try await response()
        }
    }

    /// Returns the response with a change that is made once it is there.
    package func map(
        _ change: @escaping @Sendable (Result<HTTPResponse, any Error>) -> Result<HTTPResponse, any Error>
    ) -> EventualResponse {
        switch self {
        case .ready(let result): return .ready(change(result))
        case .pending(let response):
            return .pending {
                let result: Result<HTTPResponse, any Error>
                do { result = .success(try await response()) } catch { result = .failure(error) }
                return try change(result).get()
            }
        }
    }
}

/// A handler inside another one, which is asked once whether it can respond at once.
package struct NextHandler: Sendable {
    package let handler: any Handler
    private let immediate: (any ImmediateHandler)?

    package init(_ handler: any Handler) {
        self.handler = handler
        immediate = handler as? any ImmediateHandler
    }

    /// Begins to respond; a handler that may wait from its first step on has not begun yet.
    package func begin(_ request: HTTPRequest) -> EventualResponse {
        if let immediate { return immediate.begin(request) }
        return .pending { [handler] in try await handler.respond(to: request) }
    }
}

/// A handler that calls a closure which waits for nothing.
package struct ImmediateClosureHandler: ImmediateHandler {
    private let body: @Sendable (HTTPRequest) throws -> HTTPResponse

    package init(_ body: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse) { self.body = body }

    package func begin(_ request: HTTPRequest) -> EventualResponse { .ready(Result { try body(request) }) }
}

/// An interceptor that waits for nothing but the handler inside it.
package protocol ImmediateInterceptor: Interceptor {
    /// Begins to respond, as the handler inside does.
    func begin(_ request: HTTPRequest, next: NextHandler) -> EventualResponse
}

extension ImmediateInterceptor {
    package func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await begin(request, next: NextHandler(next)).value()
    }
}

/// Such an interceptor with the handler inside it.
struct ImmediatelyIntercepted: ImmediateHandler {
    let interceptor: any ImmediateInterceptor
    let next: NextHandler

    func begin(_ request: HTTPRequest) -> EventualResponse { interceptor.begin(request, next: next) }
}
