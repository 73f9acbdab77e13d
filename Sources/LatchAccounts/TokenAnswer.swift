// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LatchAuth
import LatchCore
import LatchHTTP
import LatchJOSE

/// Reads tokens out of the answer of a sign-in or a renewal.
struct TokenAnswer {
    /// For the cookie's name.
    let endpoints: AccountEndpoints
    /// Whether cookies are looked at; a backend may set them for browsers and mean nothing by it.
    let usesCookie: Bool
    /// For answers without a date.
    let clock: WallClock

    /// The tokens of an answer.
    ///
    /// - Parameter previous: What is renewed: its refresh token stays where the answer brings no other (RFC 6749 §6).
    /// - Throws: `AccountError.invalidAnswer` where there is no access token.
    func tokens(in response: HTTPResponse, renewing previous: Tokens? = nil) throws(AccountError) -> Tokens {
        let object: JSONObject
        do {
            object = try JSONValue(parsing: response.body.bytes).objectValue ?? [:]
        } catch {
            throw .invalidAnswer
        }
        func text(_ keys: String...) -> String? {
            keys.lazy.compactMap { object[$0]?.stringValue }.first { !$0.isEmpty }
        }
        guard let access = text("accessToken", "access_token") else { throw .invalidAnswer }
        let life = (object["expiresIn"] ?? object["expires_in"])?.doubleValue
        var tokens = Tokens(access: access, refresh: text("refreshToken", "refresh_token"), scope: text("scope"))
        (tokens.issued, tokens.expiry) = lifetime(of: access, seconds: life, in: response)
        if tokens.refresh == nil, usesCookie { tokens.cookie = refreshCookie(in: response) ?? previous?.cookie }
        if tokens.refresh == nil, tokens.cookie == nil { tokens.refresh = previous?.refresh }
        return tokens
    }

    /// The token's own dates where it has them, or the answer's date and the life that it states.
    private func lifetime(
        of access: String, seconds: Double?, in response: HTTPResponse
    ) -> (issued: Date, expiry: Date?) {
        let answered = response.fields[.date].flatMap(HTTPDate.init)?.date ?? clock.now
        // An access token is opaque to a client (RFC 9068 §6); where it can be read, its dates are the exact ones.
        let claims = try? JWT(unverified: access).claims
        guard let expiry = claims?.expiry else {
            return (answered, seconds.flatMap { $0 > 0 ? answered.addingTimeInterval($0) : nil })
        }
        return (claims?.issuedAt ?? answered, expiry)
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
