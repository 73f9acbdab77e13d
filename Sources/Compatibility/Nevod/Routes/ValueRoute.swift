// SPDX-License-Identifier: Apache-2.0

/// POST of a value as JSON, answered with JSON.
public typealias EncodablePostRoute<Body: Encodable, Response: Decodable, Domain: ServiceDomain> =
    ValueRoute<RouteVerbs.Post, Body, Response, Domain>

/// PUT of a value as JSON, answered with JSON.
public typealias EncodablePutRoute<Body: Encodable, Response: Decodable, Domain: ServiceDomain> =
    ValueRoute<RouteVerbs.Put, Body, Response, Domain>

/// PATCH of a value as JSON, answered with JSON.
public typealias EncodablePatchRoute<Body: Encodable, Response: Decodable, Domain: ServiceDomain> =
    ValueRoute<RouteVerbs.Patch, Body, Response, Domain>

/// A value as JSON, answered with JSON.
public struct ValueRoute<Verb: RouteVerb, Body: Encodable, Response: Decodable, Domain: ServiceDomain>: EncodableRoute {
    /// What the answer is read as.
    public typealias Response = Response

    /// The service.
    public let domain: Domain
    /// The path under the service's base URL.
    public let endpoint: String
    /// The pairs of the query.
    public let queryParameters: [String: String]?
    /// What is sent.
    public let body: Body?
    /// Writes the value; the configuration's encoder does, unless one was given.
    public let bodyEncoder: JSONEncoder
    /// Fields of this request.
    public var headers: [String: String]?

    /// The verb's.
    public var method: HTTPMethod { Verb.method }
    /// The pairs of the query, sorted by name.
    public var urlQueryItems: [URLQueryItem]? { queryParameters.map(queryItems) }

    /// A route; without an encoder of its own the value is written by the configuration's.
    public init(
        endpoint: String, domain: Domain, queryParameters: [String: String]? = nil, body: Body? = nil,
        encoder: JSONEncoder? = nil, headers: [String: String]? = nil
    ) {
        self.endpoint = endpoint
        self.domain = domain
        self.queryParameters = queryParameters
        self.body = body
        bodyEncoder = encoder ?? configurationsEncoder
        self.headers = headers
    }
}
