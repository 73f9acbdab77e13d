// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchFoundation

/// A grant of the code that the authorization server's page has issued (RFC 6749 §4.1.3, RFC 7636 §4.5).
///
/// The verifier proves that this client made the request.
///
/// Prefer ``AuthorizationClient``, which checks that the code belongs to the request.
public struct AuthorizationCodeGrant: Grant {
    /// The URL that the code was sent to.
    public let redirectURI: URL?
    /// The requested scopes, which count as granted if the response states none.
    public let scopes: Scopes
    /// The resources that the access token is for (RFC 8707 §2.2); empty for those of the request.
    public let resources: [String]
    private let code: String
    private let verifier: String

    /// Creates a grant.
    public init(code: String, verifier: String, redirectURI: URL?, scopes: Scopes = [], resources: [String] = []) {
        self.code = code
        self.verifier = verifier
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.resources = resources
    }

    /// `authorization_code` (RFC 6749 §4.1.3).
    public var type: String { "authorization_code" }

    /// The code, its verifier, and the redirect URI of the request.
    public var parameters: [(String, String)] {
        [("code", code), ("code_verifier", verifier), ("redirect_uri", redirectURI?.absoluteString ?? "")]
            + resources.map { ("resource", $0) }
    }

    /// The requested scopes; nil if the server chooses.
    public var expectedScopes: Scopes? { scopes.isEmpty ? nil : scopes }
}

extension AuthorizationCodeGrant: Redacting {}
