// SPDX-License-Identifier: Apache-2.0

package import PortableFoundation
import LatchCore

/// Cookies by domain, with the rules by which they come in and go out (RFC 6265bis §5.7 and §5.8) as a plain value.
package struct CookieSet: Sendable {
    /// A cookie with its place in the order of creation, which dates alone may leave open.
    struct Kept: Sendable {
        var cookie: Cookie
        let order: Int
    }

    /// Where a cookie is, until the next change.
    private typealias Place = (domain: [String: [Kept]].Index, index: Int)

    /// By domain, so that a request looks only at those of its host and of what is above it.
    var domains: [String: [Kept]] = [:]
    /// How many there are in all.
    var count = 0
    /// The order of the next new cookie.
    private var nextOrder = 0
    /// No cookie expires before; while that is so, nobody looks for expired ones.
    private var nextExpiry = Date.distantFuture

    /// No cookies.
    package init() {}

    /// All cookies in the order of their creation.
    package var cookies: [Cookie] {
        domains.values.joined().sorted { $0.order < $1.order }.map(\.cookie)
    }

    /// Takes what an answer to `request` sets.
    ///
    /// - Returns: Whether anything changed.
    package mutating func receive(
        _ asked: SetCookie, to request: HTTPRequest, at now: Date, under policy: CookiePolicy
    ) -> Bool {
        guard let target = CookieTarget(request, under: policy),
            let cookie = Cookie(asked, from: target, at: now, under: policy),
            cookie.isSecure || target.isSecure || !overlaysSecureCookie(cookie)
        else { return false }
        return insert(cookie, at: now, under: policy)
    }

    /// Puts a cookie in place of the one of its name, domain and path; an expired one only removes that.
    ///
    /// - Returns: Whether anything changed.
    package mutating func insert(_ cookie: Cookie, at now: Date, under policy: CookiePolicy) -> Bool {
        removeExpired(at: now)
        var cookie = cookie
        if let expiry = cookie.expiry { cookie.expiry = min(expiry, policy.latestExpiry(at: now)) }
        let place = domains[cookie.domain]?.firstIndex { $0.cookie.isSame(as: cookie) }
        if cookie.isExpired(at: now) {
            guard let place else { return false }
            remove(at: place, of: cookie.domain)
            return true
        }
        nextExpiry = min(nextExpiry, cookie.expiry ?? .distantFuture)
        if let place, let old = domains[cookie.domain]?[place] {
            // §5.7 step 23: a successor has its predecessor's age, and so its place among the others.
            cookie.created = old.cookie.created
            domains[cookie.domain]?[place] = Kept(cookie: cookie, order: old.order)
        } else {
            domains[cookie.domain, default: []].append(Kept(cookie: cookie, order: nextOrder))
            nextOrder += 1
            count += 1
            evict(beside: cookie.domain, under: policy)
        }
        return true
    }

    /// The cookies that go with `request`, in the order in which they are sent (§5.8.3).
    ///
    /// - Parameter forScripts: Leaves out those that are kept from scripts.
    package func cookies(
        for request: HTTPRequest, forScripts: Bool = false, at now: Date, under policy: CookiePolicy
    ) -> [Cookie] {
        inOrder(places(for: request, forScripts: forScripts, at: now, under: policy))
    }

    /// The same, and remembers that they were sent, which decides who has to go when there are too many.
    package mutating func use(
        for request: HTTPRequest, forScripts: Bool = false, at now: Date, under policy: CookiePolicy
    ) -> [Cookie] {
        removeExpired(at: now)
        let places = places(for: request, forScripts: forScripts, at: now, under: policy)
        for place in places { domains.values[place.domain][place.index].cookie.lastAccess = now }
        return inOrder(places)
    }

    /// The cookies of some places, in the order in which they are sent.
    private func inOrder(_ places: [Place]) -> [Cookie] {
        places.map { domains.values[$0.domain][$0.index] }.sorted(by: Self.goesFirst).map(\.cookie)
    }

    /// Where the cookies for `request` are.
    private func places(
        for request: HTTPRequest, forScripts: Bool, at now: Date, under policy: CookiePolicy
    ) -> [Place] {
        guard let target = CookieTarget(request, under: policy) else { return [] }
        var found: [Place] = []
        for domain in target.host.domains {
            guard let place = domains.index(forKey: domain) else { continue }
            let kept = domains.values[place]
            // The register may have grown since a cookie for all below its domain came.
            let isPublic = !kept.allSatisfy(\.cookie.isHostOnly) && policy.publicSuffixes.contains(domain)
            for (index, cookie) in kept.lazy.map(\.cookie).enumerated() {
                guard target.mayCarry(cookie), cookie.isHostOnly || !isPublic, !forScripts || !cookie.isHTTPOnly,
                    !cookie.isExpired(at: now)
                else { continue }
                found.append((place, index))
            }
        }
        return found
    }

    /// Removes the cookies that `condition` holds for.
    ///
    /// - Returns: Whether there were any.
    package mutating func removeAll(where condition: (Cookie) -> Bool) -> Bool {
        let before = count
        for domain in Array(domains.keys) {
            domains[domain]?.removeAll { condition($0.cookie) }
            if domains[domain]?.isEmpty == true { domains[domain] = nil }
        }
        count = domains.values.reduce(0) { $0 + $1.count }
        return count != before
    }

    /// Removes one cookie, and its domain with the last one.
    mutating func remove(at place: Int, of domain: String) {
        domains[domain]?.remove(at: place)
        if domains[domain]?.isEmpty == true { domains[domain] = nil }
        count -= 1
    }

    /// §5.7: no expired cookie stays.
    private mutating func removeExpired(at now: Date) {
        guard now >= nextExpiry else { return }
        _ = removeAll { $0.isExpired(at: now) }
        nextExpiry = domains.values.joined().compactMap(\.cookie.expiry).min() ?? .distantFuture
    }

    /// Whether a cookie from an unencrypted answer would hide one that only an encrypted one can set (§5.7 step 16).
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

    /// §5.8.3 step 4: longer paths first, and among equals the earlier created.
    private static func goesFirst(_ one: Kept, _ other: Kept) -> Bool {
        let lengths = (one.cookie.path.utf8.count, other.cookie.path.utf8.count)
        if lengths.0 != lengths.1 { return lengths.0 > lengths.1 }
        if one.cookie.created != other.cookie.created { return one.cookie.created < other.cookie.created }
        return one.order < other.order
    }
}

extension CookieHost {
    /// The host and what is above it: the domains whose cookies may be for it.
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
    /// The end of the longest life that may begin now.
    func latestExpiry(at now: Date) -> Date { now.addingTimeInterval(maximumAge.inSeconds) }
}
