// SPDX-License-Identifier: Apache-2.0

public import LatchFoundation

/// A typed request and its typed response.
///
/// ```swift
/// extension Route where Response == User {
///     static func user(_ id: String) -> Self { .get("users/\(id)", as: User.self) }
/// }
/// let user = try await client.perform(.user("ada"))
/// ```
///
/// The method names the route, `sending:` gives its content and `as:` the type of its response:
///
/// ```swift
/// Route.post("users", json: user, as: User.self)          // JSON both ways
/// Route.post("files", sending: .multipart(form), as: File.self)
/// Route.put("picture", sending: .bytes(png, as: "image/png"))
/// Route.request("REPORT", "usage", sending: .json(question), as: Usage.self)
/// Route.text(.get, "robots.txt")                          // text, bytes, a stream, or the unchanged response
/// Route.stream(.get, "export")
/// ```
public struct Route<Response: Sendable>: Sendable {
    package let method: HTTPMethod
    /// The path under the client's base URL.
    package let path: RoutePath
    /// The query parameters, not yet encoded.
    package var query: [(String, String)]
    /// The header fields of this request.
    package var fields: HTTPFields
    package var content: RouteContent
    /// The limits of one transfer.
    package var limits = RequestLimits()
    /// The values that travel with the request inside the process.
    package var context: HTTPContext
    /// The value of the Accept field.
    let accept: String?
    /// Decodes any response with the client's decoder, or throws.
    let decode: @Sendable (HTTPResponse, JSONDecoder) async throws -> Response

    /// Creates a route with a custom response decoder, which receives every response, with any status.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - path: The path under the client's base URL.
    ///   - query: The query parameters, not yet encoded.
    ///   - content: The content of the request.
    ///   - accept: The media types that `decode` supports, for the Accept field; nil to add none.
    ///   - decode: A function that decodes the response; it also receives the client's decoder.
    public init(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent,
        accept: String? = nil, decoding decode: @escaping @Sendable (HTTPResponse, JSONDecoder) async throws -> Response
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.content = content
        self.accept = accept
        self.decode = decode
        fields = [:]
        context = HTTPContext()
    }

    /// Creates a route with a custom response decoder that does not need the client's; it receives every response.
    public init(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [], body: HTTPBody = .empty,
        reading decode: @escaping @Sendable (HTTPResponse) async throws -> Response
    ) {
        self.init(method, path, query: query, sending: .body(body)) { response, _ in try await decode(response) }
    }

    /// Returns this route with a field that replaces the client's and the content's value.
    public func field(_ name: HTTPFieldName, _ value: String) -> Route { changed { $0.fields[name] = value } }

    /// Returns this route with limits of one transfer; nil does not change a limit.
    ///
    /// ```swift
    /// let report = Route<Void>.get("report").timeout(.seconds(120), connect: .seconds(5), idle: .seconds(20))
    /// ```
    ///
    /// - Parameters:
    ///   - total: The maximum duration, which replaces the client's; see ``HTTPRequest/timeout``. With a stream in
    ///     either direction and without `idle`, it is the maximum time without progress.
    ///   - connect: The maximum time to connect, which replaces the transport's; see ``HTTPRequest/connectTimeout``.
    ///   - idle: The maximum time without progress of the server; see ``HTTPRequest/idleTimeout``.
    public func timeout(
        _ total: Duration? = nil, connect: Duration? = nil, idle: Duration? = nil
    ) -> Route {
        changed { route in
            route.limits.total = total ?? route.limits.total
            route.limits.connect = connect ?? route.limits.connect
            route.limits.idle = idle ?? route.limits.idle
        }
    }

    /// Returns this route with a value that interceptors find in the request's context.
    public func context<Key: HTTPContextKey>(_ key: Key.Type, _ value: Key.Value) -> Route {
        changed { $0.context[key] = value }
    }

    /// Returns this route with a response whose content is streamed.
    func asStream() -> Route { changed { $0.context[WantsStreamKey.self] = true } }

    private func changed(_ change: (inout Route) -> Void) -> Route {
        var copy = self
        change(&copy)
        return copy
    }
}

// Routes with a JSON response: 2xx is success, and any other status throws `HTTPError.unacceptableStatus` with the
// response. If the response type is optional, missing content is nil: 204, 205, 304, and an empty success.

extension Route where Response: Decodable {
    /// A route of any method with a JSON response.
    public static func request(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .empty, as type: Response.Type
    ) -> Route {
        Route(method, path, query: query, sending: content, accept: RouteContent.jsonMediaType) {
            try await $0.decoded(by: $1)
        }
    }

    /// A GET route with a JSON response.
    public static func get(_ path: RoutePath, query: [(String, String)] = [], as type: Response.Type) -> Route {
        request(.get, path, query: query, as: type)
    }

    /// A DELETE route with a JSON response.
    public static func delete(_ path: RoutePath, query: [(String, String)] = [], as type: Response.Type) -> Route {
        request(.delete, path, query: query, as: type)
    }

    /// A POST route with a JSON response.
    public static func post(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent = .empty,
        as type: Response.Type
    ) -> Route {
        request(.post, path, query: query, sending: content, as: type)
    }

    /// A PUT route with a JSON response.
    public static func put(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent, as type: Response.Type
    ) -> Route {
        request(.put, path, query: query, sending: content, as: type)
    }

    /// A PATCH route with a JSON response.
    public static func patch(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent, as type: Response.Type
    ) -> Route {
        request(.patch, path, query: query, sending: content, as: type)
    }

    /// A POST route with JSON content and a JSON response.
    public static func post(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable, as type: Response.Type
    ) -> Route {
        request(.post, path, query: query, sending: .json(json), as: type)
    }

    /// A PUT route with JSON content and a JSON response.
    public static func put(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable, as type: Response.Type
    ) -> Route {
        request(.put, path, query: query, sending: .json(json), as: type)
    }

    /// A PATCH route with JSON content and a JSON response.
    public static func patch(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable, as type: Response.Type
    ) -> Route {
        request(.patch, path, query: query, sending: .json(json), as: type)
    }
}

// Routes that only check the status: 2xx is success, and any other status throws `HTTPError.unacceptableStatus`.

extension Route where Response == Void {
    /// A route of any method that ignores the response's content.
    public static func request(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .empty
    ) -> Route {
        Route(method, path, query: query, sending: content) { response, _ in try await response.checkSuccess() }
    }

    /// A GET route that ignores the response's content.
    public static func get(_ path: RoutePath, query: [(String, String)] = []) -> Route {
        request(.get, path, query: query)
    }

    /// A HEAD route, which requests the response of GET without its content.
    public static func head(_ path: RoutePath, query: [(String, String)] = []) -> Route {
        request(.head, path, query: query)
    }

    /// A DELETE route that ignores the response's content.
    public static func delete(_ path: RoutePath, query: [(String, String)] = []) -> Route {
        request(.delete, path, query: query)
    }

    /// A POST route that ignores the response's content.
    public static func post(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent = .empty
    ) -> Route {
        request(.post, path, query: query, sending: content)
    }

    /// A PUT route that ignores the response's content.
    public static func put(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent
    ) -> Route {
        request(.put, path, query: query, sending: content)
    }

    /// A PATCH route that ignores the response's content.
    public static func patch(
        _ path: RoutePath, query: [(String, String)] = [], sending content: RouteContent
    ) -> Route {
        request(.patch, path, query: query, sending: content)
    }

    /// A POST route with JSON content that ignores the response's content.
    public static func post(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable
    ) -> Route {
        request(.post, path, query: query, sending: .json(json))
    }

    /// A PUT route with JSON content that ignores the response's content.
    public static func put(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable
    ) -> Route {
        request(.put, path, query: query, sending: .json(json))
    }

    /// A PATCH route with JSON content that ignores the response's content.
    public static func patch(
        _ path: RoutePath, query: [(String, String)] = [], json: any Encodable & Sendable
    ) -> Route {
        request(.patch, path, query: query, sending: .json(json))
    }
}

// Routes whose response is returned without decoding.

extension Route where Response == HTTPResponse {
    /// A route of any method that returns the response unchanged, with any status.
    public static func raw(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .empty
    ) -> Route {
        Route(method, path, query: query, sending: content) { response, _ in response }
    }

    /// Returns this route with a response that is returned with its head, and whose content is a stream.
    ///
    /// ```swift
    /// let response = try await client.perform(.raw(.get, "export").streamed())
    /// print(response.status, response.fields["Content-Type"] ?? "")
    /// for try await chunk in response.body.chunks { print(chunk.count) }
    /// ```
    ///
    /// The response may have any status: `requireSuccess()` throws if it is not a success. The transfer lasts until the
    /// stream is read to its end or released, as with ``stream(_:_:query:sending:)``.
    public func streamed() -> Route { asStream() }
}

extension Route where Response == [UInt8] {
    /// A route of any method that returns the content of a successful response as bytes.
    public static func bytes(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .empty
    ) -> Route {
        Route(method, path, query: query, sending: content) { response, _ in
            try await response.checkSuccess()
            return try await response.collected().body.bytes
        }
    }
}

extension Route where Response == String {
    /// A route of any method that returns the content of a successful response as text, which must be UTF-8.
    public static func text(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .empty
    ) -> Route {
        Route(method, path, query: query, sending: content) { response, _ in
            try await response.checkSuccess()
            let response = try await response.collected()
            guard let text = response.body.text else {
                throw HTTPError.undecodable("it is not UTF-8 text.", response: response)
            }
            return text
        }
    }
}

extension Route where Response == HTTPBodyStream {
    /// A route of any method that returns the content of a successful response as a stream.
    ///
    /// The transfer lasts until the stream is read to its end or released, and the timeout limits the time without
    /// progress. The deadline of a `TimeoutInterceptor` applies to the whole transfer. So does a timeout that is set
    /// together with an idle timeout. For the status and the fields of the response, use ``raw(_:_:query:sending:)``
    /// and ``streamed()``.
    public static func stream(
        _ method: HTTPMethod, _ path: RoutePath, query: [(String, String)] = [],
        sending content: RouteContent = .empty
    ) -> Route {
        Route(method, path, query: query, sending: content) { response, _ in
            try await response.checkSuccess()
            return response.body.chunks
        }
        .asStream()
    }
}
