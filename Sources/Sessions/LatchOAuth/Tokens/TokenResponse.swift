// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore
public import LatchJOSE

/// A successful response of a token endpoint (RFC 6749 §5.1).
public struct TokenResponse: Sendable, Hashable {
    /// The issued tokens.
    public var tokens: Tokens
    /// The lifetime of the access token; nil if the server does not state it.
    public var lifetime: Duration?
    /// The requested scopes; nil if none were requested and the server chose.
    public var requestedScopes: Scopes?
    /// All other members of the response.
    public var extra: JSONObject
    /// The verified claims of the ID token; nil without an ID token, or if it is not verified.
    ///
    /// The ID token of a refresh is not verified here, but by the session.
    public internal(set) var idTokenClaims: Claims?

    /// The lifetime of the refresh token, as GitHub, Google and Keycloak state it; nil if the server does not.
    ///
    /// Keycloak states zero for a refresh token without an expiry.
    public var refreshLifetime: Duration? {
        let value = ["refresh_token_expires_in", "refresh_expires_in"].lazy.compactMap { extra[$0]?.seconds }.first
        return value.flatMap { $0 < 1 ? nil : .seconds(min($0, 36_525 * 86_400)) }
    }

    /// Creates a response.
    public init(
        tokens: Tokens, lifetime: Duration? = nil, requestedScopes: Scopes? = nil, extra: JSONObject = [:]
    ) {
        self.tokens = tokens
        self.lifetime = lifetime
        self.requestedScopes = requestedScopes
        self.extra = extra
    }

    /// The type of the token that a token exchange has issued, as an identifier of RFC 8693 §3; nil for other grants.
    public var issuedTokenType: String? { extra["issued_token_type"]?.stringValue }

    /// The granted scopes; nil if the server does not state them and none were requested.
    public var grantedScopes: Scopes? { tokens.grantedScopes }

    /// The difference between the requested and the granted scopes; empty if one of the two is unknown.
    public var scopeChange: ScopeChange {
        guard let requestedScopes, let grantedScopes else { return ScopeChange(requested: [], granted: []) }
        return ScopeChange(requested: requestedScopes, granted: grantedScopes)
    }

    /// The identifier of the user, if the server includes it.
    public var userID: String? { tokens.userID }
}

extension TokenResponse: Redacting {
    /// The members that are present; only the names of `extra`, which may also contain secrets.
    public var description: String {
        "TokenResponse(\(tokens), scope: \(tokens.scope ?? "unknown"), extra: \(extra.keys.sorted()))"
    }
}

extension TokenType {
    /// `N_A`: the type of a token that is not for requests (RFC 8693 §2.2.1).
    static let notApplicable = TokenType(rawValue: "N_A")
}

/// The difference between requested and granted scopes (RFC 6749 §3.3).
public struct ScopeChange: Sendable, Hashable {
    /// The scopes that were requested but not granted, as the server may decide.
    public let missing: Scopes
    /// The scopes that were granted but not requested.
    public let unrequested: Scopes

    /// Creates the difference between two lists, including the implied scopes.
    ///
    /// A request for `files:write` includes its implied scopes: a server that lists them has not granted more.
    public init(requested: Scopes, granted: Scopes, in hierarchy: ScopeHierarchy = .levels) {
        missing = granted.missing(from: requested, in: hierarchy)
        unrequested = requested.missing(from: granted, in: hierarchy)
    }

    /// Whether exactly the requested scopes were granted.
    public var isEmpty: Bool { missing.isEmpty && unrequested.isEmpty }
}

/// The handling of a response with unrequested scopes.
public enum UnrequestedScopes: Sendable, Hashable {
    /// The tokens are used, and `TokenResponse.scopeChange` reports the scopes.
    case reported
    /// The response is refused: `OAuthError.unrequestedScope`.
    ///
    /// If the server is Latchwork's own, the tokens are revoked.
    case refused
}
