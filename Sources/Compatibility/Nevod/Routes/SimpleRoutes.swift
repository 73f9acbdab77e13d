// SPDX-License-Identifier: Apache-2.0

/// A GET request with a JSON response.
public struct SimpleGetRoute<R: Decodable, D: ServiceDomain>: Route, Sendable {
    /// The value that the response's JSON decodes to.
    public typealias Response = R
    /// The enumeration of services.
    public typealias Domain = D

    /// The service.
    public let domain: D
    /// The path below the service's base URL.
    public let endpoint: String
    /// The query by name; nil for none.
    public let queryParameters: [String: String]?

    /// GET.
    public var method: HTTPMethod { .get }
    /// The parameters of the query.
    public var parameters: [String: String]? { queryParameters }
    /// The query.
    public var parameterEncoding: ParameterEncoding { .query }

    /// Creates a route.
    public init(endpoint: String, domain: D, queryParameters: [String: String]? = nil) {
        self.endpoint = endpoint
        self.domain = domain
        self.queryParameters = queryParameters
    }
}

/// A DELETE request with a JSON response.
public struct SimpleDeleteRoute<R: Decodable, D: ServiceDomain>: Route, Sendable {
    /// The value that the response's JSON decodes to.
    public typealias Response = R
    /// The enumeration of services.
    public typealias Domain = D

    /// The service.
    public let domain: D
    /// The path below the service's base URL.
    public let endpoint: String
    /// DELETE.
    public var method: HTTPMethod { .delete }
    /// Always nil.
    public var parameters: [String: String]? { nil }

    /// Creates a route.
    public init(endpoint: String, domain: D) {
        self.endpoint = endpoint
        self.domain = domain
    }
}

/// A POST request with a JSON object of strings and a JSON response.
public typealias SimplePostRoute<R: Decodable, D: ServiceDomain> = StringsRoute<RouteMethods.Post, R, D>

/// A PUT request with a JSON object of strings and a JSON response.
public typealias SimplePutRoute<R: Decodable, D: ServiceDomain> = StringsRoute<RouteMethods.Put, R, D>

/// A request with a JSON object of strings and a JSON response.
public struct StringsRoute<Method: RouteMethod, R: Decodable, D: ServiceDomain>: Route {
    /// The value that the response's JSON decodes to.
    public typealias Response = R
    /// The enumeration of services.
    public typealias Domain = D

    /// The service.
    public let domain: D
    /// The path below the service's base URL.
    public let endpoint: String
    /// The query by name; nil for none.
    public let queryParameters: [String: String]?
    /// The members of the JSON object in the content.
    public let bodyParameters: [String: String]?

    /// The method that `Method` names.
    public var method: HTTPMethod { Method.method }
    /// The members of the JSON object in the content.
    public var parameters: [String: String]? { bodyParameters }
    /// JSON.
    public var parameterEncoding: ParameterEncoding { .json }
    /// The items of the query, sorted by name.
    public var urlQueryItems: [URLQueryItem]? { queryParameters.map(queryItems) }

    /// Creates a route.
    public init(
        endpoint: String, domain: D, queryParameters: [String: String]? = nil, bodyParameters: [String: String]? = nil
    ) {
        self.endpoint = endpoint
        self.domain = domain
        self.queryParameters = queryParameters
        self.bodyParameters = bodyParameters
    }

    /// Creates a route with its parameters as the content; the spelling of earlier versions of Nevod.
    public init(endpoint: String, domain: D, parameters: [String: String]?) {
        self.init(endpoint: endpoint, domain: domain, bodyParameters: parameters)
    }
}

/// A method as a type, for routes that differ only in their method.
public protocol RouteMethod {
    static var method: HTTPMethod { get }
}

/// The methods of requests with content.
public enum RouteMethods {
    /// Creates a resource, or processes the content.
    public enum Post: RouteMethod {
        /// POST.
        public static var method: HTTPMethod { .post }
    }

    /// Replaces a resource.
    public enum Put: RouteMethod {
        /// PUT.
        public static var method: HTTPMethod { .put }
    }

    /// Changes a part of a resource.
    public enum Patch: RouteMethod {
        /// PATCH.
        public static var method: HTTPMethod { .patch }
    }
}
