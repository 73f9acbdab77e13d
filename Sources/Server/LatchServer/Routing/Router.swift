// SPDX-License-Identifier: Apache-2.0

public import LatchHTTP

/// Finds the endpoint for a request's method and path, and is itself a handler.
///
/// ```swift
/// var router = Router(interceptors: [RequestIDInterceptor(), ProblemInterceptor()])
/// router.get("/users/{id}") { request in
///     HTTPResponse(status: .ok, body: HTTPBody("user \(request.pathParameter("id") ?? "")"))
/// }
/// let server = Server(handler: router)      // or: Client(baseURL: url, transport: router)
/// ```
///
/// A pattern is a path whose segments are literal or `{name}`. A literal segment wins over a parameter; a parameter
/// takes one segment that is not empty, decoded. What nobody answers is 404, a known path with another method is 405
/// with `Allow`; `HEAD` is answered by the `GET` endpoint without its content, `OPTIONS` with `Allow`.
public struct Router: Handler {
    /// A value, so a router that is served is never changed by one that is still being built.
    private var table = RouteTable()
    /// The first is outermost; endpoints are wrapped when they are added, not at each request.
    private let interceptors: [any Interceptor]

    /// A router without endpoints.
    ///
    /// - Parameter interceptors: Stand around every endpoint and around the answers that the router gives by itself,
    ///   the first of them outermost. They see the request after it was matched, with its path parameters.
    public init(interceptors: [any Interceptor] = []) { self.interceptors = interceptors }

    /// Adds an endpoint; a later one with the same method and pattern replaces the earlier.
    public mutating func on(_ method: HTTPMethod, _ pattern: String, handledBy handler: any Handler) {
        table.insert(handler.nested(in: interceptors), method: method, pattern: RoutePattern(pattern))
    }

    /// Adds an endpoint made of a closure.
    public mutating func on(
        _ method: HTTPMethod, _ pattern: String, _ body: @escaping @Sendable (HTTPRequest) async throws -> HTTPResponse
    ) {
        on(method, pattern, handledBy: HandlerFunction(body))
    }

    /// Adds the endpoints that `build` adds to a router of its own, below `prefix` and behind `interceptors`.
    ///
    /// ```swift
    /// router.group(prefix: "/admin", interceptors: [requireAdmin]) { admin in
    ///     admin.get("/users", listUsers)      // GET /admin/users
    /// }
    /// ```
    public mutating func group(
        prefix: String = "", interceptors: [any Interceptor] = [], _ build: (inout Router) throws -> Void
    ) rethrows {
        var inner = Router(interceptors: interceptors)
        try build(&inner)
        merge(inner, below: prefix)
    }

    /// Adds all endpoints of another router below a prefix; they keep that router's interceptors inside of ours.
    public mutating func merge(_ other: Router, below prefix: String = "") {
        let prefix = RoutePattern(prefix)
        for route in other.table.routes {
            let handler = route.handler.nested(in: interceptors)
            table.insert(handler, method: route.method, pattern: prefix.appending(route.pattern))
        }
    }

    /// Answers with the endpoint that the request names.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        switch table.match(request) {
        case .endpoint(let handler, let parameters):
            guard !parameters.isEmpty else { return try await handler.respond(to: request) }
            var request = request
            request.context[PathParameters.self] = parameters
            return try await handler.respond(to: request)
        case .endpointWithoutContent(let handler, let parameters):
            var request = request
            request.context[PathParameters.self] = parameters
            return try await handler.respond(to: request).withoutContent()
        case .answer(let response):
            let own = HandlerFunction { _ in response }
            return try await own.nested(in: interceptors).respond(to: request)
        }
    }
}

extension HTTPResponse {
    /// RFC 9110 §9.3.2: what `GET` would have answered, with its length and without its content.
    func withoutContent() -> HTTPResponse {
        var response = self
        if response.fields[.contentLength] == nil { response.fields[.contentLength] = String(body.bytes.count) }
        response.body = .empty
        return response
    }
}
