// SPDX-License-Identifier: Apache-2.0

/// An interceptor that waits for nothing: it changes a request before the rest of the chain, and the outcome after it.
///
/// One handler calls all filters that follow one another, where a chain of interceptors copies the request and suspends for each.
/// The requests to a server pass through half a dozen of them.
package protocol Filter: Interceptor {
    /// Changes a request.
    func filter(_ request: inout HTTPRequest) -> Filtering
}

/// The decision of a filter about a request.
package enum Filtering {
    /// The rest of the chain is not called: this is its response.
    case respond(HTTPResponse)
    /// The rest of the chain is called, and its outcome passed to a closure that may change it.
    case proceed((inout Outcome) -> Void)

    /// The response to a request, or the error that takes its place.
    package struct Outcome {
        /// The response; without meaning if there is an error.
        package var response: HTTPResponse
        /// The error; nil if there is a response.
        package var error: (any Error)?

        init(_ response: HTTPResponse) { self.response = response }

        init(_ error: any Error) { (response, self.error) = (HTTPResponse(status: .internalServerError), error) }

        /// Replaces an error by a response.
        package mutating func recover(by response: HTTPResponse) { (self.response, error) = (response, nil) }
    }
}

extension Filter {
    package func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await filtered(request, next: next)
    }

    /// Responds to a request as an interceptor by itself.
    package func filtered(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        try await Filtered(filters: [self], next: next).respond(to: request)
    }
}

/// Filters and the handler inside them.
struct Filtered: Handler {
    let filters: [any Filter]
    let next: any Handler

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        var completions: [(inout Filtering.Outcome) -> Void] = []
        completions.reserveCapacity(filters.count)
        var early: HTTPResponse?
        for filter in filters where early == nil {
            switch filter.filter(&request) {
            case .respond(let response): early = response
            case .proceed(let completion): completions.append(completion)
            }
        }
        var outcome: Filtering.Outcome
        if let early {
            outcome = .init(early)
        } else {
            do { outcome = .init(try await next.respond(to: request)) } catch { outcome = .init(error) }
        }
        for completion in completions.reversed() { completion(&outcome) }
        if let error = outcome.error { throw error }
        return outcome.response
    }
}
