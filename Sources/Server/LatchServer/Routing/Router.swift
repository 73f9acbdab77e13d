// SPDX-License-Identifier: Apache-2.0

/// A handler that passes each request to the endpoint for its method and path.
///
/// ```swift
/// var router = Router(interceptors: [RequestIDInterceptor(), ProblemInterceptor()])
/// router.get("/notes/{id}") { request in
///     try await notes.note(request.pathParameter("id", as: Int.self))      // an Encodable value, sent as JSON
/// }
/// router.post("/notes") { request in
///     try .json(encoding: await notes.add(request.json(as: NewNote.self)), status: .created)
/// }
/// let server = Server(handler: router)      // or: Client(baseURL: url, transport: router)
/// ```
///
/// A pattern is a path whose segments are literal or `{name}`; the last one can be `{name...}`. A parameter matches one
/// non-empty segment, decoded. `{name...}` matches the rest of the path, even an empty one. So `/files/{path...}`
/// matches `/files/` and `/files/a/b`, but not `/files`.
///
/// If several patterns match, a literal segment precedes a parameter, and a parameter precedes the rest. An endpoint of
/// the request's method precedes those of other methods. Segments are compared by their bytes in UTF-8, and dot
/// segments match only literally.
///
/// An unknown path results in 404, and a known path with another method in 405 and `Allow`. The `GET` endpoint serves
/// `HEAD` without its content. `OPTIONS` returns `Allow`.
public struct Router: Handler, ImmediateHandler, ContentPolicyHandler {
    /// The handling of a path that differs from a pattern only by a slash at its end.
    public enum TrailingSlash: Sendable {
        /// The paths are different: 404.
        case significant
        /// The endpoint responds.
        case ignored
        /// A redirect leads to the path of the pattern, with status 308, which keeps method and content (RFC 9110
        /// §15.4.9).
        case redirected
    }

    private var table = RouteTable()
    private let interceptors: [any Interceptor]
    private let trailingSlash: TrailingSlash

    /// Creates a router without endpoints.
    ///
    /// - Parameters:
    ///   - interceptors: The interceptors of every endpoint and of the router's own responses, the outermost first.
    ///     They see the request after it was matched, with its path parameters.
    ///   - trailingSlash: The rule for all endpoints, including those of groups and of merged routers.
    public init(interceptors: [any Interceptor] = [], trailingSlash: TrailingSlash = .significant) {
        (self.interceptors, self.trailingSlash) = (interceptors, trailingSlash)
    }

    /// The methods and patterns of all endpoints.
    package var routes: [(method: HTTPMethod, pattern: String)] {
        table.routes.map { (method: $0.method, pattern: $0.pattern.text) }
    }

    /// Returns the endpoints that have a description of a type.
    package func described<Description>(
        by type: Description.Type = Description.self
    ) -> [(method: HTTPMethod, pattern: String, description: Description)] {
        table.routes.compactMap { route in
            (route.description as? Description).map { (route.method, route.pattern.text, $0) }
        }
    }

    /// The rules of the endpoints' handlers, at the paths where they are mounted.
    package var contentPolicy: ContentPolicy {
        var policy = table.routes.reduce(ContentPolicy()) { policy, route in
            policy.merging(route.handler.handler.contentPolicy.mounted(at: route.patternText))
        }
        policy.rule = table.contentRule(trailingSlash)
        return policy
    }

    /// Adds an endpoint; it replaces an earlier one with the same method and pattern.
    public mutating func on(_ method: HTTPMethod, _ pattern: String, handledBy handler: any Handler) {
        table.insert(handler.nested(in: interceptors), method: method, pattern: RoutePattern(pattern))
    }

    /// Adds an endpoint with a description, which stays with it in groups and merged routers.
    package mutating func on(
        _ method: HTTPMethod, _ pattern: String, describedBy description: some Sendable, handledBy handler: any Handler
    ) {
        table.insert(
            handler.nested(in: interceptors), method: method, pattern: RoutePattern(pattern), description: description)
    }

    /// Adds a handler that lists its own routes, such as the `RPCService` of a generated service.
    ///
    /// ```swift
    /// router.on([(.get, "/notes"), (.post, "/notes")], handledBy: ClosureHandler { _ in HTTPResponse(status: .ok) })
    /// ```
    public mutating func on(_ routes: [(method: HTTPMethod, pattern: String)], handledBy handler: any Handler) {
        for route in routes { on(route.method, route.pattern, handledBy: handler) }
    }

    /// A closure that responds to a request with an `HTTPResponse`, or with content that is sent as JSON.
    public typealias Endpoint<Content> = @Sendable (HTTPRequest) async throws -> Content

    /// Adds an endpoint made of a closure.
    public mutating func on(_ method: HTTPMethod, _ pattern: String, _ body: @escaping Endpoint<HTTPResponse>) {
        on(method, pattern, handledBy: ClosureHandler(body))
    }

    /// Adds an endpoint made of a closure whose result is sent as JSON with the status 200.
    public mutating func on<Content: Encodable & Sendable>(
        _ method: HTTPMethod, _ pattern: String, _ body: @escaping Endpoint<Content>
    ) {
        on(method, pattern, handledBy: ClosureHandler { try .json(encoding: try await body($0)) })
    }

    /// Adds the endpoints that `build` adds to a separate router, below `prefix` and inside `interceptors`.
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

    /// Adds all endpoints of another router below a prefix; this router's interceptors enclose the other's.
    public mutating func merge(_ other: Router, below prefix: String = "") {
        let prefix = RoutePattern(prefix)
        for route in other.table.routes {
            let handler = route.handler.handler.nested(in: interceptors)
            table.insert(
                handler, method: route.method, pattern: prefix.appending(route.pattern),
                description: route.description)
        }
    }

    /// Returns the response of the endpoint for the request.
    public func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        var request = request
        return try await begin(&request).value()
    }

    @usableFromInline
    package func begin(_ request: inout HTTPRequest) -> EventualResponse {
        switch table.match(request, trailingSlash) {
        case .endpoint(let route, let values):
            request.context[MatchedRouteKey.self]?.pattern = route.patternText
            // Only HEAD is matched to a route of another method, GET.
            let dropsContent = route.method != request.method
            if !values.isEmpty {
                request.context[PathParameters.self] = PathParameters.Values(
                    names: route.parameterNames, values: values)
            }
            let response = route.handler.begin(&request)
            return dropsContent ? response.map { $0.response.dropContent() } : response
        case .response(let response):
            let own = ImmediateClosureHandler { _ in response }
            return NextHandler(own.nested(in: interceptors)).begin(&request)
        }
    }
}

// MARK: - Methods

extension Router {
    /// Adds a `GET` endpoint, which also serves `HEAD`.
    public mutating func get(_ pattern: String, _ body: @escaping Endpoint<HTTPResponse>) { on(.get, pattern, body) }

    /// Adds a `GET` endpoint that does not wait, which a server calls without a task.
    ///
    /// Like every handler before its first wait, the closure runs on the thread that serves its connection. Its
    /// task-local values may be another request's, so it must not read them.
    public mutating func getImmediately(
        _ pattern: String, _ body: @escaping @Sendable (HTTPRequest) throws -> HTTPResponse
    ) {
        on(.get, pattern, handledBy: ImmediateClosureHandler(body))
    }

    /// Adds a `GET` endpoint whose result is sent as JSON.
    public mutating func get<Content: Encodable & Sendable>(_ pattern: String, _ body: @escaping Endpoint<Content>) {
        on(.get, pattern, body)
    }

    /// Adds a `POST` endpoint.
    public mutating func post(_ pattern: String, _ body: @escaping Endpoint<HTTPResponse>) { on(.post, pattern, body) }

    /// Adds a `POST` endpoint whose result is sent as JSON.
    public mutating func post<Content: Encodable & Sendable>(_ pattern: String, _ body: @escaping Endpoint<Content>) {
        on(.post, pattern, body)
    }

    /// Adds a `PUT` endpoint.
    public mutating func put(_ pattern: String, _ body: @escaping Endpoint<HTTPResponse>) { on(.put, pattern, body) }

    /// Adds a `PUT` endpoint whose result is sent as JSON.
    public mutating func put<Content: Encodable & Sendable>(_ pattern: String, _ body: @escaping Endpoint<Content>) {
        on(.put, pattern, body)
    }

    /// Adds a `PATCH` endpoint.
    public mutating func patch(_ pattern: String, _ body: @escaping Endpoint<HTTPResponse>) {
        on(.patch, pattern, body)
    }

    /// Adds a `PATCH` endpoint whose result is sent as JSON.
    public mutating func patch<Content: Encodable & Sendable>(_ pattern: String, _ body: @escaping Endpoint<Content>) {
        on(.patch, pattern, body)
    }

    /// Adds a `DELETE` endpoint.
    public mutating func delete(_ pattern: String, _ body: @escaping Endpoint<HTTPResponse>) {
        on(.delete, pattern, body)
    }

    /// Adds a `DELETE` endpoint whose result is sent as JSON.
    public mutating func delete<Content: Encodable & Sendable>(_ pattern: String, _ body: @escaping Endpoint<Content>) {
        on(.delete, pattern, body)
    }
}

// MARK: - Files

extension Router {
    /// Adds the files of a folder below a prefix, for `GET` and `HEAD`.
    ///
    /// ```swift
    /// router.files("/assets", in: "/srv/notes/assets", cacheControl: "max-age=3600")
    /// router.files("/", in: "/srv/notes/app", fallback: "index.html")      // a single-page app
    /// ```
    ///
    /// Files are read while they are sent, with a media type by their extension and an entity tag. Conditional requests
    /// and ranges are supported (RFC 9110 §13, §14). A path that ends in a slash returns `index.html` of that folder,
    /// and a folder's path without a slash redirects there. Hidden files, except `.well-known`, are not found. Neither
    /// are files outside the folder that a link leads to. A folder is never listed.
    ///
    /// - Parameters:
    ///   - prefix: The path of the folder.
    ///   - folder: The path of the folder in the file system.
    ///   - cacheControl: The `Cache-Control` field; nil for none. Caches then guess a lifetime from the age of a file.
    ///   - fallback: The path in the folder of a file that replaces each missing one, with status 200; nil for 404.
    public mutating func files(
        _ prefix: String, in folder: String, cacheControl: String? = nil, fallback: String? = nil
    ) {
        let files = StaticFiles(folder: folder, cacheControl: cacheControl, fallback: fallback)
        let isFolder = prefix.utf8.last == 0x2F
        let pattern = RoutePattern(String(Substring(prefix.utf8.dropLast(isFolder ? 1 : 0)))).appending(
            RoutePattern("/{\(StaticFiles.parameter)...}"))
        table.insert(files.nested(in: interceptors), method: .get, pattern: pattern)
    }
}

// MARK: - Parameters

extension HTTPRequest {
    /// Returns the decoded path segment that matched `{name}` in the router's pattern.
    public func pathParameter(_ name: String) -> String? { context[PathParameters.self][name] }

    /// Converts the path segment that matched `{name}` in the router's pattern.
    ///
    /// - Throws: `ServerError.malformedRequest` if the segment does not describe a value of the type.
    public func pathParameter<Value: LosslessStringConvertible>(
        _ name: String, as type: Value.Type
    ) throws(ServerError) -> Value {
        guard let value = pathParameter(name).flatMap(Value.init) else {
            throw .malformedRequest("The path parameter '\(name)' is malformed.")
        }
        return value
    }
}

enum PathParameters: HTTPContextKey {
    /// Names and values in the order of the pattern; they are few, so a linear search is faster than a dictionary.
    struct Values: Sendable {
        /// The names of the route's pattern, shared by all of its requests.
        let names: [String]
        /// The decoded segments, as many as there are names.
        let values: [String]

        /// The value of the first parameter with a name.
        subscript(name: String) -> String? {
            guard let index = names.firstIndex(of: name), index < values.count else { return nil }
            return values[index]
        }
    }

    static var defaultValue: Values { Values(names: [], values: []) }
}

extension HTTPResponse {
    /// Turns the response to `GET` into the response to `HEAD`: with its length, without its content (RFC 9110 §9.3.2).
    mutating func dropContent() {
        if fields[.contentLength] == nil {
            // RFC 9110 §8.6: if a stream has no known length, the response to HEAD states none either.
            guard let length = body.length else { return body = HTTPBody(HTTPBodyStream(once: { nil })) }
            fields[.contentLength] = String(length)
        }
        body = .empty
    }
}
