// SPDX-License-Identifier: Apache-2.0

/// An interceptor that waits for nothing: it changes a request before the rest of the chain, and the outcome after it.
///
/// One handler calls all filters that follow one another, where a chain of interceptors copies the request and suspends for each.
/// The requests to a server pass through half a dozen of them. That handler calls `filter(_:)` alone: an `intercept(_:next:)` of
/// a filter's own is not called within it.
package protocol Filter: Interceptor {
    /// Changes a request.
    func filter(_ request: inout HTTPRequest) -> Filtering
}

/// The decision of a filter about a request.
package enum Filtering {
    /// The rest of the chain is not called: this is its response.
    case respond(HTTPResponse)
    /// The rest of the chain is called, and its outcome passed to a closure that may change it; nil for none.
    case proceed(Completion?)

    /// A change of an outcome.
    package typealias Completion = @Sendable (inout Outcome) -> Void

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
        try await Filtered(filters: [self], next: NextHandler(next)).respond(to: request)
    }
}

/// Filters and the handler inside them.
struct Filtered: ImmediateHandler {
    let filters: [any Filter]
    let next: NextHandler

    func begin(_ request: HTTPRequest) -> EventualResponse {
        var request = request
        var completions: [Filtering.Completion] = []
        completions.reserveCapacity(filters.count)
        for filter in filters {
            switch filter.filter(&request) {
            case .respond(let response): return .ready(Self.complete(.success(response), by: completions))
            case .proceed(let completion): if let completion { completions.append(completion) }
            }
        }
        return next.begin(request).map { [completions] in Self.complete($0, by: completions) }
    }

    /// Passes the outcome through the filters that the request has passed, the innermost first.
    private static func complete(
        _ result: Result<HTTPResponse, any Error>, by completions: [Filtering.Completion]
    ) -> Result<HTTPResponse, any Error> {
        var outcome: Filtering.Outcome =
            switch result {
            case .success(let response): .init(response)
            case .failure(let error): .init(error)
            }
        for completion in completions.reversed() { completion(&outcome) }
        return outcome.error.map { .failure($0) } ?? .success(outcome.response)
    }
}
