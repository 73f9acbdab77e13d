// SPDX-License-Identifier: Apache-2.0

import LatchCore
package import LatchFoundation
import LatchHTTP
package import LatchIdentityStorage
import Synchronization

/// A rate limiter with a token bucket for each key, in bounded memory.
///
/// Each scope has its own table, so that a flood of one kind uses no memory of another. A bucket is kept until it
/// has refilled: filling a table makes the limiter forget no attempt. In a full table, new keys share buckets by their
/// wider network, so that a flood mostly limits itself.
package final class AttemptLimiter: Sendable {
    /// A number of attempts within a window.
    package typealias Limit = RateLimit

    /// The kind of attempt, with its own table; all attempts of a scope have the same limit.
    package enum Scope: Int, Sendable, CaseIterable {
        case loginPair, loginPairPrefix, loginAccount, loginNetwork, loginPrefix
        case token, apiKey, session, refresh, deviceRefresh, clientSecret, username
        case secondFactor, secondFactorNetwork, secondFactorPrefix, secondFactorSetup
        case signUpNetwork, signUpPrefix, signUpAccount, disclosure, guestNetwork, guestPrefix
        case mailNetwork, mailPrefix, mailRecipient, mailKnownRecipient, mailedCode, link, page, other
        case userCode, deviceNetwork, devicePrefix, registrationNetwork, registrationPrefix, passkey, passkeyPrefix,
            passkeyRegistration
        case unprovedPasskeyRegistration
        case textNetwork, textPrefix, textAccount, textNumber, textServer, textCode
    }

    /// A keyed digest of what was attempted.
    ///
    /// All keys have the same length, and an attacker cannot choose keys that collide.
    fileprivate struct Digest: Sendable, Hashable {
        private let high, low: Int
        private static let secrets = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))

        init(_ network: NetworkPrefix?, _ name: String) {
            // SipHash with the process's random key and a secret; the second half has another secret.
            var hasher = Hasher()
            hasher.combine(Self.secrets.0)
            hasher.combine(network)
            hasher.combine(name)
            var other = hasher
            other.combine(Self.secrets.1)
            (high, low) = (hasher.finalize(), other.finalize())
        }

        func hash(into hasher: inout Hasher) { hasher.combine(high) }
        /// The index of one of `count` shared buckets.
        func index(in count: Int) -> Int { Int(UInt(bitPattern: high) % UInt(count)) }
    }

    /// An attempt that counts against one key.
    package struct Attempt: Sendable, Hashable {
        package let scope: Scope
        package let limit: Limit
        fileprivate let digest: Digest
        private let network: NetworkPrefix?

        /// Creates an attempt by a client in a network, on a name, or both.
        package init(_ scope: Scope, from network: NetworkPrefix? = nil, on name: String = "", limit: Limit) {
            self.scope = scope
            self.limit = limit
            self.network = network
            digest = Digest(network, name)
        }

        /// The digest of a wider key: that of the network around the client's, or the key itself.
        fileprivate var widerDigest: Digest { network.map { Digest($0.wide, "") } ?? digest }
    }

    /// The exhausted limit of a rejected attempt.
    package struct Rejection: Sendable, Hashable {
        package let limit: Limit
        /// The seconds until the next attempt is available.
        package let retryAfter: TimeInterval
    }

    /// The attempts that a key has left.
    package struct Remaining: Sendable {
        package let limit: Limit
        package let count: Int
        /// The time of the attempt.
        package let date: Date
        /// The seconds after `date` until the key has all attempts again.
        package let untilFull: TimeInterval
    }

    /// A token bucket; `left` is fractional, so that short waits add up.
    fileprivate struct Bucket {
        var left: Double
        private var updated: Date

        /// Creates the full bucket of a new key.
        init(_ limit: Limit, at now: Date) { (left, updated) = (Double(limit.capacity), now) }

        /// Adds the attempts for the time that has passed.
        mutating func refill(_ limit: Limit, at now: Date) {
            // A clock that was set back must not keep a bucket empty forever.
            let passed = max(now.timeIntervalSince(updated), 0)
            left = min(left + passed * Double(limit.capacity) / limit.window, Double(limit.capacity))
            updated = now
        }

        /// Returns a rejection if less than one attempt is left.
        func rejection(_ limit: Limit) -> Rejection? {
            guard left < 1 else { return nil }
            return Rejection(limit: limit, retryAfter: (1 - left) * limit.window / Double(limit.capacity))
        }

        func remaining(_ limit: Limit) -> Remaining {
            let missing = max(Double(limit.capacity) - left, 0)
            return Remaining(
                limit: limit, count: Int(max(left, 0)), date: updated,
                untilFull: missing * limit.window / Double(limit.capacity))
        }
    }

    private let tables: Mutex<[Table]>

    /// Creates a limiter.
    ///
    /// - Parameter maximumKeys: The maximum number of keys of each scope. The default takes 2 MiB, since a hash table
    ///   of that size holds no more keys. All scopes together take 62 MiB, plus 2 MiB during a sweep.
    package init(maximumKeys: Int = 49_152) {
        tables = Mutex(Scope.allCases.map { _ in Table(maximumKeys: maximumKeys) })
    }

    /// The memory of one key, all of it in the table.
    package static var bytesPerKey: Int { MemoryLayout<(Digest, Bucket)>.stride }

    /// The number of keys, for tests of the bound.
    package var keyCount: Int { tables.withLock { $0.reduce(0) { $0 + $1.count } } }

    /// Takes one attempt from each key, or from none if one of them has none left.
    ///
    /// The attempt counts before its result is known: otherwise forty concurrent guesses would all find the bucket
    /// full.
    package func take(_ attempts: [Attempt], at now: Date) -> Rejection? {
        tables.withLock { Self.take(attempts, from: &$0, at: now) }
    }

    /// Takes one attempt from each key, as `take(_:at:)` does, and returns what the first key then has left.
    package func takeCounting(_ attempts: [Attempt], at now: Date) -> (rejection: Rejection?, remaining: Remaining) {
        let first = attempts[0]
        return tables.withLock { tables in
            // Most requests have a single key, which is looked up once.
            let rejection = attempts.count == 1 ? nil : Self.take(attempts, from: &tables, at: now)
            return tables[first.scope.rawValue].withBucket(of: first, at: now) { bucket in
                guard attempts.count == 1 else { return (rejection, bucket.remaining(first.limit)) }
                let rejection = bucket.rejection(first.limit)
                if rejection == nil { bucket.left -= 1 }
                return (rejection, bucket.remaining(first.limit))
            }
        }
    }

    private static func take(_ attempts: [Attempt], from tables: inout [Table], at now: Date) -> Rejection? {
        // A new key has all attempts left, and takes no memory unless the attempt is made. So a flood that is rejected
        // by its address cannot add the names that it invents.
        for attempt in attempts {
            let rejection = tables[attempt.scope.rawValue].withBucket(of: attempt, at: now) {
                $0.rejection(attempt.limit)
            }
            if let rejection { return rejection }
        }
        for attempt in attempts {
            tables[attempt.scope.rawValue].withBucket(of: attempt, at: now) { $0.left -= 1 }
        }
        return nil
    }

    /// Makes the buckets of keys full again.
    ///
    /// A key with a shared bucket waits as before, since other keys use the bucket too.
    package func forget(_ attempts: [Attempt]) {
        tables.withLock { tables in
            for attempt in attempts { tables[attempt.scope.rawValue].forget(attempt) }
        }
    }

    /// Gives back attempts that should not count.
    package func refund(_ attempts: [Attempt]) {
        tables.withLock { tables in
            for attempt in attempts { tables[attempt.scope.rawValue].refund(attempt) }
        }
    }
}

extension AttemptLimiter {
    /// The buckets of one scope.
    private struct Table {
        private let maximumKeys: Int
        private var buckets: [Digest: Bucket] = [:]
        /// The buckets that new keys share while the table is full; empty until the table is full for the first time.
        private var shared: [Bucket] = []
        /// The earliest time of the next search for full buckets, which takes a millisecond.
        private var nextSweep = Date.distantPast

        private static let sharedCount = 1024

        init(maximumKeys: Int) { self.maximumKeys = maximumKeys }

        var count: Int { buckets.count }

        /// Calls `body` with the refilled bucket of an attempt; a new key's bucket is kept unless it is full.
        mutating func withBucket<Result>(of attempt: Attempt, at now: Date, _ body: (inout Bucket) -> Result) -> Result
        {
            if let index = buckets.index(forKey: attempt.digest) {
                buckets.values[index].refill(attempt.limit, at: now)
                return body(&buckets.values[index])
            }
            makeRoom(attempt.limit, at: now)
            if let index = sharedIndex(of: attempt) {
                shared[index].refill(attempt.limit, at: now)
                return body(&shared[index])
            }
            var bucket = Bucket(attempt.limit, at: now)
            let result = body(&bucket)
            if bucket.left < Double(attempt.limit.capacity) { buckets[attempt.digest] = bucket }
            return result
        }

        mutating func forget(_ attempt: Attempt) { buckets[attempt.digest] = nil }

        /// Gives back an attempt; a bucket that is full again is removed.
        mutating func refund(_ attempt: Attempt) {
            if let left = buckets[attempt.digest]?.left {
                let isFull = left + 1 >= Double(attempt.limit.capacity)
                if isFull { buckets[attempt.digest] = nil } else { buckets[attempt.digest]?.left += 1 }
            } else if let index = sharedIndex(of: attempt) {
                shared[index].left += 1
            }
        }

        /// Returns the index of the shared bucket of a new key; nil if there is room for a separate bucket.
        private func sharedIndex(of attempt: Attempt) -> Int? {
            guard buckets.count >= maximumKeys, !shared.isEmpty else { return nil }
            return attempt.widerDigest.index(in: shared.count)
        }

        /// Removes the buckets that have refilled from a full table; other buckets are never removed.
        private mutating func makeRoom(_ limit: Limit, at now: Date) {
            guard buckets.count >= maximumKeys else { return }
            if shared.isEmpty { shared = Array(repeating: Bucket(limit, at: now), count: Self.sharedCount) }
            // A clock that was set back must not postpone the search forever.
            guard now >= nextSweep || nextSweep.timeIntervalSince(now) > limit.window else { return }
            nextSweep = now.addingTimeInterval(limit.window / 60)
            buckets = buckets.filter { entry in
                var bucket = entry.value
                bucket.refill(limit, at: now)
                return bucket.left < Double(limit.capacity)
            }
        }
    }
}

extension IdentityError {
    /// Returns a ``tooManyAttempts`` error with the exhausted limit and the time until the next attempt.
    package static func tooManyAttempts(_ rejection: AttemptLimiter.Rejection) -> IdentityError {
        var error = tooManyAttempts
        error.retryAfter = .milliseconds(Int64(rejection.retryAfter * 1000))
        error.limit = rejection.limit
        return error
    }
}
