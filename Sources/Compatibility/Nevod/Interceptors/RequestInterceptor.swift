// SPDX-License-Identifier: Apache-2.0

/// Changes requests before they are sent, and decides whether one that failed is sent again.
///
/// Both are called for each attempt. A request is sent again at most three times because an interceptor wants it; what
/// the retry policy does comes on top.
public protocol RequestInterceptor: Sendable {
    /// The request as it is to be sent.
    ///
    /// A field that is added here counts as a credential, unless it is a known one such as Accept: it does not follow a
    /// redirect to another origin.
    func adapt(_ request: URLRequest) async throws -> URLRequest

    /// Whether to send the request again, adapted anew.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent.
    ///   - response: What the server answered; nil where it did not.
    ///   - error: What the caller would be told.
    func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool
}

extension RequestInterceptor {
    /// Changes nothing.
    public func adapt(_ request: URLRequest) async throws -> URLRequest { request }

    /// Sends nothing again.
    public func retry(_ request: URLRequest, response: HTTPURLResponse?, error: NetworkError) async throws -> Bool {
        false
    }
}
