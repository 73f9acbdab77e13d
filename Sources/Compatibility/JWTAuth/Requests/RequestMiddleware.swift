// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Makes another request of a request.
public typealias RequestMiddleware = @Sendable (Request) throws -> Request

/// Leaves the request as it is.
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

/// Adds a path behind the one that is there.
public func pathAppending(_ path: Path) -> RequestMiddleware { changing { $0.path = $0.path.appending(path) } }

/// Adds one fragment behind the path that is there.
@_disfavoredOverload
public func pathAppending(_ fragment: some CustomStringConvertible & Sendable) -> RequestMiddleware {
    changing { $0.path = $0.path.appending(fragment) }
}

/// Replaces a header field, whichever case its name is written in.
public func header(key: String, value: String) -> RequestMiddleware { { $0.header(key, value) } }

/// Replaces the method.
public func method(_ method: Method) -> RequestMiddleware { changing { $0.method = method } }

/// Replaces the content by a value in JSON.
///
/// Whether it is sent is decided by the method that the request has in the end.
public func body(_ content: some Encodable & Sendable, encoder: JSONEncoder = JSONEncoder()) -> RequestMiddleware {
    { try $0.body(content, encoder: encoder) }
}

/// Replaces the content by bytes.
public func body(data: Data) -> RequestMiddleware { { $0.body(data: data) } }

/// Replaces the query by pairs, in order of their names.
public func queries(_ content: [String: String]) -> RequestMiddleware {
    queries(content.sorted { $0.key < $1.key }.map { QueryItem(name: $0.key, value: $0.value) })
}

/// Replaces the query by pairs, in this order.
public func queries(_ items: [QueryItem]) -> RequestMiddleware { changing { $0.queryItems = items } }

/// Adds a bearer token (RFC 6750 §2.1); `sendAuthenticated` sends the session's own instead.
public func bearerAuth(_ token: String) -> RequestMiddleware { header(key: "Authorization", value: "Bearer \(token)") }

/// Adds a name and a password (RFC 7617 §2).
public func basicAuth(username: String, password: String) -> RequestMiddleware {
    let credentials = Data("\(username):\(password)".utf8).base64EncodedString()
    return header(key: "Authorization", value: "Basic \(credentials)")
}
