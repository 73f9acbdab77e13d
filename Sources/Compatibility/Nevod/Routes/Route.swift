// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

/// A typed request and its typed answer.
public protocol Route {
    /// What the answer is read as.
    associatedtype Response
    /// The enumeration that the service is a case of.
    associatedtype Domain: ServiceDomain

    /// The service.
    var domain: Domain { get }
    /// The path under the service's base URL, with or without a slash in front; it may hold a query.
    ///
    /// One that would leave the base is refused.
    var endpoint: String { get }
    /// The method.
    var method: HTTPMethod { get }
    /// The parameters; `parameterEncoding` says where they go.
    var parameters: [String: String]? { get }
    /// Where the parameters go: into the query for GET, otherwise into JSON.
    var parameterEncoding: ParameterEncoding { get }
    /// Fields of this request, in place of those that its content would set.
    var headers: [String: String]? { get }
    /// The pairs of the query.
    var urlQueryItems: [URLQueryItem]? { get }

    /// The content; nil where there is none.
    ///
    /// - Parameter encoder: The configuration's.
    func bodyData(using encoder: JSONEncoder) throws -> Data?

    /// Reads the content of a successful answer.
    func decode(_ data: Data, using decoder: JSONDecoder) throws -> Response
}

extension Route {
    /// The query for GET, JSON otherwise.
    public var parameterEncoding: ParameterEncoding { method == .get ? .query : .json }

    /// None.
    public var headers: [String: String]? { nil }

    /// The parameters, sorted by name, where they go into the query.
    public var urlQueryItems: [URLQueryItem]? { parameterEncoding == .query ? parameters.map(queryItems) : nil }

    /// The parameters, where they go into the content.
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
    /// Reads JSON.
    public func decode(_ data: Data, using decoder: JSONDecoder) throws -> Response {
        try decoder.decode(Response.self, from: data)
    }
}

extension Route where Response == Data {
    /// The content as it came.
    public func decode(_ data: Data, using decoder: JSONDecoder) throws -> Data { data }
}

/// An answer that says all with its status, such as 204.
public struct EmptyResponse: Codable, Sendable, Hashable {
    /// Nothing.
    public init() {}

    /// Nothing, whatever the content is.
    public init(from decoder: any Decoder) {}
}

/// Pairs of a query from a dictionary, in an order that does not change from run to run.
func queryItems(_ parameters: [String: String]) -> [URLQueryItem] {
    parameters.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
}
