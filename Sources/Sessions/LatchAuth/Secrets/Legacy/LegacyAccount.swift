// SPDX-License-Identifier: Apache-2.0

/// An account as another library kept it.
public struct LegacyAccount: Sendable, Hashable {
    /// Its tokens; the expiry is the stored one, else the access token's own where that is a JWT.
    public let tokens: Tokens
    /// Whose it is, where the layout says so.
    public let userID: String?

    /// An account from its parts.
    public init(tokens: Tokens, userID: String? = nil) {
        self.tokens = tokens
        self.userID = userID
    }
}

/// What a migration has found, and made of it.
public enum LegacyOutcome: Sendable, Hashable {
    /// Nothing in the old layout.
    case nothing
    /// The account is in the new place, and gone from the old one.
    case migrated(LegacyAccount)
    /// The new place holds an account already; what was left in the old one has been removed.
    case superseded
    /// Only a part of an account was there, which is none; it has been removed.
    case incomplete
    /// What was there could not be read; it is kept under these names.
    case setAside([String])
}
