// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A function that changes a request.
public typealias RequestMiddleware = @Sendable (Request) throws -> Request

/// A middleware that changes nothing.
public let identity: RequestMiddleware = { $0 }

/// Changes a copy of the request.
private func changing(_ change: @escaping @Sendable (inout Request) throws -> Void) -> RequestMiddleware {
    { request in
        var request = request
        try change(&request)
        return request
    }
}

/// Replaces the path.
public func path(_ path: Path) -> RequestMiddleware { changing { $0.path = path } }

/// Appends the fragments of a path after the request's own.
public func pathAppending(_ path: Path) -> RequestMiddleware { changing { $0.path = $0.path.appending(path) } }

/// Appends the description of a value as one more fragment.
@_disfavoredOverload
public func pathAppending(_ fragment: some CustomStringConvertible & Sendable) -> RequestMiddleware {
    changing { $0.path = $0.path.appending(fragment) }
}

/// Replaces a header field; names are compared without case.
public func header(key: String, value: String) -> RequestMiddleware { { $0.header(key, value) } }

/// Replaces the method.
public func method(_ method: Method) -> RequestMiddleware { changing { $0.method = method } }

/// Replaces the content with a value in JSON.
///
/// It is sent if the final method allows content.
public func body(_ content: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> RequestMiddleware {
    { try $0.body(content, encoder: encoder) }
}

/// Replaces the content with bytes.
public func body(data: Data) -> RequestMiddleware { { $0.body(data: data) } }

/// Replaces the query with pairs, sorted by name.
public func queries(_ content: [String: String]) -> RequestMiddleware {
    queries(content.sorted { $0.key < $1.key }.map { QueryItem(name: $0.key, value: $0.value) })
}

/// Replaces the query with pairs, in this order.
public func queries(_ items: [QueryItem]) -> RequestMiddleware { changing { $0.queryItems = items } }

/// Adds a bearer token (RFC 6750 §2.1); `sendAuthenticated` sends the session's token instead.
public func bearerAuth(_ token: String) -> RequestMiddleware { header(key: "Authorization", value: "Bearer \(token)") }

/// Adds a user name and a password (RFC 7617 §2).
public func basicAuth(username: String, password: String) -> RequestMiddleware {
    let credentials = Data("\(username):\(password)".utf8).base64EncodedString()
    return header(key: "Authorization", value: "Basic \(credentials)")
}

/// Builds a middleware that applies several in order.
///
/// ```swift
/// @RequestBuilder
/// func editUser(_ id: Int) -> RequestMiddleware {
///     "/users/\(id)"
///     Method.put
///     header(key: "Accept", value: "application/json")
/// }
/// ```
@resultBuilder
public enum RequestBuilder {
    /// Applies all of them in order.
    public static func buildBlock(_ components: RequestMiddleware...) -> RequestMiddleware { buildArray(components) }

    /// Applies all of them in order.
    public static func buildArray(_ components: [RequestMiddleware]) -> RequestMiddleware {
        { request in try components.reduce(request) { try $1($0) } }
    }

    /// Returns the middleware unchanged.
    public static func buildExpression(_ middleware: @escaping RequestMiddleware) -> RequestMiddleware { middleware }

    /// Replaces the request's path.
    public static func buildExpression(_ newPath: Path) -> RequestMiddleware { path(newPath) }

    /// Replaces the request's method.
    public static func buildExpression(_ newMethod: Method) -> RequestMiddleware { method(newMethod) }

    /// Returns the middleware of an `if`, or one that changes nothing.
    public static func buildOptional(_ component: RequestMiddleware?) -> RequestMiddleware { component ?? identity }

    /// Takes the branch of an `if` whose condition holds.
    public static func buildEither(first component: @escaping RequestMiddleware) -> RequestMiddleware { component }

    /// Takes the other branch of an `if`.
    public static func buildEither(second component: @escaping RequestMiddleware) -> RequestMiddleware { component }

    /// Returns the middleware behind an `#available`.
    public static func buildLimitedAvailability(_ component: @escaping RequestMiddleware) -> RequestMiddleware {
        component
    }
}

/// A middleware that makes the request a GET.
public let getRequest = method(.get)

/// A middleware that sets the content type to JSON.
public let jsonContentRequest = header(key: "Content-Type", value: "application/json; charset=utf-8")

/// A middleware that accepts JSON.
public let acceptRequest = header(key: "Accept", value: "application/json; charset=utf-8")

/// A middleware that sets the content type to JSON and accepts JSON.
@RequestBuilder public var jsonRequest: RequestMiddleware {
    jsonContentRequest
    acceptRequest
}

/// Returns a middleware that makes a JSON request with a method, and then applies another middleware.
private func json(_ newMethod: Method, _ next: @escaping RequestMiddleware = identity) -> RequestMiddleware {
    RequestBuilder.buildBlock(method(newMethod), jsonRequest, next)
}

/// A middleware that makes the request a JSON POST.
public var postRequest: RequestMiddleware { json(.post) }

/// A middleware that makes the request a JSON PUT.
public var putRequest: RequestMiddleware { json(.put) }

/// A middleware that makes the request a JSON PATCH.
public var patchRequest: RequestMiddleware { json(.patch) }

/// A middleware that makes the request a JSON DELETE.
public var deleteRequest: RequestMiddleware { json(.delete) }

/// Changes the method to POST, and the content to a value that `encoder` writes as JSON.
public func post(_ payload: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> RequestMiddleware {
    json(.post, body(payload, encoder: encoder))
}

/// Returns a middleware that makes the request a POST of bytes.
public func post(data: Data) -> RequestMiddleware { json(.post, body(data: data)) }

/// Changes the method to PUT, and the content to a value that `encoder` writes as JSON.
public func put(_ payload: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> RequestMiddleware {
    json(.put, body(payload, encoder: encoder))
}

/// Returns a middleware that makes the request a PUT of bytes.
public func put(data: Data) -> RequestMiddleware { json(.put, body(data: data)) }

/// Changes the method to PATCH, and the content to a value that `encoder` writes as JSON.
public func patch(_ payload: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> RequestMiddleware {
    json(.patch, body(payload, encoder: encoder))
}

/// Returns a middleware that makes the request a PATCH of bytes.
public func patch(data: Data) -> RequestMiddleware { json(.patch, body(data: data)) }

/// Changes the method to DELETE, and the content to a value that `encoder` writes as JSON.
public func delete(_ payload: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> RequestMiddleware {
    json(.delete, body(payload, encoder: encoder))
}

/// Returns a middleware that makes the request a DELETE of bytes.
public func delete(data: Data) -> RequestMiddleware { json(.delete, body(data: data)) }
