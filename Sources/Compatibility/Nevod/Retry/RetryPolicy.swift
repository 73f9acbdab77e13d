// SPDX-License-Identifier: Apache-2.0

package import LatchCore
import LatchHTTP

/// A policy that repeats requests after transient failures.
///
/// Transient failures are a timeout, no connection, 429 and 5xx. A request with a method that is not idempotent, such
/// as POST, is repeated only if the policy allows it. The server may have processed the first request (RFC 9110
/// §9.2.2).
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts; at least 1.
    public let maxAttempts: Int
    /// The delay after the first attempt, in seconds.
    public let baseDelay: TimeInterval
    /// The maximum delay, in seconds, including jitter.
    public let maxDelay: TimeInterval
    /// The ratio of each delay to the previous one; at least 1.
    public let multiplier: Double
    /// Whether a delay varies by up to a half, so that clients do not retry at the same time.
    public let jitter: Bool
    /// Whether POST and PATCH requests are also repeated.
    public let retriesNonIdempotent: Bool

    /// Creates a policy; values out of range are clamped.
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

    /// Limits a delay to one day, which a `Duration` can represent.
    private static func bounded(_ delay: TimeInterval) -> TimeInterval { delay.isNaN ? 0 : min(max(0, delay), 86_400) }

    /// A policy of three attempts, with delays of 1 and 2 s and jitter.
    public static let `default` = RetryPolicy()
    /// A policy of five attempts, the second after 0.5 s.
    public static let aggressive = RetryPolicy(maxAttempts: 5, baseDelay: 0.5, maxDelay: 30)
    /// A policy of two attempts, the second after 2 s, without jitter.
    public static let conservative = RetryPolicy(maxAttempts: 2, baseDelay: 2, maxDelay: 10, jitter: false)
    /// A policy of one attempt.
    public static let none = RetryPolicy(maxAttempts: 1, baseDelay: 0, maxDelay: 0, multiplier: 1, jitter: false)

    /// This policy for all methods, including POST and PATCH.
    public var includingNonIdempotent: RetryPolicy {
        RetryPolicy(
            maxAttempts: maxAttempts, baseDelay: baseDelay, maxDelay: maxDelay, multiplier: multiplier, jitter: jitter,
            retriesNonIdempotent: true)
    }
}

extension RetryPolicy {
    /// Returns the delay after an attempt, in seconds.
    ///
    /// - Parameter attempt: The number of the attempt, counted from 0.
    public func delay(for attempt: Int) -> TimeInterval { delay(for: attempt, random: .system) }

    /// Returns the delay after an attempt, with a source of randomness.
    package func delay(for attempt: Int, random: RandomSource) -> TimeInterval {
        guard attempt >= 0 else { return 0 }
        // LatchHTTP counts attempts from 1.
        let number = attempt < .max ? attempt + 1 : attempt
        return core.delay(afterAttempt: number, random: random).inSeconds
    }

    /// Returns whether there is another attempt after this one, counted from 0.
    public func shouldRetry(attempt: Int) -> Bool { attempt < maxAttempts - 1 }

    /// Waits for the delay of `delay(for:)`.
    ///
    /// - Throws: `CancellationError` as soon as the task is canceled.
    public func performDelay(for attempt: Int) async throws {
        try await Task.sleep(for: .seconds(delay(for: attempt)), clock: .continuous)
    }
}

extension RetryPolicy: CustomStringConvertible {
    /// The values of the policy.
    public var description: String {
        "RetryPolicy(maxAttempts: \(maxAttempts), baseDelay: \(baseDelay)s, maxDelay: \(maxDelay)s, "
            + "multiplier: \(multiplier), jitter: \(jitter))"
    }
}

extension RetryPolicy {
    /// The corresponding policy of LatchHTTP.
    ///
    /// As in Nevod, 500 is retried. A `Retry-After` of up to one minute, or up to the maximum delay, is respected.
    var core: LatchHTTP.RetryPolicy {
        var policy = LatchHTTP.RetryPolicy(
            maximumAttempts: maxAttempts, baseDelay: .seconds(baseDelay), maximumDelay: .seconds(maxDelay),
            multiplier: multiplier, jitter: jitter ? .around : .none,
            maximumRetryAfter: max(.seconds(60), .seconds(maxDelay)))
        policy.statuses = Self.statuses
        policy.retriesNonIdempotentRequests = retriesNonIdempotent
        return policy
    }

    /// Returns the interceptor of this policy.
    func interceptor(clock: WallClock) -> any Interceptor { RetryInterceptor(core, clock: clock) }

    private static let statuses = Set((500...599).map { HTTPStatus(rawValue: $0) }).union([.tooManyRequests])
}
