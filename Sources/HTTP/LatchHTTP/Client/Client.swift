// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// A client that performs routes relative to a base URL, through interceptors and over a transport.
///
/// ```swift
/// let client = Client(baseURL: url, interceptors: [RetryInterceptor()])
/// let user = try await client.perform(.get("users/me", as: User.self))
/// ```
///
/// The transport can be any handler: with a router as the transport, the same code runs without a socket.
public struct Client: Handler {
    /// The base URL, or the error that the first request throws.
    private let baseURL: Result<BaseURL, HTTPError>
    private let fields: HTTPFields
    let timeout: Duration?
    /// The interceptors, then the redirect follower, then the transport.
    private let pipeline: any Handler
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// Creates a client.
    ///
    /// An invalid base URL is reported by the first request.
    ///
    /// - Parameters:
    ///   - baseURL: The URL that the routes' paths are relative to; its path and query are kept.
    ///   - transport: The handler that sends the requests.
    ///   - interceptors: The interceptors around the transport, outermost first.
    ///   - fields: The header fields of every request that does not set them.
    ///   - allowingInsecureHTTP: The hosts that may be contacted over plain http.
    ///   - redirects: The limits of following redirects. Interceptors see the request before all redirects and the
    ///     response after them. So a credential is only issued for the origin of the original request.
    ///   - timeout: The maximum duration of one transfer; nil uses the transport's. For a stream without an
    ///     ``HTTPRequest/idleTimeout`` it is the time without progress. `TimeoutInterceptor` limits the whole duration
    ///     of both.
    ///   - encoder: The encoder of the routes' JSON content.
    ///   - decoder: The decoder of JSON responses.
    public init(
        baseURL: URL,
        transport: any Handler = Transport.live,
        interceptors: [any Interceptor] = [],
        fields: HTTPFields = [:],
        allowingInsecureHTTP: InsecureHTTP = .loopbackOnly,
        redirects: RedirectPolicy = RedirectPolicy(),
        timeout: Duration? = nil,
        encoder: JSONEncoder = JSONEncoder(),
        decoder: JSONDecoder = JSONDecoder()
    ) {
        self.baseURL = Result { () throws(HTTPError) in try BaseURL(baseURL) }
        self.fields = fields
        self.timeout = timeout
        self.encoder = encoder
        self.decoder = decoder
        pipeline = RedirectFollower(transport: transport, policy: redirects, insecure: allowingInsecureHTTP)
            .nested(in: interceptors)
    }

    /// Creates the request for a path under the base URL.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - path: The path relative to the base URL, with or without a leading slash; it is percent-encoded where
    ///     necessary. A value that is interpolated into a literal stays within its path segment.
    ///   - query: The query parameters, which are percent-encoded.
    ///   - fields: The header fields; each of the client's fields is added unless one here has the same name.
    ///   - body: The content of the request.
    /// - Throws: `HTTPError.invalidURL` if the path would lead out of the base.
    public func request(
        _ method: HTTPMethod = .get, _ path: RoutePath, query: [(String, String)] = [], fields: HTTPFields = [:],
        body: HTTPBody = .empty
    ) throws(HTTPError) -> HTTPRequest {
        let base = try baseURL.get()
        var request = HTTPRequest(
            method: method, scheme: base.scheme, authority: base.authority,
            path: try base.target(path, query: query), fields: fields, body: body)
        for line in self.fields where fields[line.name] == nil { request.fields.append(line.value, for: line.name) }
        if let timeout { request.limits.usual = timeout }
        request.template = base.template(of: path)
        return request
    }

    /// Sends a request through the interceptors without applying the client's header fields and base URL.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await pipeline.respond(to: request)
    }

    /// Performs a route and returns its decoded response.
    ///
    /// - Throws: `HTTPError.unacceptableStatus`, which carries the response, if the route expects another status.
    ///   `HTTPError.undecodable` if it expects other content. The errors of the interceptors and the transport are also
    ///   thrown.
    public func perform<Response>(_ route: Route<Response>) async throws -> Response {
        let request = try request(for: route)
        let response = try await pipeline.respond(to: request)
        do {
            return try await route.decode(response, decoder)
        } catch let error as HTTPError where error == .unacceptableStatus {
            throw error.naming(request)
        }
    }

    /// Creates the request of a route, with its content and the client's header fields.
    ///
    /// - Throws: `HTTPError.invalidURL` and `HTTPError.unencodable`.
    public func request<Response>(for route: Route<Response>) throws -> HTTPRequest {
        var fields = route.fields
        let content = try route.content.encoded(by: encoder)
        if let mediaType = content.mediaType, fields[.contentType] == nil { fields[.contentType] = mediaType }
        if let accept = route.accept, fields[.accept] == nil { fields[.accept] = accept }
        var request = try request(route.method, route.path, query: route.query, fields: fields, body: content.body)
        request.context = route.context
        var limits = route.limits
        limits.usual = timeout
        if !limits.isEmpty { request.limits = limits }
        return request
    }
}

extension Client {
    /// Performs a route of an API that describes its failures, and returns either result.
    ///
    /// ```swift
    /// switch try await client.result(of: .get("users/7", as: User.self), failure: ProblemDetails.self) {
    /// case .success(let user, _): show(user)
    /// case .failure(let problem, let response): show(problem.title, response.status)
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - route: The route to perform.
    ///   - failure: The type of the content of an unsuccessful response.
    /// - Throws: `HTTPError.unacceptableStatus`, which carries the response, if the content cannot be decoded as
    ///   `failure`. The errors of `perform` are also thrown.
    public func result<Response, Failure: Decodable & Sendable>(
        of route: Route<Response>, failure: Failure.Type
    ) async throws -> APIResult<Response, Failure> {
        let request = try request(for: route)
        let response = try await pipeline.respond(to: request)
        do {
            return .success(try await route.decode(response, decoder), response)
        } catch let error as HTTPError where error == .unacceptableStatus {
            guard let response = error.response,
                let failure = try? decoder.decode(Failure.self, from: Data(response.body.bytes))
            else { throw error.naming(request) }
            return .failure(failure, response)
        }
    }

    /// Performs a route and throws the failure that the API describes.
    ///
    /// ```swift
    /// do { try await client.perform(.delete("users/7"), throwing: ProblemDetails.self) }
    /// catch let problem as ProblemDetails { show(problem.detail) }
    /// ```
    ///
    /// - Throws: A `Failure`, and the errors of ``result(of:failure:)``.
    public func perform<Response, Failure: Error & Decodable>(
        _ route: Route<Response>, throwing failure: Failure.Type
    ) async throws -> Response {
        try await result(of: route, failure: failure).get()
    }
}

/// The hosts that a client may contact over plain http, which an attacker on the network can read and change.
public enum InsecureHTTP: Sendable, Hashable {
    /// Only this machine itself.
    case loopbackOnly
    /// Any host. Credentials and content travel unprotected.
    case anyHostWithoutEncryption

    /// Whether a request may go to `origin`; https is always allowed.
    package func allows(_ origin: HTTPOrigin) -> Bool {
        origin.scheme == "https" || self == .anyHostWithoutEncryption || origin.isLoopback
    }
}
