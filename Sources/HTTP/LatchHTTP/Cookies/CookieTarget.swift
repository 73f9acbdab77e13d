// SPDX-License-Identifier: Apache-2.0

/// What a request tells about where cookies may come from and go to.
struct CookieTarget: Sendable {
    /// The host that is asked.
    let host: CookieHost
    /// The path without the query.
    let path: Substring
    /// Whether nobody on the way can read or write.
    let isSecure: Bool
    /// Whether the method only reads (RFC 9110 §9.2.1).
    let isSafe: Bool
    /// Where the request comes from.
    let site: RequestSite

    /// The target of a request; nil where its host has no canonical name, and so can have no cookies.
    init?(_ request: HTTPRequest, under policy: CookiePolicy) {
        let origin = request.origin
        guard let host = CookieHost(origin.host) else { return nil }
        self.host = host
        path = request.pathWithoutQuery
        isSecure = origin.scheme == "https" || (policy.trustsLoopback && origin.isLoopback)
        isSafe = ["GET", "HEAD", "OPTIONS", "TRACE"].contains(request.method.rawValue)
        site = request.site
    }

    /// The path of a cookie that names none: up to the last slash (RFC 6265bis §5.1.4).
    var defaultPath: String {
        guard path.utf8.first == 0x2F, let slash = path.utf8.lastIndex(of: 0x2F), slash > path.startIndex else {
            return "/"
        }
        return String(path[..<slash])
    }

    /// Whether the request may carry `cookie` as far as everything but its domain's register and its age decide.
    ///
    /// RFC 6265bis §5.8.3 step 3.
    func mayCarry(_ cookie: Cookie) -> Bool {
        guard cookie.isHostOnly ? host.name == cookie.domain : host.matches(domain: cookie.domain) else { return false }
        return pathMatches(path.utf8, cookie.path.utf8) && (isSecure || !cookie.isSecure) && isAllowed(cookie.sameSite)
    }

    private func isAllowed(_ sameSite: SameSite) -> Bool {
        switch (site, sameSite) {
        case (.same, _), (_, .none): true
        case (.otherNavigating, .lax), (.otherNavigating, .unset): isSafe
        case (_, .strict), (.other, _): false
        }
    }
}

/// Whether a request's path is a cookie's path or lies below it (RFC 6265bis §5.1.4).
func pathMatches(_ path: some Collection<UInt8>, _ cookiePath: some Collection<UInt8>) -> Bool {
    guard path.starts(with: cookiePath) else { return false }
    let rest = path.dropFirst(cookiePath.count)
    return rest.isEmpty || rest.first == 0x2F || cookiePath.suffix(1).first == 0x2F
}
