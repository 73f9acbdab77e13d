// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation

/// The cookies by domain, with the storage and retrieval rules of RFC 6265bis §5.7 and §5.8, as a value.
package struct CookieSet: Sendable {
    /// A cookie and its position in the order of creation, which dates may not determine.
    private struct Entry: Sendable {
        var cookie: Cookie
        let order: Int
    }

    /// The location of a cookie, which is valid until the next change.
    private typealias Location = (domain: [String: [Entry]].Index, index: Int)

    /// The cookies by domain, so that a request examines only those of its host and parent domains.
    private var domains: [String: [Entry]] = [:]
    /// The number of cookies.
    private var count = 0
    /// The position of the next new cookie.
    private var nextOrder = 0
    /// The earliest expiry; no cookie expires before it.
    private var nextExpiry = Date.distantFuture

    /// Creates an empty set.
    package init() {}

    /// The cookies in the order of their creation.
    package var cookies: [Cookie] {
        domains.values.joined().sorted { $0.order < $1.order }.map(\.cookie)
    }

    /// Stores a cookie that a response to `request` sets.
    ///
    /// - Returns: Whether anything changed.
    package mutating func receive(
        _ setCookie: SetCookie, to request: HTTPRequest, at now: Date, under policy: CookiePolicy
    ) -> Bool {
        guard let target = CookieTarget(request, under: policy),
            let cookie = Cookie(setCookie, from: target, at: now, under: policy),
            cookie.isSecure || target.isSecure || !overlaysSecureCookie(cookie)
        else { return false }
        return insert(cookie, at: now, under: policy)
    }

    /// Stores a cookie in place of the one with the same name, domain and path; an expired one only removes that.
    ///
    /// - Returns: Whether anything changed.
    package mutating func insert(_ cookie: Cookie, at now: Date, under policy: CookiePolicy) -> Bool {
        removeExpired(at: now)
        var cookie = cookie
        if let expiry = cookie.expiry { cookie.expiry = min(expiry, policy.latestExpiry(at: now)) }
        let location = domains[cookie.domain]?.firstIndex { $0.cookie.isSame(as: cookie) }
        if cookie.isExpired(at: now) {
            guard let location else { return false }
            remove(at: location, of: cookie.domain)
            return true
        }
        nextExpiry = min(nextExpiry, cookie.expiry ?? .distantFuture)
        if let location, let old = domains[cookie.domain]?[location] {
            // §5.7 step 23: a cookie that replaces another one keeps its creation time, and so its position.
            cookie.created = old.cookie.created
            domains[cookie.domain]?[location] = Entry(cookie: cookie, order: old.order)
        } else {
            domains[cookie.domain, default: []].append(Entry(cookie: cookie, order: nextOrder))
            nextOrder += 1
            count += 1
            evict(after: cookie.domain, under: policy)
        }
        return true
    }

    /// Returns the cookies of `request`, in the order in which they are sent (§5.8.3).
    ///
    /// - Parameter forScripts: Whether to omit `HttpOnly` cookies.
    package func cookies(
        for request: HTTPRequest, forScripts: Bool = false, at now: Date, under policy: CookiePolicy
    ) -> [Cookie] {
        inOrder(locations(for: request, forScripts: forScripts, at: now, under: policy))
    }

    /// Returns the cookies of `request` and updates their last access, which decides the order of eviction.
    package mutating func use(
        for request: HTTPRequest, forScripts: Bool = false, at now: Date, under policy: CookiePolicy
    ) -> [Cookie] {
        removeExpired(at: now)
        let locations = locations(for: request, forScripts: forScripts, at: now, under: policy)
        for location in locations { domains.values[location.domain][location.index].cookie.lastAccess = now }
        return inOrder(locations)
    }

    /// Returns the cookies at some locations, in the order in which they are sent.
    private func inOrder(_ locations: [Location]) -> [Cookie] {
        locations.map { domains.values[$0.domain][$0.index] }.sorted(by: Self.goesFirst).map(\.cookie)
    }

    /// Returns the locations of the cookies of `request`.
    private func locations(
        for request: HTTPRequest, forScripts: Bool, at now: Date, under policy: CookiePolicy
    ) -> [Location] {
        guard let target = CookieTarget(request, under: policy) else { return [] }
        var found: [Location] = []
        for domain in target.host.domains {
            guard let location = domains.index(forKey: domain) else { continue }
            let kept = domains.values[location]
            // The public suffix list may have grown since a domain cookie was stored.
            let isPublic =
                !kept.allSatisfy(\.cookie.isHostOnly) && policy.publicSuffixes.verdict(of: domain) != .site
            for (index, cookie) in kept.lazy.map(\.cookie).enumerated() {
                guard target.mayCarry(cookie), cookie.isHostOnly || !isPublic, !forScripts || !cookie.isHTTPOnly,
                    !cookie.isExpired(at: now)
                else { continue }
                found.append((location, index))
            }
        }
        return found
    }

    /// Removes the cookies that satisfy `condition`.
    ///
    /// - Returns: Whether anything was removed.
    package mutating func removeAll(where condition: (Cookie) -> Bool) -> Bool {
        let before = count
        for domain in Array(domains.keys) {
            domains[domain]?.removeAll { condition($0.cookie) }
            if domains[domain]?.isEmpty == true { domains[domain] = nil }
        }
        count = domains.values.reduce(0) { $0 + $1.count }
        return count != before
    }

    /// Removes one cookie, and its domain if it was the last one.
    private mutating func remove(at location: Int, of domain: String) {
        domains[domain]?.remove(at: location)
        if domains[domain]?.isEmpty == true { domains[domain] = nil }
        count -= 1
    }

    /// Removes the expired cookies (§5.7).
    private mutating func removeExpired(at now: Date) {
        guard now >= nextExpiry else { return }
        _ = removeAll { $0.isExpired(at: now) }
        nextExpiry = domains.values.joined().compactMap(\.cookie.expiry).min() ?? .distantFuture
    }

    /// Whether a cookie from an unencrypted response would shadow a secure one (§5.7 step 16).
    private func overlaysSecureCookie(_ cookie: Cookie) -> Bool {
        guard let host = CookieHost(cookie.domain) else { return false }
        return domains.contains { domain, list in
            let hidden = list.contains {
                $0.cookie.isSecure && $0.cookie.name == cookie.name
                    && pathMatches(cookie.path.utf8, $0.cookie.path.utf8)
            }
            return hidden && (host.matches(domain: domain) || CookieHost(domain)?.matches(domain: host.name) == true)
        }
    }

    /// Whether a cookie is sent before another one: longer paths first, then earlier creation (§5.8.3 step 4).
    private static func goesFirst(_ one: Entry, _ other: Entry) -> Bool {
        let lengths = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
        if lengths.0 != lengths.1 { return lengths.0 > lengths.1 }
        if one.cookie.created != other.cookie.created { return one.cookie.created < other.cookie.created }
        return one.order < other.order
    }
}

extension CookieHost {
    /// The host and its parent domains, whose cookies may apply to it.
    fileprivate var domains: [String] {
        guard !isAddress else { return [name] }
        var domains = [name]
        var rest = name[...]
        while let dot = rest.utf8.firstIndex(of: 0x2E) {
            rest = rest[rest.utf8.index(after: dot)...]
            domains.append(String(rest))
        }
        return domains
    }
}

extension CookiePolicy {
    /// Returns the latest expiry of a cookie that is set now.
    func latestExpiry(at now: Date) -> Date { now.addingTimeInterval(maximumAge.inSeconds) }
}

extension CookieSet {
    /// Removes cookies until the limits of the policy hold again, after one was added to `domain`.
    ///
    /// The order is that of RFC 6265bis §5.7. If the domain has too many cookies, those that are not secure are removed
    /// first. So an attacker on an unencrypted connection cannot evict the others. Then other cookies of that domain
    /// follow, then any cookies. Within each group the least recently used cookie is removed first.
    private mutating func evict(after domain: String, under policy: CookiePolicy) {
        while let list = domains[domain], list.count > max(policy.maximumPerDomain, 0) {
            let victims = list.indices.filter { !list[$0].cookie.isSecure }
            guard
                let location = (victims.isEmpty ? Array(list.indices) : victims).min(by: { isOlder(list[$0], list[$1]) }
                )
            else { return }
            remove(at: location, of: domain)
        }
        while count > max(policy.maximumInAll, 0) {
            let oldest = domains.compactMap { domain, list in
                list.indices.min { isOlder(list[$0], list[$1]) }.map { (domain: domain, location: $0, kept: list[$0]) }
            }
            guard let victim = oldest.min(by: { isOlder($0.kept, $1.kept) }) else { return }
            remove(at: victim.location, of: victim.domain)
        }
    }

    private func isOlder(_ one: Entry, _ other: Entry) -> Bool {
        (one.cookie.lastAccess, one.order) < (other.cookie.lastAccess, other.order)
    }
}
