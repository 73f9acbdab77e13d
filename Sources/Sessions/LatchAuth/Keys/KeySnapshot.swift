// SPDX-License-Identifier: Apache-2.0

internal import LatchHTTP
internal import LatchJOSE

/// The keys that one answer of an issuer brought, with the times until which they may be used.
///
/// It never changes: a later answer makes another one. Times are those of the clock that nobody sets.
final class KeySnapshot: Sendable {
    let keys: KeySet
    /// The name of this version, by which the issuer can be asked whether there is another (RFC 9110 §8.8.3).
    let entityTag: String?
    /// From when on a newer one is asked for ahead of need.
    let renewalTime: Duration
    /// Until when it is used without asking.
    let freshTime: Duration
    /// Until when it is used where asking fails.
    let lastTime: Duration

    /// The keys of an answer that came at `now`.
    init(_ keys: KeySet, of response: HTTPResponse, entityTag: String?, now: Duration, policy: RemoteKeyPolicy) {
        let wanted = response.remainingFreshness ?? policy.lifetime
        let lifetime = min(max(wanted, policy.bounds.lowerBound), policy.bounds.upperBound)
        let stale = min(response.cacheControl.staleIfError ?? policy.staleIfError, policy.staleIfError)
        self.keys = keys
        self.entityTag = entityTag
        // The last fifth is time enough to ask again while nobody has to wait for it.
        renewalTime = now + lifetime * 4 / 5
        freshTime = now + lifetime
        lastTime = freshTime + stale
    }
}
