// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchFoundation
import LatchHTTP
import Synchronization

extension ServiceClient {
    /// Performs an action, and repeats it after a transient failure at most `maxRetries` times.
    ///
    /// It waits for about `baseDelay` before the second attempt, and twice as long before each further attempt, up to
    /// half a minute. Half of each delay is random, so that clients that failed together do not return together. If the
    /// server states when to retry, the client waits that long, up to a minute; for a longer delay, the action fails
    /// immediately. Only the last failure becomes the state's `error`.
    ///
    /// After some failures it is unknown whether the server has executed the action: the response was late, or the
    /// connection broke. The action is then repeated only if its method is idempotent (`option idempotency_level`) or
    /// `evenIfUncertain` is set.
    ///
    /// It is always repeated if no request was sent. The same applies if the server refused the request with a retry
    /// delay, a conflict or a limit.
    ///
    /// - Parameters:
    ///   - action: The action to perform.
    ///   - maxRetries: The maximum number of repetitions; zero or less for none.
    ///   - baseDelay: The mean delay before the second attempt; it doubles with each further attempt.
    ///   - evenIfUncertain: Whether to repeat an action that the server may have executed. Set it if a second execution
    ///     is harmless, or if the calls carry an idempotency key.
    public func processWithRetry(
        _ action: ActionType, maxRetries: Int = 3, baseDelay: Duration = .milliseconds(100),
        evenIfUncertain: Bool = false
    ) async throws {
        let holder = core.newRun()
        if action.showsLoadingState, action.isValid { core.beginLoading(holder) }
        defer {
            core.endLoading(holder)
            publish(core.store.current)
        }
        let policy = RetryPolicy(maximumAttempts: max(0, maxRetries) + 1, baseDelay: baseDelay, jitter: .around)
        let (clock, random) = (core.settings.clock, core.settings.random)
        for number in 1...policy.maximumAttempts {
            guard !core.isBeforeReset(holder) else { throw CancellationError() }
            let attempt = ActionAttempt(
                allowsUncertain: evenIfUncertain || action.traits.isIdempotent,
                longestWish: policy.maximumRetryAfter, now: { clock.now })
            do {
                let run = core.newRun(attempt: number < policy.maximumAttempts ? attempt : nil)
                return try await perform(action, in: run)
            } catch  where attempt.isRepeated {
                let delay = policy.delay(afterAttempt: number, random: random)
                try await clock.sleep(for: max(delay, attempt.wish ?? .zero))
                core.count { $0.retried += 1 }
            }
        }
    }

    /// Performs an action within a time limit.
    ///
    /// After the limit, its call is canceled and the failure is thrown immediately, even while the call runs. Later
    /// results of the call do not change the state.
    public func process(_ action: ActionType, timeout: Duration) async throws {
        var run = core.newRun()
        run.awaitsDeliveries = false
        let race = Race()
        // The actor records both outcomes together with the change of the state. So an action cannot fail for its
        // caller and succeed for the state.
        let work = Task { [run] in
            let result: Result<Void, any Error>
            do { result = .success(try await perform(action, in: run)) } catch { result = .failure(error) }
            _ = race.finish(.finished(result))
            core.forget(run)
        }
        let timer = Task { [run] in
            try await core.settings.clock.sleep(for: timeout)
            guard race.finish(.timedOut) else { return }
            core.abandon(run)
            work.cancel()
        }
        let outcome = await withTaskCancellationHandler {
            await race.outcome()
        } onCancel: {
            work.cancel()
        }
        timer.cancel()
        switch outcome {
        case .finished(let result):
            await core.store.waitForDeliveries()
            try result.get()
        case .timedOut:
            guard !core.isBeforeReset(run) else { throw CancellationError() }
            core.count { $0.failed += 1 }
            let failure = StateType.Failure(.timeout(action.actionName, after: timeout))
            update(run) { $0.error = failure }
            await core.store.waitForDeliveries()
            throw failure
        }
    }
}

/// A race between the end of some work and its time limit.
private final class Race: Sendable {
    enum Outcome: Sendable {
        case finished(Result<Void, any Error>)
        case timedOut
    }

    private struct Content {
        var outcome: Outcome?
        var waiting: CheckedContinuation<Outcome, Never>?
    }

    private let content = Mutex(Content())

    /// Ends the race with an outcome.
    ///
    /// - Returns: Whether this outcome was the first.
    func finish(_ outcome: Outcome) -> Bool {
        let (isFirst, waiting) = content.withLock { content in
            guard content.outcome == nil else { return (false, nil as CheckedContinuation<Outcome, Never>?) }
            content.outcome = outcome
            return (true, content.waiting.take())
        }
        waiting?.resume(returning: outcome)
        return isFirst
    }

    /// Waits for the outcome; only one caller may wait.
    func outcome() async -> Outcome {
        await withCheckedContinuation { continuation in
            let outcome: Outcome? = content.withLock { content in
                if content.outcome == nil { content.waiting = continuation }
                return content.outcome
            }
            if let outcome { continuation.resume(returning: outcome) }
        }
    }
}

/// One execution of an action, or of several that succeed or fail together.
///
/// Generated clients pass it on unchanged.
public struct ActionRun: Sendable {
    /// The unique number of the run.
    let id: Int
    /// Whether its changes may be undone, so that its failure does not become part of the state.
    var isAtomic = false
    /// Whether the action waits until readers on an actor have received its states.
    var awaitsDeliveries = true
    /// The attempt, if another one may follow it; nil for the last one.
    var attempt: ActionAttempt?
}

/// One attempt at an action; its failure decides whether another one follows.
final class ActionAttempt: Sendable {
    private let allowsUncertain: Bool
    private let longestWish: Duration
    private let now: @Sendable () -> Date
    private let outcome = Mutex<(isRepeated: Bool, wish: Duration?)>((false, nil))

    /// Creates an attempt.
    ///
    /// - Parameters:
    ///   - allowsUncertain: Whether to repeat an action that the server may have executed.
    ///   - longestWish: The longest delay that a server may request.
    ///   - now: Returns the current date.
    init(allowsUncertain: Bool, longestWish: Duration, now: @escaping @Sendable () -> Date) {
        self.allowsUncertain = allowsUncertain
        self.longestWish = longestWish
        self.now = now
    }

    /// Whether another attempt follows.
    var isRepeated: Bool { outcome.withLock { $0.isRepeated } }

    /// The delay that the server requested; nil if it requested none.
    var wish: Duration? { outcome.withLock { $0.wish } }

    /// Decides after a failure whether another attempt follows.
    func end(_ error: ActionError, isRetryable: Bool) {
        let wish = error.retryDelay(now: now())
        let isAllowed = isRetryable && (allowsUncertain || !error.mayHaveRun) && wish ?? .zero <= longestWish
        outcome.withLock { $0 = (isAllowed, wish) }
    }
}
