// SPDX-License-Identifier: Apache-2.0

public import LatchCore

/// Sends a request again after what may have passed by then.
///
/// ```swift
/// let client = Client(baseURL: url, interceptors: [RetryInterceptor(.init(maximumAttempts: 5))])
/// ```
///
/// Only what can be repeated without harm is (`RetryPolicy.repeats`); a cancelled task and a passed deadline end it. What
/// stands inside of it, such as a session that renews after a 401, happens within one attempt and costs none. The last
/// answer or error is the caller's, as it came.
public struct RetryInterceptor: Interceptor {
    /// A repeat that is about to be waited for.
    public struct Repeat: Sendable {
        /// The attempt that failed, from 1.
        public let attempt: Int
        /// How long is waited before the next.
        public let delay: Duration
        /// The status that was answered; nil where there was no answer.
        public let status: HTTPStatus?
        /// The code of the error; nil where there was an answer.
        public let errorCode: String?
    }

    private let policy: RetryPolicy
    private let budget: RetryBudget?
    private let clock: WallClock
    private let random: RandomSource
    private let observe: (@Sendable (Repeat) -> Void)?

    /// An interceptor.
    ///
    /// - Parameters:
    ///   - policy: How often, how long and after what.
    ///   - budget: Shared by all clients whose repeats are to be bounded together; nil for none.
    ///   - observe: Told of each repeat before its pause; it must not block.
    public init(
        _ policy: RetryPolicy = RetryPolicy(), budget: RetryBudget? = nil, clock: WallClock = .system,
        random: RandomSource = .system, observing observe: (@Sendable (Repeat) -> Void)? = nil
    ) {
        self.policy = policy
        self.budget = budget
        self.clock = clock
        self.random = random
        self.observe = observe
    }

    /// Asks `next` until there is an answer to give back.
    ///
    /// - Throws: `HTTPError.cancelled` where the task is cancelled during a pause, `HTTPError.timeout` where the policy's
    ///   deadline passes during an attempt, and what `next` throws at last.
    public func intercept(_ request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        budget?.deposit()
        guard let deadline = policy.deadline else { return try await attempts(at: request, next: next) }
        let timeout = TimeoutInterceptor(deadline, clock: clock)
        return try await timeout.intercept(request, next: HandlerFunction { try await attempts(at: $0, next: next) })
    }

    /// One attempt after the other.
    private func attempts(at request: HTTPRequest, next: any Handler) async throws -> HTTPResponse {
        guard policy.maximumAttempts > 1, policy.repeats(request) else { return try await next.respond(to: request) }
        var message = request
        for attempt in 1... {
            message.attempt = attempt
            let pause: Repeat
            do {
                let response = try await next.respond(to: message)
                guard let delay = delay(after: response, to: message) else { return response }
                pause = Repeat(attempt: attempt, delay: delay, status: response.status, errorCode: nil)
            } catch {
                guard let delay = delay(after: error, to: message) else { throw error }
                pause = Repeat(attempt: attempt, delay: delay, status: nil, errorCode: (error as? HTTPError)?.code)
            }
            observe?(pause)
            do { try await clock.sleep(for: pause.delay) } catch is CancellationError { throw HTTPError.cancelled }
        }
        throw HTTPError.cancelled
    }

    /// How long to wait after an answer; nil where it is the one to give back.
    private func delay(after response: HTTPResponse, to request: HTTPRequest) -> Duration? {
        guard policy.statuses.contains(response.status) else { return nil }
        let asked = response.retryDelay(now: clock.now) ?? .zero
        guard asked <= policy.maximumRetryAfter else { return nil }
        return delay(atLeast: asked, before: request)
    }

    /// How long to wait after an error; nil where it is the one to throw.
    private func delay(after error: any Error, to request: HTTPRequest) -> Duration? {
        policy.repeats(after: error) ? delay(atLeast: .zero, before: request) : nil
    }

    /// The pause before the next attempt; nil where there is no next one: none is left, the task is cancelled, the time
    /// would not suffice, or the budget does not.
    private func delay(atLeast asked: Duration, before request: HTTPRequest) -> Duration? {
        guard request.attempt < policy.maximumAttempts, !Task.isCancelled else { return nil }
        let delay = max(asked, policy.delay(afterAttempt: request.attempt, random: random))
        if let deadline = request.deadline, deadline.remaining <= delay { return nil }
        guard budget?.withdraw() ?? true else { return nil }
        return delay
    }
}
