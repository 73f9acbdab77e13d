// SPDX-License-Identifier: Apache-2.0

/// Where a service is.
public protocol NetworkEnvironmentProviding: Sendable {
    /// Where its endpoints begin; a path and a query in it are kept.
    var baseURL: URL { get }
}

/// A service at one URL.
public struct SimpleEnvironment: NetworkEnvironmentProviding, Hashable {
    /// Where its endpoints begin.
    public let baseURL: URL

    /// A service at `baseURL`.
    public init(baseURL: URL) { self.baseURL = baseURL }
}
