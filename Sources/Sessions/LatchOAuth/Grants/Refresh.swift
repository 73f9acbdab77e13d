// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// A refresh token, exchanged for new tokens (RFC 6749 §6).
///
/// Use a session where you can: it never asks twice with the same token, and this does.
public struct RefreshGrant: Grant {
    /// What is asked for: part of what was granted, or nothing for all of it.
    public let scopes: Scopes
    /// What was granted before.
    private let granted: Scopes?
    /// What renews.
    private let token: String

    /// A grant of a refresh token.
    ///
    /// - Parameters:
    ///   - scopes: Fewer scopes than before (RFC 6749 §6); none for the same again.
    ///   - granted: What was granted before, where that is known.
    public init(refreshToken: String, scopes: Scopes = [], granted: Scopes? = nil) {
        token = refreshToken
        self.scopes = scopes
        self.granted = granted
    }

    /// RFC 6749 §6.
    public var type: String { "refresh_token" }

    /// The token, and the scopes where there are any.
    public var parameters: [(String, String)] { [("refresh_token", token), ("scope", scopes.text)] }

    /// The same as before, where the answer does not say.
    public var expectedScopes: Scopes? { scopes.isEmpty ? granted : scopes }

    /// RFC 6749 §6: without a new one the old one stays.
    public var refreshToken: String? { token }
}

extension RefreshGrant: Redacting {
    /// That there is a token.
    public var description: String { "RefreshGrant(redacted)" }
}
