// SPDX-License-Identifier: Apache-2.0

/// DELETE, answered with JSON.
public struct SimpleDeleteRoute<R: Decodable, D: ServiceDomain>: Route {
    /// What the answer is read as.
    public typealias Response = R
    /// The enumeration that the service is a case of.
    public typealias Domain = D

    /// The service.
    public let domain: D
    /// The path under the service's base URL.
    public let endpoint: String
    /// DELETE.
    public var method: HTTPMethod { .delete }
    /// None.
    public var parameters: [String: String]? { nil }

    /// A route.
    public init(endpoint: String, domain: D) {
        self.endpoint = endpoint
        self.domain = domain
    }
}
