// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// A grant of an assertion that a trusted issuer has signed (RFC 7523 §2.1).
public struct JWTBearerGrant: Grant {
    /// The requested scopes.
    public let scopes: Scopes
    private let assertion: String

    /// Creates a grant.
    ///
    /// - Parameters:
    ///   - assertion: The signed token; its `aud` names the authorization server (RFC 7523 §3).
    ///   - scopes: The requested scopes.
    public init(assertion: String, scopes: Scopes = []) {
        self.assertion = assertion
        self.scopes = scopes
    }

    /// `urn:ietf:params:oauth:grant-type:jwt-bearer` (RFC 7523 §2.1).
    public var type: String { "urn:ietf:params:oauth:grant-type:jwt-bearer" }

    /// The assertion and the scopes.
    public var parameters: [(String, String)] { [("assertion", assertion), ("scope", scopes.text)] }

    /// The requested scopes; nil if the server chooses.
    public var expectedScopes: Scopes? { scopes.isEmpty ? nil : scopes }
}

extension JWTBearerGrant: Redacting {}
