// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A typed request and its typed response.
public protocol Route {
    associatedtype Response
    /// The enumeration of services.
    associatedtype Domain: ServiceDomain

    /// The service.
    var domain: Domain { get }
    /// The path below the service's base URL, with or without a leading slash; it may contain a query.
    ///
    /// A path outside of the base URL is rejected.
    var endpoint: String { get }
    var method: HTTPMethod { get }
    /// The parameters, which `parameterEncoding` places in the query or the content.
    var parameters: [String: String]? { get }
    /// The encoding of the parameters: the query for GET, otherwise JSON.
    var parameterEncoding: ParameterEncoding { get }
    /// The header fields, which replace those for the content.
    var headers: [String: String]? { get }
    var urlQueryItems: [URLQueryItem]? { get }

    /// Returns the content; nil if there is none.
    ///
    /// - Parameter encoder: The encoder of the configuration.
    func bodyData(using encoder: JSONEncoder) throws -> Data?

    /// Decodes the content of a successful response.
    func decode(_ data: Data, using decoder: JSONDecoder) throws -> Response
}

extension Route {
    /// The query for GET, otherwise JSON.
    public var parameterEncoding: ParameterEncoding { method == .get ? .query : .json }

    /// Always nil.
    public var headers: [String: String]? { nil }

    /// The parameters, sorted by name, if they belong in the query.
    public var urlQueryItems: [URLQueryItem]? { parameterEncoding == .query ? parameters.map(queryItems) : nil }

    /// Returns the parameters, if they belong in the content.
    public func bodyData(using encoder: JSONEncoder) throws -> Data? {
        guard let parameters, !parameters.isEmpty else { return nil }
        switch parameterEncoding {
        case .json: return try encoder.encode(parameters)
        case .formUrlEncoded:
            return Data(FormEncoding.encode(parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }).utf8)
        case .query, .none: return nil
        }
    }
}

extension Route where Response: Decodable {
    /// Decodes the content of a response as JSON.
    public func decode(_ data: Data, using decoder: JSONDecoder) throws -> Response {
        try decoder.decode(Response.self, from: data)
    }
}

extension Route where Response == Data {
    /// Returns the content unchanged.
    public func decode(_ data: Data, using decoder: JSONDecoder) throws -> Data { data }
}

/// A response without content, such as 204.
public struct EmptyResponse: Codable, Sendable, Hashable {
    /// Creates an empty response.
    public init() {}

    /// Ignores the content.
    public init(from decoder: any Decoder) {}
}

/// Returns the items of a query, sorted by name so that the order is stable.
func queryItems(_ parameters: [String: String]) -> [URLQueryItem] {
    parameters.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
}

/// A route whose content is streamed.
protocol StreamedRoute: Route {
    /// Returns the content and its media type.
    func content() throws -> RouteContent.Encoded
}

extension Route {
    /// Returns the request before interceptors change it.
    public func makeRequest(with config: NetworkConfig) -> Result<URLRequest, NetworkError> {
        Result { () throws(NetworkError) in
            let base = try config.baseURL(for: domain).get()
            let client = Client(baseURL: base)
            return try URLRequest(try coreRequest(by: client, encoder: config.jsonEncoder, timeout: config.timeout))
        }
    }

    /// Creates the corresponding request of LatchHTTP.
    ///
    /// - Throws: `invalidURL`, `bodyEncodingFailed`.
    func coreRequest(
        by client: Client, encoder: JSONEncoder, timeout: TimeInterval
    ) throws(NetworkError) -> HTTPRequest {
        let content = try encodedContent(by: encoder)
        let query = (urlQueryItems ?? []).map { ($0.name, $0.value ?? "") }
        var request: HTTPRequest
        do {
            request = try client.request(method.core, RoutePath(endpoint), query: query, body: content.body)
        } catch {
            throw NetworkError(error)
        }
        request.fields[.contentType] = content.mediaType
        for (name, value) in (headers ?? [:]).sorted(by: { $0.key < $1.key }) {
            request.fields[HTTPFieldName(name)] = value
        }
        if timeout > 0 { request.timeout = .seconds(min(timeout, 86_400)) }
        return request
    }

    private func encodedContent(by encoder: JSONEncoder) throws(NetworkError) -> RouteContent.Encoded {
        do {
            if let streamed = self as? any StreamedRoute { return try streamed.content() }
            let body = HTTPBody(Array(try bodyData(using: encoder) ?? Data()))
            return RouteContent.Encoded(body, mediaType: body.isEmpty ? nil : parameterEncoding.contentType)
        } catch {
            throw .bodyEncodingFailed
        }
    }

    /// Decodes a successful response; an empty response is decoded as null or an empty object, if the type allows that.
    func decodedResponse(_ response: HTTPResponse, decoder: JSONDecoder) throws(NetworkError) -> Response {
        let data = Data(response.body.bytes)
        do {
            return try decode(data, using: decoder)
        } catch {
            guard data.isEmpty else { throw .parsingError(data: data, error: error) }
            // RFC 9110 §15.3.5: 204 has no content, and some servers send 200 without content.
            for substitute in ["null", "{}"] {
                if let empty = try? decode(Data(substitute.utf8), using: decoder) { return empty }
            }
            throw .parsingError(data: data, error: error)
        }
    }
}

/// A request method.
public enum HTTPMethod: String, Sendable, CaseIterable {
    /// Requests a representation.
    case get
    /// Sends content to be processed.
    case post
    /// Replaces the resource.
    case put
    /// Changes a part of the resource.
    case patch
    /// Removes the resource.
    case delete

    /// The method in its spelling on the wire.
    public var stringValue: String { rawValue.uppercased() }

    /// The corresponding method of LatchHTTP.
    var core: LatchHTTP.HTTPMethod { LatchHTTP.HTTPMethod(rawValue: stringValue) }
}

/// The encoding of the parameters of a route.
public enum ParameterEncoding: Sendable, Hashable {
    /// The query of the URL.
    case query
    /// A JSON object in the content.
    case json
    /// A URL-encoded form in the content.
    case formUrlEncoded
    /// No encoding: the parameters are not sent.
    case none

    /// The media type of the content; nil without content.
    var contentType: String? {
        switch self {
        case .formUrlEncoded: FormEncoding.mediaType
        case .json: "application/json"
        case .query, .none: nil
        }
    }
}
