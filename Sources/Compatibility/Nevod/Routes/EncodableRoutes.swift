// SPDX-License-Identifier: Apache-2.0

/// A route with a value as JSON.
public protocol EncodableRoute: Route {
    associatedtype Body: Encodable

    /// The value to send; nil sends no content.
    var body: Body? { get }

    /// The encoder of the value; the default is the configuration's encoder.
    var bodyEncoder: JSONEncoder { get }
}

extension EncodableRoute {
    /// Always nil, because the body contains all data.
    public var parameters: [String: String]? { nil }

    /// JSON, for any method.
    public var parameterEncoding: ParameterEncoding { .json }

    /// The encoder of the configuration.
    public var bodyEncoder: JSONEncoder { configurationEncoder }

    /// Returns the value as JSON by the route's encoder, or `encoder` without one.
    public func bodyData(using encoder: JSONEncoder) throws -> Data? {
        let own = bodyEncoder
        return try body.map { try (own === configurationEncoder ? encoder : own).encode($0) }
    }
}

/// A placeholder for the encoder of the configuration, which a route cannot access.
let configurationEncoder = JSONEncoder()

/// A POST request with a value as JSON and a JSON response.
public typealias EncodablePostRoute<Body: Encodable, Response: Decodable, Domain: ServiceDomain> =
    ValueRoute<RouteMethods.Post, Body, Response, Domain>

/// A PUT request with a value as JSON and a JSON response.
public typealias EncodablePutRoute<Body: Encodable, Response: Decodable, Domain: ServiceDomain> =
    ValueRoute<RouteMethods.Put, Body, Response, Domain>

/// A PATCH request with a value as JSON and a JSON response.
public typealias EncodablePatchRoute<Body: Encodable, Response: Decodable, Domain: ServiceDomain> =
    ValueRoute<RouteMethods.Patch, Body, Response, Domain>

/// A request with a value as JSON and a JSON response.
public struct ValueRoute<Method: RouteMethod, Body: Encodable, Response: Decodable, Domain: ServiceDomain>:
    EncodableRoute
{
    /// The value that the response's JSON decodes to.
    public typealias Response = Response

    /// The service.
    public let domain: Domain
    /// The path below the service's base URL.
    public let endpoint: String
    /// The query by name, which is sent sorted; nil for none.
    public let queryParameters: [String: String]?
    /// The value to send.
    public let body: Body?
    /// The encoder of the value; the default is the configuration's encoder.
    public let bodyEncoder: JSONEncoder
    /// The header fields.
    public var headers: [String: String]?

    /// The method that `Method` names.
    public var method: HTTPMethod { Method.method }
    /// The items of the query, sorted by name.
    public var urlQueryItems: [URLQueryItem]? { queryParameters.map(queryItems) }

    /// Creates a route; its default encoder is the configuration's.
    public init(
        endpoint: String, domain: Domain, queryParameters: [String: String]? = nil, body: Body? = nil,
        encoder: JSONEncoder? = nil, headers: [String: String]? = nil
    ) {
        self.endpoint = endpoint
        self.domain = domain
        self.queryParameters = queryParameters
        self.body = body
        bodyEncoder = encoder ?? configurationEncoder
        self.headers = headers
    }
}
