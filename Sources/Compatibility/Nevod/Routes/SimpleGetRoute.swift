// SPDX-License-Identifier: Apache-2.0

/// GET, answered with JSON.
public struct SimpleGetRoute<R: Decodable, D: ServiceDomain>: Route {
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

    /// GET.
    public var method: HTTPMethod { .get }
    /// The pairs of the query.
    public var parameters: [String: String]? { queryParameters }
    /// The query.
    public var parameterEncoding: ParameterEncoding { .query }

    /// A route.
    public init(endpoint: String, domain: D, queryParameters: [String: String]? = nil) {
        self.endpoint = endpoint
        self.domain = domain
        self.queryParameters = queryParameters
    }
}
