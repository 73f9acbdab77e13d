// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// Performs routes at a base URL, through interceptors, over a transport.
///
/// ```swift
/// let client = Client(baseURL: url, interceptors: [SessionInterceptor(session)])
/// let user = try await client.perform(.get("users/me", as: User.self))
/// ```
///
/// The transport may be any handler: with a router in its place the same code runs without a socket.
public struct Client: Handler {
    /// The base URL, or why it cannot be requested: the first request says so.
    private let prefix: Result<RoutePrefix, HTTPError>
    private let fields: HTTPFields
    let timeout: Duration?
    /// Interceptors, then redirects, then the transport.
    let pipeline: any Handler
    private let encoder: JSONEncoder
    let decoder: JSONDecoder

    /// A client.
    ///
    /// A base URL that cannot be requested is reported by the first request.
    ///
    /// - Parameters:
    ///   - baseURL: Where the routes' paths begin; its own path and query are kept.
    ///   - transport: What sends the requests.
    ///   - interceptors: Steps around the transport, the first of them outermost.
    ///   - fields: Fields of every request that does not have them itself.
    ///   - allowingInsecureHTTP: Where plain http may be spoken.
    ///   - redirects: How far redirects are followed. Interceptors see the request before and the answer after all of
    ///     them, so a credential is only ever given for the origin that was asked for.
    ///   - timeout: How long one transfer may take; nil leaves it to the transport.
    ///   - encoder: Writes the JSON content of routes.
    ///   - decoder: Reads the JSON content of answers.
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
        do {
            prefix = .success(try RoutePrefix(baseURL))
        } catch {
            prefix = .failure(error)
        }
        self.fields = fields
        self.timeout = timeout
        self.encoder = encoder
        self.decoder = decoder
        pipeline = RedirectFollower(transport: transport, policy: redirects, insecure: allowingInsecureHTTP)
            .nested(in: interceptors)
    }

    /// The request for a path under the base URL.
    ///
    /// - Parameters:
    ///   - path: Relative to the base URL, with or without a slash in front; percent-encoded where it is not yet.
    ///     What is interpolated into a literal stays within its segment.
    ///   - query: Pairs that are encoded whatever they hold.
    /// - Throws: `HTTPError.invalidURL` when the path would lead out of the base.
    public func request(
        _ method: HTTPMethod = .get, _ path: RoutePath, query: [(String, String)] = [], fields: HTTPFields = [:],
        body: HTTPBody = .empty
    ) throws(HTTPError) -> HTTPRequest {
        let prefix = try prefix.get()
        var request = HTTPRequest(
            method: method, scheme: prefix.scheme, authority: prefix.authority,
            path: try prefix.target(path, query: query), fields: fields, body: body)
        for line in self.fields where fields[line.name] == nil { request.fields.append(line.value, for: line.name) }
        if let timeout { request.timeout = timeout }
        request.template = prefix.template(of: path)
        return request
    }

    /// Sends a request as it is through the interceptors; the client's own fields and base URL play no part.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try await pipeline.respond(to: request)
    }

    /// Performs a route and reads its answer.
    ///
    /// - Throws: `HTTPError.unacceptableStatus`, which carries the response, where the route expects another status,
    ///   `HTTPError.undecodable` where it expects another shape, and what the interceptors and the transport throw.
    public func perform<Answer>(_ route: Route<Answer>) async throws -> Answer {
        try await route.answer(try await pipeline.respond(to: request(for: route)), decoder)
    }

    /// The request of a route, with its content and the client's own fields.
    ///
    /// - Throws: `HTTPError.invalidURL` and `HTTPError.unencodable`.
    public func request<Answer>(for route: Route<Answer>) throws -> HTTPRequest {
        var fields = route.fields
        let content = try route.content.encoded(by: encoder)
        if let mediaType = content.mediaType, fields[.contentType] == nil { fields[.contentType] = mediaType }
        if let accept = route.accept, fields[.accept] == nil { fields[.accept] = accept }
        var request = try request(route.method, route.path, query: route.query, fields: fields, body: content.body)
        request.context = route.context
        request.timeout = route.timeout ?? timeout
        return request
    }
}
