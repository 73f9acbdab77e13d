// SPDX-License-Identifier: Apache-2.0

public import LatchAuth

/// What a token is for, as a hint where it is revoked (RFC 7009 §2.1).
public enum TokenKind: String, Sendable, Hashable, CaseIterable {
    /// An access token.
    case access = "access_token"
    /// A refresh token.
    case refresh = "refresh_token"
}

extension TokenEndpoint {
    /// Revokes a token (RFC 7009 §2.1).
    ///
    /// A token that the issuer does not know counts as revoked (RFC 7009 §2.2).
    ///
    /// - Throws: `OAuthError.temporarilyUnavailable` where the issuer cannot do it now: the token is then still good, and
    ///   `retryAfter` may say when to try again. `OAuthError.noRevocationEndpoint` where there is nobody to ask.
    public func revoke(_ token: String, hint: TokenKind? = nil) async throws {
        guard let url = provider.revocationEndpoint else { throw OAuthError.noRevocationEndpoint }
        _ = try await post([("token", token), ("token_type_hint", hint?.rawValue ?? "")], to: url)
    }

    /// Revokes both tokens, the refresh token first, since it is the one that lives long.
    ///
    /// Both are tried, whatever comes of the first.
    ///
    /// - Throws: As `revoke(_:hint:)`, the error of the refresh token first.
    public func revoke(_ tokens: Tokens) async throws {
        let first = await failure { if let refresh = tokens.refresh { try await revoke(refresh, hint: .refresh) } }
        let second = await failure { try await revoke(tokens.access, hint: .access) }
        if let first { throw first }
        // RFC 7009 §2.2.1: an issuer need not revoke access tokens; where the refresh token is gone, theirs is near.
        if let second, second as? OAuthError != .unsupportedTokenType || tokens.refresh == nil { throw second }
    }

    /// The same for who cannot wait for it or do anything about a failure: says whether the issuer confirmed.
    func isRevoked(_ tokens: Tokens) async -> Bool { await failure { try await revoke(tokens) } == nil }

    private func failure(of body: () async throws -> Void) async -> (any Error)? {
        do { try await body() } catch { return error }
        return nil
    }
}
