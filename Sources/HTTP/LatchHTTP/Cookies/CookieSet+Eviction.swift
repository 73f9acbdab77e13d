// SPDX-License-Identifier: Apache-2.0

extension CookieSet {
    /// Keeps the number of cookies within the policy's bounds, after one came to `domain`.
    ///
    /// The order is that of RFC 6265bis §5.7: first, of a domain with too many, those that are not secure, so that an
    /// attacker on an unencrypted connection cannot push the others out; then any of them; then any at all. Within each
    /// the one that was not used for the longest time goes first.
    mutating func evict(beside domain: String, under policy: CookiePolicy) {
        while let list = domains[domain], list.count > max(policy.maximumPerDomain, 0) {
            let victims = list.indices.filter { !list[$0].cookie.isSecure }
            guard let place = (victims.isEmpty ? Array(list.indices) : victims).min(by: { isOlder(list[$0], list[$1]) })
            else { return }
            remove(at: place, of: domain)
        }
        while count > max(policy.maximumInAll, 0) {
            let oldest = domains.compactMap { domain, list in
                list.indices.min { isOlder(list[$0], list[$1]) }.map { (domain: domain, place: $0, kept: list[$0]) }
            }
            guard let victim = oldest.min(by: { isOlder($0.kept, $1.kept) }) else { return }
            remove(at: victim.place, of: victim.domain)
        }
    }

    private func isOlder(_ one: Kept, _ other: Kept) -> Bool {
        (one.cookie.lastAccess, one.order) < (other.cookie.lastAccess, other.order)
    }
}
