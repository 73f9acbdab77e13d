// SPDX-License-Identifier: Apache-2.0

import LatchCore
import PortableFoundation
import Synchronization

/// A rate limiter with a token bucket per key, in bounded memory.
final class AttemptLimiter: Sendable {
    /// A number of attempts within a window.
    struct Limit: Sendable, Hashable {
        /// The name in the RateLimit fields.
        let name: String
        /// The number of attempts in a full bucket.
        let capacity: Int
        /// The seconds in which an empty bucket refills.
        let window: TimeInterval

        /// The RateLimit-Policy field (draft-ietf-httpapi-ratelimit-headers-10 §3).
        var policyField: String { "\"\(name)\";q=\(capacity);w=\(Int(window))" }
    }

    /// An attempt that counts against one key.
    struct Attempt: Sendable, Hashable {
        /// The key of the bucket, whose length the caller bounds.
        let key: String
        let limit: Limit
    }

    /// The exhausted limit of a rejected attempt.
    struct Rejection: Sendable, Hashable {
        let limit: Limit
        /// The seconds until the next attempt is available.
        let retryAfter: TimeInterval
    }

    /// A token bucket; `left` is fractional, so that short waits add up.
    private struct Bucket {
        var left: Double
        var updated: Date
        let limit: Limit

        mutating func refill(at now: Date) {
            // A clock that was set back must not empty a bucket for ever.
            let passed = max(now.timeIntervalSince(updated), 0)
            left = min(left + passed * Double(limit.capacity) / limit.window, Double(limit.capacity))
            updated = now
        }

        /// Refills the bucket up to now, and returns a rejection if it is empty.
        mutating func rejection(at now: Date) -> Rejection? {
            refill(at: now)
            let wait = (1 - left) * limit.window / Double(limit.capacity)
            return left < 1 ? Rejection(limit: limit, retryAfter: wait) : nil
        }
    }

    /// The maximum number of keys: some megabytes at about 350 bytes a key, however large a flood is.
    private let maximumKeys: Int
    private let buckets = Mutex<[String: Bucket]>([:])

    init(maximumKeys: Int = 20_000) { self.maximumKeys = maximumKeys }

    /// The number of keys, for tests of the bound.
    var keyCount: Int { buckets.withLock { $0.count } }

    /// Takes one attempt from each key, or from none if one of them has none left.
    ///
    /// The attempt counts before its result is known: otherwise forty concurrent guesses would all find the bucket full.
    func take(_ attempts: [Attempt], at now: Date) -> Rejection? {
        buckets.withLock { buckets in
            for attempt in attempts {
                // A new key has all attempts left, and takes no memory unless the attempt is made: a flood that is
                // rejected by its address must not add the names it invents.
                guard let rejection = buckets[attempt.key]?.rejection(at: now) else { continue }
                return rejection
            }
            for attempt in attempts {
                buckets[attempt.key, default: Self.full(attempt.limit, now)].left -= 1
            }
            if buckets.count > maximumKeys { Self.evict(from: &buckets, keeping: maximumKeys / 2, at: now) }
            return nil
        }
    }

    /// Returns the number of attempts a key has left, and the seconds until it has all of them again.
    func remaining(for attempt: Attempt, at now: Date) -> (count: Int, untilFull: TimeInterval) {
        buckets.withLock { buckets in
            var bucket = buckets[attempt.key] ?? Self.full(attempt.limit, now)
            bucket.refill(at: now)
            let missing = Double(attempt.limit.capacity) - bucket.left
            return (Int(max(bucket.left, 0)), max(missing, 0) * attempt.limit.window / Double(attempt.limit.capacity))
        }
    }

    /// Returns attempts that need not count.
    ///
    /// An evicted key gets nothing back; the next refill caps a bucket at its capacity.
    func refund(_ attempts: [Attempt]) {
        buckets.withLock { buckets in
            for attempt in attempts { buckets[attempt.key]?.left += 1 }
        }
    }

    /// Returns the full bucket of a new or evicted key.
    private static func full(_ limit: Limit, _ now: Date) -> Bucket {
        Bucket(left: Double(limit.capacity), updated: now, limit: limit)
    }

    /// Evicts full buckets first, then those that have used the smallest share of their capacity.
    ///
    /// The share counts and not the number, so that many refreshes do not evict a few password guesses.
    private static func evict(from buckets: inout [String: Bucket], keeping count: Int, at now: Date) {
        for key in buckets.keys { buckets[key]?.refill(at: now) }
        let spent = { (bucket: Bucket) in 1 - bucket.left / Double(bucket.limit.capacity) }
        let kept = buckets.filter { spent($0.value) > 0 }.sorted { spent($0.value) > spent($1.value) }.prefix(count)
        buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
