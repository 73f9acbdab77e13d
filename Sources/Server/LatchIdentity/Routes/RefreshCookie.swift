// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import LatchHTTP
import LatchServer

/// The refresh token as a cookie: out of reach of scripts, sent to the session routes alone, and only from our own pages.
struct RefreshCookie {
    /// The name that seed 002's backend gives it.
    static let name = "refreshToken"

    private let isSecure: Bool
    /// The issuer's own and those that the configuration allows.
    private let origins: Set<String>

    /// Made for each request, since the issuer may become known, and the origins change, while the server runs.
    init(_ parts: IdentityParts) {
        let issuer = parts.accessTokens.issuer ?? ""
        isSecure = issuer.lowercased().hasPrefix("https://")
        let own = issuer.isEmpty ? [] : [Self.origin(of: issuer)]
        origins = Set(own + parts.configuration.allowedOrigins.map(Self.origin))
    }

    /// RFC 6265 §4.1; SameSite after draft-ietf-httpbis-rfc6265bis §4.1.2.7.
    func set(_ token: String, lifetime: Duration) -> String {
        field(token, maximumAge: Int(lifetime.components.seconds))
    }

    /// An expired cookie of the same path, which is what makes a browser forget it (RFC 6265 §3.1).
    func cleared() -> String { field("", maximumAge: 0) }

    /// Refuses a request that another site's page sent with our cookie.
    ///
    /// A browser sends Origin with every cross-site POST (Fetch §3.2) and says by Sec-Fetch-Site who asks; a program that
    /// is no browser sends neither, and has no cookies that a foreign page could use.
    ///
    /// - Throws: `IdentityError.crossSite`.
    func requireOwnPage(_ request: HTTPRequest) throws(IdentityError) {
        if let origin = request.fields["Origin"] {
            guard origins.contains(Self.origin(of: origin)) else { throw .crossSite }
            return
        }
        switch request.fields["Sec-Fetch-Site"] {
        case nil, "same-origin", "none": return
        default: throw .crossSite
        }
    }

    /// Secure wherever the issuer is https; a server on this machine alone has no certificate to insist on.
    private func field(_ value: String, maximumAge: Int) -> String {
        let secure = isSecure ? "; Secure" : ""
        return "\(Self.name)=\(value); Path=/api/auth; Max-Age=\(maximumAge); HttpOnly; SameSite=Strict\(secure)"
    }

    /// Scheme and authority in the one spelling of RFC 6454 §6.2, without the default port.
    private static func origin(of url: String) -> String {
        guard let separator = url.firstRange(of: "://") else { return url }
        let authority = url[separator.upperBound...].prefix { $0 != "/" }
        return HTTPOrigin(scheme: String(url[..<separator.lowerBound]), authority: String(authority)).description
    }
}

extension IdentityError {
    /// A page of another site sent the request with the cookie of this one.
    static let crossSite = IdentityError(
        code: "forbidden", message: "The request comes from another site.",
        hint: "Send the refresh token in the content, or add the site to the setting allowed_origins.")

    static let twoTokens = IdentityError.invalidInput(
        "the cookie and the content hold different refresh tokens", hint: "Send one of them.")
}
