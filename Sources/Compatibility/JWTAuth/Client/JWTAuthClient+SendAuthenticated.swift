// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension JWTAuthClient {
    /// Sends a request with the session's token, of whose answer only the success counts.
    ///
    /// - Throws: What the other overloads throw.
    public nonisolated(nonsending) func sendAuthenticated(
        _ request: Request = Request(), refreshExpiredToken: Bool = true, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<EmptyResponse> {
        let options = SendingOptions(
            decoder: decoder, urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        let request = try middleware()(request)
        return try await authenticatedAnswer(to: request, refreshing: refreshExpiredToken, options).success(decoder)
    }

    /// Sends a request with the session's token and reads a success.
    ///
    /// The token is renewed before, where that is due; and where the server refuses it, renewed and the request sent once
    /// more.
    ///
    /// - Parameters:
    ///   - request: What is sent.
    ///   - refreshExpiredToken: Whether the token may be renewed. Without it, it is sent as it is.
    ///   - decoder: Reads the content.
    ///   - urlSession: What sends it; nil is the core's transport.
    ///   - cachePolicy: For a session of the program's own; the core's transport keeps no answers.
    ///   - timeoutInterval: How many seconds one transfer may take.
    ///   - middleware: What else is done to the request.
    /// - Throws: `AuthTokens.Error`, what the refresh threw, `KeychainError`, `RequestError`, and
    ///   `HTTPRequestClient.Error`.
    public nonisolated(nonsending) func sendAuthenticated<Value: Decodable>(
        _ request: Request = Request(), refreshExpiredToken: Bool = true, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<Value> {
        let options = SendingOptions(
            decoder: decoder, urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        let request = try middleware()(request)
        return try await authenticatedAnswer(to: request, refreshing: refreshExpiredToken, options).success(decoder)
    }

    /// Sends a request with the session's token and reads a success, or what the server says instead.
    ///
    /// - Throws: What the other overloads throw.
    public nonisolated(nonsending) func sendAuthenticated<Value: Decodable, ServerError: Decodable>(
        _ request: Request = Request(), refreshExpiredToken: Bool = true, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> Response<Value, ServerError> {
        let options = SendingOptions(
            decoder: decoder, urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        let request = try middleware()(request)
        return try await authenticatedAnswer(to: request, refreshing: refreshExpiredToken, options).either(decoder)
    }
}
