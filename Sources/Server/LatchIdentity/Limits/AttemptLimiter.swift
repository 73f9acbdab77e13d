// SPDX-License-Identifier: Apache-2.0

import PortableFoundation
import LatchCore
import Synchronization

/// Counts attempts by key, in memory of bounded size: a bucket of each key refills steadily over its window.
final class AttemptLimiter: Sendable {
    /// How many attempts a key has within a window.
    struct Limit: Sendable, Hashable {
        /// What the RateLimit fields of an answer call it.
        let name: String
        /// How many attempts a full bucket holds.
        let capacity: Int
        /// In how many seconds an empty bucket is full again.
        let window: TimeInterval

        /// The RateLimit-Policy field (draft-ietf-httpapi-ratelimit-headers-10 §3).
        var policyField: String { "\"\(name)\";q=\(capacity);w=\(Int(window))" }
    }

    /// An attempt on one key.
    struct Attempt: Sendable, Hashable {
        /// Whose attempts are counted; as long as its maker lets it be, which is why that bounds it.
        let key: String
        let limit: Limit
    }

    /// Why an attempt may not be made now.
    struct Refusal: Sendable, Hashable {
        let limit: Limit
        /// In how many seconds the next attempt will be let through, if nobody else takes it.
        let retryAfter: TimeInterval
    }

    /// A token bucket: `left` is a fraction, so that many short waits add up to as much as a long one.
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
    }

    /// With 20,000 keys of at most about 350 bytes, some megabytes, however many names and addresses a flood has.
    private let maximumKeys: Int
    private let buckets = Mutex<[String: Bucket]>([:])

    init(maximumKeys: Int = 20_000) { self.maximumKeys = maximumKeys }

    /// For tests of the bound.
    var keyCount: Int { buckets.withLock { $0.count } }

    /// Takes one attempt from each key, or from none when one of them has none left.
    ///
    /// The attempt counts before it is known how it ends. Otherwise forty guesses at once would all find the bucket
    /// full.
    func take(_ attempts: [Attempt], at now: Date) -> Refusal? {
        buckets.withLock { buckets in
            for attempt in attempts {
                // A key that is tried for the first time has all of its attempts left, and takes up no memory unless
                // the attempt is made: a flood that is refused by its address must not grow with the names it invents.
                guard buckets[attempt.key] != nil,
                    let refusal = Self.refusal(of: attempt, in: &buckets, at: now)
                else { continue }
                return refusal
            }
            for attempt in attempts {
                buckets[attempt.key, default: Self.full(attempt.limit, now)].left -= 1
            }
            if buckets.count > maximumKeys { Self.forget(from: &buckets, keeping: maximumKeys / 2, at: now) }
            return nil
        }
    }

    /// How many attempts a key has left, and in how many seconds it has all of them again.
    func left(of attempt: Attempt, at now: Date) -> (count: Int, untilFull: TimeInterval) {
        buckets.withLock { buckets in
            var bucket = buckets[attempt.key] ?? Self.full(attempt.limit, now)
            bucket.refill(at: now)
            let missing = Double(attempt.limit.capacity) - bucket.left
            return (
                Int(max(bucket.left, 0)), max(missing, 0) * attempt.limit.window / Double(attempt.limit.capacity)
            )
        }
    }

    /// Gives back what an attempt took that turned out to be none of those that are counted.
    ///
    /// A key that was forgotten meanwhile gets nothing back; a bucket is never fuller than its capacity at the next
    /// look.
    func giveBack(_ attempts: [Attempt]) {
        buckets.withLock { buckets in
            for attempt in attempts { buckets[attempt.key]?.left += 1 }
        }
    }

    /// Fills the bucket up to now, and says whether something is in it.
    private static func refusal(
        of attempt: Attempt, in buckets: inout [String: Bucket], at now: Date
    ) -> Refusal? {
        var bucket = buckets[attempt.key] ?? full(attempt.limit, now)
        bucket.refill(at: now)
        buckets[attempt.key] = bucket
        guard bucket.left < 1 else { return nil }
        let wait = (1 - bucket.left) * attempt.limit.window / Double(attempt.limit.capacity)
        return Refusal(limit: attempt.limit, retryAfter: wait)
    }

    /// A key that is tried for the first time, or was forgotten, has everything left.
    private static func full(_ limit: Limit, _ now: Date) -> Bucket {
        Bucket(left: Double(limit.capacity), updated: now, limit: limit)
    }

    /// Forgets first what would be full again, then the keys that used up the smallest part of what they had.
    ///
    /// The part and not the number, so that many renewals do not drive out the few guesses at a password.
    private static func forget(from buckets: inout [String: Bucket], keeping count: Int, at now: Date) {
        for key in buckets.keys { buckets[key]?.refill(at: now) }
        let spent = { (bucket: Bucket) in 1 - bucket.left / Double(bucket.limit.capacity) }
        let kept = buckets.filter { spent($0.value) > 0 }.sorted { spent($0.value) > spent($1.value) }.prefix(count)
        buckets = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
