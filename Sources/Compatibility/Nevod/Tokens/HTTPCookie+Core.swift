// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

extension Cookie {
    /// A cookie of Foundation's; nil where no server could have set it.
    ///
    /// - Parameter now: When it was set, where it does not say.
    init?(_ cookie: HTTPCookie, at now: Date) {
        let isHostOnly = !cookie.domain.hasPrefix(".")
        let properties = cookie.properties ?? [:]
        let created = (properties[.init("Created")] as? Double).map { Date(timeIntervalSinceReferenceDate: $0) } ?? now
        // Foundation on Linux keeps a Max-Age, and makes no date of it.
        let age = (properties[.maximumAge] as? String).flatMap(Double.init)
        let isSecure = cookie.isSecure
        let named = (properties[.init("SameSite")] as? String).flatMap(SameSite.init(text:)) ?? .unset
        self.init(
            name: cookie.name, value: cookie.value,
            domain: String(isHostOnly ? cookie.domain[...] : cookie.domain.dropFirst()).lowercased(),
            isHostOnly: isHostOnly, path: cookie.path.isEmpty ? "/" : cookie.path, isSecure: isSecure,
            isHTTPOnly: cookie.isHTTPOnly,
            // RFC 6265bis §5.7: `None` counts only where the cookie is secure.
            sameSite: named == .none && !isSecure ? .unset : named,
            expiry: cookie.expiresDate ?? age.map { created.addingTimeInterval($0) }, created: created)
    }
}

extension HTTPCookie {
    /// A cookie of the core's, as far as Foundation has words for it.
    convenience init?(_ cookie: Cookie, ports: [Int]?) {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: cookie.name, .value: cookie.value, .path: cookie.path,
            .domain: cookie.isHostOnly ? cookie.domain : "." + cookie.domain,
        ]
        // Text, since Foundation on Linux takes nothing else for true.
        if cookie.isSecure { properties[.secure] = "TRUE" }
        if cookie.isHTTPOnly { properties[.init("HttpOnly")] = "TRUE" }
        if cookie.sameSite != .unset { properties[.init("SameSite")] = cookie.sameSite.rawValue }
        if let expiry = cookie.expiry { properties[.expires] = expiry }
        if let ports { properties[.port] = ports.map(String.init).joined(separator: ",") }
        self.init(properties: properties)
    }
}

extension SameSite {
    /// The attribute from its text.
    fileprivate init?(text: String) {
        switch text.lowercased() {
        case "strict", "samesitestrict": self = .strict
        case "lax", "samesitelax": self = .lax
        case "none": self = .none
        default: return nil
        }
    }
}
