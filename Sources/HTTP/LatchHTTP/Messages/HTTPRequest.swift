// SPDX-License-Identifier: Apache-2.0

import LatchCore
public import LatchFoundation

/// A request as a value, which a client sends and a server receives (RFC 9110 §3.9).
///
/// The target is stored in its components as they are sent: `path` is already percent-encoded and includes the query.
public struct HTTPRequest: Sendable {
    /// The method, such as `GET`.
    public var method: HTTPMethod
    /// The scheme, `https` or `http`, in lower case.
    public var scheme: String
    /// The host, and the port unless it is the scheme's default: `api.example.com:8443`.
    public var authority: String
    /// The path and, after `?`, the query; it begins with `/`.
    public var path: String
    /// The header fields.
    public var fields: HTTPFields
    /// The content.
    public var body: HTTPBody
    /// The values that travel with the request inside the process and are never sent.
    public var context: HTTPContext
    /// The route template of the request, such as `/users/{}`; metrics and logs group requests by it.
    ///
    /// Unlike the path it holds no user data. A client derives it from the literal of a `RoutePath`.
    public var template: String?
    /// The modifiers that are applied to each message of this request, in this order.
    package var modifiers: [any RequestModifier] = []

    /// Creates a request.
    public init(
        method: HTTPMethod = .get,
        scheme: String = "https",
        authority: String,
        path: String,
        fields: HTTPFields = [:],
        body: HTTPBody = .empty
    ) {
        self.init(
            method: method, scheme: scheme, authority: authority, path: path, fields: fields, body: body,
            context: HTTPContext())
    }

    /// Creates a request with values that travel with it.
    package init(
        method: HTTPMethod, scheme: String, authority: String, path: String, fields: HTTPFields, body: HTTPBody,
        context: HTTPContext
    ) {
        (self.method, self.scheme, self.authority, self.path) = (method, scheme, authority, path)
        (self.fields, self.body, self.context) = (fields, body, context)
    }

    /// Creates a request to a URL.
    ///
    /// - Throws: `HTTPError.invalidURL` if the URL has no host or is neither http nor https.
    public init(
        method: HTTPMethod = .get, url: URL, fields: HTTPFields = [:], body: HTTPBody = .empty
    ) throws(HTTPError) {
        let target = try HTTPOrigin.split(url.absoluteString)
        self.init(
            method: method, scheme: target.origin.scheme, authority: target.origin.authority, path: target.path,
            fields: fields, body: body)
    }

    /// The scheme, host and port, in a canonical form for comparisons.
    public var origin: HTTPOrigin { HTTPOrigin(scheme: scheme, authority: authority) }

    /// The absolute URL, `https://host/path?query`.
    ///
    /// The query may hold secrets: do not log it.
    public var absoluteURL: String { "\(scheme)://\(authority)\(path)" }

    package var pathWithoutQuery: String { queryStart.map { String(path[..<$0]) } ?? path }

    /// The index of the `?` before the query.
    private var queryStart: String.Index? {
        let offset = path.utf8.withContiguousStorageIfAvailable { $0.firstIndex(of: 0x3F) ?? $0.count }
        guard let offset else { return path.utf8.firstIndex(of: 0x3F) }
        return offset == path.utf8.count ? nil : path.utf8.index(path.startIndex, offsetBy: offset)
    }

    /// The query after the first `?`, still percent-encoded; nil without a question mark.
    public var query: Substring? {
        queryStart.map { path[path.utf8.index(after: $0)...] }
    }
}

/// The maximum size of a response that is not streamed.
private enum MaximumResponseBytes: HTTPContextKey {
    static var defaultValue: Int? { nil }
}

/// Whether plain http uses HTTP/2 with prior knowledge.
private enum AssumedHTTP2: HTTPContextKey {
    static var defaultValue: Bool { false }
}

/// Whether a stream is sent without the expectation of a 100 response.
private enum OmittedExpectation: HTTPContextKey {
    static var defaultValue: Bool { false }
}

/// Whether the response's content is streamed.
enum WantsStreamKey: HTTPContextKey {
    static var defaultValue: Bool { false }
}

extension HTTPRequest {
    /// Whether the response is returned with its head and its content is streamed.
    ///
    /// A handler that has the content in memory may return it in memory; `HTTPBody.chunks` reads both.
    public var wantsStream: Bool {
        get { context[WantsStreamKey.self] }
        set { context[WantsStreamKey.self] = newValue }
    }

    /// The maximum size of a response that is not streamed, if it is less than the transport's.
    package var maximumResponseBytes: Int? {
        get { context[MaximumResponseBytes.self] }
        set { context[MaximumResponseBytes.self] = newValue }
    }

    /// Whether plain http uses HTTP/2 with prior knowledge (RFC 9113 §3.3).
    ///
    /// Over https the version is negotiated, and this has no effect.
    package var assumesHTTP2: Bool {
        get { context[AssumedHTTP2.self] }
        set { context[AssumedHTTP2.self] = newValue }
    }

    /// Whether a stream is sent without expecting a 100 response (RFC 9110 §10.1.1), because a server has rejected
    /// that.
    var omitsExpectation: Bool {
        get { context[OmittedExpectation.self] }
        set { context[OmittedExpectation.self] = newValue }
    }

    /// Checks that the message is well-formed and cannot be parsed as a different one.
    ///
    /// - Throws: `HTTPError.invalidURL`, `HTTPError.invalidField` or `HTTPError.malformedMessage`.
    package func validateForSending() throws(HTTPError) {
        guard scheme == "https" || scheme == "http" else { throw .invalidURL("its scheme is neither https nor http") }
        guard !authority.isEmpty, authority.utf8.allSatisfy(isAuthorityByte) else {
            throw .invalidURL("its host or port is unclear")
        }
        // RFC 9112 §3.2.1: origin-form; anything outside printable ASCII would break the request line or be ambiguous.
        guard path.utf8.first == 0x2F, path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x23 }) else {
            throw .invalidURL("its path holds a character that must be percent-encoded")
        }
        guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy(isTokenByte) else {
            throw .malformedMessage("The method is not a token.")
        }
        try fields.validate()
        try validateFraming()
    }

    /// Checks that only the transport sets the framing fields and the host (RFC 9112 §6).
    private func validateFraming() throws(HTTPError) {
        for line in fields where line.name.isSetByTransport {
            switch line.name {
            case .contentLength where line.value == body.length.map { String($0) }, .host where line.value == authority,
                .expect:
                continue
            default: throw .fieldOfTransport(line.name.rawName)
            }
        }
    }
}

extension HTTPFieldName {
    /// RFC 9110 §10.1.1.
    package static let expect: HTTPFieldName = "Expect"
    /// RFC 9112 §6.1.
    package static let transferEncoding: HTTPFieldName = "Transfer-Encoding"

    /// Whether the transport writes this field itself.
    package var isSetByTransport: Bool {
        switch rawName.utf8.count {
        case 4: self == .host
        case 6: self == .expect
        case 14: self == .contentLength
        case 17: self == .transferEncoding
        default: false
        }
    }
}

/// Whether a byte may be in an authority (RFC 3986 §3.2.2 and §3.2.3).
///
/// User information and percent-encoding are not allowed.
func isAuthorityByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x2D, 0x2E, 0x3A, 0x5B, 0x5D, 0x5F: true
    default: isAlphanumeric(byte)
    }
}

private enum CredentialFields: HTTPContextKey {
    static var defaultValue: [HTTPFieldName] { [] }
}

private enum CredentialQueryNames: HTTPContextKey {
    static var defaultValue: [String] { [] }
}

extension HTTPRequest {
    /// The names of fields that carry a credential, in addition to those that always do.
    ///
    /// They are removed when a redirect leaves the origin, and are never logged. An interceptor that authorizes a
    /// request with another field, such as `X-Api-Key`, adds its name here.
    public var credentialFields: [HTTPFieldName] {
        get { context[CredentialFields.self] }
        set { context[CredentialFields.self] = newValue }
    }

    /// Whether a field carries a credential in this request.
    package func isCredential(_ name: HTTPFieldName) -> Bool {
        Self.alwaysCredentials.contains(name) || credentialFields.contains(name)
    }

    /// The names of query parameters whose values are secrets, percent-decoded.
    ///
    /// They are never logged. An interceptor that authorizes a request with a parameter, such as `api_key`, adds its
    /// name here.
    public var credentialQueryNames: [String] {
        get { context[CredentialQueryNames.self] }
        set { context[CredentialQueryNames.self] = newValue }
    }

    /// Removes all fields that carry a credential.
    mutating func removeCredentials() {
        for name in Self.alwaysCredentials + credentialFields { fields[name] = nil }
    }

    /// The fields of RFC 9110 §11.6.2 and §11.7.2, RFC 6265 §5.4 and RFC 9449 §4.1.
    private static let alwaysCredentials: [HTTPFieldName] = [
        .authorization, .cookie, "Proxy-Authorization", "DPoP",
    ]
}

extension HTTPRequest {
    /// The pairs of the query, still percent-encoded; empty pieces between two `&` are omitted.
    package var rawQueryPairs: [(name: Substring, value: Substring)] {
        // Bytes, since an ampersand followed by a combining accent is not an ampersand `Character`.
        (query ?? "").utf8.split(separator: 0x26).map { piece in
            let name = piece.prefix { $0 != 0x3D }
            return (Substring(name), Substring(piece[name.endIndex...].dropFirst()))
        }
    }

    /// Sets a query parameter, replacing all pairs with that name by one at the end of the query.
    ///
    /// - Parameters:
    ///   - name: The name, which is encoded as in a form.
    ///   - value: The value, encoded in the same way.
    public mutating func setQueryParameter(_ name: String, to value: String) {
        removeQueryParameters(named: name)
        path += (path.utf8.contains(0x3F) ? (path.utf8.last == 0x3F ? "" : "&") : "?")
        path += FormEncoding.encode([(name, value)])
    }

    /// Removes all pairs with a name from the query, in any encoding of the name; the others are not changed.
    package mutating func removeQueryParameters(named name: String) {
        guard let query else { return }
        let wanted = Array(name.utf8)
        let pieces = query.utf8.split(separator: 0x26, omittingEmptySubsequences: false)
        let kept = pieces.filter {
            PercentEncoding.decode($0.prefix { $0 != 0x3D }, plusIsSpace: true) != wanted
        }
        guard kept.count < pieces.count else { return }
        path = pathWithoutQuery
        if !kept.isEmpty { path += "?" + kept.map { String(Substring($0)) }.joined(separator: "&") }
    }
}

extension HTTPRequest {
    /// Whether a browser loads the response in advance (`Sec-Purpose: prefetch`, or `prefetch;prerender`).
    ///
    /// If loading a page changes something, the server then responds with 503. The browser loads the page when the user
    /// opens it.
    package var isPrefetch: Bool {
        ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"].contains { name in
            fields[HTTPFieldName(name)]?.lowercasedASCII().utf8.starts(with: "prefetch".utf8) == true
        }
    }
}
