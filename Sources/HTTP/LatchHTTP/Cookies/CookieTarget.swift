// SPDX-License-Identifier: Apache-2.0

/// The properties of a request that decide which cookies it may set and carry.
struct CookieTarget: Sendable {
    /// The host of the request.
    let host: CookieHost
    /// The path without the query.
    let path: String
    /// Whether the connection is protected from eavesdropping and tampering.
    let isSecure: Bool
    /// Whether the method only reads (RFC 9110 §9.2.1).
    private let isSafe: Bool
    /// The site that initiated the request.
    let site: RequestSite

    /// Creates the target of a request, or returns nil if its host has no canonical form and thus no cookies.
    init?(_ request: HTTPRequest, under policy: CookiePolicy) {
        let origin = request.origin
        guard let host = CookieHost(origin.host) else { return nil }
        self.host = host
        path = request.pathWithoutQuery
        isSecure = origin.scheme == "https" || (policy.trustsLoopback && origin.isLoopback)
        isSafe = request.method.isSafe
        site = request.site
    }

    /// The path of a cookie without a path attribute: up to the last slash (RFC 6265bis §5.1.4).
    var defaultPath: String {
        guard path.utf8.first == 0x2F, let slash = path.utf8.lastIndex(of: 0x2F), slash > path.startIndex else {
            return "/"
        }
        return String(path[..<slash])
    }

    /// Whether the request may carry `cookie`, apart from its expiry and the public suffix list.
    ///
    /// RFC 6265bis §5.8.3 step 3.
    func mayCarry(_ cookie: Cookie) -> Bool {
        guard cookie.isHostOnly ? host.name == cookie.domain : host.matches(domain: cookie.domain) else { return false }
        return pathMatches(path.utf8, cookie.path.utf8) && (isSecure || !cookie.isSecure) && isAllowed(cookie.sameSite)
    }

    private func isAllowed(_ sameSite: SameSite) -> Bool {
        switch (site, sameSite) {
        case (.sameSite, _), (_, .none): true
        case (.crossSiteNavigation, .lax), (.crossSiteNavigation, .unset): isSafe
        case (_, .strict), (.crossSite, _): false
        }
    }
}

/// Whether a request's path path-matches a cookie's path (RFC 6265bis §5.1.4).
func pathMatches(_ path: some Collection<UInt8>, _ cookiePath: some Collection<UInt8>) -> Bool {
    guard path.starts(with: cookiePath) else { return false }
    let rest = path.dropFirst(cookiePath.count)
    return rest.isEmpty || rest.first == 0x2F || cookiePath.suffix(1).first == 0x2F
}
