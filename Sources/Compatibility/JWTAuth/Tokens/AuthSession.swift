// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// The sign-in state of a session.
///
/// `@Shared(.authSession)` is nil until the store has been read, and `.missing` while no user is signed in.
public enum AuthSession: Hashable, Sendable {
    /// The state without a signed-in user.
    case missing
    /// A signed-in user whose access token has expired; the next request refreshes it.
    case expired(AuthTokens)
    /// A signed-in user with a valid access token.
    case valid(AuthTokens)

    /// Whether a user is signed in with an expired token.
    public var isExpired: Bool {
        guard case .expired = self else { return false }
        return true
    }

    /// The tokens, if a user is signed in.
    public var tokens: AuthTokens? {
        switch self {
        case .missing: nil
        case .expired(let tokens), .valid(let tokens): tokens
        }
    }

    /// Creates the state from the core session's state; nil if that session has not read its store, or cannot read it.
    init?(_ state: SessionState<Tokens>) {
        switch state {
        case .signedIn(let tokens): self = .valid(AuthTokens(tokens))
        case .expired(let tokens): self = .expired(AuthTokens(tokens))
        case .signedOut: self = .missing
        case .unknown, .restoring, .unavailable: return nil
        }
    }
}
