// SPDX-License-Identifier: Apache-2.0

package import LatchCore

/// The number of attempts, the delays between them, and the conditions of a retry.
///
/// The delay before the n-th retry is at most `baseDelay · multiplier^(n-1)` and at most `maximumDelay`. It is
/// randomized (`jitter`), so that clients that failed together do not retry together.
public struct RetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, including the first; at least 1.
    public var maximumAttempts: Int
    /// The upper bound of the first delay.
    public var baseDelay: Duration
    /// The upper bound of every delay that the server did not require.
    public var maximumDelay: Duration
    /// The factor by which the bound grows with each delay; at least 1.
    public var multiplier: Double
    /// The randomization of the delays.
    public var jitter: Jitter
    /// The longest `Retry-After` to wait for; a response with a longer one is returned immediately.
    public var maximumRetryAfter: Duration
    /// The maximum duration of all attempts and delays; nil for no limit.
    public var deadline: Duration?
    /// The statuses that are retried: by default those of a temporary state of the server.
    ///
    /// 500 is not among them: it usually indicates an error that will happen again.
    public var statuses: Set<HTTPStatus> = [429, 502, 503, 504]
    /// Whether requests that may then happen twice are also retried.
    ///
    /// These are requests that are not idempotent and have neither an Idempotency-Key nor `HTTPRequest.isSafeToRetry`.
    public var retriesNonIdempotentRequests = false

    /// Creates a policy; values out of range are replaced by the nearest valid ones.
    public init(
        maximumAttempts: Int = 3, baseDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(30),
        multiplier: Double = 2, jitter: Jitter = .full, maximumRetryAfter: Duration = .seconds(60),
        deadline: Duration? = nil
    ) {
        self.maximumAttempts = max(maximumAttempts, 1)
        self.baseDelay = max(baseDelay, .zero)
        self.maximumDelay = max(maximumDelay, .zero)
        self.multiplier = multiplier >= 1 ? multiplier : 1
        self.jitter = jitter
        self.maximumRetryAfter = max(maximumRetryAfter, .zero)
        self.deadline = deadline
    }

    /// A policy with a single attempt.
    public static let never = RetryPolicy(maximumAttempts: 1)

    /// The randomization of a delay.
    public struct Jitter: Sendable, Hashable {
        /// The range of the factor that the bound is multiplied by; the result is limited again.
        package let share: ClosedRange<Double>

        /// Creates a randomization with a range of factors; negative ones count as zero.
        package init(_ share: ClosedRange<Double>) {
            self.share = max(share.lowerBound, 0)...max(share.upperBound, 0)
        }

        /// A random delay between zero and the bound ("full jitter"), which spreads the load best.
        public static let full = Jitter(0...1)
        /// A delay equal to the bound.
        public static let none = Jitter(1...1)
        /// A random delay between half and one and a half times the bound, and never above `maximumDelay`.
        public static let around = Jitter(0.5...1.5)
    }
}

extension RetryPolicy {
    /// Returns the bound of the delay after an attempt, before randomization.
    ///
    /// - Parameter attempt: The number of the failed attempt, from 1.
    package func bound(afterAttempt attempt: Int) -> Duration {
        var bound = baseDelay.inSeconds
        let most = maximumDelay.inSeconds
        // Stops at the bound, so that no number of attempts overflows.
        var steps = multiplier > 1 && bound > 0 ? min(max(attempt, 1) - 1, 10_000) : 0
        while steps > 0, bound < most {
            bound *= multiplier
            steps -= 1
        }
        return bound < most ? .seconds(bound) : maximumDelay
    }

    /// Returns the delay after an attempt if the server requires none: from zero to `maximumDelay`.
    package func delay(afterAttempt attempt: Int, random: RandomSource = .system) -> Duration {
        let bound = bound(afterAttempt: attempt)
        guard jitter != .none else { return bound }
        let share = jitter.share.lowerBound + (jitter.share.upperBound - jitter.share.lowerBound) * random.unit()
        return min(.seconds(bound.inSeconds * share), maximumDelay)
    }

    /// Whether the request can safely be sent again with the same content.
    package func allowsRetry(of request: HTTPRequest) -> Bool {
        let isHarmless =
            request.method.isIdempotent || request.isSafeToRetry || retriesNonIdempotentRequests
            || request.fields[.idempotencyKey] != nil
        return isHarmless && request.body.isReplayable
    }

    /// Whether an error may be transient: a failure of the network, not of a certificate, an address or a message.
    package func allowsRetry(after error: any Error) -> Bool { (error as? HTTPError)?.isConnectivity ?? false }
}
