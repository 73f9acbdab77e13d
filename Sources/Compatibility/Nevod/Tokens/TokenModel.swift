// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// A credential that can be applied to a request and encoded for storage.
public protocol TokenModel: Sendable {
    /// Adds the credential to `request`.
    ///
    /// It is called for each attempt, and for each redirect within the origin, so a signature covers the actual
    /// request.
    func authorize(_ request: inout URLRequest)

    /// Encodes the token for `decode(from:)`.
    func encode() throws -> Data

    /// Decodes a token that `encode()` encoded.
    static func decode(from data: Data) throws -> Self
}

extension TokenModel where Self: Codable {
    /// Encodes the token as JSON.
    public func encode() throws -> Data { try JSONEncoder().encode(self) }

    /// Decodes a token that `encode()` encoded.
    public static func decode(from data: Data) throws -> Self { try JSONDecoder().decode(Self.self, from: data) }
}

/// A bearer token (RFC 6750 §2.1).
///
/// It has no refresh token and no expiry date. If the issuer provides these, define a `TokenModel` that contains them;
/// the refresh strategy receives the whole value.
public struct Token: TokenModel, Codable, Hashable {
    /// The token.
    public var value: String

    /// Creates a bearer token.
    public init(value: String) { self.value = value }

    /// Sets the `Authorization` field.
    public func authorize(_ request: inout URLRequest) {
        request.setValue("Bearer \(value)", forHTTPHeaderField: "Authorization")
    }
}

extension Token: Redacting {}

/// An API key in a header field.
public struct APIKeyToken: TokenModel, Codable, Hashable {
    /// The secret that is sent with each request.
    public let apiKey: String
    /// The name of the field.
    public let headerName: String

    /// Creates an API key for a field.
    public init(apiKey: String, headerName: String = "X-API-Key") {
        self.apiKey = apiKey
        self.headerName = headerName
    }

    /// Sets the field.
    public func authorize(_ request: inout URLRequest) { request.setValue(apiKey, forHTTPHeaderField: headerName) }
}

extension APIKeyToken: Redacting {
    /// A description that redacts the key.
    public var description: String { "APIKeyToken(\(headerName): redacted)" }
}

/// An API key in a query parameter.
///
/// Prefer a field if the service accepts one, because servers and proxies log URLs.
public struct QueryAPIKeyToken: TokenModel, Codable, Hashable {
    /// The secret that is sent with each request.
    public let apiKey: String
    /// The name of the parameter.
    public let paramName: String

    /// Creates an API key for a parameter.
    public init(apiKey: String, paramName: String = "api_key") {
        self.apiKey = apiKey
        self.paramName = paramName
    }

    /// Sets the parameter, percent-encoded; repeated calls set it once.
    public func authorize(_ request: inout URLRequest) {
        request.authorize { APIKey(apiKey, inQuery: paramName).authorize(&$0) }
    }
}

extension QueryAPIKeyToken: Redacting {
    /// A description that redacts the key.
    public var description: String { "QueryAPIKeyToken(\(paramName): redacted)" }
}
