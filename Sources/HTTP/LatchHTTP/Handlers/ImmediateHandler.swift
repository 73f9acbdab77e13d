// SPDX-License-Identifier: Apache-2.0

/// A handler that responds immediately if it has nothing to wait for, so that a server needs no task for the request.
@usableFromInline
package protocol ImmediateHandler: Handler {
    /// Begins to respond: does everything up to the first wait, on the thread of the caller.
    ///
    /// - Parameter request: The request, which all handlers of a chain change in place. A copy would cost each handler
    ///   more than most of them do.
    func begin(_ request: inout HTTPRequest) -> EventualResponse

    /// The function that begins to respond; each conforming type has its own, compiled for it.
    var beginning: NextHandler.Beginning { get }
}

extension ImmediateHandler {
    @inlinable
    package var beginning: NextHandler.Beginning { { begin(&$0) } }

    /// Returns the response, or waits for it.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        return try await begin(&request).value()
    }
}

/// The response to a request, or the error instead of it.
@usableFromInline
package struct Outcome: Sendable {
    /// The response; undefined if there is an error.
    package var response: HTTPResponse
    /// The error; nil if there is a response.
    package private(set) var error: (any Error)?

    /// Creates the outcome of a request that was responded to.
    @usableFromInline
    package init(_ response: HTTPResponse) { self.response = response }

    /// Creates the outcome of a request that failed.
    package init(_ error: any Error) { (response, self.error) = (HTTPResponse(status: .internalServerError), error) }

    /// Calls a handler and records its outcome.
    package init(of body: () async throws -> HTTPResponse) async {
        do { self.init(try await body()) } catch { self.init(error) }
    }

    /// Replaces an error with a response.
    package mutating func recover(by response: HTTPResponse) { (self.response, error) = (response, nil) }

    /// Returns the response, or throws the error.
    package consuming func get() throws -> HTTPResponse {
        if let error { throw error }
        return response
    }
}

/// An outcome that is ready, or has to be waited for.
@usableFromInline
package enum EventualResponse: Sendable {
    /// The outcome.
    case ready(Outcome)
    /// The remaining work; to be called once.
    case pending(@Sendable () async -> Outcome)

    /// Returns the response, or waits for it.
    package func value() async throws -> HTTPResponse {
        switch self {
        case .ready(let outcome): try outcome.get()
        case .pending(let outcome): try await outcome().get()
        }
    }

    /// Returns the outcome with a change that is made when it is ready.
    package consuming func map(_ change: @escaping @Sendable (inout Outcome) -> Void) -> EventualResponse {
        switch consume self {
        case .ready(var outcome):
            change(&outcome)
            return .ready(outcome)
        case .pending(let pending):
            return .pending {
                var outcome = await pending()
                change(&outcome)
                return outcome
            }
        }
    }
}

/// A handler inside another one; it is checked once whether it can respond immediately.
///
/// It is a class, since each layer of a chain takes one for each request, and copying a handler itself calls the
/// runtime.
@usableFromInline
package final class NextHandler: Sendable {
    /// A function that begins to respond.
    @usableFromInline
    package typealias Beginning = @Sendable (inout HTTPRequest) -> EventualResponse

    package let handler: any Handler
    private let beginning: Beginning

    /// Creates the caller of a handler; a handler that may wait from its first step has not begun when it is called.
    @usableFromInline
    package init(_ handler: any Handler) {
        self.handler = handler
        if let immediate = handler as? any ImmediateHandler {
            beginning = immediate.beginning
        } else {
            beginning = { request in
                .pending { [request] in await Outcome { try await handler.respond(to: request) } }
            }
        }
    }

    /// Begins to respond.
    @usableFromInline
    package func begin(_ request: inout HTTPRequest) -> EventualResponse { beginning(&request) }
}

/// A handler that calls a closure which waits for nothing.
package struct ImmediateClosureHandler: ImmediateHandler {
    private let body: @Sendable (HTTPRequest) throws -> HTTPResponse

    package init(_ body: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse) { self.body = body }

    package func begin(_ request: inout HTTPRequest) -> EventualResponse {
        do { return .ready(Outcome(try body(request))) } catch { return .ready(Outcome(error)) }
    }
}
