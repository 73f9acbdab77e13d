// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchFoundation
import LatchHTTP
import LatchJOSE
import LatchOAuth

/// A decoder of the responses to a sign-in or a refresh: ``TokenResponseDecoder`` plus the features of these backends.
struct AccountTokenDecoder {
    /// The endpoints, which name the refresh cookie.
    let endpoints: AccountEndpoints
    /// Whether cookies are read; a backend may intend them only for browsers.
    let usesCookie: Bool
    /// The clock for responses without a date.
    let clock: WallClock

    /// Decodes the tokens of a response.
    ///
    /// - Parameter previous: The refreshed tokens. Their refresh token stays valid if the response has none (RFC 6749
    ///   §6).
    /// - Throws: `AccountError.invalidResponse` if the response has no access token.
    func tokens(in response: HTTPResponse, refreshing previous: Tokens? = nil) throws(AccountError) -> Tokens {
        var tokens: Tokens
        do {
            tokens = try TokenResponseDecoder(.camelCase, clock: clock).decode(response).tokens
        } catch {
            throw .invalidResponse
        }
        // Access tokens of these backends are JWTs, whose expiry is exact.
        if let claims = try? JWT(unverified: tokens.access).claims, let expiry = claims.expiry {
            tokens.expiry = expiry
            if !response.isDated { tokens.issued = issueDate(of: claims, expiry) }
        }
        if tokens.refresh == nil, usesCookie { tokens.cookie = refreshCookie(in: response) ?? previous?.cookie }
        if tokens.refresh == nil, tokens.cookie == nil { tokens.refresh = previous?.refresh }
        return tokens
    }

    /// Returns the refreshed tokens with the new refresh token or refresh cookie of an otherwise unusable response.
    ///
    /// Returns nil if the response has neither.
    func grant(in response: HTTPResponse, refreshing previous: Tokens) -> Tokens? {
        guard response.status.isSuccess else { return nil }
        var grant = previous
        let decoder = TokenResponseDecoder(.camelCase, clock: clock)
        if let refresh = decoder.refreshToken(in: response.body.bytes, replacing: previous.refresh) {
            (grant.refresh, grant.cookie) = (refresh, nil)
        } else if usesCookie, let cookie = refreshCookie(in: response), cookie != previous.cookie {
            (grant.refresh, grant.cookie) = (nil, cookie)
        } else {
            return nil
        }
        return grant
    }

    /// Returns the date of issue by the backend's clock, for a response without a date.
    ///
    /// `iat` counts only where this device's clock must be wrong: the token would be from the future, or would have
    /// expired before it arrived. Some backends repeat the `iat` of the sign-in, which says nothing about the time of a
    /// refresh.
    private func issueDate(of claims: Claims, _ expiry: Date) -> Date {
        let now = clock.now
        guard let issued = claims.issuedAt, issued > now || expiry <= now else { return now }
        return issued
    }

    /// Returns the refresh cookie as `name=value`; nil if the response sets none or only deletes it.
    ///
    /// The last one counts (RFC 6265 §5.3, step 11). A backend that has moved its cookie also sends a deletion for the
    /// earlier path.
    private func refreshCookie(in response: HTTPResponse) -> String? {
        response.setCookies(at: clock.now).last {
            $0.name == endpoints.refreshCookie && !$0.value.isEmpty && !isDeletion($0)
        }
        .map { "\($0.name)=\($0.value)" }
    }

    /// Whether a cookie has expired; `Max-Age` outranks `Expires` (RFC 6265 §5.3, step 3).
    private func isDeletion(_ cookie: SetCookie) -> Bool {
        cookie.maxAge.map { $0 <= 0 } ?? cookie.expires.map { $0 <= clock.now } ?? false
    }
}

extension HTTPResponse {
    /// Whether the response shows its server's clock; a response from a cache has an age (RFC 9111 §5.1).
    fileprivate var isDated: Bool { fields["Age"] == nil && fields[.date].flatMap(HTTPDate.init) != nil }
}
