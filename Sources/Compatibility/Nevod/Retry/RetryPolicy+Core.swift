// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP

extension RetryPolicy {
    /// The policy in the core's terms.
    ///
    /// 500 is retried as the original does it. A `Retry-After` of up to a minute, or the longest pause, is waited for.
    var core: LatchHTTP.RetryPolicy {
        var policy = LatchHTTP.RetryPolicy(
            maximumAttempts: maxAttempts, baseDelay: .seconds(baseDelay), maximumDelay: .seconds(maxDelay),
            multiplier: multiplier, jitter: jitter ? .around : .none,
            maximumRetryAfter: max(.seconds(60), .seconds(maxDelay)))
        policy.statuses = Self.statuses
        policy.repeatsRequestsThatMayThenHappenTwice = retriesNonIdempotent
        return policy
    }

    /// The core's step for this policy.
    func interceptor(clock: WallClock) -> any Interceptor { RetryInterceptor(core, clock: clock) }

    private static let statuses = Set((500...599).map { HTTPStatus(rawValue: $0) }).union([.tooManyRequests])
}
