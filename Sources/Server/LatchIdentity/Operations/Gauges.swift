// SPDX-License-Identifier: Apache-2.0

import LatchCore
import PortableFoundation

extension Dependencies {
    /// Returns the values that go up and down; nil for one that cannot be read.
    func gauges() async -> KeyValuePairs<String, Int?> {
        let writes = store.writeStatistics
        let load = passwords.load
        let cache = accessTokens.cacheStatistics
        let mails: (count: Int, age: Int)?
        do throws(IdentityError) {
            mails = try await mailBacklog()
        } catch {
            // A store in trouble must not hide the other metrics.
            mails = nil
        }
        return [
            "latch_store_commits": writes.commits, "latch_store_writes": writes.jobs,
            "latch_store_largest_commit": writes.largestCommit, "latch_store_conflicts": writes.conflicts,
            "latch_passwords_running": load.running, "latch_passwords_waiting": load.waiting,
            "latch_mails_waiting": mails?.count, "latch_mails_oldest_seconds": mails?.age,
            "latch_token_cache_entries": cache.entries, "latch_token_cache_hits": cache.hits,
            "latch_token_cache_misses": cache.misses,
        ]
    }

    /// Returns the number of waiting mails, and the age of the oldest in seconds.
    func mailBacklog() async throws(IdentityError) -> (count: Int, age: Int) {
        let backlog = try await store.mailBacklog()
        return (backlog.count, backlog.oldest.map { max(Int(now.timeIntervalSince($0)), 0) } ?? 0)
    }
}

extension Identity {
    /// Starts an exporter, which sends the server's metrics, and has the server report the exporter's own.
    package func report(to exporter: TelemetryExporter) {
        dependencies.metrics.include { exporter.samples }
        measure(for: exporter)
        exporter.run()
    }

    /// Has an exporter send the metrics of this value, which a reload has made.
    package func measure(for exporter: TelemetryExporter) {
        exporter.measure { [dependencies] in
            let gauges = await dependencies.gauges()
            return dependencies.metrics.samples
                + gauges.compactMap { name, value in
                    value.map { MetricSample(name, .gauge($0)) }
                }
        }
    }
}
