// SPDX-License-Identifier: Apache-2.0

import PortableFoundation

extension Cookie {
    /// The cookie that an answer sets; nil where it may not (RFC 6265bis §5.7 steps 5 to 22).
    ///
    /// What it would overwrite in a jar is for the jar to judge.
    init?(_ asked: SetCookie, from target: CookieTarget, at now: Date, under policy: CookiePolicy) {
        // Step 13, and step 18 for what a page of another site has caused.
        guard target.isSecure || !asked.isSecure, asked.sameSite == .none || target.site != .other,
            let place = Self.place(asked.domain ?? "", from: target.host, under: policy)
        else { return nil }
        // Step 21: the path must have been asked for, not merely come out so.
        guard Self.prefix(of: asked.name) != .host || asked.path != nil else { return nil }
        let path = asked.path.flatMap { $0.isEmpty ? nil : $0 } ?? target.defaultPath
        self.init(
            name: asked.name, value: asked.value, domain: place.domain, isHostOnly: place.isHostOnly, path: path,
            isSecure: asked.isSecure, isHTTPOnly: asked.isHTTPOnly, sameSite: asked.sameSite,
            expiry: Self.expiry(asked, at: now, under: policy), created: now)
    }

    /// The domain that a cookie gets, and whether it is for that host alone (§5.7 steps 7 to 10).
    private static func place(
        _ asked: String, from host: CookieHost, under policy: CookiePolicy
    ) -> (domain: String, isHostOnly: Bool)? {
        if asked.isEmpty { return (host.name, true) }
        // Only a host that is such a suffix itself, as `github.io` is, may have cookies there, and for itself.
        if asked == host.name, policy.publicSuffixes.contains(asked) { return (asked, true) }
        guard host.matches(domain: asked), !policy.publicSuffixes.contains(asked) else { return nil }
        return (asked, false)
    }

    /// §5.7 step 6: Max-Age outranks Expires; §5.5: neither goes beyond the limit.
    private static func expiry(_ asked: SetCookie, at now: Date, under policy: CookiePolicy) -> Date? {
        if let age = asked.maxAge {
            // Zero is the past, so that deleting does not wait for the clock's next tick.
            return age <= 0 ? .distantPast : min(now.addingTimeInterval(Double(age)), policy.latestExpiry(at: now))
        }
        return asked.expires.map { min($0, policy.latestExpiry(at: now)) }
    }
}
