// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE
import LatchOAuth

/// Reads tokens out of the answer of a sign-in or a renewal.
struct TokenAnswer {
    /// For the cookie's name.
    let endpoints: AccountEndpoints
    /// Whether cookies are looked at; a backend may set them for browsers and mean nothing by it.
    let usesCookie: Bool
    /// For answers without a date.
    let clock: WallClock

    /// The tokens of an answer, by the one reader of such answers; what is added here is what only these backends do.
    ///
    /// - Parameter previous: What is renewed: its refresh token stays where the answer brings no other (RFC 6749 §6).
    /// - Throws: `AccountError.invalidAnswer` where there is no access token.
    func tokens(in response: HTTPResponse, renewing previous: Tokens? = nil) throws(AccountError) -> Tokens {
        var tokens: Tokens
        do {
            tokens = try TokenReader(.camelCase, clock: clock).read(response).tokens
        } catch {
            throw .invalidAnswer
        }
        // Their access tokens are JWTs; where they can be read, the dates in them are the exact ones.
        if let claims = try? JWT(unverified: tokens.access).claims, let expiry = claims.expiry {
            (tokens.issued, tokens.expiry) = (claims.issuedAt ?? tokens.issued, expiry)
        }
        if tokens.refresh == nil, usesCookie { tokens.cookie = refreshCookie(in: response) ?? previous?.cookie }
        if tokens.refresh == nil, tokens.cookie == nil { tokens.refresh = previous?.refresh }
        return tokens
    }

    /// The refresh cookie as it is sent back, `name=value`; nil where the answer sets none or only deletes it.
    ///
    /// The last one counts (RFC 6265 §5.3, step 11). A deletion beside it is for another path, which a backend that has
    /// moved its cookie sends along.
    private func refreshCookie(in response: HTTPResponse) -> String? {
        let prefix = endpoints.refreshCookie + "="
        return response.fields.values(of: .setCookie).lazy
            .filter { $0.hasPrefix(prefix) }
            .map { $0.split(separator: ";", omittingEmptySubsequences: false) }
            .last { $0[0].utf8.count > prefix.utf8.count && !isDeletion($0.dropFirst()) }
            .map { String($0[0]) }
    }

    /// Whether a cookie's attributes let it end at once; `Max-Age` outranks `Expires` (RFC 6265 §5.2.2, §5.3).
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
