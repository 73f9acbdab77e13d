// SPDX-License-Identifier: Apache-2.0

/// Where the services are, and how requests to them are made.
public struct NetworkConfig: Sendable {
    /// How long one attempt may take, in seconds.
    public let timeout: TimeInterval
    /// How many attempts a request gets in all; a `retryPolicy` says it instead.
    public let retries: Int
    /// How many requests may be sent in which time; nil sets no limit.
    public let rateLimit: RateLimitConfiguration?
    /// Writes the JSON content of routes.
    public let jsonEncoder: JSONEncoder
    /// Reads the JSON content of answers.
    public let jsonDecoder: JSONDecoder
    /// When a request is made again; nil makes `retries` attempts after the pauses of `RetryPolicy.default`.
    public let retryPolicy: RetryPolicy?
    /// Whether plain http may be spoken to other machines than this one: anybody on the way can read and change it.
    public let allowsPlainHTTPToAnyHostWithoutEncryption: Bool

    private let environments: [DomainKey: any NetworkEnvironmentProviding]

    /// A configuration for the services of one enumeration of domains.
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

    /// A configuration put together by several modules; of two environments for a domain the later one counts.
    ///
    /// A key that is no `ServiceDomain` can never be asked for and is left out.
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

    /// The environment of a domain, or `missingEnvironment`.
    public func environment<Domain: ServiceDomain>(
        for domain: Domain
    ) -> Result<any NetworkEnvironmentProviding, NetworkError> {
        guard let environment = environments[DomainKey(domain)] else {
            return .failure(.missingEnvironment(domain: domain.identifier))
        }
        return .success(environment)
    }

    /// Where a domain's endpoints begin, or `missingEnvironment`.
    public func baseURL<Domain: ServiceDomain>(for domain: Domain) -> Result<URL, NetworkError> {
        environment(for: domain).map(\.baseURL)
    }

    /// The policy in effect.
    var effectiveRetryPolicy: RetryPolicy { retryPolicy ?? RetryPolicy(maxAttempts: retries) }
}
