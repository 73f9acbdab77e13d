// SPDX-License-Identifier: Apache-2.0

/// The services of an application, and the settings of requests to them.
public struct NetworkConfig: Sendable {
    /// The time limit of one attempt, in seconds.
    public let timeout: TimeInterval
    /// The maximum number of attempts; ignored if there is a `retryPolicy`.
    public let retries: Int
    /// The rate limit; nil for none.
    public let rateLimit: RateLimitConfiguration?
    /// The encoder of the JSON content of routes.
    public let jsonEncoder: JSONEncoder
    /// The decoder of the JSON content of responses.
    public let jsonDecoder: JSONDecoder
    /// The retry policy; nil makes `retries` attempts with the delays of `RetryPolicy.default`.
    public let retryPolicy: RetryPolicy?
    /// Whether plain http is allowed to other hosts than this machine; an attacker on the network can read and change
    /// it.
    public let allowsPlainHTTPToAnyHostWithoutEncryption: Bool

    private let environments: [DomainKey: any NetworkEnvironmentProviding]

    /// Creates a configuration for the services of one enumeration of domains.
    public init<Domain: ServiceDomain>(
        environments: [Domain: any NetworkEnvironmentProviding],
        timeout: TimeInterval = 30,
        retries: Int = 3,
        rateLimit: RateLimitConfiguration? = nil,
        jsonEncoder: JSONEncoder = JSONEncoder(),
        jsonDecoder: JSONDecoder = JSONDecoder(),
        retryPolicy: RetryPolicy? = nil,
        allowsPlainHTTPToAnyHostWithoutEncryption: Bool = false
    ) {
        self.init(
            environmentConfigurations: [environments], timeout: timeout, retries: retries, rateLimit: rateLimit,
            jsonEncoder: jsonEncoder, jsonDecoder: jsonDecoder, retryPolicy: retryPolicy,
            allowsPlainHTTPToAnyHostWithoutEncryption: allowsPlainHTTPToAnyHostWithoutEncryption)
    }

    /// Creates a configuration from those of several modules; a later environment of a domain replaces an earlier one.
    ///
    /// Keys that are not a `ServiceDomain` are ignored.
    public init(
        environmentConfigurations: [[AnyHashable: any NetworkEnvironmentProviding]],
        timeout: TimeInterval = 30,
        retries: Int = 3,
        rateLimit: RateLimitConfiguration? = nil,
        jsonEncoder: JSONEncoder = JSONEncoder(),
        jsonDecoder: JSONDecoder = JSONDecoder(),
        retryPolicy: RetryPolicy? = nil,
        allowsPlainHTTPToAnyHostWithoutEncryption: Bool = false
    ) {
        var environments: [DomainKey: any NetworkEnvironmentProviding] = [:]
        for configuration in environmentConfigurations {
            for (domain, environment) in configuration {
                guard let domain = domain.base as? any ServiceDomain else { continue }
                environments[DomainKey(domain)] = environment
            }
        }
        self.environments = environments
        self.timeout = timeout
        self.retries = retries
        self.rateLimit = rateLimit
        self.jsonEncoder = jsonEncoder
        self.jsonDecoder = jsonDecoder
        self.retryPolicy = retryPolicy
        self.allowsPlainHTTPToAnyHostWithoutEncryption = allowsPlainHTTPToAnyHostWithoutEncryption
    }

    /// Returns the environment of a domain, or `missingEnvironment`.
    public func environment<Domain: ServiceDomain>(
        for domain: Domain
    ) -> Result<any NetworkEnvironmentProviding, NetworkError> {
        guard let environment = environments[DomainKey(domain)] else {
            return .failure(.missingEnvironment(domain: domain.identifier))
        }
        return .success(environment)
    }

    /// Returns the base URL of a domain, or `missingEnvironment`.
    public func baseURL<Domain: ServiceDomain>(for domain: Domain) -> Result<URL, NetworkError> {
        environment(for: domain).map(\.baseURL)
    }

    var effectiveRetryPolicy: RetryPolicy { retryPolicy ?? RetryPolicy(maxAttempts: retries) }
}

/// A service that an application calls, as a case of the application's enumeration.
///
/// ```swift
/// enum MyDomain: ServiceDomain {
///     case api
///     var identifier: String { "api" }
/// }
/// ```
public protocol ServiceDomain: Hashable, Sendable {
    /// The name that distinguishes domains of one type.
    var identifier: String { get }
}

extension ServiceDomain {
    /// Returns whether the identifiers are equal.
    public static func == (left: Self, right: Self) -> Bool { left.identifier == right.identifier }

    /// Hashes the identifier.
    public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

/// The only domain of a provider that `NetworkProvider.quick` created.
public enum DefaultDomain: ServiceDomain {
    /// The only service.
    case `default`

    /// `default`.
    public var identifier: String { "default" }
}

/// A dictionary key for domains of any type; two types may use the same identifier.
struct DomainKey: Hashable, Sendable {
    private let type: ObjectIdentifier
    private let identifier: String

    init<Domain: ServiceDomain>(_ domain: Domain) {
        type = ObjectIdentifier(Domain.self)
        identifier = domain.identifier
    }
}

/// The environment of a service.
public protocol NetworkEnvironmentProviding: Sendable {
    /// The base URL of its endpoints; its path and query are kept.
    var baseURL: URL { get }
}

/// An environment with one base URL.
public struct SimpleEnvironment: NetworkEnvironmentProviding, Hashable {
    /// The base URL of its endpoints.
    public let baseURL: URL

    /// Creates an environment.
    public init(baseURL: URL) { self.baseURL = baseURL }
}
