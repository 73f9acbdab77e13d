// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// An interceptor that retries requests after transient failures.
///
/// ```swift
/// let client = Client(baseURL: url, interceptors: [RetryInterceptor(.init(maximumAttempts: 5))])
/// ```
///
/// Only requests that can be repeated safely are retried (`RetryPolicy.allowsRetry(of:)`). A canceled task and an
/// expired deadline end the retries. Inner interceptors, such as a session that refreshes its token after a 401, run
/// within one attempt. The last response or error is passed to the caller unchanged.
public struct RetryInterceptor: Interceptor {
    /// A retry that is about to be delayed.
    public struct Retry: Sendable {
        /// The number of the failed attempt, from 1.
        public let attempt: Int
        /// The delay before the next attempt.
        public let delay: Duration
        /// The status of the response; nil if there was none.
        public let status: HTTPStatus?
        /// The code of the error; nil if there was a response.
        public let errorCode: String?
    }

    private let policy: RetryPolicy
    private let budget: RetryBudget?
    private let clock: WallClock
    private let random: RandomSource
    private let observe: (@Sendable (Retry) -> Void)?

    /// Creates an interceptor.
    ///
    /// - Parameters:
    ///   - policy: The number and delays of the retries, and their conditions.
    ///   - budget: A budget that clients can share; nil for none.
    ///   - clock: The clock of the delays and the deadline.
    ///   - random: The source of the delays' jitter.
    ///   - observe: A function that is called before the delay of each retry and must not block; nil for none.
    public init(
        _ policy: RetryPolicy = RetryPolicy(), budget: RetryBudget? = nil, clock: WallClock = .system,
        random: RandomSource = .system, observing observe: (@Sendable (Retry) -> Void)? = nil
    ) {
        self.policy = policy
        self.budget = budget
        self.clock = clock
        self.random = random
        self.observe = observe
    }

    /// Calls `next` until there is a response to return.
    ///
    /// - Throws: `HTTPError.cancelled` if the task is canceled during a delay, `HTTPError.timeout` if the policy's
    ///   deadline passes during an attempt, and the last error of `next`.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        budget?.deposit()
        guard let deadline = policy.deadline else { return try await attempts(at: request, next: next) }
        let timeout = TimeoutInterceptor(deadline, clock: clock)
        return try await timeout.intercept(request, next: ClosureHandler { try await attempts(at: $0, next: next) })
    }

    /// Makes one attempt after the other.
    private func attempts(at request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard policy.maximumAttempts > 1, policy.allowsRetry(of: request) else {
            return try await next.respond(to: request)
        }
        var message = request
        for attempt in 1... {
            message.attempt = attempt
            let pause: Retry
            do {
                let response = try await next.respond(to: message)
                guard let delay = delay(after: response, to: message) else { return response }
                pause = Retry(attempt: attempt, delay: delay, status: response.status, errorCode: nil)
            } catch {
                guard policy.allowsRetry(after: error), let delay = delay(atLeast: .zero, before: message) else {
                    throw error
                }
                pause = Retry(attempt: attempt, delay: delay, status: nil, errorCode: (error as? HTTPError)?.code)
            }
            observe?(pause)
            do { try await clock.sleep(for: pause.delay) } catch is CancellationError { throw HTTPError.cancelled }
        }
        throw HTTPError.cancelled
    }

    /// Returns the delay after a response, or nil if the response is returned.
    private func delay(after response: HTTPResponse, to request: HTTPRequest) -> Duration? {
        guard policy.statuses.contains(response.status) else { return nil }
        let asked = response.retryDelay(now: clock.now) ?? .zero
        guard asked <= policy.maximumRetryAfter else { return nil }
        return delay(atLeast: asked, before: request)
    }

    /// Returns the delay before the next attempt, or nil if there is none.
    ///
    /// There is none if the attempts, the time or the budget are used up, or if the task is canceled.
    private func delay(atLeast asked: Duration, before request: HTTPRequest) -> Duration? {
        guard request.attempt < policy.maximumAttempts, !Task.isCancelled else { return nil }
        let delay = max(asked, policy.delay(afterAttempt: request.attempt, random: random))
        if let deadline = request.deadline, deadline.remaining <= delay { return nil }
        guard budget?.withdraw() ?? true else { return nil }
        return delay
    }
}
