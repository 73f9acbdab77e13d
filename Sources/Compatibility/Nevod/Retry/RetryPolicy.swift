// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchHTTP

/// How often, and after which pauses, a request is made again that failed for a passing reason.
///
/// Passing are a timeout, no connection, 429 and 5xx. A method that is not idempotent, such as POST, is made again only
/// where the policy says so: the server may have acted on the first one (RFC 9110 §9.2.2).
public struct RetryPolicy: Sendable, Hashable {
    /// How many attempts there are in all; at least 1.
    public let maxAttempts: Int
    /// The pause after the first attempt, in seconds.
    public let baseDelay: TimeInterval
    /// The longest pause, in seconds, jitter included.
    public let maxDelay: TimeInterval
    /// By how much each pause is longer than the one before; at least 1.
    public let multiplier: Double
    /// Whether a pause is varied by up to a half, so that many clients do not come back at once.
    public let jitter: Bool
    /// Whether POST and PATCH are made again too.
    public let retriesNonIdempotent: Bool

    /// A policy; what is out of its bounds is moved to the nearest that is within.
    public init(
        maxAttempts: Int = 3, baseDelay: TimeInterval = 1, maxDelay: TimeInterval = 60, multiplier: Double = 2,
        jitter: Bool = true, retriesNonIdempotent: Bool = false
    ) {
        self.maxAttempts = max(1, maxAttempts)
        self.baseDelay = Self.bounded(baseDelay)
        self.maxDelay = max(self.baseDelay, Self.bounded(maxDelay))
        self.multiplier = multiplier.isFinite ? max(1, multiplier) : 1
        self.jitter = jitter
        self.retriesNonIdempotent = retriesNonIdempotent
    }

    /// A day is longer than any program waits, and is still a `Duration`.
    private static func bounded(_ delay: TimeInterval) -> TimeInterval { delay.isNaN ? 0 : min(max(0, delay), 86_400) }

    /// Three attempts, after 1 and 2 s, with jitter.
    public static let `default` = RetryPolicy()
    /// Five attempts that begin after 0.5 s.
    public static let aggressive = RetryPolicy(maxAttempts: 5, baseDelay: 0.5, maxDelay: 30)
    /// Two attempts, the second after 2 s, without jitter.
    public static let conservative = RetryPolicy(maxAttempts: 2, baseDelay: 2, maxDelay: 10, jitter: false)
    /// One attempt.
    public static let none = RetryPolicy(maxAttempts: 1, baseDelay: 0, maxDelay: 0, multiplier: 1, jitter: false)

    /// This policy for all methods, POST and PATCH too.
    public var includingNonIdempotent: RetryPolicy {
        RetryPolicy(
            maxAttempts: maxAttempts, baseDelay: baseDelay, maxDelay: maxDelay, multiplier: multiplier, jitter: jitter,
            retriesNonIdempotent: true)
    }
}

extension RetryPolicy {
    /// The pause after an attempt, in seconds.
    ///
    /// - Parameter attempt: The number of the attempt, counted from 0.
    public func delay(for attempt: Int) -> TimeInterval { delay(for: attempt, random: .system) }

    /// The same with a source of chance.
    package func delay(for attempt: Int, random: RandomSource) -> TimeInterval {
        guard attempt >= 0 else { return 0 }
        // The core counts attempts from 1.
        let number = attempt < .max ? attempt + 1 : attempt
        return core.delay(afterAttempt: number, random: random).inSeconds
    }

    /// Whether there is another attempt after this one, counted from 0.
    public func shouldRetry(attempt: Int) -> Bool { attempt < maxAttempts - 1 }

    /// Waits as long as `delay(for:)` says.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    public func performDelay(for attempt: Int) async throws {
        try await Task.sleep(for: .seconds(delay(for: attempt)), clock: .continuous)
    }
}

extension RetryPolicy: CustomStringConvertible {
    /// Its numbers.
    public var description: String {
        "RetryPolicy(maxAttempts: \(maxAttempts), baseDelay: \(baseDelay)s, maxDelay: \(maxDelay)s, "
            + "multiplier: \(multiplier), jitter: \(jitter))"
    }
}
