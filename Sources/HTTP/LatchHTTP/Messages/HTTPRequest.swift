// SPDX-License-Identifier: Apache-2.0

public import PortableFoundation

/// A request as a value: what a client sends and what a server answers (RFC 9110 §3.9).
///
/// The target is kept in the parts that both sides need, as they go on the wire: `path` is already percent-encoded
/// and holds the query.
public struct HTTPRequest: Sendable {
    /// The method.
    public var method: HTTPMethod
    /// The scheme, `https` or `http`, in lower case.
    public var scheme: String
    /// The host, and the port where it is not the scheme's own: `api.example.com:8443`.
    public var authority: String
    /// The path and, after `?`, the query; it begins with `/`.
    public var path: String
    /// The header fields.
    public var fields: HTTPFields
    /// The content.
    public var body: HTTPBody
    /// What travels with the request inside the process and is never sent.
    public var context: HTTPContext
    /// What all requests of the same kind are called, such as `/users/{}`: by it metrics and logs put them together.
    ///
    /// It is written by a programmer and holds nothing of a user, unlike the path. A client takes it from the literal of a
    /// `RoutePath`.
    public var template: String?
    /// What is still to be done to each message that goes out for this request, in this order.
    package var steps: [any WireStep] = []

    /// A request from its parts.
    public init(
        method: HTTPMethod = .get,
        scheme: String = "https",
        authority: String,
        path: String,
        fields: HTTPFields = [:],
        body: HTTPBody = .empty
    ) {
        self.method = method
        self.scheme = scheme
        self.authority = authority
        self.path = path
        self.fields = fields
        self.body = body
        context = HTTPContext()
    }

    /// A request to a URL.
    ///
    /// - Throws: `HTTPError.invalidURL` when the URL has no host or is neither http nor https.
    public init(
        method: HTTPMethod = .get, url: URL, fields: HTTPFields = [:], body: HTTPBody = .empty
    ) throws(HTTPError) {
        let target = try HTTPOrigin.split(url.absoluteString)
        self.init(
            method: method, scheme: target.origin.scheme, authority: target.origin.authority, path: target.path,
            fields: fields, body: body)
    }

    /// The scheme, host and port, in the one spelling in which origins can be compared.
    public var origin: HTTPOrigin { HTTPOrigin(scheme: scheme, authority: authority) }

    /// The whole target, `https://host/path?query`.
    ///
    /// It may hold secrets in the query: do not log it.
    public var absoluteURL: String { "\(scheme)://\(authority)\(path)" }

    /// The path without the query.
    public var pathWithoutQuery: Substring { path.prefix { $0 != "?" } }

    /// What stands after the first `?`, still percent-encoded; nil where there is none, which is not the same as empty.
    public var query: Substring? {
        path.firstIndex(of: "?").map { path[path.index(after: $0)...] }
    }
}
