// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
package import LatchCore
import LatchFoundationBridge
package import LatchHTTP
import Synchronization

/// A client that performs routes of the services in a configuration.
///
/// ```swift
/// let provider = NetworkProvider(config: config, interceptor: authInterceptor)
/// let user = try await provider.perform(GetUserRoute())
/// ```
///
/// It is an adapter over LatchHTTP's `Client`. A request passes the retry policy, the interceptor and the rate limiter,
/// in this order. So each attempt is adapted again, and counts against the rate limit.
public actor NetworkProvider {
    /// The configuration.
    public nonisolated let config: NetworkConfig
    /// The session whose tokens the requests carry; nil if an interceptor adds tokens, or if there are none.
    public nonisolated let session: Session<Tokens>?
    private nonisolated let transport: any Handler
    private nonisolated let retries: any Interceptor
    /// The interceptors between the session's interceptor and the transport.
    private nonisolated let interceptors: [any Interceptor]
    private nonisolated let logger: NevodLogger?
    /// The clients by base URL.
    private nonisolated let clients = Mutex<[URL: Client]>([:])

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - config: The services, and the settings of requests.
    ///   - session: The session that sends requests; nil uses LatchHTTP's transport. A `URLSession` is used with its
    ///     configuration, but the provider handles redirects, cookies and credentials.
    ///   - interceptor: The interceptor, or a chain of several.
    ///   - rateLimiter: The rate limiter; nil uses the limit of the configuration.
    ///   - logger: The logger of requests and failures, which receives no content.
    public init(
        config: NetworkConfig,
        session: (any URLSessionProtocol)? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        rateLimiter: (any RateLimiting)? = nil,
        logger: NevodLogger? = NevodLogger()
    ) {
        let transport = session.map { $0.handler } ?? ReportingTransport(transport: Transport.live)
        self.init(
            config: config, transport: transport, interceptor: interceptor, rateLimiter: rateLimiter, logger: logger,
            clock: .system)
    }

    /// Creates a provider over an existing session of the core, such as that of another client for the same account.
    ///
    /// ```swift
    /// let provider = NetworkProvider(config: config, session: session)
    /// ```
    ///
    /// All services of the configuration receive the session's access token, so name only services that belong to the
    /// account. The token is refreshed when that is due, and after a 401. All clients of the session share its
    /// refreshes, sign-ins and sign-outs. If no user is signed in, a request is not sent and fails with
    /// `NetworkError.unauthorized`.
    ///
    /// - Parameters:
    ///   - config: The services, and the settings of requests.
    ///   - session: The session, which refreshes its own tokens.
    ///   - urlSession: The session that sends requests; nil uses LatchHTTP's transport.
    ///   - interceptor: A further interceptor, or a chain of several.
    ///   - rateLimiter: The rate limiter; nil uses the limit of the configuration.
    ///   - logger: The logger of requests and failures, which receives no content.
    public init(
        config: NetworkConfig,
        session: Session<Tokens>,
        urlSession: (any URLSessionProtocol)? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        rateLimiter: (any RateLimiting)? = nil,
        logger: NevodLogger? = NevodLogger()
    ) {
        self.init(
            config: config, session: session,
            transport: urlSession.map { $0.handler } ?? ReportingTransport(transport: Transport.live),
            interceptor: interceptor, rateLimiter: rateLimiter, logger: logger, clock: .system)
    }

    /// Creates a provider over any handler, with the clock for delays.
    package init(
        config: NetworkConfig, session: Session<Tokens>? = nil, transport: any Handler = Transport.live,
        interceptor: (any RequestInterceptor)? = nil, rateLimiter: (any RateLimiting)? = nil,
        logger: NevodLogger? = nil, clock: WallClock
    ) {
        self.config = config
        self.session = session
        self.transport = transport
        self.logger = logger
        retries = config.effectiveRetryPolicy.interceptor(clock: clock)
        var interceptors: [any Interceptor] = []
        if let interceptor { interceptors.append(InterceptorBridge(interceptor: interceptor)) }
        if let limiter = rateLimiter ?? config.rateLimit.map({ RateLimiter(configuration: $0, clock: clock) }) {
            interceptors.append(PermitInterceptor(limiter: limiter))
        }
        interceptors.append(RefreshKeyInterceptor())
        self.interceptors = interceptors
    }

    /// Performs a route.
    ///
    /// - Parameters:
    ///   - route: The request and the type of its response.
    ///   - delegate: The delegate of the session task. Without a `session`, it receives only the number of bytes of the
    ///     content that were read for sending.
    public nonisolated(nonsending) func request<R: Route>(
        _ route: R, delegate: (any URLSessionTaskDelegate)? = nil
    ) async -> Result<R.Response, NetworkError> {
        do throws(NetworkError) {
            let client = client(for: try config.baseURL(for: route.domain).get())
            var request = try route.coreRequest(by: client, encoder: config.jsonEncoder, timeout: config.timeout)
            request.taskDelegate = delegate
            let response = try await send(request, by: client)
            return .success(try route.decodedResponse(response, decoder: config.jsonDecoder))
        } catch {
            await logger?.log(error, method: route.method, domain: route.domain.identifier)
            return .failure(error)
        }
    }

    /// Performs a route, and throws `NetworkError` if that fails.
    public nonisolated(nonsending) func perform<R: Route>(
        _ route: R, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> R.Response {
        try await request(route, delegate: delegate).get()
    }

    /// Sends a request, and throws unless its status is a success.
    private nonisolated func send(_ request: HTTPRequest, by client: Client) async throws(NetworkError) -> HTTPResponse
    {
        let context = RequestContext(
            origin: request.origin, allowsInsecureHTTP: config.allowsPlainHTTPToAnyHostWithoutEncryption,
            idempotencyKey: request.method == .post ? RefreshAttempt.current?.nextIdempotencyKey() : nil)
        let response: HTTPResponse
        do {
            response = try await RequestContext.$current.withValue(context) { try await client.respond(to: request) }
        } catch {
            throw NetworkError(error)
        }
        RefreshAttempt.current?.note(response, at: Date())
        if let failure = NetworkError(response, url: URL(encodingOnce: request.absoluteURL)) { throw failure }
        return response
    }

    private nonisolated func client(for baseURL: URL) -> Client {
        clients.withLock { clients in
            if let client = clients[baseURL] { return client }
            let session = session.flatMap { session in
                HTTPOrigin(baseURL).map { SessionInterceptor(session, for: .origin($0)) as any Interceptor }
            }
            let client = Client(
                baseURL: baseURL, transport: transport,
                interceptors: [retries] + [session].compactMap(\.self) + interceptors,
                allowingInsecureHTTP: config.allowsPlainHTTPToAnyHostWithoutEncryption
                    ? .anyHostWithoutEncryption : .loopbackOnly)
            clients[baseURL] = client
            return client
        }
    }
}

// MARK: - Calls without route types

extension NetworkProvider {
    /// Creates a provider for one service, which the methods below use.
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

    /// Sends a GET request, and decodes the JSON response.
    public nonisolated(nonsending) func get<T: Decodable>(
        _ endpoint: String, query: [String: String]? = nil
    ) async throws -> T {
        try await perform(
            SimpleGetRoute<T, DefaultDomain>(endpoint: endpoint, domain: .default, queryParameters: query))
    }

    /// Sends a POST request with a JSON object of strings, or without content, and decodes the JSON response.
    public nonisolated(nonsending) func post<T: Decodable>(
        _ endpoint: String, query: [String: String]? = nil, body: [String: String]? = nil
    ) async throws -> T {
        try await perform(
            SimplePostRoute<T, DefaultDomain>(
                endpoint: endpoint, domain: .default, queryParameters: query, bodyParameters: body))
    }

    /// Sends a POST request with a value as JSON, and decodes the JSON response.
    public nonisolated(nonsending) func post<Body: Encodable, Response: Decodable>(
        _ endpoint: String, query: [String: String]? = nil, body: Body
    ) async throws -> Response {
        try await perform(
            EncodablePostRoute<Body, Response, DefaultDomain>(
                endpoint: endpoint, domain: .default, queryParameters: query, body: body))
    }

    /// Sends a PUT request with a JSON object of strings, or without content, and decodes the JSON response.
    public nonisolated(nonsending) func put<T: Decodable>(
        _ endpoint: String, query: [String: String]? = nil, body: [String: String]? = nil
    ) async throws -> T {
        try await perform(
            SimplePutRoute<T, DefaultDomain>(
                endpoint: endpoint, domain: .default, queryParameters: query, bodyParameters: body))
    }

    /// Sends a PUT request with a value as JSON, and decodes the JSON response.
    public nonisolated(nonsending) func put<Body: Encodable, Response: Decodable>(
        _ endpoint: String, query: [String: String]? = nil, body: Body
    ) async throws -> Response {
        try await perform(
            EncodablePutRoute<Body, Response, DefaultDomain>(
                endpoint: endpoint, domain: .default, queryParameters: query, body: body))
    }

    /// Sends a PATCH request with a value as JSON, and decodes the JSON response.
    public nonisolated(nonsending) func patch<Body: Encodable, Response: Decodable>(
        _ endpoint: String, query: [String: String]? = nil, body: Body
    ) async throws -> Response {
        try await perform(
            EncodablePatchRoute<Body, Response, DefaultDomain>(
                endpoint: endpoint, domain: .default, queryParameters: query, body: body))
    }

    /// Sends a DELETE request, and decodes the JSON response.
    public nonisolated(nonsending) func delete<T: Decodable>(_ endpoint: String) async throws -> T {
        try await perform(SimpleDeleteRoute<T, DefaultDomain>(endpoint: endpoint, domain: .default))
    }
}

extension NetworkProvider {
    /// Uploads one file in a form by POST, and decodes the JSON response.
    public nonisolated(nonsending) func upload<T: Decodable>(
        _ endpoint: String, fieldName: String = "file", filename: String, fileData: Data, mimeType: String,
        additionalFields: [String: String] = [:]
    ) async throws -> T {
        try await perform(
            MultipartRoute<T, DefaultDomain>.uploadFile(
                endpoint: endpoint, domain: .default, fieldName: fieldName, filename: filename, fileData: fileData,
                mimeType: mimeType, additionalFields: additionalFields))
    }

    /// Uploads one image in a form by POST, and decodes the JSON response.
    public nonisolated(nonsending) func uploadImage<T: Decodable>(
        _ endpoint: String, fieldName: String = "image", filename: String, imageData: Data,
        imageType: FormDataPart.ImageType, additionalFields: [String: String] = [:]
    ) async throws -> T {
        try await perform(
            MultipartRoute<T, DefaultDomain>.uploadImage(
                endpoint: endpoint, domain: .default, fieldName: fieldName, filename: filename, imageData: imageData,
                imageType: imageType, additionalFields: additionalFields))
    }
}
