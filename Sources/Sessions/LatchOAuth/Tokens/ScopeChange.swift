// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// How what was granted differs from what was asked for (RFC 6749 §3.3).
public struct ScopeChange: Sendable, Hashable {
    /// Asked for and not granted: less than wanted, and the issuer's right.
    public let missing: Scopes
    /// Granted and not asked for: more than wanted, and no one's wish.
    public let unrequested: Scopes

    /// The difference between two lists, by what their scopes imply.
    ///
    /// Who asked for `files:write` has also asked for what it implies; an issuer that spells that out grants no more.
    public init(requested: Scopes, granted: Scopes, in hierarchy: ScopeHierarchy = .levels) {
        missing = granted.missing(from: requested, in: hierarchy)
        unrequested = requested.missing(from: granted, in: hierarchy)
    }

    /// Whether exactly what was asked for was granted.
    public var isEmpty: Bool { missing.isEmpty && unrequested.isEmpty }
}

/// What becomes of an answer that grants more than was asked for.
public enum UnrequestedScopes: Sendable, Hashable {
    /// The tokens are used, and `TokenResponse.scopeChange` tells.
    case reported
    /// The answer is refused: `OAuthError.unrequestedScope`.
    case refused
}
