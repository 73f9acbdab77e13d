// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// How often a request is tried, how long to wait in between, and after what.
///
/// The pause before the n-th repeat is at most `baseDelay · multiplier^(n-1)` and at most `maximumDelay`; where in there
/// it lies is decided by chance (`jitter`), so that clients that failed together do not return together.
public struct RetryPolicy: Sendable, Hashable {
    /// How many attempts there are in all, the first among them; at least 1.
    public var maximumAttempts: Int
    /// The upper bound of the first pause.
    public var baseDelay: Duration
    /// The upper bound of every pause that the server did not ask for.
    public var maximumDelay: Duration
    /// By how much the bound grows from one pause to the next; at least 1.
    public var multiplier: Double
    /// Where in its bounds a pause lies.
    public var jitter: Jitter
    /// The longest `Retry-After` that is waited for; where the server wants more, its answer is given back at once.
    public var maximumRetryAfter: Duration
    /// How long all attempts and pauses may take together; nil for as long as they do.
    public var deadline: Duration?
    /// The answers after which it is tried again: by default those that speak of a passing state of the server.
    ///
    /// 500 is not among them: it mostly speaks of an error that is there the next time as well.
    public var statuses: Set<HTTPStatus> = [429, 502, 503, 504]
    /// Whether requests are repeated that may then happen twice: those whose method is not idempotent and that have
    /// neither an Idempotency-Key nor `HTTPRequest.isHarmlessToRepeat`.
    public var repeatsRequestsThatMayThenHappenTwice = false

    /// A policy; what is out of bounds counts as the bound.
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

    /// One attempt and no more.
    public static let never = RetryPolicy(maximumAttempts: 1)

    /// Where in its bounds a pause lies.
    public struct Jitter: Sendable, Hashable {
        /// By what the bound is multiplied; the result is bounded again.
        public let share: ClosedRange<Double>

        /// Anywhere in a range of shares; what is below zero counts as zero.
        public init(_ share: ClosedRange<Double>) {
            self.share = max(share.lowerBound, 0)...max(share.upperBound, 0)
        }

        /// Anywhere from no pause to the bound: the least load on a server that many return to.
        public static let full = Jitter(0...1)
        /// Always the bound.
        public static let none = Jitter(1...1)
        /// From half to one and a half of the bound, and never above `maximumDelay`.
        public static let around = Jitter(0.5...1.5)
    }
}

extension RetryPolicy {
    /// The bound of the pause after an attempt, before chance.
    ///
    /// - Parameter attempt: The number of the attempt that failed, from 1.
    public func bound(afterAttempt attempt: Int) -> Duration {
        var bound = baseDelay.inSeconds
        let most = maximumDelay.inSeconds
        // Stops at the bound, so no number of attempts makes a power that is too large.
        var steps = multiplier > 1 && bound > 0 ? min(max(attempt, 1) - 1, 10_000) : 0
        while steps > 0, bound < most {
            bound *= multiplier
            steps -= 1
        }
        return bound < most ? .seconds(bound) : maximumDelay
    }

    /// The pause after an attempt, where the server asks for none: within zero and `maximumDelay`.
    public func delay(afterAttempt attempt: Int, random: RandomSource = .system) -> Duration {
        let bound = bound(afterAttempt: attempt)
        guard jitter != .none else { return bound }
        let share = jitter.share.lowerBound + (jitter.share.upperBound - jitter.share.lowerBound) * random.unit()
        return min(.seconds(bound.inSeconds * share), maximumDelay)
    }

    /// Whether the request can be sent again without doing harm, and with the same content.
    public func repeats(_ request: HTTPRequest) -> Bool {
        let isHarmless =
            request.method.isIdempotent || request.isHarmlessToRepeat || repeatsRequestsThatMayThenHappenTwice
            || request.fields[.idempotencyKey] != nil
        return isHarmless && request.body.isReplayable
    }

    /// Whether an error may be gone at the next attempt: the network's, and no certificate's, address' or message's.
    public func repeats(after error: any Error) -> Bool { (error as? HTTPError)?.isConnectivity ?? false }
}
