// SPDX-License-Identifier: Apache-2.0

import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth
import PortableFoundation

/// A decoder of the responses to a sign-in or a refresh: ``TokenResponseDecoder`` with the features of these backends.
struct AccountTokenDecoder {
    /// The endpoints, for the cookie's name.
    let endpoints: AccountEndpoints
    /// Whether cookies are read; a backend may set them for browsers only.
    let usesCookie: Bool
    /// The clock for responses without a date.
    let clock: WallClock

    /// Decodes the tokens of a response.
    ///
    /// - Parameter previous: The refreshed tokens, whose refresh token stays where the response has none (RFC 6749 §6).
    /// - Throws: `AccountError.invalidResponse` if there is no access token.
    func tokens(in response: HTTPResponse, refreshing previous: Tokens? = nil) throws(AccountError) -> Tokens {
        var tokens: Tokens
        do {
            tokens = try TokenResponseDecoder(.camelCase, clock: clock).decode(response).tokens
        } catch {
            throw .invalidResponse
        }
        // Their access tokens are JWTs, whose dates are exact.
        if let claims = try? JWT(unverified: tokens.access).claims, let expiry = claims.expiry {
            (tokens.issued, tokens.expiry) = (claims.issuedAt ?? tokens.issued, expiry)
        }
        if tokens.refresh == nil, usesCookie { tokens.cookie = refreshCookie(in: response) ?? previous?.cookie }
        if tokens.refresh == nil, tokens.cookie == nil { tokens.refresh = previous?.refresh }
        return tokens
    }

    /// Returns the refresh cookie as `name=value`; nil if the response sets none or only deletes it.
    ///
    /// The last one counts (RFC 6265 §5.3, step 11). A backend that has moved its cookie also sends a deletion for the
    /// earlier path.
    private func refreshCookie(in response: HTTPResponse) -> String? {
        let cookies = response.fields.values(of: .setCookie).lazy.compactMap(SetCookie.init)
        return cookies.last { $0.name == endpoints.refreshCookie && !$0.value.isEmpty && !isDeletion($0) }
            .map { "\($0.name)=\($0.value)" }
    }

    /// Whether a cookie has expired; `Max-Age` outranks `Expires` (RFC 6265 §5.3, step 3).
    private func isDeletion(_ cookie: SetCookie) -> Bool {
        cookie.maxAge.map { $0 <= 0 } ?? cookie.expires.map { $0 <= clock.now } ?? false
    }
}
