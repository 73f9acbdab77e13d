// SPDX-License-Identifier: Apache-2.0

/// A resource that one access token of a session is for, and the scopes needed there (RFC 8707 §2).
public struct TokenTarget: Sendable, Hashable, Codable {
    /// The absolute URI of the resource, in the form that is requested.
    public let resource: String
    /// The requested scopes; nil for those of the sign-in.
    public let scopes: Scopes?

    /// Creates a target.
    public init(resource: String, scopes: Scopes? = nil) {
        self.resource = resource
        self.scopes = scopes
    }
}
