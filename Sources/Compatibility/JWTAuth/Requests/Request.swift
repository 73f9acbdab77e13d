// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchAuth
import LatchHTTP

/// A request before it has a base URL.
///
/// ```swift
/// try await authClient.sendAuthenticated(.post("/notes").body(note))
/// ```
public struct Request: Sendable, Hashable {
    /// The method.
    public var method: Method
    /// The path under the base URL.
    public var path: Path
    /// The pairs of the query, in order.
    public var queryItems: [QueryItem]
    /// The header fields.
    public var headers: [String: String]
    /// The content; one of a GET, HEAD or TRACE is not sent.
    public var body: Data?

    /// A request of its parts.
    public init(
        method: Method = .get, path: Path = Path(), headers: [String: String] = [:], queryItems: [QueryItem] = [],
        body: Data? = nil
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.queryItems = queryItems
        self.body = body
    }
}

extension Request: Redacting {
    /// Method and path; query, fields and content may hold secrets.
    public var description: String { "\(method.rawValue) /\(path.fullPath)" }
}

extension Request {
    /// Asks for what is there.
    public static func get(_ path: Path) -> Request { Request(method: .get, path: path) }
    /// Asks for its head alone.
    public static func head(_ path: Path) -> Request { Request(method: .head, path: path) }
    /// Hands over content.
    public static func post(_ path: Path) -> Request { Request(method: .post, path: path) }
    /// Replaces what is there.
    public static func put(_ path: Path) -> Request { Request(method: .put, path: path) }
    /// Changes a part of what is there.
    public static func patch(_ path: Path) -> Request { Request(method: .patch, path: path) }
    /// Removes what is there.
    public static func delete(_ path: Path) -> Request { Request(method: .delete, path: path) }
    /// Asks what is possible.
    public static func options(_ path: Path) -> Request { Request(method: .options, path: path) }

    /// This request with a value as its content, in JSON.
    ///
    /// - Throws: What the value's encoding throws.
    public func body(_ content: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws -> Request {
        var request = self
        request.body = try encoder.encode(content)
        return request
    }

    /// This request with bytes as its content.
    public func body(data: Data) -> Request {
        var request = self
        request.body = data
        return request
    }

    /// This request with a header field, in place of one of that name in any case.
    public func header(_ name: String, _ value: String) -> Request {
        var request = self
        let name = HTTPFieldName(name)
        request.headers = request.headers.filter { HTTPFieldName($0.key) != name }
        request.headers[name.rawName] = value
        return request
    }

    /// This request with one more pair in its query.
    public func query(_ name: String, _ value: String?) -> Request {
        var request = self
        request.queryItems.append(QueryItem(name: name, value: value))
        return request
    }
}
