// SPDX-License-Identifier: Apache-2.0

public import LatchAuth
public import LatchCore

/// What an issuer answers where it grants (RFC 6749 §5.1).
public struct TokenResponse: Sendable, Hashable {
    /// The tokens, as a session takes them.
    public var tokens: Tokens
    /// For how long the access token is accepted; nil where the issuer does not say, or nothing usable.
    public var lifetime: Duration?
    /// What was asked for; nil where nothing was, and the issuer chose.
    public var requestedScopes: Scopes?
    /// All other members of the answer, whatever they are.
    public var extra: JSONObject

    /// A response from its parts.
    public init(
        tokens: Tokens, lifetime: Duration? = nil, requestedScopes: Scopes? = nil, extra: JSONObject = [:]
    ) {
        self.tokens = tokens
        self.lifetime = lifetime
        self.requestedScopes = requestedScopes
        self.extra = extra
    }

    /// What was granted; nil where the issuer does not say and nothing was asked for.
    public var grantedScopes: Scopes? { tokens.grantedScopes }

    /// How what was granted differs from what was asked for; empty where one of the two is not known.
    public var scopeChange: ScopeChange {
        guard let requestedScopes, let grantedScopes else { return ScopeChange(requested: [], granted: []) }
        return ScopeChange(requested: requestedScopes, granted: grantedScopes)
    }

    /// Who the tokens belong to, where the issuer writes it beside them.
    public var userID: String? { tokens.userID }
}

extension TokenResponse: Redacting {
    /// What is there, without the texts; `extra` may hold secrets too, so only its names are told.
    public var description: String {
        "TokenResponse(\(tokens), scope: \(tokens.scope ?? "unknown"), extra: \(extra.keys.sorted()))"
    }
}
