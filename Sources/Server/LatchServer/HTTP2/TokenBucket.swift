// SPDX-License-Identifier: Apache-2.0

/// An allowance that is spent and refills with time.
struct TokenBucket {
    /// The maximum number of tokens.
    private let capacity: Int
    /// The time in nanoseconds after which one token is refilled.
    private let timePerToken: UInt64
    private var tokens: Int
    /// The time up to which tokens were refilled.
    private var refilled: UInt64

    /// A full bucket.
    init(capacity: Int, perSecond: Int, now: UInt64) {
        self.capacity = capacity
        timePerToken = 1_000_000_000 / UInt64(max(1, perSecond))
        tokens = capacity
        refilled = now
    }

    /// Adds tokens, up to the capacity.
    mutating func earn(_ count: Int) { tokens = min(capacity, tokens + count) }

    /// Takes tokens; returns false when there are too few.
    mutating func spend(_ count: Int = 1, now: UInt64) -> Bool {
        if tokens < capacity, now > refilled {
            let new = (now - refilled) / timePerToken
            earn(Int(clamping: min(new, UInt64(capacity))))
            refilled = tokens == capacity ? now : refilled + new * timePerToken
        } else if tokens == capacity {
            refilled = now
        }
        guard tokens >= count else { return false }
        tokens -= count
        return true
    }
}
