// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
package import LatchIdentityAccounts
import LatchIdentityStorage
import LatchServer

/// The refresh token as a cookie, hidden from scripts.
///
/// Only same-site pages send it, and only to the session routes.
package struct RefreshCookie: Sendable {
    /// The name of the cookie, as in AuthPackage's backend.
    package static let name = "refreshToken"

    private let accessTokens: AccessTokenIssuer
    /// The origins that the configuration allows in addition to the issuer's.
    private let allowedOrigins: Set<String>
    private let lifetime: Duration

    package init(_ configuration: IdentityConfiguration, accessTokens: AccessTokenIssuer) {
        self.accessTokens = accessTokens
        allowedOrigins = Set(configuration.allowedOrigins.compactMap(PublicURL.origin))
        lifetime = configuration.refreshTokenLifetime
    }

    /// Returns the Set-Cookie field (RFC 6265 §4.1; SameSite from draft-ietf-httpbis-rfc6265bis §4.1.2.7).
    package func set(_ token: String) -> String { field(token, maximumAge: Int(lifetime.components.seconds)) }

    /// Returns the Set-Cookie field of an expired cookie, which makes the browser remove it (RFC 6265 §3.1).
    package func cleared() -> String { field("", maximumAge: 0) }

    /// Rejects a request with the cookie from a page of another site.
    ///
    /// A browser sends Origin (Fetch §3.2) and Sec-Fetch-Site with every cross-site POST. Other programs send neither,
    /// and have no cookies that a page of another site could use.
    ///
    /// - Throws: `IdentityError.crossSite`.
    func requireSameSite(_ request: HTTPRequest) throws(IdentityError) {
        if let origin = request.fields["Origin"] {
            guard let origin = PublicURL.origin(of: origin),
                allowedOrigins.contains(origin) || accessTokens.issuer.flatMap(PublicURL.origin) == origin
            else { throw .crossSite }
            return
        }
        switch request.fields["Sec-Fetch-Site"] {
        case nil, "same-origin", "none": return
        default: throw .crossSite
        }
    }

    /// Returns a Set-Cookie field, with Secure if the issuer is https.
    private func field(_ value: String, maximumAge: Int) -> String {
        // The issuer may become known while the server runs.
        let issuer = accessTokens.issuer ?? ""
        let secure = issuer.lowercasedASCII().utf8.starts(with: "https://".utf8) ? "; Secure" : ""
        // The path of the session routes as browsers see it, below the issuer's path.
        let path = PublicURL.path(of: issuer) + "/api/auth"
        return "\(Self.name)=\(value); Path=\(path); Max-Age=\(maximumAge); HttpOnly; SameSite=Strict\(secure)"
    }
}
