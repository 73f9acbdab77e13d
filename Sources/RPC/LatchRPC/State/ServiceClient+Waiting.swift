// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization

extension ServiceClient {
    /// Does an action, and again where it fails in a way that may pass: `maxRetries` times more at most.
    ///
    /// Between two attempts it waits for `baseDelay`, then twice as long each time. The state's `error` is set by the
    /// last failure alone.
    ///
    /// After some failures nobody knows whether the server has acted: its answer was late, or the connection broke. Then
    /// the action is done again only if its method says that this does no harm (`option idempotency_level`), or if
    /// `evenIfUncertain` does. It is done again in any case where no request was sent, and where the server refused it and
    /// said when to come back, or that it lost against another call or a limit.
    ///
    /// - Parameter evenIfUncertain: Whether the action is done again that may have been done: where a second time does no
    ///   harm, or the calls have a key by which the server tells.
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
        var delay = baseDelay
        for retriesLeft in (0...max(0, maxRetries)).reversed() {
            let attempt = ActionAttempt(allowsUncertain: evenIfUncertain || action.traits.isIdempotent)
            do {
                return try await perform(action, in: core.newRun(attempt: retriesLeft > 0 ? attempt : nil))
            } catch  where attempt.isRepeated {
                try await core.settings.clock.sleep(for: delay)
                core.count { $0.retried += 1 }
                delay += delay
            }
        }
    }

    /// Does an action that may take so long and no longer.
    ///
    /// Then its call is cancelled, and its failure told at once, even where the call goes on: whatever it still brings
    /// changes nothing.
    public func process(_ action: ActionType, timeout: Duration) async throws {
        let run = core.newRun()
        let race = Race()
        // Both ends of the race are told on the actor, in the turn in which the state is changed or given up: there is
        // no moment at which an action has failed for its caller and not for the state.
        let work = Task {
            do {
                try await perform(action, in: run)
                _ = race.finish(.done(.success(())))
            } catch {
                _ = race.finish(.done(.failure(error)))
            }
            core.forget(run)
        }
        let timer = Task {
            try await core.settings.clock.sleep(for: timeout)
            guard race.finish(.tooLate) else { return }
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
        case .done(let result): try result.get()
        case .tooLate:
            core.count { $0.failed += 1 }
            let failure = StateType.Failure(.timeout(action.actionName, after: timeout))
            update(run) { $0.error = failure }
            throw failure
        }
    }
}

/// What came first: the end of some work, or of the time for it.
private final class Race: Sendable {
    enum Outcome: Sendable {
        case done(Result<Void, any Error>)
        case tooLate
    }

    private struct Content {
        var outcome: Outcome?
        var waiting: CheckedContinuation<Outcome, Never>?
    }

    private let content = Mutex(Content())

    /// Ends the race.
    ///
    /// - Returns: Whether it had not ended before.
    func finish(_ outcome: Outcome) -> Bool {
        var waiting: CheckedContinuation<Outcome, Never>?
        let isFirst = content.withLock { content in
            guard content.outcome == nil else { return false }
            content.outcome = outcome
            waiting = content.waiting
            content.waiting = nil
            return true
        }
        waiting?.resume(returning: outcome)
        return isFirst
    }

    /// Waits for the end, for one who asks.
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
