// SPDX-License-Identifier: Apache-2.0

/// Several interceptors as one: `adapt` runs from the first to the last, `retry` from the last to the first.
///
/// The first `retry` that is true decides, and the others are not asked; an error ends either.
public actor InterceptorChain: RequestInterceptor {
    private let interceptors: [any RequestInterceptor]

    /// A chain.
    public init(_ interceptors: [any RequestInterceptor]) { self.interceptors = interceptors }

    /// A chain, in the spelling of the original's earlier version.
    public init(interceptors: [any RequestInterceptor]) { self.interceptors = interceptors }

    /// The request as the last one leaves it.
    public func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        for interceptor in interceptors { request = try await interceptor.adapt(request) }
        return request
    }

    /// Whether one of them wants the request to be sent again.
    public func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        for interceptor in interceptors.reversed() {
            if try await interceptor.retry(request, response: response, error: error) { return true }
        }
        return false
    }
}
