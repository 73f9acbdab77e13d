// SPDX-License-Identifier: Apache-2.0

import LatchAuth

/// Whether a user is signed in.
///
/// `@Shared(.authSession)` is nil as long as the store has not been read, and `.missing` when it has been and no user
/// is
/// signed in, or when the user has signed out.
public enum AuthSession: Hashable, Sendable {
    /// No user is signed in.
    case missing
    /// Signed in, and the access token's time is over; the next request renews it.
    case expired(AuthTokens)
    /// Signed in.
    case valid(AuthTokens)

    /// Whether a user is signed in with an expired token.
    public var isExpired: Bool {
        guard case .expired = self else { return false }
        return true
    }

    /// The tokens, where a user is signed in.
    public var tokens: AuthTokens? {
        switch self {
        case .missing: nil
        case .expired(let tokens), .valid(let tokens): tokens
        }
    }

    /// Creates the state from the core session's; nil where that has not read its store, or cannot.
    init?(_ state: SessionState<AuthTokens>) {
        switch state {
        case .signedIn(let tokens): self = .valid(tokens)
        case .expired(let tokens): self = .expired(tokens)
        case .signedOut: self = .missing
        case .unknown, .restoring, .unavailable: return nil
        }
    }
}
