// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchFoundation
package import LatchIdentityStorage

/// The measurements of a running server, for its metrics and its health.
package struct Measurements: Sendable {
    package let store: IdentityStore
    package let passwords: PasswordHasher
    package let accessTokens: AccessTokenIssuer
    package let metrics: Metrics
    package let clock: WallClock

    package init(
        store: IdentityStore, passwords: PasswordHasher, accessTokens: AccessTokenIssuer, metrics: Metrics,
        clock: WallClock
    ) {
        self.store = store
        self.passwords = passwords
        self.accessTokens = accessTokens
        self.metrics = metrics
        self.clock = clock
    }

    /// Returns all metrics, including those that the store, the hashes and the caches keep.
    package func samples() async -> [MetricSample] {
        let writes = store.writeStatistics
        let load = passwords.load
        let cache = accessTokens.cacheStatistics
        let mails: (count: Int, age: Int)?
        do throws(IdentityError) {
            mails = try await mailBacklog()
        } catch {
            // A failing store must not hide the other metrics.
            mails = nil
        }
        return metrics.samples + [
            MetricSample(.storeCommits, .counter(writes.commits)), MetricSample(.storeWrites, .counter(writes.jobs)),
            MetricSample(.storeConflicts, .counter(writes.conflicts)),
            MetricSample(.storeLargestCommit, .gauge(writes.largestCommit)),
            MetricSample(.passwordsRunning, .gauge(load.running)),
            MetricSample(.passwordsWaiting, .gauge(load.waiting)),
            MetricSample(.mailsWaiting, .gauge(mails?.count)), MetricSample(.mailsOldestSeconds, .gauge(mails?.age)),
            MetricSample(.tokenCacheEntries, .gauge(cache.entries)),
            MetricSample(.tokenCacheHits, .counter(cache.hits)),
            MetricSample(.tokenCacheMisses, .counter(cache.misses)),
            MetricSample(.build, .gauge(1), for: packageVersion),
        ]
    }

    /// Returns the number of waiting emails, and the age in seconds of the oldest email whose next attempt is soon.
    ///
    /// - Throws: An error of the store, also if it does not respond within a second: scrapers and supervisors do not
    ///   wait long.
    package func mailBacklog() async throws(IdentityError) -> (count: Int, age: Int) {
        let soon = clock.now.addingTimeInterval(MailQueue.longestPause + 1)
        let result = await clock.result(within: .seconds(1)) { [store] in
            do throws(IdentityError) {
                return Result<MailBacklog, IdentityError>.success(try await store.mailBacklog(dueBefore: soon))
            } catch { return .failure(error) }
        } orLate: { [store] in
            .failure(store.outage ?? .storeBusy)
        }
        let backlog = try result.get()
        return (backlog.count, backlog.oldest.map { max(Int(clock.now.timeIntervalSince($0)), 0) } ?? 0)
    }
}
