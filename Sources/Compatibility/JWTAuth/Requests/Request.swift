// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import LatchAuth
import LatchFoundationBridge
import LatchHTTP

/// A request without a base URL.
///
/// ```swift
/// try await authClient.sendAuthenticated(.post("/notes").body(note))
/// ```
public struct Request: Sendable, Hashable {
    /// The HTTP method.
    public var method: Method
    /// The path under the base URL.
    public var path: Path
    /// The pairs of the query, in order.
    public var queryItems: [QueryItem]
    /// The header fields.
    public var headers: [String: String]
    /// The content; it is not sent with GET, HEAD or TRACE.
    public var body: Data?
    /// The function that receives the number of bytes read from the content; nil for none.
    private(set) var progress: UploadProgress?

    /// Creates a request from its parts.
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

/// A function that receives the progress of an upload.
///
/// Requests with the same function are equal.
final class UploadProgress: Sendable, Hashable {
    let report: @Sendable (_ count: Int, _ total: Int) -> Void

    init(_ report: @escaping @Sendable (_ count: Int, _ total: Int) -> Void) { self.report = report }

    static func == (left: UploadProgress, right: UploadProgress) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension Request: Redacting {
    /// The method and path only, because query, fields and content may contain secrets.
    public var description: String { "\(method.rawValue) /\(path.fullPath)" }
}

extension Request {
    /// Creates a request that reads, without content.
    public static func get(_ path: Path) -> Request { Request(method: .get, path: path) }
    /// Creates a request for the header fields only.
    public static func head(_ path: Path) -> Request { Request(method: .head, path: path) }
    /// Creates a request without content; ``body(_:encoder:)`` adds it.
    public static func post(_ path: Path) -> Request { Request(method: .post, path: path) }
    /// Creates a request that replaces a resource, without content.
    public static func put(_ path: Path) -> Request { Request(method: .put, path: path) }
    /// Creates a request that changes a resource, without content.
    public static func patch(_ path: Path) -> Request { Request(method: .patch, path: path) }
    /// Creates a request that removes a resource.
    public static func delete(_ path: Path) -> Request { Request(method: .delete, path: path) }
    /// Creates a request for the options of a resource (RFC 9110 §9.3.7).
    public static func options(_ path: Path) -> Request { Request(method: .options, path: path) }

    /// Returns this request with a value as its JSON content.
    ///
    /// - Throws: The error of the value's encoding.
    public func body(_ content: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws -> Request {
        var request = self
        request.body = try encoder.encode(content)
        return request
    }

    /// Returns this request with bytes as its content.
    public func body(data: Data) -> Request {
        var request = self
        request.body = data
        return request
    }

    /// Returns this request, which reports how many bytes of its content were read so far, and their total number.
    ///
    /// Bytes that were read may not have arrived yet. If the content is sent again, for example after a refresh, the
    /// count starts again. A request through a `urlSession` reports once, before it is sent.
    public func reporting(_ progress: @escaping @Sendable (_ count: Int, _ total: Int) -> Void) -> Request {
        var request = self
        request.progress = UploadProgress(progress)
        return request
    }

    /// Returns this request with a header field; it replaces a field with the same name, compared without case.
    public func header(_ name: String, _ value: String) -> Request {
        var request = self
        let name = HTTPFieldName(name)
        request.headers = request.headers.filter { HTTPFieldName($0.key) != name }
        request.headers[name.rawName] = value
        return request
    }

    /// Returns this request with one more pair in its query.
    public func query(_ name: String, _ value: String?) -> Request {
        var request = self
        request.queryItems.append(QueryItem(name: name, value: value))
        return request
    }
}

/// A request method (RFC 9110 §9.3, RFC 5789).
public enum Method: String, Sendable, Hashable, CaseIterable {
    /// Requests a representation.
    case get = "GET"
    /// Requests only the head of a representation.
    case head = "HEAD"
    /// Sends content to be processed.
    case post = "POST"
    /// Replaces the resource.
    case put = "PUT"
    /// Removes the resource.
    case delete = "DELETE"
    /// Changes a part of the resource.
    case patch = "PATCH"
    /// Requests the communication options.
    case options = "OPTIONS"
    /// Requests the request as the server received it.
    case trace = "TRACE"
    /// Requests a tunnel, which no transport of this package supports.
    case connect = "CONNECT"

    /// Whether content has no meaning for this method (RFC 9110 §9.3.1, §9.3.2, §9.3.8).
    var ignoresContent: Bool { self == .get || self == .head || self == .trace }

    var core: HTTPMethod { HTTPMethod(rawValue: rawValue) }
}

/// A pair of a query; both parts are encoded when the URL is created.
public struct QueryItem: Sendable, Hashable {
    /// The name, not percent-encoded.
    public var name: String
    /// The value; nil is sent as an empty value.
    public var value: String?

    /// Creates a pair.
    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }
}

/// An error in the URL of a request.
public enum RequestError: LocalizedError, Equatable {
    /// A missing or invalid base URL.
    case missingBaseURL
    /// The base URL, the path and the query do not form a valid URL.
    case malformedRequestURL

    /// A description for users.
    public var errorDescription: String? {
        switch self {
        case .missingBaseURL: "The base URL is missing."
        case .malformedRequestURL: "The request's URL is malformed."
        }
    }
}

extension Request {
    /// Returns the request's URL under a base URL; the path and query of the base URL are kept.
    ///
    /// - Throws: `RequestError`.
    public func fullURL(with baseURL: String) throws -> URL {
        let request = try coreRequest(by: try Self.client(baseURL))
        guard let url = URL(encodingOnce: request.absoluteURL) else { throw RequestError.malformedRequestURL }
        return url
    }

    /// Returns the corresponding Foundation request.
    ///
    /// - Throws: `RequestError`.
    public func urlRequest(
        baseURL: String, cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        timeoutInterval: TimeInterval = 60
    ) throws -> URLRequest {
        do {
            var request = try URLRequest(core: try coreRequest(by: try Self.client(baseURL)))
            request.cachePolicy = cachePolicy
            request.timeoutInterval = timeoutInterval
            return request
        } catch is HTTPError {
            throw RequestError.malformedRequestURL
        }
    }

    /// Returns a client that creates requests under a base URL.
    ///
    /// - Throws: `RequestError.missingBaseURL`.
    private static func client(_ baseURL: String) throws(RequestError) -> Client {
        guard !baseURL.isEmpty, let url = URL(encodingOnce: baseURL) else { throw .missingBaseURL }
        return Client(baseURL: url)
    }

    /// Returns the corresponding request of the core.
    ///
    /// - Throws: `RequestError.malformedRequestURL`.
    func coreRequest(by client: Client) throws(RequestError) -> HTTPRequest {
        var fields: HTTPFields = [:]
        // Names that differ only in case are one field; the last one in this order takes effect.
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { fields[HTTPFieldName(name)] = value }
        let content = method.ignoresContent ? nil : body
        if content != nil, fields[.contentType] == nil { fields[.contentType] = "application/json" }
        do {
            var request = try client.request(
                method.core, routePath, query: queryItems.map { ($0.name, $0.value ?? "") }, fields: fields,
                body: content.map { HTTPBody(Array($0)) } ?? .empty)
            // It is unknown which fragments are literal, so the template would be all placeholders.
            request.template = nil
            return request
        } catch {
            throw .malformedRequestURL
        }
    }

    /// The path with each fragment encoded as a whole.
    private var routePath: RoutePath {
        guard let last = path.fragments.last else { return "" }
        var route: RoutePath = ""
        for fragment in path.fragments where !fragment.isEmpty { route = "\(route)/\(fragment)" }
        return last.isEmpty && path.fragments.count > 1 ? "\(route)/" : route
    }
}

extension URLRequest {
    /// Creates the request that a middleware makes from an empty request.
    ///
    /// - Throws: `RequestError`, and the error of the middleware.
    public init(
        _ middleware: RequestMiddleware, baseURL: String,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy, timeoutInterval: TimeInterval = 60
    ) throws {
        self = try middleware(Request())
            .urlRequest(baseURL: baseURL, cachePolicy: cachePolicy, timeoutInterval: timeoutInterval)
    }
}
