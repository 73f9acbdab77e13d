// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import LatchCore
package import LatchHTTP

/// Performs routes at the services of a configuration.
///
/// ```swift
/// let provider = NetworkProvider(config: config, interceptor: authInterceptor)
/// let user = try await provider.perform(GetUserRoute())
/// ```
///
/// It is an adapter over the core's `Client`: from the outside in, a request passes the retry policy, the interceptor,
/// and the rate limiter, so that each attempt is adapted anew and takes a place of its own.
public actor NetworkProvider {
    /// The configuration.
    public nonisolated let config: NetworkConfig
    private nonisolated let transport: any Handler
    private nonisolated let interceptors: [any Interceptor]
    private nonisolated let logger: NevodLogger?
    /// One for each base URL; a configuration has few.
    private nonisolated let clients = Mutex<[URL: Client]>([:])

    /// A provider.
    ///
    /// - Parameters:
    ///   - config: Where the services are, and how requests to them are made.
    ///   - session: What sends the requests; nil is the core's transport. A `URLSession` is used with its configuration,
    ///     except that redirects, cookies and credentials stay with the provider.
    ///   - interceptor: Changes requests and decides about failed ones; a chain for several.
    ///   - rateLimiter: Paces all attempts; nil is the limit of the configuration.
    ///   - logger: Told of requests and failures, never of what they hold.
    public init(
        config: NetworkConfig,
        session: (any URLSessionProtocol)? = nil,
        interceptor: (any RequestInterceptor)? = nil,
        rateLimiter: (any RateLimiting)? = nil,
        logger: NevodLogger? = NevodLogger()
    ) {
        let transport = session.map { $0.handler } ?? Transport.live
        self.init(
            config: config, transport: transport, interceptor: interceptor, rateLimiter: rateLimiter, logger: logger,
            clock: .system)
    }

    /// The same over any handler of the core, and with a clock by which it waits.
    package init(
        config: NetworkConfig, transport: any Handler = Transport.live, interceptor: (any RequestInterceptor)? = nil,
        rateLimiter: (any RateLimiting)? = nil, logger: NevodLogger? = nil, clock: WallClock
    ) {
        self.config = config
        self.transport = transport
        self.logger = logger
        var interceptors: [any Interceptor] = [config.effectiveRetryPolicy.interceptor(clock: clock)]
        if let interceptor { interceptors.append(InterceptorBridge(interceptor: interceptor)) }
        if let limiter = rateLimiter ?? config.rateLimit.map({ RateLimiter(configuration: $0, clock: clock) }) {
            interceptors.append(PermitInterceptor(limiter: limiter))
        }
        self.interceptors = interceptors
    }

    /// Performs a route.
    ///
    /// - Parameters:
    ///   - route: What to ask, and how to read the answer.
    ///   - delegate: Handed to a `session` of the program's own; the core's transport has no task to tell of.
    public nonisolated(nonsending) func request<R: Route>(
        _ route: R, delegate: (any URLSessionTaskDelegate)? = nil
    ) async -> Result<R.Response, NetworkError> {
        do throws(NetworkError) {
            let client = client(for: try config.baseURL(for: route.domain).get())
            var request = try route.coreRequest(by: client, encoder: config.jsonEncoder, timeout: config.timeout)
            request.taskDelegate = delegate
            let response = try await send(request, by: client)
            return .success(try route.answer(response, decoder: config.jsonDecoder))
        } catch {
            await logger?.note(error, method: route.method, domain: route.domain.identifier)
            return .failure(error)
        }
    }

    /// Performs a route, and throws `NetworkError` where that fails.
    public nonisolated(nonsending) func perform<R: Route>(
        _ route: R, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> R.Response {
        try await request(route, delegate: delegate).get()
    }

    /// The answer, where it is a success.
    private nonisolated func send(_ request: HTTPRequest, by client: Client) async throws(NetworkError) -> HTTPResponse
    {
        let exchange = Exchange(
            origin: request.origin, allowsInsecureHTTP: config.allowsPlainHTTPToAnyHostWithoutEncryption)
        let response: HTTPResponse
        do {
            response = try await Exchange.$current.withValue(exchange) { try await client.respond(to: request) }
        } catch {
            throw NetworkError(error)
        }
        if let failure = NetworkError(response, url: URL(string: request.absoluteURL)) { throw failure }
        return response
    }

    private nonisolated func client(for baseURL: URL) -> Client {
        clients.withLock { clients in
            if let client = clients[baseURL] { return client }
            let client = Client(
                baseURL: baseURL, transport: transport, interceptors: interceptors,
                allowingInsecureHTTP: config.allowsPlainHTTPToAnyHostWithoutEncryption
                    ? .anyHostWithoutEncryption : .loopbackOnly)
            clients[baseURL] = client
            return client
        }
    }
}
