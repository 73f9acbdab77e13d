// SPDX-License-Identifier: Apache-2.0

/// POST of a JSON object of text, answered with JSON.
public typealias SimplePostRoute<R: Decodable, D: ServiceDomain> = PairsRoute<RouteVerbs.Post, R, D>

/// PUT of a JSON object of text, answered with JSON.
public typealias SimplePutRoute<R: Decodable, D: ServiceDomain> = PairsRoute<RouteVerbs.Put, R, D>

/// A JSON object of text, answered with JSON.
public struct PairsRoute<Verb: RouteVerb, R: Decodable, D: ServiceDomain>: Route {
    /// What the answer is read as.
    public typealias Response = R
    /// The enumeration that the service is a case of.
    public typealias Domain = D

    /// The service.
    public let domain: D
    /// The path under the service's base URL.
    public let endpoint: String
    /// The pairs of the query.
    public let queryParameters: [String: String]?
    /// The pairs of the content, which is a JSON object.
    public let bodyParameters: [String: String]?

    /// The verb's.
    public var method: HTTPMethod { Verb.method }
    /// The pairs of the content.
    public var parameters: [String: String]? { bodyParameters }
    /// JSON.
    public var parameterEncoding: ParameterEncoding { .json }
    /// The pairs of the query, sorted by name.
    public var urlQueryItems: [URLQueryItem]? { queryParameters.map(queryItems) }

    /// A route.
    public init(
        endpoint: String, domain: D, queryParameters: [String: String]? = nil, bodyParameters: [String: String]? = nil
    ) {
        self.endpoint = endpoint
        self.domain = domain
        self.queryParameters = queryParameters
        self.bodyParameters = bodyParameters
    }

    /// A route, in the spelling of the original's earlier version: the parameters are the content.
    public init(endpoint: String, domain: D, parameters: [String: String]?) {
        self.init(endpoint: endpoint, domain: domain, bodyParameters: parameters)
    }
}
