// SPDX-License-Identifier: Apache-2.0

// The quick verbs, for a provider that was made with `quick`: one service, and routes that need no type.

extension NetworkProvider {
    /// A provider of one service.
    public static func quick(
        baseURL: URL,
        timeout: TimeInterval = 30,
        retries: Int = 3,
        rateLimit: RateLimitConfiguration? = nil,
        retryPolicy: RetryPolicy? = nil,
        jsonEncoder: JSONEncoder = JSONEncoder(),
        jsonDecoder: JSONDecoder = JSONDecoder(),
        session: (any URLSessionProtocol)? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        rateLimiter: (any RateLimiting)? = nil,
        logger: NevodLogger? = NevodLogger()
    ) -> NetworkProvider {
        let config = NetworkConfig(
            environments: [DefaultDomain.default: SimpleEnvironment(baseURL: baseURL)], timeout: timeout,
            retries: retries, rateLimit: rateLimit, jsonEncoder: jsonEncoder, jsonDecoder: jsonDecoder,
            retryPolicy: retryPolicy)
        return NetworkProvider(
            config: config, session: session, interceptor: interceptor, rateLimiter: rateLimiter, logger: logger)
    }

    /// GET, answered with JSON.
    public nonisolated(nonsending) func get<T: Decodable>(
        _ endpoint: String, query: [String: String]? = nil
    ) async throws -> T {
        try await perform(
            SimpleGetRoute<T, DefaultDomain>(endpoint: endpoint, domain: .default, queryParameters: query))
    }

    /// POST of a JSON object of text, or of nothing, answered with JSON.
    public nonisolated(nonsending) func post<T: Decodable>(
        _ endpoint: String, query: [String: String]? = nil, body: [String: String]? = nil
    ) async throws -> T {
        try await perform(
            SimplePostRoute<T, DefaultDomain>(
                endpoint: endpoint, domain: .default, queryParameters: query, bodyParameters: body))
    }

    /// POST of a value as JSON, answered with JSON.
    public nonisolated(nonsending) func post<Body: Encodable, Response: Decodable>(
        _ endpoint: String, query: [String: String]? = nil, body: Body
    ) async throws -> Response {
        try await perform(
            EncodablePostRoute<Body, Response, DefaultDomain>(
                endpoint: endpoint, domain: .default, queryParameters: query, body: body))
    }

    /// PUT of a JSON object of text, or of nothing, answered with JSON.
    public nonisolated(nonsending) func put<T: Decodable>(
        _ endpoint: String, query: [String: String]? = nil, body: [String: String]? = nil
    ) async throws -> T {
        try await perform(
            SimplePutRoute<T, DefaultDomain>(
                endpoint: endpoint, domain: .default, queryParameters: query, bodyParameters: body))
    }

    /// PUT of a value as JSON, answered with JSON.
    public nonisolated(nonsending) func put<Body: Encodable, Response: Decodable>(
        _ endpoint: String, query: [String: String]? = nil, body: Body
    ) async throws -> Response {
        try await perform(
            EncodablePutRoute<Body, Response, DefaultDomain>(
                endpoint: endpoint, domain: .default, queryParameters: query, body: body))
    }

    /// PATCH of a value as JSON, answered with JSON.
    public nonisolated(nonsending) func patch<Body: Encodable, Response: Decodable>(
        _ endpoint: String, query: [String: String]? = nil, body: Body
    ) async throws -> Response {
        try await perform(
            EncodablePatchRoute<Body, Response, DefaultDomain>(
                endpoint: endpoint, domain: .default, queryParameters: query, body: body))
    }

    /// DELETE, answered with JSON.
    public nonisolated(nonsending) func delete<T: Decodable>(_ endpoint: String) async throws -> T {
        try await perform(SimpleDeleteRoute<T, DefaultDomain>(endpoint: endpoint, domain: .default))
    }
}
