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
    /// - Throws: `AccountError.invalidResponse` where there is no access token.
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

    /// Returns the refresh cookie as `name=value`; nil where the response sets none or only deletes it.
    ///
    /// The last one counts (RFC 6265 §5.3, step 11). A backend that has moved its cookie also sends a deletion for the
    /// earlier path.
    private func refreshCookie(in response: HTTPResponse) -> String? {
        let prefix = endpoints.refreshCookie + "="
        return response.fields.values(of: .setCookie).lazy
            .filter { $0.hasPrefix(prefix) }
            .map { $0.split(separator: ";", omittingEmptySubsequences: false) }
            .last { $0[0].utf8.count > prefix.utf8.count && !isDeletion($0.dropFirst()) }
            .map { String($0[0]) }
    }

    /// Whether a cookie's attributes delete it; `Max-Age` outranks `Expires` (RFC 6265 §5.2.2, §5.3).
    private func isDeletion(_ attributes: ArraySlice<Substring>) -> Bool {
        var expiresInThePast = false
        for attribute in attributes {
            let parts = attribute.split(separator: "=", maxSplits: 1).map { $0.drop { $0 == " " } }
            guard parts.count == 2 else { continue }
            switch parts[0].lowercased() {
            case "max-age": if let age = Int(parts[1]) { return age <= 0 }
            case "expires": expiresInThePast = HTTPDate(String(parts[1])).map { $0.date <= clock.now } ?? false
            default: break
            }
        }
        return expiresInThePast
    }
}
