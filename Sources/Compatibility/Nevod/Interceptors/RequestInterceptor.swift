// SPDX-License-Identifier: Apache-2.0

/// An interceptor that changes requests before they are sent, and decides whether failed ones are sent again.
///
/// Both methods are called for each attempt. An interceptor can repeat a request at most three times, in addition to
/// the repeats of the retry policy.
public protocol RequestInterceptor: Sendable {
    /// Returns the request to send.
    ///
    /// An added field counts as a credential, unless it is a known harmless field such as Accept. A credential is not
    /// sent to another origin after a redirect.
    func adapt(_ request: URLRequest) async throws -> URLRequest

    /// Returns whether to send the request again, after another `adapt`.
    ///
    /// - Parameters:
    ///   - request: The request that was sent.
    ///   - response: The response; nil if there was none.
    ///   - error: The error that the caller would receive.
    func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool
}

extension RequestInterceptor {
    /// Returns the request unchanged.
    public func adapt(_ request: URLRequest) async throws -> URLRequest { request }

    /// Returns false.
    public func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        false
    }
}

/// A chain of interceptors: `adapt` runs from the first to the last, `retry` from the last to the first.
///
/// The first `retry` that returns true decides, and the others are not called; an error ends the chain.
public actor InterceptorChain: RequestInterceptor {
    private let interceptors: [any RequestInterceptor]

    /// Creates a chain.
    public init(_ interceptors: [any RequestInterceptor]) { self.interceptors = interceptors }

    /// Creates a chain; the spelling of earlier versions of Nevod.
    public init(interceptors: [any RequestInterceptor]) { self.interceptors = interceptors }

    /// Returns the request after all interceptors have changed it.
    public func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        for interceptor in interceptors { request = try await interceptor.adapt(request) }
        return request
    }

    /// Returns whether an interceptor wants the request to be sent again.
    public func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        for interceptor in interceptors.reversed() {
            if try await interceptor.retry(request, response: response, error: error) { return true }
        }
        return false
    }
}

/// An interceptor that sets the same fields on each request.
public actor HeadersInterceptor: RequestInterceptor {
    private let headers: [String: String]

    /// Creates an interceptor for these fields.
    public init(headers: [String: String]) { self.headers = headers }

    /// Returns the request with the fields.
    public func adapt(_ request: URLRequest) async throws -> URLRequest {
        var request = request
        // Names that differ only in case are one field; the last one in this order takes effect.
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) {
            request.setValue(value, forHTTPHeaderField: name)
        }
        return request
    }

    /// Creates an interceptor that sets the `User-Agent` field.
    public static func userAgent(_ userAgent: String) -> HeadersInterceptor {
        HeadersInterceptor(headers: ["User-Agent": userAgent])
    }

    /// Creates an interceptor that sets the API version field.
    public static func apiVersion(_ version: String, headerName: String = "X-API-Version") -> HeadersInterceptor {
        HeadersInterceptor(headers: [headerName: version])
    }
}
