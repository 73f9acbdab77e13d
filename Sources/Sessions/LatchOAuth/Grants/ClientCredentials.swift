// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// A grant of the client's own credentials, for programs without a user (RFC 6749 §4.4).
public struct ClientCredentialsGrant: Grant {
    /// The requested scopes.
    public let scopes: Scopes
    /// The resources that the access token is for (RFC 8707 §2.2).
    public let resources: [String]
    /// The value of the parameter that some servers expect instead of `resource`; nil to send none.
    public let audience: String?

    /// Creates a grant.
    public init(scopes: Scopes = [], resources: [String] = [], audience: String? = nil) {
        self.scopes = scopes
        self.resources = resources
        self.audience = audience
    }

    /// `client_credentials` (RFC 6749 §4.4.2).
    public var type: String { "client_credentials" }

    /// The scopes, the resources and the audience.
    public var parameters: [(String, String)] {
        [("scope", scopes.text), ("audience", audience ?? "")] + resources.map { ("resource", $0) }
    }

    /// The requested scopes; nil if the server chooses.
    public var expectedScopes: Scopes? { scopes.isEmpty ? nil : scopes }
}
