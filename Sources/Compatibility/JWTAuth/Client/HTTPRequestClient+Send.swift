// SPDX-License-Identifier: Apache-2.0

public import Foundation
import LatchHTTP

extension HTTPRequestClient {
    /// Sends a request of Foundation's.
    ///
    /// - Returns: The content, the head, and the identifier that the server was told.
    public nonisolated(nonsending) func send(
        _ request: URLRequest, _ urlSession: (any URLSessionProtocol)? = nil
    ) async throws -> (Data, HTTPURLResponse, UUID) {
        try await answer(to: request, options(for: request, urlSession: urlSession)).parts()
    }

    /// Sends a request and reads a success.
    ///
    /// - Throws: `HTTPRequestClient.Error.badResponse` for any other status, and `.decodingError`.
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: URLRequest, decoder: JSONDecoder = JSONDecoder(), urlSession: (any URLSessionProtocol)? = nil
    ) async throws -> SuccessResponse<Value> {
        try await answer(to: request, options(for: request, urlSession: urlSession)).success(decoder)
    }

    /// Sends a request and reads a success, or what the server says instead, whatever the status.
    public nonisolated(nonsending) func send<Value: Decodable, ServerError: Decodable>(
        _ request: URLRequest, decoder: JSONDecoder = JSONDecoder(), urlSession: (any URLSessionProtocol)? = nil
    ) async throws -> Response<Value, ServerError> {
        try await answer(to: request, options(for: request, urlSession: urlSession)).either(decoder)
    }

    /// Sends a request under a base URL.
    ///
    /// - Parameter baseURL: Nil takes that of the `jwtAuthClient`.
    public nonisolated(nonsending) func send(
        _ request: Request = Request(), baseURL: String? = nil, urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> (Data, HTTPURLResponse, UUID) {
        let options = SendingOptions(urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        return try await answer(to: try middleware()(request), baseURL: try base(baseURL), options).parts()
    }

    /// Sends a request under a base URL and reads a success.
    ///
    /// - Parameter baseURL: Nil takes that of the `jwtAuthClient`.
    public nonisolated(nonsending) func send<Value: Decodable>(
        _ request: Request = Request(), baseURL: String? = nil, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> SuccessResponse<Value> {
        let options = SendingOptions(
            decoder: decoder, urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        return try await answer(to: try middleware()(request), baseURL: try base(baseURL), options).success(decoder)
    }

    /// Sends a request under a base URL and reads a success, or what the server says instead, whatever the status.
    ///
    /// - Parameter baseURL: Nil takes that of the `jwtAuthClient`.
    public nonisolated(nonsending) func send<Value: Decodable, ServerError: Decodable>(
        _ request: Request = Request(), baseURL: String? = nil, decoder: JSONDecoder = JSONDecoder(),
        urlSession: (any URLSessionProtocol)? = nil,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60,
        @RequestBuilder middleware: () throws -> RequestMiddleware = { identity }
    ) async throws -> Response<Value, ServerError> {
        let options = SendingOptions(
            decoder: decoder, urlSession: urlSession, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
        return try await answer(to: try middleware()(request), baseURL: try base(baseURL), options).either(decoder)
    }

    private func base(_ baseURL: String?) throws -> String {
        if let baseURL { return baseURL }
        return try (values ?? .current)[JWTAuthClient.self].baseURL()
    }

    private func options(for request: URLRequest, urlSession: (any URLSessionProtocol)?) -> SendingOptions {
        SendingOptions(
            urlSession: urlSession, cachePolicy: request.cachePolicy, timeoutInterval: request.timeoutInterval)
    }
}
