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
        let (mails, events): ((count: Int, age: Int)?, (count: Int, age: Int)?)
        do throws(IdentityError) {
            (mails, events) = (try await mailBacklog(), try await eventBacklog())
        } catch {
            // A failing store must not hide the other metrics.
            (mails, events) = (nil, nil)
        }
        return metrics.samples + [
            MetricSample(.storeCommits, .counter(writes.commits)), MetricSample(.storeWrites, .counter(writes.jobs)),
            MetricSample(.storeConflicts, .counter(writes.conflicts)),
            MetricSample(.storeLargestCommit, .gauge(writes.largestCommit)),
            MetricSample(.passwordsRunning, .gauge(load.running)),
            MetricSample(.passwordsWaiting, .gauge(load.waiting)),
            MetricSample(.mailsWaiting, .gauge(mails?.count)), MetricSample(.mailsOldestSeconds, .gauge(mails?.age)),
            MetricSample(.eventsWaiting, .gauge(events?.count)),
            MetricSample(.eventsOldestSeconds, .gauge(events?.age)),
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
        let backlog = try await soonResult { store throws(IdentityError) in
            try await store.mailBacklog(dueBefore: soon)
        }
        return (backlog.count, age(of: backlog.oldest))
    }

    /// Returns the number of events that wait for their listeners, and the age in seconds of the oldest one.
    ///
    /// - Throws: As ``mailBacklog()``.
    package func eventBacklog() async throws(IdentityError) -> (count: Int, age: Int) {
        let backlog = try await soonResult { store throws(IdentityError) in try await store.eventBacklog() }
        return (backlog.count, age(of: backlog.oldest))
    }

    private func age(of date: Date?) -> Int { date.map { max(Int(clock.now.timeIntervalSince($0)), 0) } ?? 0 }

    /// Returns the result of a query within a second.
    private func soonResult<Value: Sendable>(
        _ query: @escaping @Sendable (IdentityStore) async throws(IdentityError) -> Value
    ) async throws(IdentityError) -> Value {
        let result = await clock.result(within: .seconds(1)) { [store] in
            do throws(IdentityError) {
                return Result<Value, IdentityError>.success(try await query(store))
            } catch { return .failure(error) }
        } orLate: { [store] in
            .failure(store.outage ?? .storeBusy)
        }
        return try result.get()
    }
}
