// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension JWTAuthClient {
    /// Sends a request without a token, of whose answer only the success counts.
    ///
    /// - Throws: `RequestError` and `HTTPRequestClient.Error`.
    public nonisolated(nonsending) func send(
        _ request: Request = Request(), decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<EmptyResponse> {
        let options = SendingOptions(
            decoder: decoder, urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        return try await answer(to: try middleware()(request), options).success(decoder)
    }

    /// Sends a request without a token and reads a success.
    ///
    /// - Throws: `RequestError` and `HTTPRequestClient.Error`.
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: Request = Request(), decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<Value> {
        let options = SendingOptions(
            decoder: decoder, urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        return try await answer(to: try middleware()(request), options).success(decoder)
    }

    /// Sends a request without a token and reads a success, or what the server says instead.
    ///
    /// - Throws: `RequestError` and `HTTPRequestClient.Error`.
    public nonisolated(nonsending) func send<Value: Decodable, ServerError: Decodable>(
        _ request: Request = Request(), decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> Response<Value, ServerError> {
        let options = SendingOptions(
            decoder: decoder, urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        return try await answer(to: try middleware()(request), options).either(decoder)
    }
}
